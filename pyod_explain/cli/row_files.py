"""Files with a line for each row: which of the user's files are such, and what is written to them."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from pyod_explain._files import Content
from pyod_explain._optional import optional
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.explanation import Explanation
from pyod_explain.input.exact import plain_value
from pyod_explain.report.spreadsheet import to_csv
from pyod_explain.result.said import free_name

__all__ = ["row_content", "row_lines", "tells_rows"]

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


def row_content(frame: pd.DataFrame, path: Path) -> tuple[Content, int]:
    """Give what is written to a file, and how many texts a spreadsheet would have run as a formula.

    Parameters
    ----------
    frame : the lines.
    path : the file, whose ending tells the format.
    """
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return to_csv(frame)
    if suffix == ".jsonl":
        records = zip(*(frame[name] for name in frame.columns), strict=True)
        lines = (json.dumps(dict(zip(frame.columns, map(_plain, one), strict=True))) for one in records)
        return "".join(f"{line}\n" for line in lines), 0
    return _parquet(frame, path), 0


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


def _parquet(frame: pd.DataFrame, path: Path) -> Content:
    arrow = optional("pyarrow", "to write parquet files", extra="arrow")
    parquet = optional("pyarrow.parquet", "to write parquet files", extra="arrow")
    try:
        table = arrow.Table.from_pandas(frame, preserve_index=False)
    except (arrow.ArrowInvalid, arrow.ArrowTypeError, UnicodeEncodeError) as error:
        raise PyodExplainError(
            f"The rows cannot be written as parquet to {path}: {error}\nHint: name a .csv or .jsonl file."
        ) from error

    def write(file: BinaryIO) -> None:
        parquet.write_table(table, file)

    return write
