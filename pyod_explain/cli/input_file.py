"""Tables from files, for the command line: read as a person expects."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from pyod_explain._optional import optional
from pyod_explain._validate import shown
from pyod_explain.beyond_memory import columns_with_lost_digits, restore_digits
from pyod_explain.cli.reading import How, Say, ignore, read_text, read_workbook
from pyod_explain.cli.reading.cells import is_text
from pyod_explain.cli.reading.dates import read_dates
from pyod_explain.exceptions import FileError, PyodExplainError
from pyod_explain.input import EXACT_UP_TO

__all__ = ["TEXTS", "format_of", "read_file"]

FORMATS = {
    ".csv": "csv",
    ".txt": "csv",
    ".dat": "csv",
    ".data": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "xlsx",
}
TEXTS = ("csv", "tsv")
MANY = 2000  # columns, from where on a person should know what they ask for


def read_file(path: str, how: How | None = None, say: Say = ignore) -> pd.DataFrame:
    """Read a table from a file, or from standard input if the path is `-`.

    The format follows from the name (.csv, .tsv, .parquet, .json or .jsonl with a row a line, .xlsx, each also with
    .gz), or from the content of standard input. Of a text file the encoding, what parts its columns, the decimal sign
    and whether it has a header are found out. Columns of ISO dates become dates.

    Parameters
    ----------
    path : the file, or `-`.
    how : what the user says of a text file.
    say : told each reading that a person might not expect.
    """
    name, how = _name(path), How() if how is None else how
    data = _bytes(path)
    if data[:2] == b"\x1f\x8b":
        data = _decompressed(data, path)
    if (data[:1024].isspace() and data.isspace()) or not data:
        raise PyodExplainError(f"{name} is empty.")
    frame = _parse(data, _format(path, data), path, how, say)
    frame.columns = [str(column) for column in frame.columns]
    for column in frame.columns[frame.columns.duplicated()]:
        raise PyodExplainError(f"{name} has two columns named {column!r}; rename one.")
    if not len(frame):
        raise PyodExplainError(f"{name} has {'a header' if frame.shape[1] else 'no columns'} and no rows.")
    if frame.shape[1] > MANY:
        say(f"{frame.shape[1]:,} columns may take a while to explain; --only and --drop choose among them")
    for column in frame.columns:
        if is_text(frame[column]) and (read := read_dates(frame[column])).dtype.kind == "M":
            frame[column] = read
    return frame


def format_of(path: str) -> str | None:
    """Tell the format by the name of a file, None if that does not tell.

    Parameters
    ----------
    path : the file.

    Examples
    --------
    >>> format_of("data.CSV.gz"), format_of("rows.parquet"), format_of("-")
    ('csv', 'parquet', None)
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    return FORMATS.get(next((one for one in reversed(suffixes) if one != ".gz"), ""))


def _bytes(path: str) -> bytes:
    if path == "-" and sys.stdin is None:
        raise FileError("Standard input could not be read: it is closed.")
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null byte
        raise FileError(f"{_name(path)} could not be read: {getattr(error, 'strerror', None) or error}.") from error


def _decompressed(data: bytes, path: str) -> bytes:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise PyodExplainError(
            f"{_name(path)} must be compressed by gzip as a whole, but it does not decompress: {error}."
        ) from error


def _name(path: str) -> str:
    return "Standard input" if path == "-" else f"The file {path}"


def _format(path: str, data: bytes) -> str:
    if path == "-":
        return _sniff(data)
    named = format_of(path)
    if named is None:
        suffix = Path(path.removesuffix(".gz")).suffix
        raise PyodExplainError(
            f"The file {path} must end in {', '.join(FORMATS)} (or these with .gz), got {suffix or 'no ending'!r}."
        )
    if named in TEXTS:
        _check_text(data, path)
    return named


def _check_text(data: bytes, path: str) -> None:
    """Refuse what is named like a table of text, as some programs do, and is something else."""
    known = {b"PAR1": "a parquet file", b"PK\x03\x04": "an Excel or zip file", b"\xd0\xcf\x11\xe0": "an old Excel file"}
    found = known.get(data[:4])
    if found is None and data[:512].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        found = "a web page"
    if found is None and _is_json(data):
        found = "JSON"
    if found is not None:
        hint = {
            "a parquet file": "rename it to .parquet",
            "an Excel or zip file": "if it is Excel's, rename it to .xlsx",
            "JSON": "rename it to .json",
        }
        raise PyodExplainError(
            f"{_name(path)} is {found}, not a table of text.\nHint: {hint.get(found, 'save it as .csv or .xlsx')}."
        )


