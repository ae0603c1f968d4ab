"""`Said`: what the rules say of a batch of rows, as columns: here, or wherever an engine has the batch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pyod_explain.beyond_memory import arrow_table, pyarrow
from pyod_explain.input import Table
from pyod_explain.result.match import best_rule, group_of, match_rules
from pyod_explain.result.summary import Summary

__all__ = ["Said", "free_name"]


@dataclass(frozen=True, eq=False)
class Said:
    """Columns that tell what the rules say of rows.

    Attributes
    ----------
    summary : has the rules.
    what : `"groups"`: the group of each row, 0 where no rule matches. `"matches"`: a column for each rule, named by
        group and rule. `"beside"`: group, number and text of the rule that decides, to stand beside the row itself.
    taken : names of columns that these stand beside; a name that is taken gets an underscore.
    """

    summary: Summary
    what: str
    taken: tuple[str, ...] = ()

    @property
    def beside(self) -> bool:
        """True if the rows themselves are wanted, too."""
        return self.what == "beside"

    @property
    def needed(self) -> list[str]:
        """Columns that the rules speak of."""
        return self.summary.rule_columns

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns."""
        if self.what == "matches":
            return [rule.name for rule in self.summary.rules]
        names = ["group", "rule", "text"] if self.beside else ["group"]
        return [free_name(name, self.taken) for name in names]

    @cached_property
    def types(self) -> list[Any]:
        """Arrow types of the columns."""
        pa = pyarrow()
        if self.what == "matches":
            return [pa.bool_()] * len(self.names)
        return [pa.int64(), pa.int64(), pa.string()][: len(self.names)]

    def of(self, batch: Any) -> list[Any]:
        """Give the columns for a record batch or Arrow table that has what is needed."""
        return self.of_table(arrow_table(batch, self.needed))

    def of_table(self, table: Table) -> list[Any]:
        """Give the columns for a table that has what is needed."""
        pa = pyarrow()
        if self.what == "matches":
            return [pa.array(one) for one in match_rules(self.summary, table).T]
        if not self.beside:
            return [pa.array(group_of(self.summary, table))]
        best = best_rule(self.summary, table)
        groups = np.array([*(rule.group for rule in self.summary.rules), 0], dtype=np.int64)
        texts = pa.array([rule.text for rule in self.summary.rules], pa.string())
        rules, which = pa.array(best + 1, mask=best < 0), pa.array(best, mask=best < 0)
        return [pa.array(groups[best]), rules, texts.take(which)]


def free_name(name: str, taken: tuple[str, ...]) -> str:
    """Give a name that no column has: the same, or with underscores after it."""
    while name in taken:
        name += "_"
    return name
