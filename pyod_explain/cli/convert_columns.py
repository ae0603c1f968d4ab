"""Columns of texts as numbers, dates and booleans, where every value of the column is one; the rest stays text."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.exceptions import Message, shown
from pyod_explain.input import EXACT_UP_TO

MISSING_WORDS = frozenset({"na", "n/a", "#n/a", "#na", "nan", "none", "null", "<na>", ""})  # except in texts
N_SAMPLED = 1000  # values of a column that show its decimal sign, and whether most of them are numbers


def _plain(sign: str) -> str:
    """Pattern of a number without leading zeros, of no more digits than a double or a 64-bit integer holds."""
    point = re.escape(sign)
    fraction = rf"(?:(?:0|[1-9]\d{{0,15}}){point}\d*|{point}\d+)"
    return rf" *[-+]?(?:0|[1-9]\d{{0,19}}|{fraction}|(?:0|[1-9]\d{{0,14}}|{fraction})[eE][-+]?\d+) *"


def _grouped(sign: str) -> str:
    """Pattern of a number with thousands separators. Three groups of dots and no fraction may be an address."""
    point, other = re.escape(sign), re.escape("," if sign == "." else ".")
    address = r"(?!\d+(?:\.\d{3}){3} *$)" if sign == "," else ""
    return rf" *[-+]?{address}[1-9]\d{{0,2}}(?:{other}\d{{3}})+(?:{point}\d*)? *"


PLAIN = {sign: re.compile(_plain(sign)) for sign in ".,"}
NOT_PLAIN = {sign: re.compile(rf"^(?!{_plain(sign)}$).*$", re.MULTILINE) for sign in ".,"}
NUMBER = {sign: re.compile(f"(?:{_plain(sign)}|{_grouped(sign)})") for sign in ".,"}
AMBIGUOUS = re.compile(r" *[-+]?[1-9]\d{0,2}[.,]\d{3} *")  # 1,234 is a fraction or a thousand
LEADING_ZERO = re.compile(r" *[-+]?0\d+(?:[.,]\d*)? *")
MANY_DIGITS = re.compile(r"^ *[-+]?\d{16,} *$", re.MULTILINE)
DATE = re.compile(r"^(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?)(Z|[+-]\d\d:?\d\d)?$")
OTHER_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d\d)(?: \d\d?:\d\d.*)?|\d{4}([./])\d{1,2}\2\d{1,2}.*")

# What a note says of a column, after its name and an example.
REASONS = {
    "comma": "shows that ',' is the decimal sign; {arg_decimal} . changes that",
    "point": "is read with '.' as the decimal sign; {arg_decimal} , reads it as a thousands separator",
    "formatted": "is read as numbers without their signs of currency, percent and thousands",
    "zero": "stays text: a number with a leading zero may be a code",
    "digits": "stays text: it has numbers of more digits than 64 bits hold",
    "ambiguous": "stays text: its sign may separate decimals or thousands; {arg_decimal} says which",
    "other": "stays text: not all values are numbers with the same signs; {arg_na} lists words for missing values, "
    "{arg_decimal} the decimal sign",
    "date": "stays text: only dates such as 2024-12-31 are read as dates",
}


class _NotNumbersError(Exception):
    """A column is not numeric; `args` are the reason and an example."""


def is_text(column: pd.Series[Any]) -> bool:
    """Return whether all values of a column are texts or missing."""
    if isinstance(column.dtype, pd.StringDtype):
        return True
    return column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) == "string"


def is_typed(cell: str) -> bool:
    """Return whether a text is a number or an ISO date, which are rarely names of columns.

    >>> [is_typed(cell) for cell in ("12", "1,5", "$3", "2024-05-01", "x1", "")]
    [True, True, True, True, False, False]
    """
    bare = _without_unit(cell.strip(), _unit(cell))
    return any(NUMBER[sign].fullmatch(bare) for sign in ".,") or bool(DATE.fullmatch(bare))


def convert_columns(
    frame: pd.DataFrame, decimal: str | None, notes: list[Message], *, semicolons: bool = False
) -> pd.DataFrame:
    """Return a frame with numbers, dates and booleans in place of texts.

    Parameters
    ----------
    frame : the table.
    decimal : the decimal sign that the user gave; None to find it.
    notes : gets one for each reason why columns stay text or are read in a way that a user may not expect.
    semicolons : they separate the columns, as in files whose decimal sign is a comma.
    """
    texts = {str(name): column for name, column in frame.items() if is_text(column)}
    samples = {name: _sample(column) for name, column in texts.items()}
    signs = {name: sign for name, cells in samples.items() if (sign := _decimal_sign(cells))}
    sign = decimal or ("," if set(signs.values()) == {","} else ".")
    read, found = {}, defaultdict(list)
    for name, column in texts.items():
        read[name], reason, example = _convert(column, samples[name], sign, given=decimal is not None)
        if reason == "plain" and semicolons and not signs and decimal is None:
            fractions = [cell for cell in samples[name] if not cell.lstrip("-+").isdigit()]
            if fractions and all(map(AMBIGUOUS.fullmatch, fractions)):
                reason, example = "point", fractions[0]
        if sign == "," != decimal and name == next(iter(signs)):
            found["comma"].append((name, next(cell for cell in samples[name] if "," in cell)))
        if reason in REASONS:
            found[reason].append((name, example))
    for reason, columns in found.items():
        values = {"column": columns[0][0], "example": shown(columns[0][1]), "n_more": len(columns) - 1}
        more = " (and {n_more:,} more)" if len(columns) > 1 else ""
        notes.append(Message(f"column {{column!r}}{more}, with values such as {{example}}, {REASONS[reason]}", values))
    return pd.DataFrame({name: read.get(str(name), column) for name, column in frame.items()}, index=frame.index)


def _convert(column: pd.Series[Any], sample: list[str], sign: str, *, given: bool) -> tuple[Any, str, str]:
    """Convert a column; also return a reason, which may be one of `REASONS`, and an example."""
    if not sample:
        return column.astype(np.float64) if column.isna().all() else column, "", ""
    if sample[0].lower() in ("true", "false"):
        return _parse_booleans(column), "", ""
    if DATE.fullmatch(sample[0]):
        return parse_dates(column), "", ""
    bare = [_without_unit(cell, _unit(cell)) for cell in sample]
    patterns = (NUMBER["."], NUMBER[","], LEADING_ZERO, MANY_DIGITS)
    n_numeric = sum(any(pattern.fullmatch(cell) for pattern in patterns) for cell in bare)
    if not n_numeric:
        return column, "date" if all(map(OTHER_DATE.fullmatch, sample)) else "", sample[0]
    words = {cell for cell in column.unique() if isinstance(cell, str) and cell.strip().lower() in MISSING_WORDS}
    present = column[column.notna() & ~column.isin(words)]
    try:
        numbers = _parse_numbers(present.tolist(), sign, given=given)
    except _NotNumbersError as error:
        reason, example = error.args
        return column, reason if 2 * n_numeric >= len(sample) else "", example
    formatted = next((cell for cell in sample if not PLAIN[sign].fullmatch(cell)), None)
    has_gaps, whole = len(present) < len(column), numbers.dtype.kind != "f"
    exact = has_gaps and whole and max(abs(int(numbers.min())), int(numbers.max())) >= EXACT_UP_TO
    dtype = {"i": "Int64", "u": "UInt64"}[numbers.dtype.kind] if exact else None  # doubles would round it
    values = pd.Series(numbers, index=present.index, dtype=dtype).reindex(column.index)
    return values, "formatted" if formatted else "plain", formatted or ""


def _sample(column: pd.Series[Any]) -> list[str]:
    """Return the first values that are not missing."""
    present = column.dropna()
    for cells in (present.iloc[:N_SAMPLED], present):
        known = [cell.strip() for cell in cells.tolist() if cell.strip().lower() not in MISSING_WORDS]
        if known:
            return known[:N_SAMPLED]
    return []


def _decimal_sign(cells: list[str]) -> str | None:
    """Return the decimal sign if all are numbers with the one sign and not all with the other."""
    unit = _unit(cells[0]) if cells else ""
    bare = [_without_unit(cell, unit) for cell in cells]
    fit = [sign for sign in ".," if all(map(NUMBER[sign].fullmatch, bare))]
    return fit[0] if len(fit) == 1 and any(fit[0] in cell for cell in bare) else None


def _parse_numbers(cells: list[str], sign: str, *, given: bool) -> NDArray[Any]:
    """Parse a column in which all values must be numbers with the same unit."""
    joined = "\n".join(cells)  # one search in all cells is faster than one in each
    if joined.count("\n") != len(cells) - 1:
        raise _NotNumbersError("other", next(cell for cell in cells if "\n" in cell))
    if not NOT_PLAIN[sign].search(joined):
        return _parse_plain(joined.replace(sign, "."))
    codes, distinct = pd.factorize(np.array(cells, dtype=object))
    unit = _unit(distinct[0])
    bare = [_without_unit(cell.strip(), unit) for cell in distinct]
    for cell, number in zip(distinct, bare, strict=True):
        if not NUMBER[sign].fullmatch(number):
            is_code, is_long = LEADING_ZERO.fullmatch(number), MANY_DIGITS.fullmatch(number)
            raise _NotNumbersError("zero" if is_code else "digits" if is_long else "other", cell)
    grouped = [number for number in bare if not PLAIN[sign].fullmatch(number)]
    if grouped and not given and all(map(AMBIGUOUS.fullmatch, grouped)):
        raise _NotNumbersError("ambiguous", grouped[0])
    thousands = "," if sign == "." else "."
    return _parse_plain("\n".join(number.replace(thousands, "").replace(sign, ".") for number in bare))[codes]


def _parse_plain(joined: str) -> NDArray[Any]:
    """Parse numbers, one in each line, all of which match the pattern; whole ones as integers."""
    cells = joined.split("\n")
    if not re.search("[.eE]", joined):
        whole = [int(cell) for cell in cells]
        for dtype in (np.int64, np.uint64):
            if np.iinfo(dtype).min <= min(whole) and max(whole) <= np.iinfo(dtype).max:
                return np.array(whole, dtype=dtype)
        raise _NotNumbersError("digits", max(cells, key=len))
    numbers = np.array(cells, dtype=np.float64)
    long = MANY_DIGITS.search(joined) if np.abs(numbers).max() > 1e15 else None  # a double would round it
    if long is not None or not np.isfinite(numbers).all():
        raise _NotNumbersError("digits", long[0] if long else cells[int(np.argmin(np.isfinite(numbers)))])
    return numbers


def _parse_booleans(column: pd.Series[Any]) -> pd.Series[Any]:
    words = {"true": True, "false": False, **dict.fromkeys(MISSING_WORDS)}
    lower = {cell: str(cell).strip().lower() for cell in column.dropna().unique()}
    if not set(lower.values()) <= set(words):
        return column
    values = column.map({cell: words[word] for cell, word in lower.items()}).astype("boolean")
    return values if values.isna().any() else values.astype(bool)


def parse_dates(column: pd.Series[Any]) -> pd.Series[Any]:
    """Parse a column of ISO dates; any other column stays as it is.

    So does one with dates that do not exist, or of which only some have a time zone. Different zones become UTC.
    """
    known = column.mask(column.str.lower().isin(MISSING_WORDS))
    parts = known.dropna().str.extract(DATE)
    zones = set(parts[1].fillna(""))
    if not len(parts) or parts[0].isna().any() or (len(zones) > 1 and "" in zones):
        return column
    try:
        return pd.to_datetime(known, format="ISO8601", utc=len(zones) > 1)
    except ValueError:
        return column


def _unit(cell: str) -> str:
    """Return the currency or percent sign of a text, "" if it has none."""
    return next((c for c in cell if c in "%\u2030" or unicodedata.category(c) == "Sc"), "")


def _without_unit(cell: str, unit: str) -> str:
    """Remove the sign where it stands before or after the number; a text without it is returned with a mark.

    >>> [_without_unit(cell, "$") for cell in ("$5", "-$5", "5 $", "5")]
    ['5', '-5', '5', 'no $ in 5']
    """
    if not unit:
        return cell
    for sign in ("", "-", "+"):
        if cell.startswith(sign + unit):
            return sign + cell[len(sign) + 1 :].lstrip(" \u00a0\u202f")
    return cell[:-1].rstrip(" \u00a0\u202f") if cell.endswith(unit) else f"no {unit} in {cell}"
