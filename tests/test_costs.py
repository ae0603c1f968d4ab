"""Time and memory grow as columns, groups and lengths do, and no faster: counted, not timed, where possible."""

from __future__ import annotations

import math
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from pyod_explain import MDL, Coverage, evaluate, explain
from pyod_explain.groups import Groups, Points, embed, main_directions, split_outliers
from pyod_explain.input import as_table, read_labels
from pyod_explain.tags import Condition, ForestRules, Itemsets, Tag, count_values, find_items, forest, itemsets, mining
from pyod_explain.tags.items import MAX_NAMED_VALUES, named_values
from pyod_explain.tags.mining import MAX_LONG_SETS, combine, frequent, most_longer

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


def test_a_wide_table_is_split_as_its_outliers_lie() -> None:
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(130, 700))
    wide[100:115, :40] += 6
    wide[115:, 40:80] += 6
    outliers = read_labels([0] * 100 + [1] * 30, 130)
    numbers = split_outliers(2, outliers, as_table(wide)).numbers[100:].tolist()
    assert numbers == [2] * 15 + [1] * 15  # as many in each: the one with the smaller values in the first column first


# --- long rules -------------------------------------------------------------------------------------------------------


def test_long_itemsets_are_bounded_where_all_conditions_hold_nearly_everywhere(monkeypatch: Any) -> None:
    mined: list[int] = []

    def counted(*args: Any) -> Any:
        sets, lengths = frequent(*args)
        mined.append(len(sets))
        return sets, lengths

    monkeypatch.setattr(mining, "frequent", counted)
    inside = np.random.default_rng(0).uniform(size=(40, 30)) < 0.95
    totals = {}
    for length in (3, 4, 5, 12):
        mined.clear()
        *_, n_long = combine(inside, np.arange(40.0), 0.05, length)
        totals[length] = sum(mined)
        assert n_long < 40 or length == 3
    assert all(n <= totals[3] + 2 * MAX_LONG_SETS for n in totals.values())
    assert totals[5] <= 5 * totals[3]


@settings(max_examples=40)
@given(st.integers(1, 9), st.integers(1, 25), st.integers(4, 7), st.floats(0.05, 0.6), st.integers(0, 2**32 - 1))
def test_itemsets_are_all_there_where_they_are_few(n: int, rows: int, length: int, support: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    inside = rng.uniform(size=(n, rows)) < rng.uniform(0.2, 1.0)
    sets, lengths, n_long = combine(inside, rng.uniform(size=n), support, length)
    plain, plain_lengths = frequent(inside, support, length)
    assert n_long == n
    assert [tuple(s[:k]) for s, k in zip(sets, lengths, strict=True)] == [
        tuple(s[:k]) for s, k in zip(plain, plain_lengths, strict=True)
    ]


@given(st.sets(st.frozensets(st.integers(0, 8), min_size=3, max_size=3), max_size=60), st.integers(4, 8))
def test_the_bound_on_longer_sets_holds(triples: set[frozenset[int]], length: int) -> None:
    members = sorted(frozenset().union(*triples))
    longer = 0
    for code in range(2 ** len(members)):
        chosen = [m for i, m in enumerate(members) if code >> i & 1]
        if 4 <= len(chosen) <= length:
            inner = sum(one <= set(chosen) for one in triples)
            longer += inner == math.comb(len(chosen), 3)
    assert longer <= most_longer(len(triples), length)


def test_the_most_telling_conditions_are_those_combined_further_and_the_report_says_so() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(600, 12))
    values[:60] += 1.5
    made = Itemsets(max_length=5).make(as_table(values), Groups(np.array([1] * 60 + [0] * 540), ("1",), "given"))
    assert any("more than 3 conditions were combined only of the" in note for note in made.notes)
    assert max(len(tag) for tag in made.tags) > 3


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


