"""`Plain`: a rule said as a person would, of the same rows: nothing that changes nothing, single values by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pyod_explain.bits import Words, pack
from pyod_explain.input import Table, plain_value
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.cuts import nameable
from pyod_explain.tags.evaluation import part_of
from pyod_explain.tags.value_counts import MASS

__all__ = ["Plain", "RuleOf"]

RuleOf = tuple[Condition, ...]


class Plain:
    """Says rules about a table plainly. It remembers the rows of each condition, so let go of it after use.

    Parameters
    ----------
    table : the rows on which nothing may change.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain.input.read import as_table
    >>> table = as_table(pd.DataFrame({"fee": [0, 0, 0, 2, 3, 4], "age": [31, 40, 52, 35, 33, 60]}))
    >>> print(*Plain(table).rule([Condition("fee", "<", 1), Condition("age", "<", 60)]))
    fee is 0
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rows: dict[Condition, Words] = {}
        self._names: dict[Condition, Condition] = {}

    def rule(self, conditions: Iterable[Condition]) -> RuleOf:
        """Drop the conditions and the ends of intervals without which the same rows match, and name single values."""
        return _in_order({self.name(one) for one in self.needed_ends(self._needed(conditions))})

    def name(self, condition: Condition) -> Condition:
        """Say `is` where only one value meets a threshold, if a tenth of the rows have it or it is 0: `fee is 0`."""
        if condition not in self._names:
            value = self._only_value(condition) if condition.side != "is" else None
            said = condition if value is None else Condition(condition.column, "==", value, condition.part)
            self._names[condition] = said
        return self._names[condition]

    def needed_ends(self, rule: Iterable[Condition]) -> RuleOf:
        """Say of an interval only the end that the other conditions leave to say."""
        result = list(_in_order(rule))
        for i, one in enumerate(result):
            if one.op != "between" or len(result) == 1:
                continue
            low, high = one.value
            ends = (Condition(one.column, ">=", low, one.part), Condition(one.column, "<=", high, one.part))
            others = self._matching([*result[:i], *result[i + 1 :]])
            whole = others & self._of(one)
            result[i] = next((end for end in ends if np.array_equal(others & self._of(end), whole)), one)
        return tuple(result)

    def _needed(self, rule: Iterable[Condition]) -> RuleOf:
        """Drop what changes nothing, the last conditions first; one is left in any case."""
        kept = _in_order(rule)
        rows = self._matching(kept)
        for one in reversed(kept):
            rest = [other for other in kept if other is not one]
            if rest and np.array_equal(self._matching(rest), rows):
                kept = tuple(rest)
        return kept

    def _matching(self, rule: Sequence[Condition]) -> Words:
        rows = self._of(rule[0])
        for one in rule[1:]:
            rows = rows & self._of(one)
        return rows

    def _of(self, condition: Condition) -> Words:
        if condition not in self._rows:
            self._rows[condition] = pack(condition.holds(self._table[condition.column]))
        return self._rows[condition]

    def _only_value(self, condition: Condition) -> Any:
        """Give the value that all cells on this side of a threshold have, where it is worth a name; else None."""
        column = self._table[condition.column]
        holds = condition.holds(column)
        column = column if condition.part is None else part_of(column, condition.part)
        if column.kind != "number" or not holds.any():
            return None
        met = column.values[holds]
        value = plain_value(met[0])
        copies = self._table.copies
        n_met, n_present = (int(one.sum() if copies is None else copies[one].sum()) for one in (holds, ~column.missing))
        if not (value == 0 or n_met >= MASS * n_present) or not nameable(met[0]):
            return None
        return (int(value) if value == int(value) else value) if (met == met[0]).all() else None


def _in_order(conditions: Iterable[Condition]) -> RuleOf:
    return tuple(sorted(conditions, key=lambda condition: condition.sort_key))
