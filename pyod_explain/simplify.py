"""Level of detail: conditions and rules that save few bits are left out, as long as little is lost by it.

With many rows every detail is worth a few bits, also those that nobody would mention. A share of the bits that a
description saves may be given up for brevity; conditions go in the order of what they save, the least first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pyod_explain.bits import Words
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import mdl_of_group
from pyod_explain.explainers.selection import Selection
from pyod_explain.input.table import Table
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.lists import extra_bits
from pyod_explain.tags.packed import pack_tags
from pyod_explain.tags.tag import Tag
from pyod_explain.tags.tagset import TagSet

__all__ = ["simplify"]

Rules = tuple[tuple[Tag, ...], ...]


def simplify(
    table: Table, tags: TagSet, coverage: Coverage, selection: Selection, *, share: float, min_lift: float
) -> tuple[TagSet, Coverage, Selection]:
    """Leave out the conditions and rules that save the fewest bits, while the loss stays within a share of the saving.

    Each group may lose that share of what its own rules save.

    Parameters
    ----------
    table, tags, coverage : what there is to choose from.
    selection : what was chosen, by bits (MDL).
    share : of the bits that the selection saves, what may be given up; 0 for nothing.
    min_lift : as for the explainer: a rule that lost a condition must still be that much more frequent in its group.
    """
    rules: Rules = tuple(tuple(tags.tags[j] for j in one) for one in selection.tags)
    bits = _Bits(table, coverage, rules)
    # Each group has its own, so that a small one is not left without a word for what a large one saves.
    most = [bits.of_group(k, one) + share * max(bits.saved(k, one), 0.0) for k, one in enumerate(rules)]
    shorter = rules
    while True:
        left = bits.without_one(shorter, min_lift)
        found = [(bits.total(one), i, one) for i, (k, one) in enumerate(left) if bits.of_group(k, one[k]) <= most[k]]
        if not found:
            break
        shorter = min(found)[2]
    if shorter == rules:
        return tags, coverage, selection
    return _put(table, tags, coverage, selection, rules, shorter, bits.total(shorter))


def _put(
    table: Table,
    tags: TagSet,
    coverage: Coverage,
    selection: Selection,
    rules: Rules,
    shorter: Rules,
    objective: float,
) -> tuple[TagSet, Coverage, Selection]:
    """Add the shortened rules to the tags, and choose them."""
    there = {tag: j for j, tag in enumerate(tags.tags)}
    new = [tag for tag in dict.fromkeys(tag for one in shorter for tag in one) if tag not in there]
    where = there | {tag: len(there) + i for i, tag in enumerate(new)}
    coverage = coverage.with_tags(table, new, coverage.n_items)
    fewer, bits = _n_conditions(rules) - _n_conditions(shorter), round(objective - selection.objective)
    lost = f"the description takes {bits:,} bit{'s' if bits > 1 else ''} more than the shortest that was found"
    note = (
        f"{fewer:,} condition{'s were' if fewer > 1 else ' was'} left out for brevity: "
        f"{lost if bits > 0 else 'less than a bit is lost'} (simplify=0 keeps all)."
    )
    chosen = replace(
        selection,
        tags=tuple(tuple(where[tag] for tag in one) for one in shorter),
        objective=objective,
        notes=(*selection.notes, note),
    )
    return replace(tags, tags=(*tags.tags, *new)), coverage, chosen


def _n_conditions(rules: Rules) -> int:
    return sum(len(tag) for one in rules for tag in one)


class _Bits:
    """Counts the bits of rules that are made of few conditions, each evaluated once."""

    def __init__(self, table: Table, coverage: Coverage, rules: Rules) -> None:
        conditions = dict.fromkeys(c for one in rules for tag in one for c in tag.sorted)
        self._number: dict[Condition, int] = {c: i for i, c in enumerate(conditions)}
        singles = [Tag.of(c) for c in conditions]
        self._normals, self._outliers = pack_tags(table, singles, coverage.normal_rows, coverage.group_rows)
        self._table = table
        self._empty = coverage.take([])
        self._known: dict[tuple[int, tuple[Tag, ...]], float] = {}

    def total(self, rules: Rules) -> float:
        """Bits of all groups."""
        return sum(self.of_group(k, one) for k, one in enumerate(rules))

    def saved(self, group: int, tags: tuple[Tag, ...]) -> float:
        """Bits that these rules save of those that name a group's outliers one by one."""
        return self.of_group(group, ()) - self.of_group(group, tags)

    def without_one(self, rules: Rules, min_lift: float) -> list[tuple[int, Rules]]:
        """Give the group and what is left when one condition is left out: each that may be.

        Without its last condition a rule is gone.
        """
        result = []
        for k, one in enumerate(rules):
            others = {tag for group in rules for tag in group}
            for i, tag in enumerate(one):
                for condition in tag.sorted:
                    rest = tag.conditions - {condition}
                    kept = [Tag(rest)] if rest and Tag(rest) not in others else []
                    if kept and not self._lifted(kept[0], k, min_lift):
                        continue
                    changed = (*one[:i], *kept, *one[i + 1 :])
                    result.append((k, (*rules[:k], changed, *rules[k + 1 :])))
        return result

    def _lifted(self, tag: Tag, group: int, min_lift: float) -> bool:
        return bool(self._coverage([tag]).eligible(min_lift)[group, 0])

    def of_group(self, group: int, tags: tuple[Tag, ...]) -> float:
        """Bits of one group."""
        key = group, tags
        if key not in self._known:
            self._known[key] = mdl_of_group(self._coverage(tags), group, range(len(tags)))
        return self._known[key]

    def _coverage(self, tags: Sequence[Tag]) -> Coverage:
        lengths, extra = [tag.length for tag in tags], extra_bits(tags, self._table)
        normals, outliers = self._all_of(self._normals, tags), self._all_of(self._outliers, tags)
        return self._empty.with_bits(normals, outliers, lengths, extra)

    def _all_of(self, bits: Words, tags: Sequence[Tag]) -> Words:
        rows = [np.bitwise_and.reduce(bits[[self._number[c] for c in tag.conditions]], axis=0) for tag in tags]
        return np.array(rows, dtype=np.uint64).reshape(len(tags), bits.shape[1])
