"""Time and memory grow as columns, groups and lengths do, and no faster: counted, not timed, where possible."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from pyod_explain import MDL, Coverage, evaluate
from pyod_explain.groups import Groups
from pyod_explain.groups.kmeans import Points, embed, main_directions
from pyod_explain.input import as_table
from pyod_explain.tags import Condition, Itemsets, find_items, itemsets
from pyod_explain.tags.items import MAX_NAMED_VALUES
from pyod_explain.tags.mining import MAX_LONG_CONDITIONS, combine

pytestmark = pytest.mark.no_cover

MB = 1e6


def peak_of(run: Callable[[], Any]) -> float:
    """Most memory, in MB, that a call holds beside what was there."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1] / MB
    finally:
        tracemalloc.stop()


def many_groups(n_groups: int, *, size: int = 4, n_normals: int = 2_000) -> tuple[pd.DataFrame, Groups]:
    """Small groups, each near a place of its own."""
    rng = np.random.default_rng(0)
    numbers = np.concatenate([np.zeros(n_normals, dtype=np.int64), np.repeat(np.arange(1, n_groups + 1), size)])
    values = rng.normal(size=(len(numbers), 3))
    values[n_normals:] += 8 * rng.normal(size=(n_groups + 1, 3))[numbers[n_normals:]]
    frame = pd.DataFrame(values, columns=list("abc")).assign(kind=rng.choice(list("uvwxyz"), len(numbers)))
    return frame, Groups(numbers, tuple(str(k) for k in range(1, n_groups + 1)), "given")


# --- wide tables ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["numbers", "categories"])
def test_the_directions_of_a_wide_table_take_no_square_of_its_columns(kind: str) -> None:
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(60, 1_500)) if kind == "numbers" else rng.integers(0, 30, (60, 600)).astype(str)
    table = as_table(pd.DataFrame(wide).add_prefix("c"))
    rows = np.arange(40)
    n_coordinates = embed(table, rows).shape[1]
    assert n_coordinates >= 1_500
    # The covariances alone would be 18 MB or more.
    assert peak_of(lambda: main_directions(table, rows)) < n_coordinates**2 * 8 / 2 / MB


@settings(max_examples=25)
@given(st.integers(26, 60), st.integers(1, 60), st.integers(0, 4), st.integers(0, 2**32 - 1))
def test_both_ways_to_the_main_directions_keep_the_distances(n: int, n_numbers: int, n_kinds: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, n_numbers)) * 3 ** rng.normal(size=n_numbers)).add_prefix("x")
    for i in range(n_kinds):
        frame[f"k{i}"] = rng.choice([*"abcdefg", None], n)
    points = Points.of(as_table(frame), np.arange(n))
    if min(points.shape) <= 24:
        assert main_directions(as_table(frame), np.arange(n)).shape == points.shape
        return
    exact = PCA(24, svd_solver="full").fit(points.dense())
    for found in (points.along_covariance(), points.along_span()):
        lengths = (found**2).sum(axis=0) / (n - 1)
        np.testing.assert_allclose(lengths, exact.explained_variance_, rtol=0.02, atol=1e-9)
        assert np.abs(found.T @ found - np.diag((found**2).sum(axis=0))).max() < 1e-6 * (found**2).sum()


# --- long rules -------------------------------------------------------------------------------------------------------


def test_long_itemsets_are_bounded_where_all_conditions_hold_nearly_everywhere() -> None:
    inside = np.random.default_rng(0).uniform(size=(40, 30)) < 0.95
    short, long = (len(combine(inside, np.arange(40.0), 0.05, length)[0]) for length in (3, 12))
    assert short < long <= short + 2**MAX_LONG_CONDITIONS


# --- many groups ------------------------------------------------------------------------------------------------------


def test_tags_of_many_groups_fit_in_memory_and_the_report_says_so(monkeypatch: Any) -> None:
    monkeypatch.setattr(itemsets, "TAG_BYTES", 2_000_000)
    frame, groups = many_groups(60)
    table = as_table(frame)
    made = Itemsets(max_length=2).make(table, groups)
    assert any("must fit in memory" in note and "max_tags=1,000" in note for note in made.notes)
    coverage = Coverage.from_tags(table, made.tags, groups, n_items=made.n_items)
    held = sum(column.values.nbytes + column.missing.nbytes for column in table.columns.values())
    assert coverage.normal_bits.nbytes + coverage.outlier_bits.nbytes <= 2_000_000 + 2.5 * held
    few = Itemsets(max_length=2).make(table, many_groups(3, size=80)[1])
    assert not any("must fit in memory" in note for note in few.notes)


def test_each_condition_of_a_coverage_is_evaluated_once_whatever_the_number_of_groups(monkeypatch: Any) -> None:
    frame, groups = many_groups(40)
    tags = Itemsets(max_length=2, max_tags=20).make(as_table(frame), groups).tags
    calls: list[Condition] = []
    holds = Condition.holds

    def counted(self: Condition, column: Any) -> Any:
        calls.append(self)
        return holds(self, column)

    monkeypatch.setattr(Condition, "holds", counted)
    coverage = Coverage.from_tags(frame, tags, groups)
    assert len(calls) == len(set(calls)) == len({c for tag in tags for c in tag.conditions})
    for j in (0, len(tags) // 2, len(tags) - 1):
        covered = tags[j].covers(frame)
        assert coverage.group_counts[:, j].tolist() == [int(covered[groups.numbers == k].sum()) for k in range(1, 41)]


def test_the_memory_of_a_choice_does_not_grow_as_groups_times_tags_times_groups() -> None:
    rng = np.random.default_rng(0)
    y = np.concatenate([np.zeros(500, dtype=np.int64), np.repeat(np.arange(1, 61), 2)])
    T = (rng.uniform(size=(len(y), 1_000)) < 0.02) | (rng.integers(1, 61, 1_000) == y[:, None])
    coverage = Coverage.from_dense(T, y)
    # A copy of the outliers' bits for each group would be 29 MB.
    assert peak_of(lambda: evaluate(coverage, MDL(max_tags=1).select(coverage))) < 10


def test_the_values_of_a_column_that_are_named_do_not_grow_as_the_groups_do() -> None:
    """One value a row: each is counted in each group, so 40 more a group would be a square of the groups."""
    column = pd.DataFrame({"id": [f"u{i}" for i in range(6_000)]})

    def conditions(n_groups: int) -> int:
        numbers = np.concatenate([np.zeros(1_000, dtype=np.int64), np.arange(5_000) % n_groups + 1])
        groups = Groups(numbers, tuple(str(k) for k in range(1, n_groups + 1)), "given")
        return len(find_items(as_table(column), groups).conditions)

    assert conditions(40) > 2 * 40 * 40  # few groups: 40 values of each
    assert conditions(125) <= 2 * MAX_NAMED_VALUES + 2 * 125 + 1  # is, is not; one of, none of; rare
