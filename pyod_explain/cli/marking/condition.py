"""A test of a column, as it is written in a shell: `status != ok`."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.cli.usage import UsageError

__all__ = ["ColumnTest", "name_before", "parse_test"]

OPERATOR = re.compile(r"\s*(==|!=|<>|>=|<=|=|>|<)\s*|\s+(not\s+in|in)\s+", re.IGNORECASE)
VALUE = re.compile(r"""\s*(?:'([^']*)'|"([^"]*)"|([^,]*?))\s*(?:,|$)""")
SAME = {"=": "==", "<>": "!="}
TRUE = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


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
        values = [_as_in(series, value, self) for value in self.values]
        there = series.notna().to_numpy(dtype=bool)
        if self.operator in ("==", "in", "!=", "not in"):
            if whole:
                self._check_known(series, values)
            found = series.isin(values).to_numpy(dtype=bool)
            return np.asarray(there & (found if self.operator in ("==", "in") else ~found))
        if _is_text(series):
            raise UsageError(
                f"--labels {str(self)!r} must compare numbers or dates, but column {self.column!r} holds texts.\n"
                "Hint: == != and in compare texts."
            )
        compared = {">": series.gt, "<": series.lt, ">=": series.ge, "<=": series.le}[self.operator](values[0])
        return np.asarray(there & compared.fillna(False).to_numpy(dtype=bool))

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


def _is_bool(series: pd.Series[Any]) -> bool:
    """Tell whether these are true and false; with gaps pandas has them as objects."""
    return pd.api.types.is_bool_dtype(series) or (
        series.dtype == object and pd.api.types.infer_dtype(series, skipna=True) == "boolean"
    )


def _is_text(series: pd.Series[Any]) -> bool:
    return not (pd.api.types.is_numeric_dtype(series) or pd.api.types.is_datetime64_any_dtype(series))


def _as_in(series: pd.Series[Any], text: str, test: ColumnTest) -> Any:
    """Read a value as one of the column."""
    if _is_bool(series):
        if text.lower() in TRUE:
            return TRUE[text.lower()]
        kind = "true or false"
    elif pd.api.types.is_numeric_dtype(series):
        number = pd.to_numeric(pd.Series([text]), errors="coerce").iloc[0]
        if pd.notna(number):
            return number
        kind = "a number"
    elif pd.api.types.is_datetime64_any_dtype(series):
        date = pd.to_datetime(pd.Series([text]), errors="coerce", format="ISO8601").iloc[0]
        if pd.notna(date):
            zone = getattr(series.dtype, "tz", None)
            return date.tz_localize(zone) if zone is not None and date.tzinfo is None else date
        kind = "a date such as 2024-01-31"
    else:
        return text
    raise UsageError(f"--labels {str(test)!r} must compare column {test.column!r} with {kind}, got {text!r}.")
