"""Tables in files: text, workbooks, JSON and parquet, each read with pandas and within limits."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from pyod_explain._validate import optional
from pyod_explain.cli.convert_columns import convert_columns, is_text, parse_dates
from pyod_explain.cli.read_text import drop_unnamed, has_header, make_names, read_text
from pyod_explain.cli.request import Request
from pyod_explain.exceptions import FileError, Message, ParameterError, PyodExplainError, shown
from pyod_explain.input import EXACT_UP_TO, frame_from_arrow, name_list

MAX_CELLS = 20_000_000  # of a workbook, and of JSON most of whose cells are missing: small files that need much memory
MAX_WORKBOOK_BYTES = 2**31  # when it is decompressed


def read_file(path: str, options: Request) -> tuple[pd.DataFrame, list[Message]]:
    """Read a table from a file, or from standard input if the path is `-`; also return notes on how it was read.

    The name tells the format: .csv, .tsv, .txt (text), .json or .jsonl (a list of objects, or one per line), .xlsx,
    .parquet; each also with .gz. The content of standard input tells its format.

    Parameters
    ----------
    path : the file.
    options : how to read it, and its limits; None is detected automatically.
    """
    name = _name(path)
    try:
        _check_size(name, options, n_bytes=0 if path == "-" else Path(path).stat().st_size)
        data = Path(path).read_bytes() if path != "-" else sys.stdin.buffer.read() if sys.stdin else b""
    except PyodExplainError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise FileError(f"{name} could not be read: {getattr(error, 'strerror', None) or error}.") from error
    return read_data(data, path, options)


def read_data(data: bytes, path: str, options: Request) -> tuple[pd.DataFrame, list[Message]]:
    r"""Read a table from the bytes of a file; also return notes on how it was read.

    Names of columns are texts, each there once.

    Parameters
    ----------
    data : the content.
    path : the file's name, which tells the format; `-` if the content tells it.
    options : how to read it, and its limits; None is detected automatically.

    Examples
    --------
    >>> frame, notes = read_data(b"name,code\nx,007\ny,123\n", "a.csv", Request("a.csv"))
    >>> frame["code"].tolist()
    ['007', '123']
    """
    name = _name(path)
    if data[:2] == b"\x1f\x8b":
        data = _decompress(data, name, options)
    _check_size(name, options, n_bytes=len(data))
    if not data[:4096].strip() and not data.strip():
        raise PyodExplainError(f"{name} is empty.")
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() != ".gz"]
    suffix = _sniff(data) if path == "-" else suffixes[-1] if suffixes else ""
    if suffix not in READERS:
        raise PyodExplainError(f"{name} must have one of these endings: {', '.join(READERS)}; each also with .gz.")
    if options.sheet is not None and suffix != ".xlsx":
        raise ParameterError("sheet", "left out for a file that is no workbook", got=options.sheet)
    notes: list[Message] = []
    frame = READERS[suffix](data, name, options, notes)
    frame.columns = [str(column) for column in frame.columns]
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise PyodExplainError(f"{name} has two columns named {twice!r}.", hint="Rename one.")
    if not len(frame):
        raise PyodExplainError(f"{name} has no rows.")
    _check_size(name, options, n_rows=len(frame), n_columns=frame.shape[1])
    return frame, notes


def _name(path: str) -> str:
    return "Standard input" if path == "-" else f"The file {path}"


def _check_size(name: str, options: Request, *, n_bytes: int = 0, n_rows: int = 0, n_columns: int = 0) -> None:
    limits = (("bytes", n_bytes, options.max_bytes), ("rows", n_rows, options.max_rows))
    for what, n, most in (*limits, ("columns", n_columns, options.max_columns)):
        if most is not None and n > most:
            raise PyodExplainError(f"{name} has more than {most:,} {what}.")


@contextmanager
def _valid(name: str, kind: str) -> Iterator[None]:
    """Name the file in errors of the package that reads it."""
    try:
        yield
    except PyodExplainError:
        raise
    except (OSError, ValueError, KeyError, SyntaxError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise PyodExplainError(f"{name} is not valid {kind}: {error}") from error


def _decompress(data: bytes, name: str, options: Request) -> bytes:
    parts, n_bytes = [], 0
    with _valid(name, "gzip"), gzip.open(io.BytesIO(data)) as file:
        while part := file.read(2**20):
            n_bytes += len(part)
            _check_size(name, options, n_bytes=n_bytes)
            parts.append(part)
    return b"".join(parts)


def _sniff(data: bytes) -> str:
    """Return the suffix that a file of this content has."""
    if data[:4] in (b"PAR1", b"PK\x03\x04"):
        return ".parquet" if data[:4] == b"PAR1" else ".xlsx"
    start = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    return ".jsonl" if start[:1] in (b"{", b"[") else ".csv"


def _read_json(data: bytes, name: str, options: Request, _: list[Message]) -> pd.DataFrame:
    """Read a list of objects, or an object on each line."""
    with _valid(name, "JSON with an object for each row"):
        text = data.decode("utf-8-sig")
        # Not splitlines(), which also splits at U+2028 and other characters that texts may hold.
        lines = io.StringIO(text, newline=None)
        is_list = text.lstrip().startswith("[")
        records = json.loads(text) if is_list else [json.loads(line) for line in lines if line.strip()]
    columns: dict[str, None] = {}
    n_values = 0
    for record in records:
        if not isinstance(record, dict):
            hint = "pandas writes it with to_json(path, orient='records')."
            raise PyodExplainError(f"{name} must have an object for each row, got {shown(record)}.", hint=hint)
        columns.update(dict.fromkeys(record))
        n_values += len(record)
        _check_size(name, options, n_columns=len(columns))
    if len(records) * len(columns) > max(MAX_CELLS, 4 * n_values):
        size = f"{len(records):,} rows and {len(columns):,} columns"
        raise PyodExplainError(f"{name} has {size}, most cells of which are missing.")
    return pd.DataFrame({key: _json_column([one.get(key) for one in records]) for key in columns})


def _json_column(cells: list[Any]) -> pd.Series[Any]:
    """Make a column; integers that a double would round are kept as objects."""
    column = pd.Series(cells)
    if column.dtype == "float64" and (column.abs() >= EXACT_UP_TO).any():
        whole = all(type(cell) is int for cell in cells if cell is not None)
        return pd.Series(cells, dtype=object) if whole else column
    return parse_dates(column) if is_text(column) else column


def _read_parquet(data: bytes, name: str, options: Request, _: list[Message]) -> pd.DataFrame:
    parquet = optional("pyarrow.parquet", "to read parquet files", extra="arrow")
    with _valid(name, "parquet"):
        file = parquet.ParquetFile(io.BytesIO(data))
        _check_size(name, options, n_rows=file.metadata.num_rows, n_columns=file.metadata.num_columns)
        return frame_from_arrow(file.read())


def _read_workbook(data: bytes, name: str, options: Request, notes: list[Message]) -> pd.DataFrame:
    """Read the first sheet, or the one that is named."""
    openpyxl = optional("openpyxl", "to read workbooks")
    with _valid(name, "xlsx"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > MAX_WORKBOOK_BYTES:
                raise PyodExplainError(f"{name} is too large when it is decompressed.", hint="Save it as .csv.")
        load = partial(openpyxl.load_workbook, read_only=True)
        formulas, results = (load(io.BytesIO(data), data_only=one) for one in (False, True))
        sheets = [sheet.title for sheet in formulas.worksheets]
        if options.sheet is not None and options.sheet not in sheets:
            raise ParameterError("sheet", f"one of {name_list(sheets)}", got=options.sheet)
        sheet = sheets[0] if options.sheet is None else options.sheet
        _check_cells(formulas[sheet], results[sheet], name, options)
        missing: dict[str, Any] = {"keep_default_na": False, "na_values": ["", *options.na]}
        grid = pd.read_excel(io.BytesIO(data), sheet_name=sheet, header=None, dtype=object, **missing)
    if len(sheets) > 1 and options.sheet is None:
        notes.append(Message("the sheet {sheet!r} is read; {arg_sheet} names another", {"sheet": sheet}))
    return _table_of_grid(grid.dropna(how="all").dropna(how="all", axis=1), name, options, notes)


def _check_cells(formulas: Any, results: Any, name: str, options: Request) -> None:
    """Refuse a sheet that is empty or too large, and a formula without a stored result; an empty text is a result.

    A small file may declare, or hold at distant places, more cells than could be read in hours.
    """
    formulas.reset_dimensions()
    results.reset_dimensions()
    n_cells, width = 0, 0
    for i, (row, row_results) in enumerate(zip(formulas.rows, results.rows, strict=True)):
        n_cells, width = n_cells + len(row), max(width, len(row))
        _check_size(name, options, n_rows=i, n_columns=width)
        if max(n_cells, i * width) > MAX_CELLS:
            raise PyodExplainError(f"{name} has a sheet of more than {MAX_CELLS:,} cells.", hint="Save it as .csv.")
        for cell, result in zip(row, row_results, strict=True):
            if cell.data_type == "f" and result.value is None and result.data_type != "str":
                problem = f"{name} has a formula without a stored result in cell {cell.coordinate}."
                raise PyodExplainError(problem, hint="Open it in a spreadsheet program and save it.")
    if not width:
        hint = Message("{arg_sheet} names another.")
        raise PyodExplainError(f"{name} is empty, or its sheet {formulas.title!r} is.", hint=hint)


def _table_of_grid(grid: pd.DataFrame, name: str, options: Request, notes: list[Message]) -> pd.DataFrame:
    """Return the table whose header is the first row."""
    rows = [["" if pd.isna(cell) else str(cell) for cell in row] for row in grid.head(100).itertuples(index=False)]
    if not rows or 2 * rows[0].count("") > len(rows[0]):
        raise PyodExplainError(f"{name} has no names for most columns.", hint="Remove rows above the table.")
    header = has_header(rows, notes) if options.header is None else options.header
    frame = grid.iloc[1:] if header else grid
    frame = frame.set_axis(make_names(rows[0], header=header), axis=1).reset_index(drop=True)
    frame = convert_columns(frame.infer_objects(), options.decimal, notes)
    return drop_unnamed(frame, rows[0], notes) if header else frame


_FORMATS: dict[str, Callable[[bytes, str, Request, list[Message]], pd.DataFrame]] = {
    ".csv .tsv .txt .tab .dat .data": read_text,
    ".json .jsonl .ndjson": _read_json,
    ".parquet .pq": _read_parquet,
    ".xlsx": _read_workbook,
}
READERS = {suffix: reader for suffixes, reader in _FORMATS.items() for suffix in suffixes.split()}
