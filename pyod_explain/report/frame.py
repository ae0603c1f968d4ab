"""The rules as a tidy frame, a row a rule; and frames as CSV that a spreadsheet shows and does not run."""

from __future__ import annotations

import csv
import re
from operator import attrgetter

import pandas as pd

from pyod_explain.input import frame_of
from pyod_explain.result import Summary

# What a spreadsheet takes for the start of a formula (OWASP, "CSV injection"), full-width forms included; at the start
# of a cell, or after what some of them take for the end of one: where a comma writes decimals, a semicolon does.
FORMULA_SIGN = "[=+\\-@\uff1d\uff0b\uff0d\uff20]"
FORMULA = re.compile(rf"(?:\A|(?<=[;\t\r\n]))(?=[\s\x00-\x1f\x7f]*{FORMULA_SIGN})|\A(?=[\t\r\n])")


def to_frame(s: Summary) -> pd.DataFrame:
    """Return a row per rule with its counts and figures; held-out figures where there are any."""
    columns = ["group", "rule", "length", "outliers", "added", "normals", "others"]
    columns += ["precision", "recall", "lift", "p_value"]
    counts = attrgetter("n_outliers", "n_added", "n_normals", "n_others")
    figures = attrgetter("recall", "lift", "p_value")
    rows = [(one.group, one.text, len(one.tag), *counts(one), s.precision_of(one), *figures(one)) for one in s.rules]
    frame = frame_of(rows, columns).astype({"added": "Int64"})
    if s.changes is not None:
        for name in ("known", "owner", "note", "expires"):
            frame[name] = [getattr(rule, name) for rule in s.rules]
    if s.validation is not None:
        held = s.validation.rules
        for name in ("found", "n_outliers", "n_normals", "n_others"):
            frame[f"holdout_{name.removeprefix('n_')}"] = [getattr(one, name) for one in held]
        # A rule that was not found again was never judged: no figure is not the figure 0.
        frame["holdout_precision"] = [s.precision_of(one) if one.found else float("nan") for one in held]
        frame["holdout_recall"] = [one.recall if one.found else float("nan") for one in held]
    return frame


def escape_formulas(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would run as a formula.

    >>> escape_formulas("=1+1 >= 5"), escape_formulas("amount >= 5"), escape_formulas("a;=1+1")
    ("'=1+1 >= 5", 'amount >= 5', "a;'=1+1")
    """
    return FORMULA.sub("'", text)


def without_formulas(frame: pd.DataFrame, *, header: bool = True) -> tuple[pd.DataFrame, int]:
    """Give a frame whose texts no spreadsheet runs, and the number of those, headers among them, that one would.

    Numbers stay as they are: a negative number is no formula.
    """
    changed = 0

    def safe(value: object) -> object:
        nonlocal changed
        if not isinstance(value, str):
            return value
        text = escape_formulas(value)
        changed += text != value
        return text

    cells = pd.DataFrame({k: [safe(value) for value in frame[name]] for k, name in enumerate(frame.columns)})
    if header:
        cells.columns = [safe(name) for name in frame.columns]  # two may be the same now
    return cells, changed


def to_csv(frame: pd.DataFrame, *, header: bool = True) -> tuple[str, int]:
    r"""Write a frame as CSV, and count the texts that a spreadsheet would have run.

    Without a header it goes on a file that has one.

    >>> to_csv(pd.DataFrame({"rule": ["@a is 'b'"], "lift": [-1.5]}))
    ('"rule","lift"\n"\'@a is \'b\'",-1.5\n', 1)
    """
    cells, changed = without_formulas(frame, header=header)
    text = cells.to_csv(index=False, header=header, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    return str(text), changed
