"""Tables from files, for the command line: read as a person expects."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zlib
from pathlib import Path
from typing import Any

import pandas as pd

from pyod_explain.exceptions import FileError, PyodExplainError

__all__ = ["read_file"]

FORMATS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "xlsx",
}
ISO_DATE = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
ZONE = r":\d{2}(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})$"


def read_file(path: str) -> pd.DataFrame:
    """Read a table from a file, or from standard input if the path is `-`.

    The format follows from the name (.csv, .tsv, .parquet, .json or .jsonl with a row a line, .xlsx, each also with
    .gz), or from the content of standard input. Columns of ISO dates become dates.

    Parameters
    ----------
    path : the file, or `-`.
    """
    data = _bytes(path)
    if data[:2] == b"\x1f\x8b":
        data = _decompressed(data, path)
    if not data.strip():
        raise PyodExplainError(f"{_name(path)} is empty.")
    frame = _parse(data, _format(path, data), path)
    frame.columns = [str(name) for name in frame.columns]
    for name in frame.columns[frame.columns.duplicated()]:
        raise PyodExplainError(f"{_name(path)} has two columns named {name!r}; rename one.")
    return frame.assign(**{name: _dates(frame[name]) for name in frame.columns if _looks_like_dates(frame[name])})


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
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    suffix = next((one for one in reversed(suffixes) if one != ".gz"), "")
    if suffix not in FORMATS:
        raise PyodExplainError(
            f"The file {path} must end in {', '.join(FORMATS)} (or these with .gz), got {suffix or 'no ending'!r}."
        )
    return FORMATS[suffix]


def _sniff(data: bytes) -> str:
    if data[:4] == b"PAR1":
        return "parquet"
    if data[:4] == b"PK\x03\x04":
        return "xlsx"
    start = data.lstrip()
    if start[:1] in (b"{", b"["):
        return "jsonl"
    header = start.partition(b"\n")[0]
    return "tsv" if header.count(b"\t") > header.count(b",") else "csv"


def _parse(data: bytes, kind: str, path: str) -> pd.DataFrame:
    try:
        if kind in ("csv", "tsv"):
            return pd.read_csv(io.BytesIO(data), sep="," if kind == "csv" else "\t", encoding="utf-8-sig")
        if kind == "jsonl":
            return _from_json(data.decode("utf-8-sig"))
        if kind == "parquet":
            return pd.read_parquet(io.BytesIO(data))
        return pd.read_excel(io.BytesIO(data))
    except ImportError as error:
        package = "openpyxl" if kind == "xlsx" else "pyarrow"
        raise PyodExplainError(
            f"The package {package!r} is needed to read {path}. Hint: pip install {package}"
        ) from error
    except UnicodeDecodeError as error:
        raise PyodExplainError(f"{_name(path)} must be UTF-8 text, got other bytes: {error.reason}.") from error
    except Exception as error:
        raise PyodExplainError(f"{_name(path)} could not be read as {kind}: {error}") from error


def _from_json(text: str) -> pd.DataFrame:
    """Read a list of objects, or an object a line."""
    if text.lstrip().startswith("["):
        return pd.DataFrame(json.loads(text))
    lines = io.StringIO(text, newline=None)  # splitlines() would also cut at U+2028 and others, which texts may hold
    return pd.DataFrame([json.loads(line) for line in lines if line.strip()])


def _looks_like_dates(series: pd.Series[Any]) -> bool:
    present = series.dropna()
    if not len(present) or not pd.api.types.is_string_dtype(present):
        return False
    return bool(present.head(100).str.fullmatch(ISO_DATE).all()) and bool(present.str.fullmatch(ISO_DATE).all())


def _dates(series: pd.Series[Any]) -> pd.Series[Any]:
    """Read ISO dates; where only some have a zone, or a date does not exist, the text stays text."""
    zones = set(series.dropna().str.extract(ZONE, expand=False).fillna("").unique())
    if len(zones) > 1 and "" in zones:
        return series
    try:
        return pd.to_datetime(series, format="ISO8601", utc=len(zones) > 1)
    except ValueError:
        return series
