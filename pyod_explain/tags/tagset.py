"""`TagSet`: tags to choose from, with what must be known to judge them; and `TagMaker`: whatever makes one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from pyod_explain.groups import Groups
from pyod_explain.input import Column, Table
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.tag import Tag

__all__ = ["TagMaker", "TagSet", "clashing_column", "join_tags"]


@dataclass(frozen=True)
class TagSet:
    """Tags to choose from, and what must be known to judge them.

    Attributes
    ----------
    tags : the tags, each once.
    n_items : number of binary features that the conditions were chosen from (d-tilde of the paper), those
        that were looked at and left out included: what was tried has to be paid for.
    notes : sentences for the report on bounds that were reached ("kept 2,000 of 31,205 itemsets ...").
    columns : columns that the tags speak of and the table lacks (the user's own tags); add them with `extend`.
    features : those binary features themselves where they are known, so that makers that looked at the same
        ones pay for them once.
    given : those of the tags that are the user's own words: they are said as they were given, or not at all.

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


def join_tags(sets: Sequence[TagSet], n_items: int) -> TagSet:
    """Put tag sets together: each tag, note and column once.

    Parameters
    ----------
    sets : tag sets without a clashing column.
    n_items : number of binary features that all conditions were chosen from.
    """
    return TagSet(
        tags=tuple(dict.fromkeys(tag for one in sets for tag in one.tags)),
        n_items=n_items,
        notes=tuple(dict.fromkeys(note for one in sets for note in one.notes)),
        columns={name: column for one in sets for name, column in one.columns.items()},
        features=frozenset[Condition]().union(*(one.features for one in sets)),
        given=frozenset[Tag]().union(*(one.given for one in sets)),
    )


@runtime_checkable
class TagMaker(Protocol):
    """Makes tags for a table whose outliers are split into groups."""

    def make(self, table: Table, groups: Groups) -> TagSet:
        """Return the tags worth considering, for all groups together."""
        ...
