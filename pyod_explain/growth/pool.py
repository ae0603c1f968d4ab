"""`Pool`: the conditions that rules are grown from, and who meets them, in the layout of a coverage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words
from pyod_explain.coverage import Coverage
from pyod_explain.growth.grid import Cut, Line
from pyod_explain.input import Table
from pyod_explain.tags import Condition, Place, Tag, extra_bits, pack_tags, place_of

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
    def of(cls, conditions: Iterable[Condition], table: Table, coverage: Coverage) -> Pool:
        """Evaluate conditions on the rows of a coverage."""
        known = list(dict.fromkeys(conditions))
        singles = [Tag.of(c) for c in known]
        normals, outliers = pack_tags(table, singles, coverage.normal_rows, coverage.group_rows)
        return cls(
            tuple(known),
            _numbered([place_of(c) for c in known]),
            outliers,
            normals,
            np.array([tag.length for tag in singles], dtype=np.int64),
            extra_bits(singles, table),
        )

    def for_group(self, group: int, cuts: Iterable[tuple[Line, NDArray[np.int64]]], coverage: Coverage) -> Pool:
        """Give the conditions that may help to tell a group, with those of the columns' cuts that may.

        Left out are those that are no more frequent in the group than among the normals, and thresholds with the same
        members of the group as another of the same column and side, and more normals. What is left does not grow with
        the number of groups.

        Parameters
        ----------
        group : 0-based.
        cuts : columns, and where they are cut.
        coverage : of the same rows.
        """
        conditions: list[Condition | Cut] = [*self.conditions]
        places: list[Place] = [place_of(one) for one in self.conditions if isinstance(one, Condition)]
        outliers, normals = [self.outliers], [self.normals]
        for line, positions in cuts:
            for high in (True, False):
                sharp = line.sharpest(positions, group, high=high)
                met = line.bits(sharp, high=high)
                normals.append(met[0])
                outliers.append(met[1])
                conditions += [Cut(line, position, high) for position in sharp.tolist()]
                places += [(line.column.name, "high" if high else "low")] * len(sharp)
        n_cuts = len(conditions) - len(self)
        both = Pool(
            tuple(conditions),
            _numbered(places),
            np.concatenate(outliers),
            np.concatenate(normals),
            np.concatenate([self.lengths, np.ones(n_cuts, dtype=np.int64)]),
            np.concatenate([self.extra, np.zeros(n_cuts)]),
        )
        return both._telling(group, coverage, [place[1] != "is" for place in places])

    def _telling(self, group: int, coverage: Coverage, nested: Sequence[bool]) -> Pool:
        members = self.outliers[:, coverage.slices[group]]
        own, normals = coverage.count_group(members, group), coverage.count_normals(self.normals)
        lifted = np.flatnonzero(own * max(coverage.n_normals, 1) > normals * int(coverage.group_sizes[group]))
        order = lifted[np.argsort(normals[lifted], kind="stable")]
        # Thresholds of one side are nested: as many members are the same members.
        alone = np.where(np.array(nested, dtype=bool)[order], -1, order)
        _, first = np.unique(np.column_stack([self.places[order], own[order], alone]), axis=0, return_index=True)
        return self.take(np.sort(order[first]))

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
        return Tag(_needed_ends(one.written() if isinstance(one, Cut) else one for one in found))


def _needed_ends(conditions: Iterable[Condition]) -> frozenset[Condition]:
    """Say of an interval only the ends that no threshold on the same column says better, and of the two the better.

    >>> found = _needed_ends([Condition("x", "between", (2, 8)), Condition("x", ">=", 4), Condition("y", "<", 1)])
    >>> print(Tag(found))
    4 <= x <= 8 and y < 1
    >>> print(Tag(_needed_ends([Condition("x", "between", (2, 8)), Condition("x", ">", 1)])))
    2 <= x <= 8
    """
    said = set(conditions)
    for one in [one for one in said if one.op == "between"]:
        beside = [c for c in said if c.side != "is" and c.column == one.column]
        low, high = one.value
        ends = {"high": Condition(one.column, ">=", low), "low": Condition(one.column, "<=", high)}
        for c in beside:
            if c.value >= low if c.side == "high" else c.value <= high:
                del ends[c.side]
            else:
                said.discard(c)
        if len(ends) < 2:
            said.discard(one)
            said.update(ends.values())
    return frozenset(said)


def _numbered(places: Sequence[Place]) -> NDArray[np.intp]:
    number = {place: i for i, place in enumerate(dict.fromkeys(places))}
    return np.array([number[place] for place in places], dtype=np.intp)
