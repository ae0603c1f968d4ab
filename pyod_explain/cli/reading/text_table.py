"""A table from a text file: its letters, its layout, its cells, in this order."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping
from typing import Any

import pandas as pd

from pyod_explain._validate import shown
from pyod_explain.cli.reading.cells import is_text, read_cells, whole_numbers
from pyod_explain.cli.reading.columns import drop_fillers, names_of
from pyod_explain.cli.reading.decode import decode
from pyod_explain.cli.reading.how import How, Say, ignore
from pyod_explain.cli.reading.layout import SEPARATORS, SPACES, Layout, find_layout
from pyod_explain.cli.reading.notes import Notes, columns_named
from pyod_explain.cli.reading.numerals import MISSING_WORDS, PLAIN, tells
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import EXACT_UP_TO

__all__ = ["read_text"]

SAMPLE = 2**16  # bytes that tell the layout
FEWEST_LINES = 20  # even if they are longer than that
RARE = ":^~!"  # what parts columns in few files, and is part of many texts
WORDS = {"\t": "a tab", ";": "';'", "|": "'|'", ",": "','", SPACES: "spaces"}
PANDAS_MISSING = frozenset(["", "#N/A", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "<NA>", "#NA"])
PLAIN_NUMBER = re.compile(PLAIN)


def read_text(data: bytes, name: str, how: How, *, usual: str = ",", say: Say = ignore) -> pd.DataFrame:
    r"""Read a table from the bytes of a text file.

    Parameters
    ----------
    data : the file.
    name : what to call it.
    how : what the user says of it.
    usual : what parts columns in files of this name.
    say : told each reading that a person might not expect.

    Examples
    --------
    >>> data = b"name;price\nx;1.179,60 EUR\ny;?\nz;7,5 EUR\n"
    >>> read_text(data, "The file", How(), say=print)["price"].tolist()
    columns are parted by ';'
    ',' is the decimal sign, as in column 'price' ('1.179,60 EUR'); --decimal says otherwise
    '?' read as missing in column 'price'; --raw leaves the text
    column 'price' ('1.179,60 EUR' is 1179.6) read as numbers; --raw leaves the text
    [1179.6, nan, 7.5]
    """
    text = _without_end_mark(decode(data, name, how.encoding, say))
    if (text[:1024].isspace() and text.isspace()) or not text:
        raise PyodExplainError(f"{name} is empty.")
    layout = find_layout(_beginning(text), sep=how.sep, header=how.header, usual=usual)
    if not layout.rows:
        long = "a cell of more than 100,000 letters.\nHint: is a quotation mark not closed?"
        raise PyodExplainError(f"{name} has {'nothing but separators.' if layout.skip else long}")
    if layout.n_remarks:
        n = layout.n_remarks
        say(f"{f'{n:,} lines that begin' if n > 1 else '1 line that begins'} with '#' left out before the table")
    if how.sep is None and layout.sep != usual:
        say(f"columns are parted by {WORDS.get(layout.sep, repr(layout.sep))}")
    in_doubt = layout.header and len(layout.rows) > 1 and all(tells(cell.strip()) is None for cell in layout.rows[1])
    if in_doubt and layout.rows[0][0].startswith("#"):
        say("the line that begins with '#' right above the rows names the columns")
    names = names_of(layout, name, sniffed=how.header is None, say=say)
    if len(names) == 1:
        _check_parted([row[0] for row in layout.rows], name, how, quoted=text.lstrip()[:1] == layout.quote.encode())
    text, n_blank = _without_blank_end(text, layout.sep)
    if n_blank:
        say(f"{n_blank:,} line{'s' if n_blank > 1 else ''} of separators alone left out at the end")
    reader = _Reader(text, name, layout, names, how)
    if how.raw:
        return drop_fillers(reader.read(how.decimal or "."), layout, say)
    sign, witness = (how.decimal, "") if how.decimal else _decimal_sign(layout, names)
    if sign == "," and witness:
        say(f"',' is the decimal sign, as in {witness}; --decimal says otherwise")
    words = _missing_words(layout, names, sign or ".")
    notes = Notes()
    frame = reader.read(sign or ".", words)
    late = [column for column in words if is_text(frame[column])]  # something after the beginning is no number
    plain = reader.read(sign or ".") if late else frame
    for column, found in words.items():
        if column in late:
            frame[column] = plain[column]
        else:
            notes.missing[column] = found
    for column, found in _words_in_texts(frame, layout, names, how.na).items():
        notes.missing[column] = found
    frame = drop_fillers(frame, layout, say)
    for column, series in read_cells(frame, sign, told=how.decimal is not None, notes=notes).items():
        frame[column] = series
    notes.tell(say)
    if sign is None and layout.sep == ";" and (doubtful := _three_decimals(layout, names)):
        say(f"{columns_named(doubtful)} read with '.' as the decimal sign; if it parts thousands: --decimal ,")
    return frame


def _without_end_mark(text: bytes) -> bytes:
    """Cut off the control-Z that ends files of DOS."""
    end = text[-16:].rstrip()
    return text.rstrip().rstrip(b"\x1a") if end.endswith(b"\x1a") else text


def _beginning(text: bytes) -> str:
    """Give the first lines, none of them cut."""
    end = SAMPLE
    while end < len(text) and text.count(b"\n", 0, end) + text.count(b"\r", 0, end) < FEWEST_LINES:
        end *= 4
    part = text[:end]
    if end < len(text):
        last = max(part.rfind(b"\n"), part.rfind(b"\r"))
        part = part[: last + 1] if last > 0 else part
    return part.decode("utf-8", "replace")


def _without_blank_end(text: bytes, sep: str) -> tuple[bytes, int]:
    """Cut lines of separators alone off the end, where spreadsheets write them, and count them."""
    mark, end, n_lines = sep.encode(), len(text), 0
    while sep != SPACES and end > 0:
        start = max(text.rfind(b"\n", 0, end), text.rfind(b"\r", 0, end)) + 1
        line = text[start:end]
        if line.strip(mark + b" \t"):
            break
        n_lines += mark in line
        end = start - 1
    return (text[: end + 1], n_lines) if n_lines else (text, 0)


def _check_parted(cells: list[str], name: str, how: How, *, quoted: bool) -> None:
    """Refuse a table of one column whose name holds what parts columns; rarer signs if all rows hold as many."""
    first = cells[0]
    held = [sep for sep in SEPARATORS if sep in first]
    held += [sep for sep in RARE if sep in first and len({cell.count(sep) for cell in cells}) == 1]
    if held:
        why = (
            "what parts its columns was not recognised" if how.sep is None else f"--sep {how.sep!r} parts nothing in it"
        )
        if quoted and any(held[0] in cell for cell in cells[1:]):
            raise PyodExplainError(
                f"{name} has one column, named {shown(first)}: its lines are in quotation marks as a whole, and what "
                "parts columns is in them.\nHint: remove the quotation marks at both ends of each line."
            )
        hint = "\\t" if held[0] == "\t" else held[0]
        raise PyodExplainError(
            f"{name} has one column, named {shown(first)}, which holds what parts columns elsewhere: {why}.\n"
            f"Hint: try --sep '{hint}'."
        )


def _column_cells(layout: Layout, k: int) -> list[str]:
    return [cell.strip() for cell in _as_written(layout, k)]


def _as_written(layout: Layout, k: int) -> list[str]:
    body = layout.rows[1:] if layout.header else layout.rows
    shift = 1 if layout.header and body and len(body[0]) == len(layout.rows[0]) + 1 and not layout.ends_with_sep else 0
    return [row[k + shift] for row in body if k + shift < len(row)]


def _decimal_sign(layout: Layout, names: list[str]) -> tuple[str | None, str]:
    """Find the decimal sign that the beginning of all columns of numbers has, and a column that shows it."""
    witnesses: dict[str, str] = {}
    for k, name in enumerate(names):
        cells = [cell for cell in _column_cells(layout, k) if cell.lower() not in MISSING_WORDS]
        if not cells or tells(cells[0]) is None:
            continue
        signs = [tells(cell) for cell in cells]
        for sign in ".,":
            if sign in signs and set(signs) <= {sign, "?"}:
                witnesses.setdefault(sign, f"column {name!r} ({cells[signs.index(sign)]!r})")
    return next(iter(witnesses.items())) if len(witnesses) == 1 else (None, "")


def _three_decimals(layout: Layout, names: list[str]) -> list[str]:
    """Find columns of numbers such as `1.234`, which are thousands where `;` parts columns as often as not."""
    found = []
    for k, name in enumerate(names):
        cells = [cell for cell in _column_cells(layout, k) if cell.lower() not in MISSING_WORDS]
        if any("." in cell for cell in cells) and all(tells(cell) == "?" for cell in cells):
            found.append(name)
    return found


def _missing_words(layout: Layout, names: list[str], sign: str) -> dict[str, list[str]]:
    """Find words for missing in columns that begin as plain numbers otherwise, so that pandas can read them at once."""
    found: dict[str, list[str]] = {}
    for k, name in enumerate(names):
        cells = _column_cells(layout, k)
        words = [cell for cell in dict.fromkeys(cells) if cell.lower() in MISSING_WORDS and cell not in PANDAS_MISSING]
        if words:
            rest = [cell.replace(sign, ".") for cell in cells if cell.lower() not in MISSING_WORDS]
            if rest and all(PLAIN_NUMBER.fullmatch(cell) for cell in rest):
                found[name] = words
    return found


def _words_in_texts(
    frame: pd.DataFrame, layout: Layout, names: list[str], told: tuple[str, ...]
) -> dict[str, list[str]]:
    """Find words that pandas reads as missing in columns of texts, where `NA` and `None` may be values."""
    found = {}
    for k, name in enumerate(names):
        if is_text(frame[name]) and frame[name].isna().any():
            words = [cell for cell in dict.fromkeys(_as_written(layout, k)) if cell in PANDAS_MISSING - {"", *told}]
            if words:
                found[name] = words
    return found


class _Reader:
    """Reads a text by pandas, with the layout that was found."""

    def __init__(self, text: bytes, name: str, layout: Layout, names: list[str], how: How) -> None:
        self.text, self.name, self.layout, self.names, self.how = text, name, layout, names, how

    def read(self, decimal: str, words: Mapping[str, list[str]] | None = None) -> pd.DataFrame:
        """Read the table.

        Parameters
        ----------
        decimal : the decimal sign.
        words : per column, what is missing besides what always is.
        """
        layout, na = self.layout, list(self.how.na)
        missing = {name: [*na, *(words or {}).get(name, ())] for name in self.names} if words else na
        how = {
            "sep": layout.sep,
            "quotechar": layout.quote,
            "escapechar": layout.escape,
            "skipinitialspace": layout.spaced,
            "skiprows": layout.skip,
            "header": 0 if layout.header else None,
            "names": self.names,
            "decimal": decimal,
            "na_values": ["", *na] if self.how.raw else missing or None,
            "keep_default_na": not self.how.raw,  # of its own pandas reads NA and None as missing
        }
        try:
            frame = _parse(self.text, **how)
            large = [name for name in frame.columns if _is_large(frame[name])]
            if large:  # whole numbers with a gap among them, which pandas has as floats
                texts = _parse(self.text, **how, dtype=dict.fromkeys(large, str))
                exact = {name: whole_numbers(texts[name]) for name in large}
                frame = frame.assign(**{name: column for name, column in exact.items() if column is not None})
        except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeError) as error:
            raise PyodExplainError(f"{self.name} {_what_is_wrong(error, layout)}") from error
        if not isinstance(frame.index, pd.RangeIndex) and not frame.index.is_unique:
            raise PyodExplainError(
                f"{self.name} has a column more than names for them, and it does not name the rows: "
                f"'{frame.index[frame.index.duplicated()][0]}' is there twice.\n"
                "Hint: quote texts and numbers that hold what parts columns, or say what parts them with --sep."
            )
        return frame


def _is_large(series: pd.Series[Any]) -> bool:
    """Tell whether floats may have lost a digit of whole numbers."""
    return series.dtype.kind == "f" and bool((series.abs() >= EXACT_UP_TO).any())


def _parse(text: bytes, **how: Any) -> pd.DataFrame:
    """Read the table in parts; at once, which takes longer, where a column is numbers in one and text in another."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.DtypeWarning)
        warnings.filterwarnings("ignore", "Falling back", pd.errors.ParserWarning)  # --sep of two bytes: only slower
        try:
            return pd.DataFrame(pd.read_csv(io.BytesIO(text), encoding="utf-8", **how))
        except pd.errors.DtypeWarning:
            return pd.DataFrame(pd.read_csv(io.BytesIO(text), encoding="utf-8", low_memory=False, **how))


def _what_is_wrong(error: Exception, layout: Layout) -> str:
    if (ragged := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))) is not None:
        expected, line, got = ragged.groups()
        return (
            f"has {got} cells in line {line} and {expected} in the lines before.\nHint: quote texts that hold "
            f"{WORDS.get(layout.sep, repr(layout.sep))}, or say what parts columns with --sep."
        )
    if (unclosed := re.search(r"EOF inside string starting at row (\d+)", str(error))) is not None:
        return f"has a quotation mark in or near line {int(unclosed[1]) + 1} that is not closed."
    return f"could not be read as a table: {error}"
