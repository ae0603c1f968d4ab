"""Which of many conjunctions are worth keeping for a group: no two that say the same, the most telling first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Digits, Words, conjunctions, digits, pack, tally, unique_rows
from pyod_explain.groups import Groups
from pyod_explain.input import Table
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.lists import ListPrices
from pyod_explain.tags.value_counts import gain

__all__ = ["Evidence", "choose"]

BLOCK = 256  # conjunctions whose normals are counted at once: small enough for the cache


@dataclass(frozen=True, eq=False)
class Evidence:
    """Which rows satisfy which condition: the members of one group, and the normals, in packed bits.

    Attributes
    ----------
    inside : conditions by members of the group.
    normal : conditions by rows of the table, packed; only normals are marked.
    n_normals : how many these are.
    copies, row_copies : how many rows each member, and each row of the table, stands for; None where each is one.
    list_bits : what it takes to name the values that each condition lists; None if none lists any.
    """

    inside: NDArray[np.bool_]
    normal: Words
    n_normals: int
    copies: NDArray[np.int64] | None = None
    row_copies: Digits | None = None
    list_bits: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, conditions: Sequence[Condition], table: Table, groups: Groups, group: int) -> Evidence:
        """Evaluate conditions for a group (1..K), one at a time."""
        members, normals = np.flatnonzero(groups.numbers == group), pack(groups.numbers == 0)
        inside = np.empty((len(conditions), len(members)), dtype=bool)
        normal = np.empty((len(conditions), len(normals)), dtype=np.uint64)
        for i, condition in enumerate(conditions):
            holds = condition.holds(table[condition.column])
            inside[i] = holds[members]
            normal[i] = pack(holds) & normals
        prices = ListPrices(table)
        lists = np.array([prices.bits(condition) for condition in conditions])
        listed = lists if lists.any() else None
        if table.copies is None:
            return cls(inside, normal, int(tally(normals)), list_bits=listed)
        each = digits(table.copies)
        return cls(inside, normal, int(tally(normals, each)), table.copies[members], each, listed)

    @property
    def size(self) -> int:
        return int(self.inside.shape[1] if self.copies is None else self.copies.sum())

    def extra_bits(self, sets: NDArray[np.intp], lengths: NDArray[np.int64]) -> NDArray[np.float64]:
        """Bits that the lists of each conjunction take; see `choose` for the arguments."""
        if self.list_bits is None:
            return np.zeros(len(sets))
        return np.asarray((self.list_bits[sets] * (np.arange(sets.shape[1]) < lengths[:, None])).sum(axis=1))


def choose(
    sets: NDArray[np.intp], lengths: NDArray[np.int64], evidence: Evidence, *, n_items: int, min_lift: float, most: int
) -> tuple[NDArray[np.intp], int]:
    """Give the positions of the conjunctions to keep, in their order, and how many there were to choose from.

    Of conjunctions that cover the same outliers, a longer one is kept only if it covers fewer normals than every
    shorter one; of equal length, one with longer lists of values likewise; else the purest. If more than `most` are
    left, those that save most bits stay, after every outlier has got a fair share of the tags that cover it.

    Parameters
    ----------
    sets : a row per conjunction: positions of its conditions, padded by repeating one.
    lengths : number of conditions of each.
    evidence : who satisfies the conditions.
    n_items : number of binary features: naming one of them costs its logarithm in bits.
    min_lift : how many times more frequent in the group than among the normals it must be.
    most : how many to keep at most.
    """
    covers = conjunctions(pack(evidence.inside), sets)
    in_group = tally(covers, None if evidence.copies is None else digits(evidence.copies))
    blocks = (conjunctions(evidence.normal, sets[i : i + BLOCK]) for i in range(0, len(sets), BLOCK))
    in_normal = np.concatenate([tally(block, evidence.row_copies) for block in blocks] or [in_group])
    lifted = in_group * max(evidence.n_normals, 1) > min_lift * evidence.size * in_normal
    extra = evidence.extra_bits(sets, lengths)
    kept = _best_of_equal_cover(np.flatnonzero(lifted), covers, lengths, extra, in_normal)
    if len(kept) <= most:
        return kept, len(kept)
    saved = gain(in_group[kept], in_normal[kept], float(evidence.size), float(evidence.n_normals))
    saved = saved - lengths[kept] * np.log2(n_items + 1) - extra[kept]
    ranked = kept[np.lexsort((kept, -saved))]
    return np.sort(_fair_share(ranked, sets, evidence, most)), len(kept)


def _best_of_equal_cover(
    kept: NDArray[np.intp],
    covers: Words,
    lengths: NDArray[np.int64],
    extra: NDArray[np.float64],
    in_normal: NDArray[np.int64],
) -> NDArray[np.intp]:
    if not len(kept):
        return kept
    cover = unique_rows(covers[kept])[1]
    order = np.lexsort((kept, in_normal[kept], extra[kept], lengths[kept], cover))
    # Within a cover the order is shortest first, then purest: keep what is purer than all before it. Each cover's
    # numbers lie below those of the covers before it, so that one running minimum serves all.
    normals = in_normal[kept][order] - cover[order] * (int(in_normal.max()) + 1)
    best = np.ones(len(order), dtype=bool)
    best[1:] = normals[1:] < np.minimum.accumulate(normals)[:-1]
    return np.sort(kept[order[best]])


def _fair_share(ranked: NDArray[np.intp], sets: NDArray[np.intp], evidence: Evidence, most: int) -> NDArray[np.intp]:
    """Keep the best tags of every outlier before the best tags of all.

    The most telling tags often cover the same majority of a group; a description also needs tags for the rest.
    """
    inside = evidence.inside
    share = max(1, most // (4 * max(evidence.size, 1)))
    first = np.zeros(len(ranked), dtype=bool)
    for start in range(0, inside.shape[1], BLOCK):  # in blocks of outliers: all of them by all tags may not fit
        block = inside[:, start : start + BLOCK]
        covers = block[sets[ranked, 0]]
        for position in range(1, sets.shape[1]):
            covers &= block[sets[ranked, position]]
        first |= ((np.cumsum(covers, axis=0, dtype=np.int32) <= share) & covers).any(axis=1)
    ahead = np.flatnonzero(first)[:most]
    rest = np.flatnonzero(~first)[: most - len(ahead)]
    return np.asarray(ranked[np.concatenate([ahead, rest])])
