"""Which rows have which tag, in packed bits: every condition is unpacked once, however many tags share it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words, aligned, conjunctions, n_words, pack
from pyod_explain.input import Table
from pyod_explain.tags.tag import Tag

__all__ = ["pack_tags"]


def pack_tags(
    table: Table, tags: Sequence[Tag], normal: NDArray[np.intp], outliers: Sequence[NDArray[np.intp]]
) -> tuple[Words, Words]:
    """Give the bits of the normals and of the outliers, a row for each tag.

    Parameters
    ----------
    table : has the columns that the tags speak of.
    tags : the tags.
    normal : positions of the normal rows, in the order of their bits.
    outliers : for each group the positions of its rows; each starts at a word of its own.
    """
    number = {c: i for i, c in enumerate({c for tag in tags for c in tag.conditions})}
    bit_of = aligned([len(members) for members in outliers])
    members = np.concatenate([np.empty(0, dtype=np.intp), *outliers])
    width = sum(n_words(len(one)) for one in outliers)
    normal_words = np.empty((len(number) + 1, n_words(len(normal))), dtype=np.uint64)
    outlier_words = np.empty((len(number) + 1, width), dtype=np.uint64)
    everyone = np.ones(table.n_rows, dtype=bool)  # the last row: what short tags are padded with
    spaced = np.zeros(width * 64, dtype=bool)
    for i, condition in enumerate((*number, None)):
        holds = everyone if condition is None else condition.holds(table[condition.column])
        normal_words[i] = pack(holds[normal])
        spaced[bit_of] = holds[members]
        outlier_words[i] = pack(spaced)
    chosen = _pad([[number[c] for c in tag.conditions] for tag in tags], fill=len(number))
    return conjunctions(normal_words, chosen), conjunctions(outlier_words, chosen)


def _pad(rows: Sequence[Sequence[int]], fill: int) -> NDArray[np.intp]:
    width = max((len(row) for row in rows), default=1)
    return np.array([[*row, *[fill] * (width - len(row))] for row in rows], dtype=np.intp).reshape(len(rows), width)
