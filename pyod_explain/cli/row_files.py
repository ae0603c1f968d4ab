"""Files with a line for each row: which of the user's files are such, and what is written to them."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from pyod_explain._atomic import Content
from pyod_explain._optional import optional
from pyod_explain.beyond_memory import Source
from pyod_explain.cli.parquet import as_arrow, parquet_writer
from pyod_explain.explanation import Explanation
from pyod_explain.input import plain_value
from pyod_explain.report import to_csv
from pyod_explain.result import free_name, read_told

__all__ = ["formula_note", "row_lines", "tells_rows", "text_notes", "write_lines"]

PARQUET = (".parquet", ".pq")
ROW_NAME = re.compile(r"(?:.*[-_. ])?rows", re.IGNORECASE | re.DOTALL)


def tells_rows(path: Path) -> bool:
    """Tell whether a file gets a line for each row: by its name, `rows` or one that ends so; `.jsonl` by any name.

    >>> [tells_rows(Path(name)) for name in ("rows.csv", "out/2024-05-01-rows.parquet", "a.jsonl", "rules.csv")]
    [True, True, True, False]
    """
    suffix = path.suffix.lower()
    return suffix == ".jsonl" or (suffix in (".csv", ".parquet", ".pq") and ROW_NAME.fullmatch(path.stem) is not None)


def row_lines(explanation: Explanation, whole: pd.DataFrame | None) -> pd.DataFrame:
    """Give a line for each outlier, its label first; or all rows as they were read, with what is said beside them.

    A name that is taken gets an underscore.

    Parameters
    ----------
    explanation : what the rules say.
    whole : the table as it was read, if all rows are wanted.
    """
    if whole is None:
        said = explanation.to_rows()
        beside = said.index.to_frame(index=False)
    else:
        said = explanation.to_rows(whole, rows="all")
        beside = whole.reset_index(drop=True)
    beside.columns = [str(name) for name in beside.columns]
    if whole is not None and not isinstance(whole.index, pd.RangeIndex):  # names of rows, in a column without a name
        beside.insert(0, free_name(str(whole.index.name or "label"), tuple(beside.columns)), whole.index)
    taken = tuple(beside.columns)
    ours = said.reset_index(drop=True).rename(columns={name: free_name(name, taken) for name in said.columns})
    return pd.concat([beside, ours], axis=1)


def write_lines(
    explanation: Explanation, rows: pd.DataFrame | Source, path: Path, *, append: bool, notes: list[str]
) -> Content:
    """Give what is written to a file: a line for each outlier, or all rows with what is said beside them.

    Parameters
    ----------
    explanation : what the rules say.
    rows : the table as it was read, or where its rows can be read again.
    path : the file, whose ending tells the format.
    append : all rows are wanted.
    notes : gets a line for what was changed, when the file is written.
    """
    if append and isinstance(rows, Source):
        told = read_told(explanation.summary, rows, explanation.origin, explained=True, beside=True)
        if path.suffix.lower() in PARQUET:
            return parquet_writer(told)
        kinds = _whole_types()
        return _chunk_writer(
            (batch.to_pandas(types_mapper=kinds.get, ignore_metadata=True) for batch in told), path, notes
        )
    frame = row_lines(explanation, rows if append and isinstance(rows, pd.DataFrame) else None)
    if path.suffix.lower() in PARQUET:
        table, why = as_arrow(frame, index=False)
        notes += text_notes(why, path)
        return parquet_writer(table.to_reader())
    text, changed = _lines(frame, path)
    notes += formula_note(changed, path)
    return text


def _chunk_writer(frames: Iterator[pd.DataFrame], path: Path, notes: list[str]) -> Content:
    """Give what writes frames one after the other, as CSV or an object a line."""

    def write(file: BinaryIO) -> None:
        changed = 0
        for k, frame in enumerate(frames):
            text, more = _lines(frame, path, header=k == 0)
            changed += more
            file.write(text.encode())
        notes.extend(formula_note(changed, path))

    return write


def _lines(frame: pd.DataFrame, path: Path, *, header: bool = True) -> tuple[str, int]:
    """Write a frame as CSV or an object a line, and count the texts that got an apostrophe."""
    return to_csv(frame, header=header) if path.suffix.lower() == ".csv" else (_objects(frame), 0)


def _objects(frame: pd.DataFrame) -> str:
    r"""Write a row a line.

    >>> _objects(pd.DataFrame({"a": [1, 2], "b": ["x", None]}))
    '{"a": 1, "b": "x"}\n{"a": 2, "b": null}\n'
    """
    records = zip(*(frame[name] for name in frame.columns), strict=True)
    lines = (json.dumps(dict(zip(frame.columns, map(_plain, one), strict=True))) for one in records)
    return "".join(f"{line}\n" for line in lines)


def _whole_types() -> dict[Any, Any]:
    """Types of whole numbers and of true and false that may have gaps: pandas makes fractions or objects of them."""
    arrow = optional("pyarrow", "to read parquet files", extra="arrow")
    signs = {"int": "Int", "uint": "UInt"}
    kinds = {f"{theirs}{size}": f"{ours}{size}" for theirs, ours in signs.items() for size in (8, 16, 32, 64)}
    return {getattr(arrow, name)(): pd.api.types.pandas_dtype(kind) for name, kind in kinds.items()} | {
        arrow.bool_(): pd.BooleanDtype()
    }


def text_notes(why: dict[str, str], path: Path) -> list[str]:
    """Say which columns of a parquet file are text, and why."""
    return [f"column {name!r} of {path} is text: {reason}" for name, reason in why.items()]


def formula_note(changed: int, path: Path) -> list[str]:
    """Say how many texts of a file got an apostrophe, if any did."""
    if not changed:
        return []
    which, them = ("text", "it") if changed == 1 else ("texts", "each of them")
    return [
        f"{changed:,} {which} in {path} would be run as a formula by a spreadsheet; an apostrophe stands before {them}"
    ]


def _plain(cell: Any) -> Any:
    """Give a cell as JSON has it: missing ones as null, times and all that JSON does not know as text."""
    value = plain_value(cell)
    if isinstance(value, list | tuple | set | frozenset | dict):
        return [_plain(one) for one in value] if not isinstance(value, dict) else str(value)
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)
