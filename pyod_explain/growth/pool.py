"""`Pool`: the conditions that rules are grown from, and who meets them, in the layout of a coverage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words
from pyod_explain.coverage import Coverage
from pyod_explain.growth.grid import Cut, Line
from pyod_explain.input.table import Table
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.lists import extra_bits
from pyod_explain.tags.packed import pack_tags
from pyod_explain.tags.shortlist import Place, place_of
from pyod_explain.tags.tag import Tag

__all__ = ["Pool"]


@dataclass(frozen=True, eq=False)
class Pool:
    """Conditions, and who meets them.

    Attributes
    ----------
    conditions : conditions, or cuts that have not been written out as such yet.
    places : a number for the column and side that each speaks of: a tag has at most one of each.
    outliers, normals : packed, a row per condition, in the layout of the coverage.
    lengths : what each is priced by: 2 for a relation of two columns, 1 else.
    extra : bits of each beside those of its feature, such as those that name the values of a list.
    """

    conditions: tuple[Condition | Cut, ...]
    places: NDArray[np.intp]
    outliers: Words
    normals: Words
    lengths: NDArray[np.int64]
    extra: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        conditions: Iterable[Condition],
        cuts: Iterable[tuple[Line, NDArray[np.int64]]],
        table: Table,
        coverage: Coverage,
    ) -> Pool:
        """Evaluate conditions on the rows of a coverage, and cut columns at some positions."""
        known = list(dict.fromkeys(conditions))
        singles = [Tag.of(c) for c in known]
        normals, outliers = pack_tags(table, singles, coverage.normal_rows, coverage.group_rows)
        places: list[Place] = [place_of(c) for c in known]
        listed: list[Condition | Cut] = [*known]
        parts = [(normals, outliers)]
        for line, positions in cuts:
            for high in (True, False):
                sharp = line.sharpest(positions, high=high)
                parts.append(line.bits(sharp, high=high))
                listed += [Cut(line, position, high) for position in sharp.tolist()]
                places += [(line.column.name, None, "high" if high else "low")] * len(sharp)
        number = {place: i for i, place in enumerate(dict.fromkeys(places))}
        pool = cls(
            tuple(listed),
            np.array([number[place] for place in places], dtype=np.intp),
            np.concatenate([part[1] for part in parts]),
            np.concatenate([part[0] for part in parts]),
            np.array([*(tag.length for tag in singles), *[1] * (len(listed) - len(singles))], dtype=np.int64),
            np.concatenate([extra_bits(singles, table), np.zeros(len(listed) - len(singles))]),
        )
        return pool.telling(coverage)

    def telling(self, coverage: Coverage) -> Pool:
        """Leave out what is no more frequent in any group than among the normals."""
        groups, normals = coverage.count_groups(self.outliers), coverage.count_normals(self.normals)
        lifted = groups * max(coverage.n_normals, 1) > normals * coverage.group_sizes[:, None]
        return self.take(np.flatnonzero(lifted.any(axis=0)))

    def take(self, which: NDArray[np.intp], normals: Words | None = None) -> Pool:
        """Return some of the conditions; with who meets them among these normals, if they are given."""
        met = self.normals[which]
        return Pool(
            tuple(self.conditions[i] for i in which.tolist()),
            self.places[which],
            self.outliers[which],
            met if normals is None else met & normals,
            self.lengths[which],
            self.extra[which],
        )

    def __len__(self) -> int:
        return len(self.conditions)

    def tag(self, members: Sequence[int]) -> Tag:
        """Make the tag of these conditions."""
        found = (self.conditions[i] for i in members)
        return Tag(frozenset(one.written() if isinstance(one, Cut) else one for one in found))