def _is_json(data: bytes) -> bool:
    """Tell whether a text is a list of objects, or begins with an object in a line."""
    start = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if re.match(rb'\[\s*\{\s*"', start):
        return True
    line = data.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0] if re.match(rb'\{\s*"', start) else b""
    try:
        return bool(line) and isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _sniff(data: bytes) -> str:
    if data[:4] == b"PAR1":
        return "parquet"
    if data[:4] == b"PK\x03\x04":
        return "xlsx"
    start = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] in (b"{", b"["):
        return "jsonl"
    header = start.partition(b"\n")[0]
    return "tsv" if header.count(b"\t") > header.count(b",") else "csv"


def _parse(data: bytes, kind: str, path: str, how: How, say: Say) -> pd.DataFrame:
    try:
        if kind in TEXTS:
            return read_text(data, _name(path), how, usual="," if kind == "csv" else "\t", say=say)
        if kind == "jsonl":
            return _from_json(data.decode("utf-8-sig"), _name(path))
        if kind == "parquet":
            return _from_parquet(data)
        return read_workbook(data, _name(path), how, say=say)
    except PyodExplainError:
        raise
    except ImportError as error:
        package = "openpyxl" if kind == "xlsx" else "pyarrow"
        raise PyodExplainError(
            f"The package {package!r} is needed to read {path}. Hint: pip install {package}"
        ) from error
    except UnicodeDecodeError as error:
        raise PyodExplainError(f"{_name(path)} must be UTF-8 text, got other bytes: {error.reason}.") from error
    except Exception as error:
        raise PyodExplainError(f"{_name(path)} could not be read as {kind}: {error}") from error


def _from_json(text: str, name: str) -> pd.DataFrame:
    """Read a list of objects, or an object a line."""
    if text.lstrip().startswith("["):
        records = json.loads(text)
    else:
        lines = io.StringIO(
            text, newline=None
        )  # splitlines() would also cut at U+2028 and others, which texts may hold
        records = [json.loads(line) for line in lines if line.strip()]
    odd = next((one for one in records if not isinstance(one, dict)), None) if records else None
    by_column = len(records) == 1 and isinstance(records[0], dict) and _has_columns(records[0])
    if by_column or odd is not None or (records and None in records):
        got = "an object that has columns" if by_column else shown(odd)
        raise PyodExplainError(
            f"{name} must have an object for each row, one a line or in a list, got {got}.\n"
            "Hint: pandas writes it so with to_json(path, orient='records')."
        )
    return _with_whole_numbers(pd.DataFrame(records), records)


def _from_parquet(data: bytes) -> pd.DataFrame:
    frame = pd.read_parquet(io.BytesIO(data))
    if find_spec("pyarrow") is None:
        return frame  # another package has read it
    parquet = optional("pyarrow.parquet", "to read parquet files", extra="arrow")
    file = parquet.ParquetFile(io.BytesIO(data))
    names = columns_with_lost_digits(frame, file.schema_arrow)
    found = file.read(columns=names) if names else None
    return frame if found is None else restore_digits(frame, {name: found.column(name) for name in names})


def _with_whole_numbers(frame: pd.DataFrame, records: list[dict[str, Any]]) -> pd.DataFrame:
    """Keep all digits of whole numbers with gaps among them, of which pandas makes doubles."""
    for name in frame.columns[(frame.dtypes == "float64").to_numpy()]:
        if (frame[name].abs() >= EXACT_UP_TO).any():
            cells = [one.get(name) for one in records]
            known = [cell for cell in cells if cell is not None]
            limits: dict[Any, tuple[int, int]] = {pd.Int64Dtype(): (-(2**63), 2**63), pd.UInt64Dtype(): (0, 2**64)}
            kind = next((one for one, (low, end) in limits.items() if low <= min(known) <= max(known) < end), None)
            if kind is not None and all(type(cell) is int for cell in known):
                frame[name] = pd.Series(cells, index=frame.index, dtype=kind)
    return frame


def _has_columns(one: dict[str, Any]) -> bool:
    """Tell whether an object holds a table by columns: lists or objects of one length, more than one row of them."""
    sizes = {len(cells) if isinstance(cells, list | dict) else 0 for cells in one.values()}
    return len(sizes) == 1 and min(sizes) > 1
