"""`Tag`: a conjunction of conditions, as a value that hashes, compares, prints and tells which rows have it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from pyod_explain._arrays import BoolArray, IndexArray
from pyod_explain.bits import Words, aligned, conjunctions, n_words, pack, padded
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Column, Groups, Table, as_table
from pyod_explain.tags.condition import Condition, End, Op, interval_phrase, write_interval
from pyod_explain.tags.terms import Term


@dataclass(frozen=True, slots=True)
class Tag:
    """A property that an instance has or lacks: all of its conditions hold.

    Parameters
    ----------
    conditions : the conditions, in any order.

    Examples
    --------
    >>> Tag.of(Condition("hour", "<=", 5), Condition("channel", "==", "web"))
    Tag(channel is 'web' and hour is at most 5)
    >>> import pandas as pd
    >>> tag = Tag.of(Condition("x", ">", 1.5))
    >>> tag.covers(pd.DataFrame({"x": [1.0, 2.0, None]})).tolist()
    [False, True, False]
    """

    conditions: frozenset[Condition]  # a set, so that equal meaning is equal value and equal hash

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", frozenset(self.conditions))
        if not self.conditions or not all(isinstance(c, Condition) for c in self.conditions):
            problem = f"`conditions` of a Tag must be one or more Condition objects, got {list(self.conditions)!r}."
            raise PyodExplainError(problem, hint="Tag.of(Condition('age', '>=', 65)).")

    @classmethod
    def of(cls, *conditions: Condition) -> Tag:
        """Build a tag from its conditions."""
        return cls(frozenset(conditions))

    @property
    def sorted(self) -> list[Condition]:
        """The conditions in a fixed order: by column, then by operator and value."""
        return sorted(self.conditions, key=lambda condition: condition.sort_key)

    @property
    def columns(self) -> list[str]:
        """Names of the columns that decide it, in order, each once."""
        return list(dict.fromkeys(name for condition in self.sorted for name in condition.columns))

    @property
    def length(self) -> int:
        """Its length in the paper's formula: conditions; one on a relation counts twice, as it names two columns."""
        return sum(len(condition.columns) for condition in self.conditions)

    def __len__(self) -> int:
        return len(self.conditions)

    def covers(self, table: Any) -> BoolArray:
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
        return f"Tag({self})"

    def __str__(self) -> str:
        return " and ".join(map(str, statements(self.sorted)))


def needed(conditions: Iterable[Condition]) -> frozenset[Condition]:
    """Leave out what other conditions on the same term imply: what is left holds for the same rows of any table.

    Of two bounds on one side the stricter stays, those of intervals included. Lists lose the values that another
    condition rules out anyway. Conditions that cannot all hold stay as they are.

    Examples
    --------
    >>> print(Tag(needed([Condition("x", "between", (2, 8)), Condition("x", ">=", 4), Condition("y", "<", 1)])))
    4 <= x <= 8 and y < 1
    >>> print(Tag(needed([Condition("x", "==", 5), Condition("x", "between", (2, 8)), Condition("y", "!=", 1)])))
    x is 5 and y is not 1
    """
    by_term = defaultdict(list)
    for one in dict.fromkeys(conditions):
        by_term[one.column].append(one)
    return frozenset(one for said in by_term.values() for one in (_of_one_term(said) if len(said) > 1 else said))


def _of_one_term(said: Sequence[Condition]) -> Sequence[Condition]:
    term, ops = said[0].column, {one.op for one in said}
    named = next((one for one in said if one.op in ("==", "in")), None)
    if named is not None:
        allowed = [value for value in named.values if all(one.allows(value) for one in said)]
        return [_naming(term, ("==", "in"), allowed)] if allowed else said
    if "missing" in ops:
        return said
    found = [*_strictest(said), *(one for one in said if one.op == "rare")]
    excluded = [value for one in said if one.op in ("!=", "not in") for value in one.values]
    excluded = [value for value in excluded if all(one.allows(value) for one in found)]
    return [*found, *([_naming(term, ("!=", "not in"), excluded)] if excluded else [])] or said


def _naming(term: Term, ops: tuple[Op, Op], values: Iterable[Any]) -> Condition:
    """Name one value or several."""
    listed = Condition(term, ops[1], values)
    return listed if len(listed.value) > 1 else Condition(term, ops[0], listed.value[0])


def _strictest(said: Iterable[Condition]) -> list[Condition]:
    """Give the strictest lower and upper bound of a term; an interval where both are its own."""
    bounds = {"high": [one for one in said if one.side == "high"], "low": [one for one in said if one.side == "low"]}
    intervals = [one for one in said if one.op == "between"]
    for one in intervals:
        bounds["high"].append(Condition(one.column, ">=", one.value[0]))
        bounds["low"].append(Condition(one.column, "<=", one.value[1]))
    high = max(bounds["high"], key=lambda one: (one.value, one.op == ">"), default=None)
    low = min(bounds["low"], key=lambda one: (one.value, one.op == "<="), default=None)
    ends = [one for one in (high, low) if one is not None]
    written = [(one.op, one.value) for one in ends]
    return [one for one in intervals if written == list(zip((">=", "<="), one.value, strict=True))] or ends


def unique_features(tags: Iterable[Tag]) -> int:
    """Count the binary features of the tags: a condition and its opposite are one feature."""
    return len({condition.feature for tag in tags for condition in tag.conditions})


def require_columns(table: Table, tags: Sequence[Tag]) -> set[str]:
    """Give the names of the columns of the tags, or raise one error that lists all that the table lacks."""
    named = {name for tag in tags for condition in tag.conditions for name in condition.columns}
    table.require(sorted(named))
    return named


