"""From a problem of the slow reference to the fast code's types."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from reference import Problem

from pyod_explain import Condition, Coverage, Tag
from pyod_explain.growth import Conditions, Pool
from pyod_explain.input import as_table
from pyod_explain.tags import Prices


def coverage_of(problem: Problem, row_counts: list[int] | None = None) -> Coverage:
    """The same problem, packed."""
    dense, y = problem.dense()
    table = np.array(dense, dtype=bool).reshape(len(y), len(problem.tags))
    coverage = Coverage.from_dense(table, y, problem.lengths, problem.n_items, row_counts=row_counts)
    return replace(coverage, prices=None if problem.prices is None else np.array(problem.prices))


def pool_of(problem: Problem) -> tuple[Coverage, Pool]:
    """The same problem, and its tags as conditions on columns of their own, at the prices of the problem."""
    dense, y = problem.dense()
    T = np.array(dense, dtype=int).reshape(len(y), len(problem.tags))
    table = as_table(pd.DataFrame(T, columns=[f"c{j:03}" for j in range(len(problem.tags))]))
    conditions = [Condition(name, "==", 1) for name in table.columns]
    coverage = Coverage.from_tags(table, [Tag.of(one) for one in conditions], y, prices=Prices(table))
    pool = Conditions(table, coverage, [], Prices(table)).pool(conditions)
    bits = pool.prices if problem.prices is None else np.array(problem.prices)
    return replace(coverage, prices=bits), replace(pool, prices=bits)


def with_conjunctions(problem: Problem, rules: Sequence[Sequence[int]]) -> Problem:
    """The problem whose tags are conjunctions of its tags, which cost what their conditions do together."""
    rows = frozenset(range(problem.n_rows))
    return Problem(
        tuple(rows.intersection(*(problem.tags[j] for j in one)) for one in rules),
        problem.normals,
        problem.groups,
        tuple(sum(problem.lengths[j] for j in one) for one in rules),
        problem.n_items,
        None if problem.prices is None else tuple(sum(problem.prices[j] for j in one) for one in rules),
    )


def as_sets(T: NDArray[np.bool_], y: NDArray[np.int64]) -> Problem:
    """The same problem for the slow reference."""
    return Problem(
        tags=tuple(frozenset(np.flatnonzero(column).tolist()) for column in T.T),
        normals=frozenset(np.flatnonzero(y == 0).tolist()),
        groups=tuple(frozenset(np.flatnonzero(y == k).tolist()) for k in range(1, int(y.max()) + 1)),
        lengths=(1,) * T.shape[1],
        n_items=T.shape[1],
    )


def table(
    seed: int, *, n_rows: int = 120, n_tags: int = 10, n_groups: int = 2, rate: float = 0.35
) -> tuple[NDArray[np.bool_], NDArray[np.int64], np.random.Generator]:
    """Tags, groups and the generator that made them: each tag covers part of one group and a few other rows."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n_rows) < 0.25, rng.integers(1, n_groups + 1, n_rows), 0)
    y[:n_groups] = np.arange(1, n_groups + 1)
    owner = rng.integers(1, n_groups + 1, n_tags)
    return rng.random((n_rows, n_tags)) < np.where(y[:, None] == owner[None, :], rate, 0.06), y, rng


def planted(n_rows: int = 300, n_tags: int = 15, seed: int = 0) -> Coverage:
    """Two groups among normals; each tag has a rate of its own in each."""
    rng = np.random.default_rng(seed)
    y = rng.choice([0, 0, 0, 0, 0, 0, 0, 1, 1, 2], n_rows)
    rate = rng.uniform(0.02, 0.3, (3, n_tags))
    return Coverage.from_dense(rng.random((n_rows, n_tags)) < rate[y], y)
