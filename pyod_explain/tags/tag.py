"""`Tag`: a conjunction of conditions, as a value that hashes, compares, prints and tells which rows have it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Table, as_table
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.statements import statements

__all__ = ["Tag", "require_columns", "unique_features"]


@dataclass(frozen=True, slots=True)
class Tag:
    """A property that an instance has or lacks: all of its conditions hold.

    Parameters
    ----------
    conditions : the conditions, in any order.

    Examples
    --------
    >>> Tag.of(Condition("hour", "<=", 5), Condition("channel", "==", "web"))
    Tag(channel == 'web' and hour <= 5)
    >>> import pandas as pd
    >>> tag = Tag.of(Condition("x", ">", 1.5))
    >>> tag.covers(pd.DataFrame({"x": [1.0, 2.0, None]})).tolist()
    [False, True, False]
    """

    conditions: frozenset[Condition]  # a set, so that equal meaning is equal value and equal hash

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", frozenset(self.conditions))
        if not self.conditions or not all(isinstance(c, Condition) for c in self.conditions):
            raise PyodExplainError(
                "`conditions` of a Tag must be one or more Condition objects, "
                f"got {list(self.conditions)!r}.\nHint: Tag.of(Condition('age', '>=', 65))."
            )

    @classmethod
    def of(cls, *conditions: Condition) -> Tag:
        """Build a tag from its conditions."""
        return cls(frozenset(conditions))

    @property
    def sorted(self) -> list[Condition]:
        """The conditions in a fixed order: by column, then by what they say."""
        return sorted(self.conditions, key=lambda condition: condition.sort_key)

    @property
    def columns(self) -> list[str]:
        """Names of the columns that decide it, in order, each once."""
        return list(dict.fromkeys(name for condition in self.sorted for name in condition.columns))

    @property
    def length(self) -> int:
        """What it is priced by: its conditions, those on a relation twice, as they name two columns.

        To choose two of all features takes about as many bits as to choose one among those of all relations, so whoever
        uses a relation pays for all that were looked at, and nobody else does.
        """
        return sum(len(condition.columns) for condition in self.conditions)

    def __len__(self) -> int:
        return len(self.conditions)

    def covers(self, table: Any) -> NDArray[np.bool_]:
        """Tell for each row whether it has the tag; needs only the tag's columns.

        Parameters
        ----------
        table : anything that `explain` takes as a table.
        """
        rows = as_table(table, argument="table")
        rows.require(self.columns)
        result = np.ones(rows.n_rows, dtype=bool)
        for condition in self.conditions:
            result &= condition.holds(rows[condition.column])
        return result

    def __repr__(self) -> str:
        return f"Tag({' and '.join(condition.code for condition in self.sorted)})"

    def __str__(self) -> str:
        return " and ".join(map(str, statements(self.sorted)))


def unique_features(tags: Iterable[Tag]) -> int:
    """Count the binary features that the tags speak of: a condition and its opposite are one feature."""
    return len({condition.feature for tag in tags for condition in tag.conditions})


def require_columns(table: Table, tags: Sequence[Tag]) -> set[str]:
    """Give the names of the columns that the tags speak of, or raise one error that lists all that the table lacks."""
    named = {name for tag in tags for condition in tag.conditions for name in condition.columns}
    if not named <= table.columns.keys():
        table.require(dict.fromkeys(column for tag in tags for column in tag.columns))  # in the order of the tags
    return named
