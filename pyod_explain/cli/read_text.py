"""Tables in text files: encoding, separator, header and the number of cells in each row."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from itertools import count, islice, pairwise
from typing import Any

import pandas as pd

from pyod_explain._validate import optional
from pyod_explain.cli.convert_columns import convert_columns, is_typed
from pyod_explain.cli.request import Request
from pyod_explain.exceptions import Message, ParameterError, PyodExplainError, shown

BYTE_ORDER_MARKS = {  # that of UTF-32 begins with that of UTF-16
    "utf-8-sig": (codecs.BOM_UTF8,),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}
SEPARATORS = ("\t", ";", "|", ",")  # of two that fit alike the first, which is rarer in texts and numbers
SPACES = r"\s+"
SEPARATOR_NAMES = {"tab": "\t", "\\t": "\t", "space": SPACES, " ": SPACES, SPACES: SPACES}
N_BYTES_LOOKED_AT = 2**18
N_ROWS_LOOKED_AT = 100
N_LINES_SHOWN = 5


def read_text(data: bytes, name: str, options: Request, notes: list[Message]) -> pd.DataFrame:
    r"""Read a table from the bytes of a text file.

    Parameters
    ----------
    data : the file.
    name : what messages call it.
    options : what the user says about it.
    notes : gets what a user may not expect.

    Examples
    --------
    >>> data = b"code;price\n007;1,5\n123;2,5\n"
    >>> read_text(data, "The file", Request("a.csv"), []).to_dict("list")
    {'code': ['007', '123'], 'price': [1.5, 2.5]}
    """
    data = _decode(data, name, notes)
    sep = _check_separator(options.sep)
    if stated := re.match(rb"\s*sep=(.)\r?\n", data, re.IGNORECASE):  # as Excel writes it
        data, sep = data[stated.end() :], sep or stated[1].decode()
    start = data[:N_BYTES_LOOKED_AT].decode(errors="ignore")
    if len(data) > N_BYTES_LOOKED_AT:
        start = start.rpartition("\n")[0] or start  # whole rows
    sep = sep or _find_separator(start)
    rows = [row for _, row in islice(_rows(start, sep), N_ROWS_LOOKED_AT)]
    if not rows:
        if not start.strip():
            raise PyodExplainError(f"{name} is empty.")
        hint = "A cell may have at most 131,072 characters: is a quotation mark not closed?"
        raise PyodExplainError(f"{name} has no row that can be read.", hint=hint)
    header = has_header(rows, notes) if options.header is None else options.header
    names = make_names(rows[0], header=header)
    if len(names) == 1 and options.sep is None and re.search(r"[\t;|,:]", rows[0][0]) and not start.startswith('"'):
        hint = Message("{arg_sep} names the separator.")
        raise PyodExplainError(f"{name} has one column, named {shown(rows[0][0])}.", hint=hint)
    frame = _parse(data, name, sep, names, header=header, options=options)
    empty = frame.isna().all(axis=1)
    if len(names) > 1 and empty.any():
        notes.append(Message("{n:,} rows without any value are left out", {"n": int(empty.sum())}))
        frame = frame[~empty].reset_index(drop=True)
    frame = convert_columns(frame, options.decimal, notes, semicolons=sep == ";")
    return drop_unnamed(frame, rows[0], notes) if header else frame


def _decode(data: bytes, name: str, notes: list[Message]) -> bytes:
    """Return the text as UTF-8 without a byte order mark."""
    encoding = next((one for one, marks in BYTE_ORDER_MARKS.items() if data.startswith(marks)), "utf-8")
    if encoding == "utf-8" and b"\0" in data:
        raise PyodExplainError(f"{name} is not a text file: it has zero bytes.", hint="Save it as UTF-8.")
    try:
        return data.decode(encoding).encode()
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            raise PyodExplainError(f"{name} is not {encoding}, as it seemed.", hint="Save it as UTF-8.") from error
    encoding = _guess_encoding(data)
    values = {"name": name, "encoding": encoding}
    notes.append(Message("{name} is not UTF-8 and was read as {encoding}; to be sure, save it as UTF-8", values))
    return data.decode(encoding, "replace").encode()


def _guess_encoding(data: bytes) -> str:
    """Return CP1252, or an encoding of other letters if charset-normalizer finds a language or double bytes in them.

    Its guesses among code pages of Latin letters are not used: it takes Spanish and Portuguese for other languages.
    """
    if find_spec("charset_normalizer") is not None:
        for guess in optional("charset_normalizer", "to find the encoding").from_bytes(data[:N_BYTES_LOOKED_AT]):
            latin = any("Latin" in alphabet and alphabet != "Basic Latin" for alphabet in guess.alphabets)
            known = guess.coherence or guess.multi_byte_usage
            if known and not latin and not guess.encoding.startswith(("utf", "mac")):
                return str(guess.encoding)
    return "cp1252"


def _check_separator(sep: str | None) -> str | None:
    if sep is None or sep in SEPARATOR_NAMES:
        return SEPARATOR_NAMES.get(sep or "")
    if len(sep) != 1 or not sep.isascii() or sep in '"\r\n':
        raise ParameterError("sep", "one ASCII character, 'tab' or 'space'", got=sep)
    return sep


def _rows(text: str, sep: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of its last line and the cells of each row that is not blank."""
    if sep == SPACES:
        lines: Iterable[str] = (" ".join(line.split()) for line in text.splitlines())
        reader = csv.reader(lines, delimiter=" ")
    else:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=sep, skipinitialspace=True)
    try:
        for row in reader:
            if len(row) > 1 or any(cell.strip() for cell in row):
                yield reader.line_num, row
    except csv.Error:  # a cell of more than 131,072 characters, as where a quotation mark is not closed
        return


