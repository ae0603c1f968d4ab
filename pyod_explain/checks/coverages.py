"""`Instance`: small problems that an explainer is tried on, of which all answers can be listed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pyod_explain.coverage import Coverage

__all__ = ["Instance", "all_selections", "backwards", "contested", "odd_instances", "plain", "small_instances"]

Tags = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Instance:
    """Which row has which tag, and for each row 0 (normal) or its group, 1..K; rows may weigh."""

    T: NDArray[np.bool_]
    y: NDArray[np.int64]
    weights: NDArray[np.float64] | None = None

    @property
    def coverage(self) -> Coverage:
        lengths = 1 + np.arange(self.T.shape[1]) % 3
        n_items = max(10, self.T.shape[1])
        return Coverage.from_dense(self.T, self.y, lengths.tolist(), n_items, sample_weight=self.weights)

    def shuffled(self) -> Instance:
        """Return the same rows in another order."""
        rows = np.random.default_rng(1).permutation(len(self.y))
        return Instance(self.T[rows], self.y[rows], None if self.weights is None else self.weights[rows])

    def weighing(self, weights: NDArray[np.float64] | None) -> Instance:
        """Return the same rows with other weights."""
        return replace(self, weights=weights)


def plain(n_normals: int = 40) -> Instance:
    """Two groups with tags of their own, one with a tag of few normals for all of it, and tags of anybody."""
    y = np.repeat([0, 1, 2], [n_normals, 6, 4])
    i = np.arange(len(y))
    first, second = y == 1, y == 2
    tags = [
        first & (i % 2 == 0), first & (i % 2 == 1), first | (i < 2), second & (i >= len(y) - 2),
        second & (i < len(y) - 2), second | (i == 5), i % 3 == 0, (i % 4 == 1) & ~second, y > 0,
    ]  # fmt: skip
    return Instance(np.array(tags).T, y.astype(np.int64))


def backwards() -> Instance:
    """Tags that tell of the normals and hardly of the group, beside one that tells a little of the group."""
    y = np.repeat([0, 1], [40, 8])
    i = np.arange(48)
    return Instance(np.array([i < 44, i < 40, (i >= 43) | (i < 20), i % 2 == 0]).T, y.astype(np.int64))


def small_instances() -> list[Instance]:
    """Random problems of two groups and five tags, every third with weights, and one that is contested."""
    found = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y = np.array([1, 1, 1, 2, 2, *rng.integers(0, 3, 4), *[0] * 6])
        own = np.array([1, 1, 2, 2, 0])  # which group a tag mostly tells of
        T = rng.uniform(size=(len(y), 5)) < np.where(y[:, None] == own, 0.75, 0.12)
        found.append(Instance(T, y, rng.choice([0.5, 1.0, 2.0], len(y)) if seed % 3 == 2 else None))
    return [*found, contested()]


def contested() -> Instance:
    """Two groups whose best tag is the same: the first has another that is nearly as good, the second has none."""
    y = np.repeat([1, 2, 0], [3, 3, 6])
    i = np.arange(len(y))
    return Instance(np.array([y > 0, i < 2, i > 8, i == 6, (i == 0) | (i > 9)]).T, y.astype(np.int64))


def odd_instances() -> dict[str, Instance]:
    """Problems at which explainers stumble."""

    def of(T: list[list[int]], y: list[int]) -> Instance:
        return Instance(np.array(T, dtype=bool).reshape(len(y), -1), np.array(y, dtype=np.int64))

    return {
        "one outlier and one normal row": of([[1, 0], [0, 1]], [1, 0]),
        "one outlier alone": of([[1]], [1]),
        "no tags": Instance(np.zeros((3, 0), dtype=bool), np.array([1, 1, 0])),
        "no normal rows": of([[1, 0], [0, 1]], [1, 2]),
        "a group without rows": of([[1, 0], [0, 1], [0, 0]], [1, 3, 0]),
        "a group without tags": of([[1], [0], [0]], [1, 2, 0]),
        "a tag that all rows have": of([[1]] * 6, [1, 1, 2, 0, 0, 0]),
        "tags that are all the same": of([[1, 1, 1]] * 3 + [[0, 0, 0]] * 3, [1, 1, 2, 0, 0, 0]),
        "rows that are neither": of([[1, 0], [1, 1], [0, 1], [0, 0]], [1, -1, 0, 0]),
    }


def all_selections(n_tags: int, n_groups: int) -> Iterator[Tags]:
    """List every way to give each tag to one group or to none.

    >>> list(all_selections(1, 2))
    [((), ()), ((0,), ()), ((), (0,))]
    """
    for owners in itertools.product(range(n_groups + 1), repeat=n_tags):
        yield tuple(tuple(j for j, owner in enumerate(owners) if owner == k) for k in range(1, n_groups + 1))
