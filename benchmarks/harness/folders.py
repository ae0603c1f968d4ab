"""Where the data files are that `pyod_explain.datasets` does not load itself."""

from __future__ import annotations

import os
from pathlib import Path

from pyod_explain.datasets.files import DATA_VARIABLE, cache_folder


def folder(name: str) -> Path | None:
    """Find a folder in the one that PYOD_EXPLAIN_DATA names, or in the cache; None where neither has it."""
    given = os.environ.get(DATA_VARIABLE)
    for parent in (*([Path(given).expanduser()] if given else []), cache_folder()):
        if (parent / name).is_dir():
            return parent / name
    return None
