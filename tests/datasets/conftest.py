"""A cache of data files of our own."""

from pathlib import Path

import pytest


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and no folder of the user's."""
    monkeypatch.delenv("PYOD_EXPLAIN_DATA", raising=False)
    monkeypatch.setenv("PYOD_EXPLAIN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
