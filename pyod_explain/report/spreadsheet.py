"""The rules as CSV that a spreadsheet shows and does not run."""

from __future__ import annotations

import csv
import re

import pandas as pd

__all__ = ["defused", "to_csv"]

# What a spreadsheet takes for the start of a formula (OWASP, "CSV injection"), full-width forms included; at the start
# of a cell, or after what some of them take for the end of one: where a comma writes decimals, a semicolon does.
SIGN = "[=+\\-@\uff1d\uff0b\uff0d\uff20]"
FORMULA = re.compile(rf"(?:\A|(?<=[;\t\r\n]))(?=[\s\x00-\x1f\x7f]*{SIGN})|\A(?=[\t\r\n])")


def defused(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would run as a formula.

    >>> defused("=1+1 >= 5"), defused("amount >= 5"), defused("a;=1+1")
    ("'=1+1 >= 5", 'amount >= 5', "a;'=1+1")
    """
    return FORMULA.sub("'", text)


def to_csv(frame: pd.DataFrame, *, header: bool = True) -> tuple[str, int]:
    r"""Write a frame as CSV, and count the texts, headers among them, that a spreadsheet would have run.

    Numbers stay as they are: a negative number is no formula. Without a header it goes on a file that has one.

    >>> to_csv(pd.DataFrame({"rule": ["@a is 'b'"], "lift": [-1.5]}))
    ('"rule","lift"\n"\'@a is \'b\'",-1.5\n', 1)
    """
    changed = 0

    def safe(value: object) -> object:
        nonlocal changed
        if not isinstance(value, str):
            return value
        text = defused(value)
        changed += text != value
        return text

    cells = pd.DataFrame({k: [safe(value) for value in frame[name]] for k, name in enumerate(frame.columns)})
    if header:
        cells.columns = [safe(name) for name in frame.columns]  # two may be the same now
    text = cells.to_csv(index=False, header=header, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    return str(text), changed
