from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import reference
from fast import coverage_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

from pyod_explain import Condition, Coverage, PyodExplainError, Tag
from pyod_explain.description_length import tag_bits
from pyod_explain.input import as_table
from pyod_explain.tags import Prices


@given(problems(max_rows=20), st.data())
def test_counts_and_losses_are_those_of_the_sets(problem, data):
    cov = coverage_of(problem)
    assert cov.normal_counts.tolist() == [len(tag & problem.normals) for tag in problem.tags]
    assert cov.group_counts.tolist() == [[len(tag & group) for tag in problem.tags] for group in problem.groups]
    owner = data.draw(
        st.lists(st.integers(0, len(problem.groups)), min_size=len(problem.tags), max_size=len(problem.tags))
    )
    chosen = tuple(tuple(j for j, k in enumerate(owner) if k == g + 1) for g in range(len(problem.groups)))
    assert cov.count_lost(chosen).tolist() == [len(reference.lost(problem, chosen, k)) for k in range(len(chosen))]


@given(problems(max_rows=20), st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0]))
def test_eligible_tags_are_more_frequent_in_the_group(problem, min_lift):
    found = coverage_of(problem).eligible(min_lift)
    for k in range(len(problem.groups)):
        expected = [reference.eligible(problem, k, j, min_lift) for j in range(len(problem.tags))]
        assert found[k].tolist() == expected


def test_rows_have_the_order_of_their_tags_and_without_tags_of_their_cells():
    """Searches draw rows by their position; rules are grown on a coverage without tags."""
    T = np.random.default_rng(0).random((90, 5)) < 0.4
    backwards = T.reshape(30, 3, 5)[::-1].reshape(90, 5)
    one, other = (Coverage.from_dense(rows, np.arange(90) % 3) for rows in (T, backwards))
    assert np.array_equal(one.normal_bits, other.normal_bits)
    assert np.array_equal(one.outlier_bits, other.outlier_bits)
    X, order = pd.DataFrame({"x": [3, 1, 2, 5, 4], "c": list("abcde")}), [4, 2, 0, 1, 3]
    y = np.array([0, 0, 0, 1, 1])
    one, other = Coverage.from_tags(X, [], y), Coverage.from_tags(X.iloc[order][["c", "x"]], [], y[order])
    assert X["x"][one.normal_rows].tolist() == X["x"].iloc[order].iloc[other.normal_rows].tolist()
    assert X["x"][one.group_rows[0]].tolist() == X["x"].iloc[order].iloc[other.group_rows[0]].tolist()


def test_rejected_rows_are_left_out():
    cov = Coverage.from_dense([[1], [1], [1]], [0, 1, -1])
    assert (cov.n_normals, cov.n_outliers) == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 0], [1, 0]), "`T` must be a table of rows by tags"),
        (([[2, 0]], [1]), "`T` must hold True/False"),
        (([[1], [0]], [1]), "`y` must have one entry for each of the 2 rows"),
        (([[1], [0]], [0.5, 1.0]), "`y` must be whole numbers"),
        (([[1], [0]], [0, 1], [0]), "`lengths` must give a length of at least 1"),
        (([[1], [0]], [0, 1], [1, 1]), "`lengths` must give a length of at least 1 for each of the 1 tags"),
        (([[1], [0]], [0, 1], [1], -1), "`n_items` must be 0 or more"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(PyodExplainError, match=message):
        Coverage.from_dense(*arguments)


def tables_and_tags():
    """A small table with missing cells, copies, and some tags about it."""
    cells = st.lists(
        st.tuples(st.sampled_from([1.0, 2.0, 3.0, None]), st.sampled_from(["x", "y", "z", None])),
        min_size=4,
        max_size=12,
    )
    conditions = st.sampled_from(
        [
            Condition("a", ">=", 2.0), Condition("a", "<", 3.0), Condition("b", "==", "x"),
            Condition("b", "in", ["x", "z"]), Condition("b", "not in", ["y"]), Condition("a", "missing"),
        ]
    )  # fmt: skip
    tags = st.lists(st.frozensets(conditions, min_size=1, max_size=3).map(Tag), min_size=1, max_size=6, unique=True)
    return st.tuples(cells, tags)


def bits_of(cov):
    return [getattr(cov, name) for name in ("normal_bits", "outlier_bits", "lengths", "n_items", "prices")]


@given(tables_and_tags(), st.data())
def test_further_tags_are_as_if_they_had_been_there_from_the_start(drawn, data):
    """And some of them as if the others had never been."""
    cells, tags = drawn
    n = len(cells)
    y = [*data.draw(st.lists(st.sampled_from([0, 0, 1, 2, -1]), min_size=n - 1, max_size=n - 1)), 2]
    copies = data.draw(st.none() | st.lists(st.integers(1, 5), min_size=n, max_size=n))
    table = as_table(pd.DataFrame(cells, columns=["a", "b"]))
    table = table if copies is None else replace(table, row_counts=np.array(copies))
    # The rows of a coverage stand in the order of what its tags speak of: that of all tags serves both.
    prices = Prices(table)
    whole = Coverage.from_tags(table, tags, y, n_items=9, prices=prices)
    cut = data.draw(st.integers(0, len(tags)))
    again = whole.take(range(cut)).with_tags(table, tags[cut:], 9, prices)
    for ours, theirs in zip(bits_of(again), bits_of(whole), strict=True):
        assert np.array_equal(ours, theirs)
    assert again.normal_counts.tolist() == whole.normal_counts.tolist()
    assert again.group_counts.tolist() == whole.group_counts.tolist()
    some = data.draw(st.lists(st.integers(0, len(tags) - 1), max_size=4, unique=True))
    fewer, anew = whole.take(some), Coverage.from_tags(table, [tags[j] for j in some], y, prices=prices)
    assert fewer.normal_counts.tolist() == anew.normal_counts.tolist()
    assert fewer.group_counts.tolist() == anew.group_counts.tolist()
    assert tag_bits(fewer) == pytest.approx(tag_bits(anew))


@given(problems(max_rows=20), st.data())
def test_marked_rows_are_counted_tag_by_tag(problem, data):
    cov = coverage_of(problem)
    assert int(cov.count_normals(cov.all_normals)) == len(problem.normals)
    some = data.draw(st.lists(st.integers(0, len(problem.tags) - 1), max_size=4)) if problem.tags else []
    counted = [[len(problem.tags[j] & group) for j in some] for group in problem.groups]
    assert cov.count_groups(cov.outlier_bits[some]).tolist() == counted
