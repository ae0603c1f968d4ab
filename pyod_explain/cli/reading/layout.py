"""The layout of a text file: what parts its columns, what quotes its texts, and whether its first line names them."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pyod_explain.cli.reading.numerals import MISSING_WORDS, tells

__all__ = ["ENOUGH", "SEPARATORS", "SPACES", "Layout", "find_layout", "has_header"]

SEPARATORS = ("\t", ";", "|", ",")  # of two that fit alike, the one that texts and numbers hold more rarely
SPACES = r"\s+"
ENOUGH = 100  # rows that tell whether the first is like the others
BEFORE = re.compile(r"(?:\s*sep=.\r?\n)?(?:[\s,;|]*[\r\n]+)*", re.IGNORECASE)
WORD = re.compile(r'"[^"]*"|\S+')
NAME = re.compile(r"[^\W\d][\w.-]*")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")


@dataclass(frozen=True)
class Layout:
    """How a text file is laid out.

    Attributes
    ----------
    sep : what parts columns.
    quote : what quotes texts.
    escape : what stands before a quotation mark that is part of a text, or None if it is doubled.
    spaced : a space follows each separator.
    header : the first line names the columns.
    ends_with_sep : each row, but not the header, ends with a separator.
    skip : lines before the table: `sep=;`, as Excel writes it, lines of separators alone, and remarks.
    n_remarks : how many of these begin with `#`.
    rows : the first rows, cut into cells; with the header if there is one.
    """

    sep: str
    quote: str = '"'
    escape: str | None = None
    spaced: bool = False
    header: bool = True
    ends_with_sep: bool = False
    skip: int = 0
    n_remarks: int = 0
    rows: Sequence[Sequence[str]] = ()


def find_layout(text: str, *, sep: str | None = None, header: bool | None = None, usual: str = ",") -> Layout:
    r"""Find out how a text is laid out, from its beginning.

    Parameters
    ----------
    text : the first lines.
    sep : what parts columns, if the user says so.
    header : whether the first line names the columns, if the user says so.
    usual : what parts columns in files of this name, which wins if it does so at all.

    Examples
    --------
    >>> found = find_layout("name;size\nx;1,5\ny;2,5\n")
    >>> found.sep, found.header, find_layout("1,2\n3,4\n").header
    (';', True, False)
    """
    before = BEFORE.match(text)
    skipped = "" if before is None else before[0]
    if (told := re.match(r"\s*sep=(.)\r?\n", skipped, re.IGNORECASE)) is not None and sep is None:
        sep = told[1]
    text = text[len(skipped) :]
    comments = re.match(r"(?:#.*[\r\n]+)+", text)
    remarks = "" if comments is None or comments.end() == len(text) else comments[0]
    if sep is None:
        rest = text[len(remarks) :]
        sep = usual if usual != "," and usual in rest.partition("\n")[0] else _separator(rest)
    if remarks and _is_header(remarks.splitlines()[-1], text[len(remarks) :], sep):
        remarks = "".join(remarks.splitlines(keepends=True)[:-1])
    text = text[len(remarks) :]
    skip = len((skipped + remarks).splitlines())
    plain = Layout(
        sep, skip=skip, n_remarks=len(remarks.splitlines()), quote=_quote(text, sep), spaced=_is_spaced(text, sep)
    )
    rows = _cells(text, plain)
    if '\\"' in text:
        escaped = Layout(**{**vars(plain), "escape": "\\"})
        other = _cells(text, escaped)
        if _evenness(other) > _evenness(rows):
            plain, rows = escaped, other
    named = has_header(rows[:ENOUGH]) if header is None else header
    ends = named and len(rows) > 1 and all(len(row) == len(rows[0]) + 1 and not row[-1].strip() for row in rows[1:])
    return Layout(**{**vars(plain), "header": named, "ends_with_sep": ends, "rows": rows})


def _is_header(remark: str, below: str, sep: str) -> bool:
    """Tell whether a line that begins with `#` names the columns: it has as many cells as the lines below.

    It does not if the first of these is words above numbers, or among texts reads like names below a sentence, and so
    names them itself.
    """
    above, rows = _cells(remark, Layout(sep)), _cells(below, Layout(sep))[:ENOUGH]
    if not above or not rows or len(above[0]) != len(rows[0]):
        return False
    sentence = any(" " in cell.strip(" #\t") for cell in above[0])
    if sentence and len(rows) > 1 and all(map(NAME.fullmatch, rows[0])):
        known = {cell for row in rows[1:] for cell in row}
        if len(set(rows[0])) == len(rows[0]) and not known & set(rows[0]):
            return False
    return any(map(_typed, rows[0])) or not has_header(rows) or has_header(rows[1:])


def _cells(text: str, layout: Layout) -> list[list[str]]:
    if layout.sep == SPACES:
        return [[word.strip('"') for word in WORD.findall(line)] for line in text.splitlines() if line.strip()]
    reader = csv.reader(
        io.StringIO(text, newline=None),
        delimiter=layout.sep,
        quotechar=layout.quote,
        escapechar=layout.escape,
        skipinitialspace=layout.spaced,
    )
    try:
        return [row for row in reader if any(cell.strip() for cell in row)]
    except csv.Error:  # a cell of more than a hundred thousand letters: a quotation mark that is not closed
        return []


def _evenness(rows: list[list[str]]) -> float:
    """Share of the rows with the most common number of cells, if that is more than one and the first row has it."""
    if not rows:
        return 0.0
    width, n_rows = Counter(len(row) for row in rows[1:] or rows).most_common(1)[0]
    fits = len(rows[0]) > 1 and width - 1 <= len(rows[0]) <= width  # a column of row names may have no name
    return n_rows / len(rows[1:] or rows) if fits else 0.0


def _separator(text: str) -> str:
    even = {
        sep: _evenness(_cells(text, Layout(sep, quote=_quote(text, sep), spaced=_is_spaced(text, sep))))
        for sep in SEPARATORS
    }
    best = max(even.values())
    if best > 0.5:
        return next(sep for sep in SEPARATORS if even[sep] == best)
    # Spaces part words of a text too: they part columns if there are as many in each line, and half are numbers.
    words = _cells(text, Layout(SPACES))
    body = [word for row in words[1:] for word in row]
    numbers = [word for word in body if tells(word) is not None]
    return SPACES if _evenness(words) == 1.0 and 2 * len(numbers) >= len(body) > 0 else ","


def _quote(text: str, sep: str) -> str:
    """Give the apostrophe if it quotes texts and the quotation mark does not."""
    if "'" not in text:
        return '"'
    edge = re.escape(sep) if sep != SPACES else r"\s"

    def quoted(mark: str) -> int:
        return len(re.findall(rf"(?:^|{edge}){mark}[^{mark}\n]*{mark}(?=\r?$|{edge})", text, re.MULTILINE))

    return "'" if quoted("'") > 1 and not quoted('"') else '"'


def _is_spaced(text: str, sep: str) -> bool:
    lines = [line for line in text.splitlines()[:50] if sep in line]
    return sep not in ("\t", SPACES) and bool(lines) and all(f"{sep} " in line for line in lines)


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row names the columns: it does unless it looks like the rows under it.

    That is told by columns of numbers and dates: a word above them is a name. Numbers above them are names if they
    count from 0 or are years in a row.
    """
    if len(rows) < 2:
        return not rows or not any(_typed(cell) for cell in rows[0])
    first, body = rows[0], rows[1:]
    shift = 1 if len(body[0]) == len(first) + 1 else 0  # row names without a name
    typed = []
    for k, cell in enumerate(first):
        below = [row[k + shift].strip() for row in body if k + shift < len(row)]
        below = [one for one in below if one.lower() not in MISSING_WORDS]
        if below and all(_typed(one) for one in below):
            typed.append(cell.strip())
    words = [cell for cell in typed if not _typed(cell) and cell.lower() not in MISSING_WORDS]
    return not typed or bool(words) or not any(typed) or _counts(first, body)


def _typed(cell: str) -> bool:
    cell = cell.strip()
    return tells(cell) is not None or ISO_DATE.fullmatch(cell) is not None


def _counts(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    numbers = [int(cell) for cell in first if cell.strip().isdecimal()]
    if len(numbers) < 2 or len(numbers) < len([cell for cell in first if cell.strip()]) - 1:
        return False
    steps = {after - before for before, after in pairwise(numbers)}
    years = numbers[0] >= 1900 and numbers[-1] <= 2100
    inside = all(cell.strip().isdecimal() and 1900 <= int(cell) <= 2100 for row in body for cell in row[1:])
    return steps == {1} and (numbers[0] == 0 or (years and not inside))
