"""Files that are there for a moment, beside the one that is written."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from pyod_explain._files.signals import held

__all__ = ["beside", "create", "probe", "reason"]

PREFIX = ".pyod-explain-"  # short, so that it fits wherever the target's own name does


@contextmanager
def probe(folder: Path) -> Iterator[Path]:
    """Make an empty file in a folder, and remove it."""
    path = beside(folder / "probe")
    with held():
        create(path, 0o600).close()
        try:
            yield path
        finally:
            path.unlink()


def create(path: Path, mode: int) -> BinaryIO:
    """Make a file with these rights, less those that the umask takes."""
    return open(path, "xb", opener=partial(os.open, mode=mode))


def beside(path: Path) -> Path:
    """Name a file that is not there yet, beside another."""
    return path.with_name(f"{PREFIX}{secrets.token_hex(6)}.tmp")


def reason(error: Exception) -> str:
    """Say what the system says of an error."""
    return getattr(error, "strerror", None) or str(error)
