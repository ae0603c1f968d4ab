"""`Example`: rows in groups that a tag maker is tried on, in any order, and parts of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._by_row import row_groups
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.groups import Groups
from pyod_explain.input import Table, as_table, some

__all__ = ["Example", "example", "odd_tables"]


@dataclass(frozen=True, eq=False)
class Example:
    """Rows, and for each of them 0 (normal), its group 1..K or -1 (neither)."""

    X: pd.DataFrame
    y: NDArray[np.int64]
    n_groups: int

    @classmethod
    def of(cls, X: Any, y: Any) -> Example:
        """Read the user's own example; ours where there is none."""
        if X is None and y is None:
            return example()
        if not isinstance(X, pd.DataFrame) or y is None:
            raise PyodExplainError(
                "`X` must be a DataFrame, and `y` for each of its rows 0 or the number of its group, got "
                f"{type(X).__name__} and {type(y).__name__}.\nHint: pass both, or neither for an example of ours."
            )
        numbers = row_groups(y, len(X))
        if not (numbers > 0).any() or not (numbers == 0).any():
            raise PyodExplainError(
                "`y` must have some rows with 0 (normal) and some with the number of their group (outliers), got "
                f"{some(np.unique(numbers).tolist())}.\nHint: mark at least one row of each."
            )
        return cls(X, numbers, int(numbers.max()))

    @property
    def table(self) -> Table:
        """The rows as a maker gets them: columns in the order of their names."""
        return as_table(self.X).by_name()

    @property
    def groups(self) -> Groups:
        return Groups(self.y.copy(), tuple(str(k + 1) for k in range(self.n_groups)), "given")

    def take(self, rows: Any) -> Example:
        """Return these rows only, in this order."""
        return Example(self.X.iloc[rows], self.y[rows], self.n_groups)

    def with_labels(self, y: Any, n_groups: int) -> Example:
        """Return the same rows in other groups."""
        return Example(self.X, np.asarray(y, dtype=np.int64), n_groups)


def example() -> Example:
    """Make a small table with a column of every common kind and two groups, each with a reason of its own."""
    i = np.arange(64)
    y = np.where(i < 48, 0, np.where(i < 56, 1, 2))
    amount = np.where(y == 1, 500.0 + i, 20.0 + i * 37 % 53)
    amount[[3, 11, 60]] = np.nan
    hour = np.where(y == 2, i % 4, 7 + i * 5 % 13)
    X = pd.DataFrame(
        {
            "amount": amount,
            "visits": i * 29 % 11,
            "channel": np.where(y == 2, "phone", np.array(["web", "shop", "phone"])[i % 3]),
            "member": i % 5 < 2,
            "at": pd.Timestamp("2024-03-01") + pd.to_timedelta(i * 7 % 30, "D") + pd.to_timedelta(hour, "h"),
        },
        index=[f"row {k}" for k in i],
    )
    return Example(X, y, 2)


def odd_tables(base: Example) -> dict[str, Example]:
    """Make examples of the same columns at which makers stumble."""
    outlier, normal = int(np.flatnonzero(base.y > 0)[0]), int(np.flatnonzero(base.y == 0)[0])
    one = np.where(base.y == base.y[outlier], 1, 0)
    return {
        "one outlier and one normal row": base.take([normal, outlier]).with_labels([0, 1], 1),
        "one outlier": base.with_labels(np.arange(len(base.y)) == outlier, 1),
        "a group that has no rows": base.with_labels(one * 3, 3),
        "no outliers": base.with_labels(np.zeros_like(base.y), 1),
        "no groups": base.with_labels(np.zeros_like(base.y), 0),
        "no normal rows": base.with_labels(np.ones_like(base.y), 1),
        "rows that are neither normal nor outliers": base.with_labels(
            np.where(np.arange(len(base.y)) % 7 == 3, -1, one), 1
        ),
        "groups that nothing tells from the normals": base.take(np.full(8, normal)).with_labels([0, 1, 2, 0] * 2, 2),
    }
