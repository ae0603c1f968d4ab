"""What a tag maker is: anything with `make(table, groups)`; what it returns: a `TagSet`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from pyod_explain.groups import Groups
from pyod_explain.input.table import Column, Table
from pyod_explain.tags.tag import Condition, Tag

__all__ = ["TagMaker", "TagSet"]


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
    """

    tags: tuple[Tag, ...]
    n_items: int
    notes: tuple[str, ...] = ()
    columns: Mapping[str, Column] = field(default_factory=dict, compare=False)
    features: frozenset[Condition] = field(default=frozenset(), compare=False, repr=False)

    def extend(self, table: Table) -> Table:
        """Return the table with the columns that the tags bring along; tags are evaluated on this one."""
        return replace(table, columns={**table.columns, **self.columns}) if self.columns else table


@runtime_checkable
class TagMaker(Protocol):
    """Makes tags for a table whose outliers are split into groups."""

    def make(self, table: Table, groups: Groups) -> TagSet:
        """Return the tags worth considering, for all groups together."""
        ...