def test_the_profile_of_a_column_holds_no_table_of_groups_by_values() -> None:
    def peak(n_groups: int) -> float:
        frame, groups = many_groups(n_groups, size=1_000 // n_groups, n_normals=9_000)
        column = as_table(frame)["a"]
        return peak_of(lambda: count_values(column, groups).below([0, 10, 500]))

    assert peak(500) < 2 * peak(5)  # 10,000 values by 500 groups would be 40 MB


def test_items_are_found_without_holding_the_counts_of_all(monkeypatch: Any) -> None:
    monkeypatch.setattr("pyod_explain.tags.items.MAX_ITEM_COUNTS", 500)
    frame, groups = many_groups(20)
    pieces = list(find_items(as_table(frame), groups))
    assert len(pieces) > 2
    small = Itemsets(max_length=1).make(as_table(frame), groups)
    monkeypatch.undo()
    assert small.tags == Itemsets(max_length=1).make(as_table(frame), groups).tags


def test_the_memory_of_a_choice_does_not_grow_as_groups_times_tags_times_groups() -> None:
    rng = np.random.default_rng(0)
    y = np.concatenate([np.zeros(500, dtype=np.int64), np.repeat(np.arange(1, 61), 2)])
    T = (rng.uniform(size=(len(y), 1_000)) < 0.02) | (rng.integers(1, 61, 1_000) == y[:, None])
    coverage = Coverage.from_dense(T, y)
    # A copy of the outliers' bits for each group would be 29 MB.
    assert peak_of(lambda: evaluate(coverage, MDL(max_tags=1).select(coverage))) < 10


@settings(max_examples=30)
@given(st.lists(st.integers(0, 70), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_outliers_are_counted_right_without_gaps_between_groups(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [*sizes, 3]  # so that the last group is not empty: groups are numbered up to the last one
    y = rng.permutation(np.concatenate([np.zeros(10, dtype=np.int64), np.repeat(np.arange(1, len(sizes) + 1), sizes)]))
    T = rng.uniform(size=(len(y), 5)) < 0.4
    cov = Coverage.from_dense(T, y)
    assert np.bitwise_count(cov.close_outlier_bits).sum(axis=1).tolist() == T[y > 0].sum(axis=0).tolist()
    assert cov.outlier_counts.tolist() == T[y > 0].sum(axis=0).tolist()


def test_the_values_of_a_column_that_are_named_do_not_grow_as_the_groups_do() -> None:
    """One value a row: each is counted in each group, so 40 more a group would be a square of the groups."""
    column = pd.DataFrame({"id": [f"u{i}" for i in range(6_000)]})

    def conditions(n_groups: int) -> int:
        numbers = np.concatenate([np.zeros(1_000, dtype=np.int64), np.arange(5_000) % n_groups + 1])
        groups = Groups(numbers, tuple(str(k) for k in range(1, n_groups + 1)), "given")
        return sum(len(items.conditions) for items in find_items(as_table(column), groups))

    assert conditions(40) > 2 * 40 * 40  # few groups: 40 values of each
    assert conditions(125) <= 2 * MAX_NAMED_VALUES + 2 * 125 + 1  # is, is not; one of, none of; rare


def test_every_group_has_values_named_however_many_groups_there_are(monkeypatch: Any) -> None:
    monkeypatch.setattr("pyod_explain.tags.items.MAX_NAMED_VALUES", 10)
    numbers = np.concatenate([np.zeros(500, dtype=np.int64), np.repeat(np.arange(1, 31), 4)])
    own = [f"g{k}" if i % 4 else f"h{k}" for i, k in enumerate(numbers[500:].tolist())]
    table = as_table(pd.DataFrame({"kind": [*np.random.default_rng(0).choice(list("abcd"), 500), *own]}))
    groups = Groups(numbers, tuple(str(k) for k in range(1, 31)), "given")
    named = named_values(count_values(table["kind"], groups))
    values = {table["kind"].categories[i] for i in named}
    assert {f"g{k}" for k in range(1, 31)} <= values  # the first of each list, even beyond the bound
    assert not any(value.startswith("h") for value in values)


# --- forests and checks -----------------------------------------------------------------------------------------------


def test_a_forest_on_many_categories_is_shown_fewer_rows_and_no_copy(monkeypatch: Any) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 30, (4_000, 12)).astype(str)).add_prefix("c")
    frame.iloc[:50, 0] = "7"
    table = as_table(frame)
    groups = Groups(np.array([1] * 50 + [0] * 3_950), ("1",), "given")
    shown: list[tuple[int, ...]] = []
    fit = forest.RandomForestClassifier.fit

    def seen(self: Any, X: Any, y: Any) -> Any:
        shown.append(X.shape)
        return fit(self, X, y)

    monkeypatch.setattr(forest.RandomForestClassifier, "fit", seen)
    maker = ForestRules(n_estimators=3)
    whole = peak_of(lambda: maker.make(table, groups))
    assert shown == [(4_000, 12 * 30)]
    assert whole < 1.8 * 4_000 * 360 * 4 / MB  # a second copy would be twice that and more
    monkeypatch.setattr(forest, "MAX_FOREST_CELLS", 360 * 1_500)
    made = maker.make(table, groups)
    assert shown[1:] == [(1_550, 12 * 30)]
    assert (
        made.notes[0]
        == "Each forest saw at most 1,500 of the rows outside its group: 360 columns and values of categories."
    )
    assert any(Condition("c0", "==", "7") in tag.conditions for tag in made.tags)


def test_the_check_by_held_out_rows_holds_the_covers_of_one_group_at_a_time(monkeypatch: Any) -> None:
    rng = np.random.default_rng(0)
    y = np.concatenate([np.zeros(2_000, dtype=np.int64), np.repeat(np.arange(1, 21), 12)])
    frame = pd.DataFrame({"x": rng.normal(size=len(y)) + 10 * y})
    tags = [Tag.of(Condition("x", "between", (10 * k - 5, 10 * k + 5))) for k in range(1, 21)]
    explained = explain(y, frame, tags=tags)
    assert len(explained.rules) == 20
    made: list[weakref.ref[Any]] = []
    alive: list[int] = []
    covers = Tag.covers

    def watched(self: Tag, table: Any) -> Any:
        cover = covers(self, table)
        made.append(weakref.ref(cover))
        alive.append(sum(one() is not None for one in made))
        return cover

    monkeypatch.setattr(Tag, "covers", watched)
    checked = explained.validate(2).summary.validation
    assert checked.whole.n_outliers == 240
    assert [one.found for one in checked.rules] == [2] * 20
    assert max(alive) <= 4  # of a group: its rules and those found again; not of all 20


def test_the_checks_start_without_the_bits_of_the_search(monkeypatch: Any) -> None:
    made: list[weakref.ref[Any]] = []
    alive: list[int] = []
    from_tags = Coverage.from_tags

    def watched(*args: Any, **options: Any) -> Coverage:
        if args[1]:  # the rows that rules are grown on have no tags, and no bits
            alive.append(sum(one() is not None for one in made))
        coverage = from_tags(*args, **options)
        made.append(weakref.ref(coverage))
        return coverage

    monkeypatch.setattr(Coverage, "from_tags", watched)
    values = np.random.default_rng(0).normal(size=(300, 3))
    explain([1] * 30 + [0] * 270, values).validate(2).placebo_test(2)
    assert len(alive) > 2
    assert max(alive) == 0
