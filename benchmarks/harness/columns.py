"""Columns as learners of numbers take them, and back: which statement about the table a threshold on one is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype

MOST_VALUES = 50  # of a column of texts: the most frequent get a column of their own


@dataclass(frozen=True)
class Made:
    """A column of numbers that was made of a column of the table.

    Attributes
    ----------
    column : the column it was made of.
    value : the value that it is 1 for; None for the numbers of the column themselves.
    fill : what stands for missing numbers.
    """

    column: str
    value: str | None = None
    fill: float = 0.0


MISSING = "(missing)"


class Encoder:
    """Numbers as they are (missing: the median, and a column that says so), other values as columns of 0 and 1."""

    def __init__(self, X: pd.DataFrame) -> None:
        self.made: list[Made] = []
        for name, column in X.items():
            if is_numeric_dtype(column) and not is_bool_dtype(column):
                self.made.append(Made(name, fill=float(column.median())))
                if column.isna().any():
                    self.made.append(Made(name, MISSING))
            else:
                self.made += [Made(name, value) for value in as_texts(column).value_counts().index[:MOST_VALUES]]
        self.names = [f"c{i}" for i in range(len(self.made))]  # no learner has to read a name

    def encode(self, X: pd.DataFrame) -> NDArray[np.float64]:
        texts = {one.column: as_texts(X[one.column]) for one in self.made if one.value is not None}
        columns = [
            X[one.column].fillna(one.fill) if one.value is None else texts[one.column] == one.value for one in self.made
        ]
        return np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])

    def statement(self, place: int, *, high: bool) -> tuple[str, str]:
        """Say which column a threshold is about and on which side; two of the same can be said in one condition."""
        one = self.made[place]
        if one.value is None:
            return one.column, ">" if high else "<="
        return one.column, f"is {one.value}" if high else "is none of"


def as_texts(column: pd.Series) -> pd.Series:
    return column.astype(object).where(column.notna(), MISSING).astype(str)


class Plain:
    """The table with texts and numbers and no missing cells: the median, and a column that says so."""

    def __init__(self, X: pd.DataFrame) -> None:
        numbers = [name for name, column in X.items() if is_numeric_dtype(column) and not is_bool_dtype(column)]
        self.fill = {name: float(X[name].median()) for name in numbers}
        self.gaps = [name for name in numbers if X[name].isna().any()]
        self.texts = [name for name in X if name not in self.fill]

    def make(self, X: pd.DataFrame) -> pd.DataFrame:
        columns = {name: X[name].fillna(fill) for name, fill in self.fill.items()}
        columns |= {name: as_texts(X[name]) for name in self.texts}
        columns |= {f"{name} is": np.where(X[name].isna(), "missing", "present") for name in self.gaps}
        return pd.DataFrame(columns)
