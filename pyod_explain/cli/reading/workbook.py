"""A table from a workbook of Excel: which sheet, where the table begins on it, and what its cells hold."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain._validate import shown
from pyod_explain.cli.reading.cells import read_cells
from pyod_explain.cli.reading.columns import drop_fillers, names_of
from pyod_explain.cli.reading.how import How, Say, ignore
from pyod_explain.cli.reading.layout import ENOUGH, Layout, has_header
from pyod_explain.cli.reading.notes import Notes, columns_named
from pyod_explain.cli.usage import UsageError
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import name_list

__all__ = ["read_workbook"]

Row = list[Any]
ERRORS = frozenset(
    ["#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#GETTING_DATA", "#SPILL!", "#CALC!"]
)
BEFORE = 20  # rows among which the table begins


def read_workbook(data: bytes, name: str, how: How, *, say: Say = ignore) -> pd.DataFrame:
    """Read the first sheet of a workbook that has a table, or the one that is named.

    Rows before the table, empty rows and empty columns are left out; errors are missing; merged cells all have the
    value that is shown; texts that are numbers to a person are read as in a text file.

    Parameters
    ----------
    data : the file.
    name : what to call it.
    how : what the user says of it.
    say : told each reading that a person might not expect.
    """
    openpyxl = import_module("openpyxl")
    merged = _has_merged_cells(data)
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=not merged, data_only=True)
    sheet, rows = _choose_sheet(book, name, how.sheet, say)
    place = book.worksheets.index(sheet)
    if merged:
        _fill_merged(sheet, rows, say)
    rows = _without_titles(_without_errors(rows, say), say)
    columns = [k for k in range(max(map(len, rows))) if any(k < len(row) and row[k] is not None for row in rows)]
    rows = [[row[k] if k < len(row) else None for k in columns] for row in rows]
    first = _first_row(rows)
    lines = [row for row in rows if any(cell is not None for cell in row)]
    _note_rows(rows, first, say)
    lines = lines[sum(any(cell is not None for cell in row) for row in rows[:first]) :]
    header = has_header([[_text(cell) for cell in row] for row in lines[:ENOUGH]]) if how.header is None else how.header
    if header:
        _check_names(lines, name)
    layout = Layout(",", header=header, rows=[[_text(cell) for cell in row] for row in lines[:ENOUGH]])
    names = names_of(layout, name, sniffed=how.header is None, say=say)
    body = lines[1:] if header else lines
    frame = pd.DataFrame({k: _column([row[k] for row in body], how) for k in range(len(names))})
    frame.columns = names
    _check_formulas(frame, data, place, name)
    frame = drop_fillers(frame, layout, say)
    if not how.raw:
        notes = Notes()
        for column, series in read_cells(frame, how.decimal, told=how.decimal is not None, notes=notes).items():
            frame[column] = series
        notes.tell(say)
    return frame


def _has_merged_cells(data: bytes) -> bool:
    """Look for merged cells, which only a slower way of reading tells of."""
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        sheets = [one for one in parts.namelist() if one.startswith("xl/worksheets/")]
        return any(b"<mergeCell " in parts.read(one) for one in sheets)


def _choose_sheet(book: Any, name: str, asked: str | None, say: Say) -> tuple[Any, list[Row]]:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if asked is not None:
        if asked not in sheets:
            raise UsageError(
                f"--sheet: {name[0].lower()}{name[1:]} has no sheet {asked!r}; it has {name_list(list(sheets))}."
            )
        rows = _rows(sheets[asked])
        if not rows:
            raise PyodExplainError(f"The sheet {asked!r} of {name[0].lower()}{name[1:]} is empty.")
        return sheets[asked], rows
    shown_ones = [sheet for sheet in sheets.values() if sheet.sheet_state == "visible"]
    read = {sheet.title: _rows(sheet) for sheet in shown_ones}
    tables = [title for title, rows in read.items() if len(rows) > 1] or [title for title in read if read[title]]
    if not tables:
        raise PyodExplainError(f"{name} is empty.")
    others = [title for title in sheets if title != tables[0] and (title not in read or read[title])]
    if others or tables[0] != next(iter(sheets)):
        rest = f", not {name_list(others)}" if others else ""
        say(f"the sheet {tables[0]!r} was read{rest}; --sheet NAME reads another")
    return sheets[tables[0]], read[tables[0]]


def _rows(sheet: Any) -> list[Row]:
    """Give the cells of a sheet, without the empty rows at its end; empty texts are empty cells."""
    if hasattr(sheet, "reset_dimensions"):
        sheet.reset_dimensions()  # some programs write wrong ones
    rows = [
        [None if isinstance(c, str) and not c.strip() else c for c in row] for row in sheet.iter_rows(values_only=True)
    ]
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    return rows


def _fill_merged(sheet: Any, rows: list[Row], say: Say) -> None:
    """Give all cells that were merged down a column the value that is shown there."""
    n_filled = 0
    for area in sheet.merged_cells.ranges:
        (left, top, right, bottom) = area.bounds
        if left != right:  # across columns: a title, or a name of several columns
            continue
        value = rows[top - 1][left - 1] if top <= len(rows) and left <= len(rows[top - 1]) else None
        for i in range(top, min(bottom, len(rows))):
            rows[i] += [None] * (left - len(rows[i]))
            rows[i][left - 1] = value
            n_filled += value is not None
    if n_filled:
        say(f"{n_filled:,} merged cell{'s' if n_filled > 1 else ''} read as the one above")


def _without_errors(rows: list[Row], say: Say) -> list[Row]:
    found = [cell for row in rows for cell in row if isinstance(cell, str) and cell in ERRORS]
    if not found:
        return rows
    kinds = ", ".join(sorted(set(found)))
    say(f"{len(found):,} cell{'s' if len(found) > 1 else ''} with an error of Excel ({kinds}) read as missing")
    return [[None if isinstance(cell, str) and cell in ERRORS else cell for cell in row] for row in rows]


def _without_titles(rows: list[Row], say: Say) -> list[Row]:
    """Leave out rows of one cell above a table of several columns, unless it names one after the first of them."""
    places = [[k for k, cell in enumerate(row) if cell is not None] for row in rows]
    titles = []
    for i, here in enumerate(places):
        below = [one for one in places[i + 1 : i + 1 + BEFORE] if one]
        if here and (len(here) > 1 or not below or max(map(len, below)) < 2 or here[0] > min(map(min, below))):
            rows = rows[i:]
            break
        titles += [rows[i][k] for k in here]
    if titles:
        n = len(titles)
        say(f"{n:,} row{'s' if n > 1 else ''} left out before the table ({shown(titles[0])})")
    return rows


def _first_row(rows: list[Row]) -> int:
    """Find where the table begins: at names for all columns, above something else than texts; else at the first row."""
    filled = [sum(cell is not None for cell in row) for row in rows]
    start = next(i for i, n in enumerate(filled) if n)
    width = len(rows[0])
    for i in range(start, min(start + BEFORE, len(rows) - 1)):
        names = all(isinstance(cell, str) for cell in rows[i])
        if names and filled[i] == width and any(not isinstance(c, str) and c is not None for c in rows[i + 1]):
            return i if all(n < width for n in filled[start:i]) else start
    return start


def _note_rows(rows: list[Row], first: int, say: Say) -> None:
    before = [row for row in rows[:first] if any(cell is not None for cell in row)]
    if before:
        words = shown(next(cell for cell in before[0] if cell is not None))
        say(f"{len(before):,} row{'s' if len(before) > 1 else ''} left out before the table ({words})")
    n_empty = sum(all(cell is None for cell in row) for row in rows[first:])
    if n_empty:
        say(f"{n_empty:,} empty row{'s' if n_empty > 1 else ''} left out")


def _check_names(lines: Sequence[Row], name: str) -> None:
    """Refuse a title above the table, and a header of several rows."""
    first, body = lines[0], lines[1:]
    nameless = [k for k, cell in enumerate(first) if cell is None]
    if body and len(first) > 1 and len(nameless) == len(first) - 1:
        raise PyodExplainError(
            f"{name} names 1 column in its first row, but has {len(first):,} in those below.\n"
            "Hint: remove rows before the table."
        )
    for k in nameless:
        below = [row[k] for row in body if row[k] is not None]
        if len(below) > 1 and isinstance(below[0], str) and not any(isinstance(cell, str) for cell in below[1:]):
            raise PyodExplainError(
                f"{name} names its columns in several rows: {shown(below[0])} is below a cell without a name.\n"
                "Hint: keep one row with a name for each column, and remove those before it."
            )


def _column(cells: Row, how: How) -> pd.Series[Any]:
    """Make a column of cells; what is missing in it is what every kind of column has for that."""
    known = [None if isinstance(cell, str) and cell in how.na else cell for cell in cells]
    kinds = {type(cell) for cell in known if cell is not None}
    if kinds and kinds <= {dt.datetime, dt.date}:
        return pd.Series(pd.to_datetime(pd.Series(known, dtype=object)))
    if kinds and kinds <= {int, float}:
        return pd.Series(known, dtype=np.float64 if None in known or float in kinds else None)
    return pd.Series(known, dtype=object).infer_objects()


def _check_formulas(frame: pd.DataFrame, data: bytes, place: int, name: str) -> None:
    """Refuse formulas whose results nobody has stored: no program but a spreadsheet can tell them."""
    empty = [column for column in frame.columns if frame[column].isna().all()]
    if not empty:
        return
    book = import_module("openpyxl").load_workbook(io.BytesIO(data), read_only=True)
    for row in book.worksheets[place].iter_rows(values_only=True):
        if any(isinstance(cell, str) and cell.startswith("=") for cell in row):
            raise PyodExplainError(
                f"{name} has formulas whose results it does not hold, in {columns_named(empty)}.\n"
                "Hint: open it in a spreadsheet and save it."
            )


def _text(cell: Any) -> str:
    """Write a cell as a text file has it, so that names are told from values alike."""
    if cell is None:
        return ""
    return cell.isoformat(sep=" ") if isinstance(cell, dt.datetime) else str(cell)
