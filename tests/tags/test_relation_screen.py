"""The screen_relations of relations counts right, keeps what tells more than its columns do, and takes little time."""

import itertools
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tag_tables import grouped

from pyod_explain import Itemsets, Relation
from pyod_explain.input import as_table
from pyod_explain.tags import gain
from pyod_explain.tags.relations import MAX_RELATIONS_PER_GROUP, Sample, read_relations, screen_relations

CELLS = st.one_of(st.none(), st.integers(-3, 4))


@st.composite
def looks(draw):
    """A small look at three columns: all rows of it, so that everything can be counted by hand."""
    n_normals, n_outliers = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    rows = draw(
        st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=n_normals + n_outliers, max_size=n_normals + n_outliers)
    )
    table = as_table(pd.DataFrame(rows, columns=list("abc"), dtype="float64"))
    order = np.arange(n_normals), {1: np.arange(n_normals, n_normals + n_outliers)}
    return table, Sample.at(table, order, 100, 100), n_normals


def thresholds(column, n_normals, rows):
    """Which normals and which of these outliers meet each threshold of a column, from below and from above."""
    values = {float(v) for v, gone in zip(column.values, column.missing, strict=True) if not gone}
    for v, side in itertools.product(sorted(values), (-1, 1)):
        meets = ~column.missing & (column.values * side >= v * side)
        yield meets[:n_normals], meets[rows]


def best(pairs, size, n_normals):
    """Most bits that one of the sets tells, among those that are more frequent in the group."""
    told = [0.0]
    for normal, inside in pairs:
        a, b = int(inside.sum()), int(normal.sum())
        if a * n_normals > b * size:
            told.append(float(gain(a, b, size, n_normals)))
    return max(told)


@settings(max_examples=60, deadline=None)
@given(looks(), st.sampled_from("-/*+"), st.randoms(use_true_random=False))
def test_the_best_threshold_of_a_relation_is_that_of_all_thresholds(made, op, random):
    table, look, n_normals = made
    relation = Relation("a", op, "b")
    members = np.array([random.random() < 0.7 for _ in look.numbers])
    if not members.any():
        return
    rows = np.flatnonzero(members) + n_normals
    column = table[relation]
    standing = look.rank([Relation("b", "-", "c"), relation])
    found = float(standing.gains(members)[1])
    assert found == pytest.approx(best(thresholds(column, n_normals, rows), members.sum(), n_normals), abs=1e-9)
    if found > 0:
        named = standing.named(1, members)
        met = [set(np.flatnonzero(inside)) for normal, inside in thresholds(column, n_normals, rows)
               if best([(normal, inside)], members.sum(), n_normals) == pytest.approx(found, abs=1e-9)]  # fmt: skip
        assert set(np.flatnonzero(named[members])) in met


@settings(max_examples=60, deadline=None)
@given(looks())
def test_two_cuts_are_those_of_a_grid_and_never_better_than_all(made):
    table, look, n_normals = made
    members = np.ones(len(look.numbers), dtype=bool)
    rows = np.arange(n_normals, table.n_rows)
    one, two = (list(thresholds(table[name], n_normals, rows)) for name in "ab")
    pairs = [(a[0] & b[0], a[1] & b[1]) for a in one for b in two]
    found = look.by_two_cuts(Relation("a", "-", "b"), members)
    assert found <= best([*one, *two, *pairs], len(rows), n_normals) + 1e-9
    assert found >= best([*one, *two], len(rows), n_normals) - 1e-9


def test_with_many_values_the_grid_comes_close_to_the_best_pair_of_cuts():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(900, 2)), columns=list("ab"))
    y = ((X["a"] > 1) & (X["b"] < -0.5)).to_numpy()
    normals, outliers = np.flatnonzero(~y), np.flatnonzero(y)
    look = Sample.at(as_table(X), (normals, {1: outliers}), 10_000, 10_000)
    found = look.by_two_cuts(Relation("a", "-", "b"), np.ones(len(outliers), dtype=bool))
    assert found > 0.9 * float(gain(len(outliers), 0, len(outliers), len(normals)))


def table_of(n, n_columns, cause, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(np.exp(rng.normal(3, 0.4, (n, n_columns))), columns=[f"c{i:02d}" for i in range(n_columns)])
    return as_table(X), grouped(cause(X).astype(int).to_numpy())


def kept(table, groups):
    return [str(one) for one in screen_relations(table, groups, read_relations(True, table, list(table.columns)))]


@pytest.mark.parametrize(
    ("cause", "relation"),
    [
        (lambda X: X["c03"] - X["c17"] > 30, {"c03 - c17", "c17 - c03"}),
        (lambda X: X["c03"] / X["c17"] > 3, {"c03 / c17", "c17 / c03"}),
        (lambda X: X["c03"] * X["c17"] > 1200, {"c03 x c17"}),
        (lambda X: X["c03"] + X["c17"] < 20, {"c03 + c17"}),
    ],
)
def test_a_cause_is_kept_among_thousands(cause, relation):
    assert relation & set(kept(*table_of(8_000, 40, cause)))


def test_what_one_column_or_a_threshold_on_each_says_is_not_kept():
    assert kept(*table_of(3_000, 20, lambda X: X["c03"] > 40)) == []
    assert kept(*table_of(3_000, 20, lambda X: (X["c03"] > 30) & (X["c17"] > 30))) == []


def test_random_rows_keep_hardly_anything():
    rng = np.random.default_rng(0)
    counts = []
    for seed in range(8):
        chosen = pd.Series(rng.uniform(size=2_000) < 0.02)
        counts.append(len(kept(*table_of(2_000, 25, lambda _, chosen=chosen: chosen, seed))))
    assert sum(counts) <= 4


def test_each_group_has_its_own_and_no_more_than_a_few():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(np.exp(rng.normal(3, 0.4, (6_000, 12))), columns=[f"c{i:02d}" for i in range(12)])
    y = np.where(X["c00"] - X["c01"] > 30, 1, np.where(X["c02"] * X["c03"] > 1300, 2, 0))
    found = kept(as_table(X), grouped(y))
    assert "c02 x c03" in found
    assert {"c00 - c01", "c01 - c00"} & set(found)
    assert len(found) <= 2 * MAX_RELATIONS_PER_GROUP


@pytest.mark.parametrize("y", [[0, 0, 0], [1, 1, 1], [0, 1, 2], [0, -1, 1]])
def test_few_rows_and_rows_that_are_neither_are_no_trouble(y):
    X = pd.DataFrame(
        {"a": [1.0, 2.0, 3.0], "b": [3.0, np.nan, 1.0], "c": [5.0, 6.0, 0.0], "d": [np.nan, np.nan, 1e200]}
    )
    relations = read_relations([(a, b) for a, b in itertools.combinations("abcd", 2)], as_table(X), [])
    assert screen_relations(as_table(X), grouped(y), relations) == []
    assert screen_relations(as_table(X), grouped(y), relations[:3]) == relations[:3]  # few: all are kept


def test_the_screen_takes_no_longer_than_the_rest_of_the_tags_at_fifty_columns():
    """See benchmarks/relations.py: all of `explain` takes 1.2 to 1.9 times as long. Here is room for noise."""
    table, groups = table_of(5_000, 50, lambda X: X["c03"] + X["c17"] > 75)
    best_times = {}
    for relations in (False, True):
        times = []
        for _ in range(5):
            fresh = table.take(np.arange(table.n_rows))
            begun = time.process_time()
            Itemsets(relations=relations).make(fresh, groups)
            times.append(time.process_time() - begun)
        best_times[relations] = min(times)
    assert best_times[True] < 4 * best_times[False]