def _find_separator(text: str) -> str:
    """Return the separator that splits most rows into as many cells as the header; spaces if they split all."""
    shares = {}
    for sep in (*SEPARATORS, SPACES):
        widths = [len(row) for _, row in islice(_rows(text, sep), N_ROWS_LOOKED_AT)]
        shares[sep] = widths.count(widths[0]) / len(widths) if widths and widths[0] > 1 else 0.0
    best = max(SEPARATORS, key=lambda sep: shares[sep])
    return best if shares[best] else SPACES if shares[SPACES] == 1 else ","


def has_header(rows: Sequence[Sequence[str]], notes: list[Message]) -> bool:
    """Return whether the first row holds names: it does unless it looks like the rows below.

    Names of columns of numbers and dates are not numbers, unless they count from 0 or are consecutive years.

    Parameters
    ----------
    rows : the first rows.
    notes : gets one where the first row holds numbers.
    """
    first, body = rows[0], rows[1:]
    below = [[row[k].strip() for row in body if k < len(row) and row[k].strip()] for k in range(len(first))]
    typed = [cell.strip() for cell, cells in zip(first, below, strict=True) if cells and all(map(is_typed, cells))]
    if not any(map(is_typed, typed)) or any(cell and not is_typed(cell) for cell in typed):
        return True
    numbers = [int(cell) for cell in typed if cell.isdecimal()]
    counts = len(numbers) == len(typed) > 1 and all(after - before == 1 for before, after in pairwise(numbers))
    header = counts and (numbers[0] == 0 or 1900 <= numbers[0] <= 2100)
    what = "names, not as values" if header else "values, not as names"
    notes.append(Message(f"the first row is read as {what}; {{arg_header}} says whether it holds names"))
    return header


def make_names(first: Sequence[str], *, header: bool) -> list[str]:
    """Return a name for each column: what the header says, `column_3` where that is nothing, `a.1` for a second `a`.

    >>> make_names(["a", "", "a"], header=True)
    ['a', 'column_2', 'a.1']
    """
    given = [(cell.strip() if header else "") or f"column_{k}" for k, cell in enumerate(first, 1)]
    names: list[str] = []
    for wanted in given:
        others = (f"{wanted}.{k}" for k in count(1))
        free = (name for name in others if name not in names and name not in given)
        names.append(next(free) if wanted in names else wanted)
    return names


def drop_unnamed(frame: pd.DataFrame, first: Sequence[str], notes: list[Message]) -> pd.DataFrame:
    """Leave out columns without a name that are empty, or that number the rows, as pandas writes them.

    Parameters
    ----------
    frame : the table.
    first : its header.
    notes : gets one for row numbers.
    """
    unnamed = [name for name, given in zip(frame.columns, first, strict=True) if not given.strip()]
    left_out = [name for name in unnamed if frame[name].isna().all()]
    counts = list(range(len(frame) + 1))
    if frame.columns[0] in unnamed and frame.iloc[:, 0].tolist() in (counts[:-1], counts[1:]):
        notes.append(Message("the first column has no name and numbers the rows: it is left out"))
        left_out.append(frame.columns[0])
    return frame.drop(columns=left_out)


def _parse(data: bytes, name: str, sep: str, names: list[str], *, header: bool, options: Request) -> pd.DataFrame:
    """Read all cells as texts; refuse a row of more or fewer cells than the header has."""
    cells: dict[str, Any] = {"dtype": str, "keep_default_na": False, "na_values": ["", *options.na]}
    cells |= {"skipinitialspace": True, "nrows": None if options.max_rows is None else options.max_rows + 1}
    try:
        frame: pd.DataFrame = pd.read_csv(io.BytesIO(data), sep=sep, names=names, header=0 if header else None, **cells)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        _check_widths(data, name, sep, len(names))
        raise PyodExplainError(f"{name} is not a table: {error}", hint="Is a quotation mark not closed?") from error
    # pandas fills up short rows, and takes a column more than names for row labels.
    if not isinstance(frame.index, pd.RangeIndex) or frame.iloc[:, -1].isna().any():
        _check_widths(data, name, sep, len(names))
    return frame


def _check_widths(data: bytes, name: str, sep: str, width: int) -> None:
    uneven = [(line, len(row)) for line, row in _rows(data.decode(), sep) if len(row) != width]
    if uneven:
        lines = ", ".join(f"{line:,} ({n:,})" for line, n in uneven[:N_LINES_SHOWN])
        more = f" and {len(uneven) - N_LINES_SHOWN:,} more" if len(uneven) > N_LINES_SHOWN else ""
        rule = f"must have {width:,} cells in each row, as in the first"
        ways = "Quote cells that hold the separator, remove lines above the table, or name the separator: {arg_sep}."
        raise PyodExplainError(f"{name} {rule}; the lines {lines}{more} have others.", hint=Message(ways))