@dataclass(frozen=True, slots=True)
class Statement:
    """What a rule states about one term: a condition, or the lower and the upper end of an interval.

    Attributes
    ----------
    conditions : the one, or the two.

    Examples
    --------
    >>> low, high = Condition("x", ">", 4), Condition("x", "<=", 8)
    >>> print(Statement((low, high)), Statement((low, high)).signs, Statement((low, high)).phrase(), sep="; ")
    4 < x <= 8; 4 < x ≤ 8; x above 4 and at most 8
    """

    conditions: tuple[Condition, ...]

    @property
    def _ends(self) -> tuple[End, ...]:
        return tuple((one.op, one.shown_value) for one in self.conditions)

    def __str__(self) -> str:
        first, *rest = self.conditions
        return write_interval(str(first.column), *self._ends) if rest else str(first)

    @property
    def signs(self) -> str:
        """The statement with printed signs."""
        first, *rest = self.conditions
        return write_interval(str(first.column), *self._ends, signs=True) if rest else first.signs

    def phrase(self) -> str:
        """Describe the rows that meet it, to follow "rows with"."""
        first, *rest = self.conditions
        return interval_phrase(first.in_sentence, *self._ends) if rest else first.phrase()


def statements(conditions: Iterable[Condition]) -> list[Statement]:
    """Join conditions that all hold, in their order: a lower and an upper limit of one term become one statement.

    Parameters
    ----------
    conditions : the conditions. Where a term has two limits on one side, nothing is joined.

    Examples
    --------
    >>> print(*statements([Condition("w", "<=", 1), Condition("w", ">=", 1), Condition("age", "<", 18)]), sep="; ")
    w is 1; age < 18
    """
    listed = list(conditions)
    sides = defaultdict(list)
    for one in listed:
        sides[one.column, one.side].append(one)
    found = []
    for one in listed:
        low, high = (sides.get((one.column, side), []) for side in ("high", "low"))
        if one.side == "is" or len(low) != 1 or len(high) != 1:
            found.append(Statement((one,)))
        elif one is next(other for other in listed if other in (low[0], high[0])):  # of the two, that which is first
            found.append(Statement((low[0], high[0])))
    return found


@dataclass(frozen=True)
class TagSet:
    """Tags to choose from, and what must be known to judge them.

    Attributes
    ----------
    tags : the tags, each once.
    n_items : number of binary features that the conditions were chosen from (d-tilde of the paper), those
        that were looked at and left out included; used by the paper's formula.
    notes : sentences for the report on bounds that were reached ("kept 2,000 of 31,205 itemsets ...").
    columns : columns that the tags use and the table lacks (the user's own tags); add them with `extend`.
    features : those binary features themselves where they are known, so that makers that looked at the same
        ones count them once.
    given : those of the tags that the user gave: they are used as given, or not at all.

    Examples
    --------
    >>> made = TagSet((Tag.of(Condition("amount", ">=", 500)),), n_items=12)
    >>> made.tags, made.n_items
    ((Tag(amount >= 500),), 12)
    """

    tags: tuple[Tag, ...]
    n_items: int
    notes: tuple[str, ...] = ()
    columns: Mapping[str, Column] = field(default_factory=dict, compare=False)
    features: frozenset[Condition] = field(default=frozenset(), compare=False, repr=False)
    given: frozenset[Tag] = field(default=frozenset(), compare=False, repr=False)

    def extend(self, table: Table) -> Table:
        """Return the table with the columns that the tags bring along; tags are evaluated on this one."""
        return replace(table, columns={**table.columns, **self.columns}) if self.columns else table


def clashing_column(sets: Sequence[TagSet]) -> str | None:
    """Name a column that two of the sets bring along with other cells; None if there is none."""
    columns: dict[str, Column] = {}
    for one in sets:
        for name, column in one.columns.items():
            known = columns.setdefault(name, column)
            if known is not column and not known.same_cells(column):
                return name
    return None


@runtime_checkable
class TagMaker(Protocol):
    """Makes tags for a table whose outliers are split into groups."""

    def make(self, table: Table, groups: Groups) -> TagSet:
        """Return the tags worth considering, for all groups together."""


def pack_tags(
    table: Table, tags: Sequence[Tag], normal: IndexArray, outliers: Sequence[IndexArray]
) -> tuple[Words, Words]:
    """Give the bits of the normals and of the outliers, a row for each tag.

    Parameters
    ----------
    table : has the columns of the tags.
    tags : the tags.
    normal : positions of the normal rows, in the order of their bits.
    outliers : for each group the positions of its rows; each starts at a word of its own.
    """
    number = {c: i for i, c in enumerate({c for tag in tags for c in tag.conditions})}
    bit_of = aligned([len(members) for members in outliers])
    members = np.concatenate([np.empty(0, dtype=np.intp), *outliers])
    width = sum(n_words(len(one)) for one in outliers)
    normal_words = np.empty((len(number), n_words(len(normal))), dtype=np.uint64)
    outlier_words = np.empty((len(number), width), dtype=np.uint64)
    spaced = np.zeros(width * 64, dtype=bool)
    for condition, i in number.items():
        holds = condition.holds(table[condition.column])
        normal_words[i] = pack(holds[normal])
        spaced[bit_of] = holds[members]
        outlier_words[i] = pack(spaced)
    chosen = padded([[number[c] for c in tag.conditions] for tag in tags])
    return conjunctions(normal_words, chosen), conjunctions(outlier_words, chosen)
