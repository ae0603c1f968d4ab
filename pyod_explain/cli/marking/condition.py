"""A test of a column, as it is written in a shell: `status != ok`."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.cli.marking.kinds import EXAMPLES, NotOfKind, kind_of, read_as
from pyod_explain.cli.usage import UsageError

__all__ = ["ColumnTest", "name_before", "parse_test"]

OPERATOR = re.compile(r"\s*(==|!=|<>|>=|<=|=|>|<)\s*|\s+(not\s+in|in)\s+", re.IGNORECASE)
VALUE = re.compile(r"""\s*(?:'([^']*)'|"([^"]*)"|([^,]*?))\s*(?:,|$)""")
SAME = {"=": "==", "<>": "!="}
ORDER = {">": gt, "<": lt, ">=": ge, "<=": le}


@dataclass(frozen=True)
class ColumnTest:
    """Some rows, by what a column has there.

    Attributes
    ----------
    column : its name.
    operator : one of == != > < >= <=, in, not in.
    values : what to compare with; several for in and not in.
    """

    column: str
    operator: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        values = ", ".join(repr(one) if one.strip() != one or "," in one else one for one in self.values)
        return f"{self.column} {self.operator} {values}"

    def matches(self, series: pd.Series[Any], *, whole: bool = True) -> NDArray[np.bool_]:
        """Tell which rows pass; those with no value do not.

        Parameters
        ----------
        series : the column.
        whole : it is all of it, which must have the values that rows are compared with.
        """
        if isinstance(series.dtype, pd.CategoricalDtype):
            series = series.astype(series.cat.categories.dtype)
        there = series.notna().to_numpy(dtype=bool)
        if not whole and not there.any():  # a part of the column that does not tell what it holds
            return there
        kind = kind_of(series)
        values = [_as_in(series, value, self, kind) for value in self.values]
        if self.operator in ("==", "in", "!=", "not in"):
            if whole:
                self._check_known(series, values)
            found = series.isin(values).to_numpy(dtype=bool)
            return np.asarray(there & (found if self.operator in ("==", "in") else ~found))
        if kind == "text":
            raise UsageError(
                f"--labels {str(self)!r} must compare numbers or dates, but column {self.column!r} holds texts.\n"
                "Hint: == != and in compare texts."
            )
        marks = np.zeros(len(series), dtype=bool)
        marks[there] = ORDER[self.operator](series[there], values[0]).to_numpy(dtype=bool)
        return marks

    def _check_known(self, series: pd.Series[Any], values: list[Any]) -> None:
        for text, value in zip(self.values, values, strict=True):
            if not (series == value).any():
                counts = series.value_counts().index[:6]
                raise UsageError(
                    f"--labels: no row has {text!r} in column {self.column!r}; it has "
                    f"{', '.join(repr(str(one)) for one in counts)}{' and others' if series.nunique() > 6 else ''}."
                )


def parse_test(text: str, columns: Collection[str]) -> ColumnTest | None:
    """Read a test; None if there is none of a column that exists.

    Parameters
    ----------
    text : such as `status != ok` or `status in fraud,chargeback`.
    columns : the columns that there are, whose names may hold anything.

    Examples
    --------
    >>> parse_test("a < b >= 3", ["a < b"])
    ColumnTest(column='a < b', operator='>=', values=('3',))
    >>> parse_test("kind in (x, 'y, z')", ["kind"])
    ColumnTest(column='kind', operator='in', values=('x', 'y, z'))
    """
    for found in OPERATOR.finditer(text):
        column, rest = _bare(text[: found.start()].strip()), text[found.end() :].strip()
        if column in columns and rest:
            word = " ".join((found[1] or found[2]).lower().split())
            operator = SAME.get(word, word)
            if operator in ("in", "not in"):
                return ColumnTest(column, operator, _listed(rest))
            return ColumnTest(column, operator, (_bare(rest),))
    return None


def name_before(text: str) -> str:
    """Give what stands before the operator, which no column is named."""
    found = OPERATOR.search(text)
    return text if found is None else _bare(text[: found.start()].strip())


def _bare(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\"`"
    return text[1:-1] if quoted else text


def _listed(text: str) -> tuple[str, ...]:
    if text[:1] + text[-1:] in ("()", "[]"):
        text = text[1:-1]
    return tuple(value for groups in VALUE.findall(text) if (value := groups[0] or groups[1] or groups[2]))


def _as_in(series: pd.Series[Any], text: str, test: ColumnTest, kind: str) -> Any:
    """Read a value as one of the column."""
    try:
        return read_as(kind, text, series)
    except NotOfKind as error:
        wanted = str(error) or EXAMPLES[kind]
        said = f"--labels {str(test)!r} must compare column {test.column!r} with {wanted}, got {text!r}."
        raise UsageError(said) from None
