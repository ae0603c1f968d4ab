"""Tables in files, by the readers in `input_file`; to be replaced by one reader."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pyod_explain.cli.input_file import read_file as _read_file
from pyod_explain.cli.reading import How
from pyod_explain.exceptions import Message, PyodExplainError

__all__ = ["ReadOptions", "ReadTable", "read_data", "read_file"]


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file; None is detected."""

    sep: str | None = None
    decimal: str | None = None
    na: tuple[str, ...] = ()
    header: bool | None = None
    sheet: str | None = None
    max_bytes: int | None = None
    max_rows: int | None = None
    max_columns: int = 20_000


@dataclass(frozen=True)
class ReadTable:
    """A table, and notes on how it was read."""

    frame: pd.DataFrame
    notes: tuple[str | Message, ...]


DEFAULTS = ReadOptions()


def read_file(path: str | Path, options: ReadOptions = DEFAULTS) -> ReadTable:
    """Read a file."""
    notes: list[str | Message] = []
    how = How(options.sep, options.decimal, None, options.header, options.na, False, options.sheet)
    frame = _read_file(str(path), how, notes.append)
    if frame.shape[1] > options.max_columns:
        raise PyodExplainError(f"{path} has more than {options.max_columns:,} columns.")
    return ReadTable(frame, tuple(notes))


def read_data(data: bytes, path: str | Path, options: ReadOptions = DEFAULTS) -> ReadTable:
    """Read the content of a file."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, Path(path).name)
        copy.write_bytes(data)
        return read_file(copy, options)
