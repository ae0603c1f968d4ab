"""Where the data files of the experiments are: in the folder that PYOD_EXPLAIN_DATA names (docs/datasets.md)."""

from __future__ import annotations

import os
from pathlib import Path

DATA_VARIABLE = "PYOD_EXPLAIN_DATA"


def folder(name: str) -> Path | None:
    """Find a folder of data files; None where there is none."""
    path = _data_folder() / name
    return path if path.is_dir() else None


def data_file(name: str) -> Path:
    """Find a data file."""
    path = _data_folder() / name
    if not path.is_file():
        raise FileNotFoundError(f"no file {name} in the folder that {DATA_VARIABLE} names (docs/datasets.md)")
    return path


def _data_folder() -> Path:
    return Path(os.environ.get(DATA_VARIABLE, "no folder named")).expanduser()
