"""Conditions that rules are grown from: cuts of ranked columns, and the pool."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pyod_explain import Condition, Coverage
from pyod_explain.bits import unpack
from pyod_explain.groups import Groups
from pyod_explain.growth import Cut, Pool, RankedColumn
from pyod_explain.input import as_table

CELLS = {
    "floats": st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.0, -0.0, 0.07, 18.89, 18.9]) | st.none(),
    "ints": st.integers(-30, 30),
    "two fractions": st.sampled_from([0.25, 0.5]),
    "dates": st.datetimes(*(pd.Timestamp(year).to_pydatetime() for year in ("2020", "2021"))) | st.none(),
    "durations": st.timedeltas(dt.timedelta(), dt.timedelta(days=3)) | st.none(),
    "decimals": st.decimals(-100, 100, places=3) | st.none(),
}


def column_of(kind, cells):
    """A table of one column."""
    series = {
        "dates": lambda: pd.Series(pd.to_datetime(cells)),
        "durations": lambda: pd.Series(pd.to_timedelta(cells)),
        "decimals": lambda: pd.Series(cells, dtype=object),
    }.get(kind, lambda: pd.Series(cells))()
    return as_table(pd.DataFrame({"v": series}))


def marked(coverage, words, *, normals):
    """The rows of the table that are marked."""
    if normals:
        return set(coverage.normal_rows[unpack(words, len(coverage.normal_rows))].tolist())
    groups = range(coverage.n_groups)
    return {int(row) for k in groups for row in coverage.group_rows[k][coverage.outlier_mask(words, k)]}


def whole(numbers):
    names = tuple(str(k) for k in range(1, max(numbers) + 1))
    return Groups(np.array(numbers), names, "given")


@pytest.mark.parametrize("kind", CELLS)
@given(data=st.data())
def test_the_bits_of_a_cut_are_those_of_its_condition(kind, data):
    cells = data.draw(st.lists(CELLS[kind], min_size=4, max_size=40))
    n = len(cells)
    numbers = [*data.draw(st.lists(st.sampled_from([0, 0, 1, 2, -1]), min_size=n - 2, max_size=n - 2)), 0, 2]
    table, groups = column_of(kind, cells), whole(numbers)
    column = table["v"]
    assume(column.has_order and not column.missing.all())
    coverage = Coverage.from_tags(table, [], groups)
    line = RankedColumn.of(column, groups, coverage)
    positions = np.arange(1, line.n_distinct)
    parts = {high: line.bits(positions, high=high) for high in (True, False)}
    used = np.flatnonzero(groups.numbers >= 0)
    for i, position in enumerate(positions.tolist()):
        for high in (True, False):
            condition = Cut(line, position, high).to_condition()
            assert isinstance(condition, Condition)
            meant = set(used[condition.holds(column)[used]].tolist())
            normals, outliers = (one[i] for one in parts[high])
            bits = marked(coverage, normals, normals=True) | marked(coverage, outliers, normals=False)
            assert bits == meant
            assert 0 < len(meant) < (~column.missing[used]).sum()  # no cut that changes nothing


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(1, 5)), min_size=60, max_size=120), st.integers(0, 2**32))
def test_lines_that_stand_for_many_are_cut_as_repeated_rows_are(lines_and_copies, seed):
    """Positions, and what a column tells."""
    values, copies = map(np.array, zip(*lines_and_copies, strict=True))
    numbers = np.random.default_rng(seed).choice([0, 0, 0, 1, 2], len(values))
    numbers[:2] = [1, 2]
    times = np.arange(len(values)).repeat(copies)
    table = as_table(pd.DataFrame({"v": values.astype(float)}))
    groups = whole(numbers.tolist())
    once = replace(table, row_counts=copies)
    again = as_table(pd.DataFrame({"v": values[times].astype(float)}))
    lined = []
    for one, split in ((once, groups), (again, whole(numbers[times].tolist()))):
        coverage = Coverage.from_tags(one, [], split)
        rows = np.concatenate(coverage.group_rows)
        line = RankedColumn.of(one["v"], split, coverage, one.row_counts)
        lined.append(line.positions(one["v"].values[rows] > 150).tolist())
    assert lined[0] == lined[1]


def test_cuts_follow_the_outliers_that_are_not_covered_yet():
    """Fifty of a thousand outliers lie elsewhere: found out only when the others are told."""
    rng = np.random.default_rng(1)
    values = np.r_[rng.normal(size=3000), rng.normal(90, 1, 990), rng.normal(0.5, 0.001, 10)]
    table, groups = as_table(pd.DataFrame({"v": values})), whole([0] * 3000 + [1] * 1000)
    coverage = Coverage.from_tags(table, [], groups)
    line = RankedColumn.of(table["v"], groups, coverage)
    rest = values[coverage.group_rows[0]] < 50
    edges = {int(line.outliers[rest].min()), int(line.outliers[rest].max()) + 1}
    assert not edges <= set(line.positions(np.ones(1000, dtype=bool)).tolist())
    assert edges <= set(line.positions(rest).tolist())


@given(st.data())
def test_a_pool_has_what_its_conditions_say_and_a_tag_of_them_covers_what_the_bits_say(data):
    values = data.draw(st.lists(st.sampled_from([None, 1.0, 2.5, 4.0, 7.0]), min_size=6, max_size=20))
    letters = data.draw(st.lists(st.sampled_from("abc"), min_size=len(values), max_size=len(values)))
    numbers = [*data.draw(st.lists(st.integers(0, 2), min_size=len(values) - 2, max_size=len(values) - 2)), 0, 2]
    table = as_table(pd.DataFrame({"v": pd.Series(values, dtype=float), "w": letters}))
    groups = whole(numbers)
    coverage = Coverage.from_tags(table, [], groups)
    said = [Condition("w", "==", "a"), Condition("w", "in", ["a", "b"]), Condition("w", "==", "a")]
    line = RankedColumn.of(table["v"], groups, coverage)
    group = data.draw(st.sampled_from([k for k in (0, 1) if k + 1 in numbers]))
    pool = Pool.of(said, table, coverage).for_group(group, [(line, np.arange(1, line.n_distinct))], coverage)
    shares = [np.mean([number == k for number in numbers]) for k in range(3)]
    for i in range(len(pool)):
        tag = pool.tag([i])
        rows = set(np.flatnonzero(tag.covers(table)).tolist())
        there = marked(coverage, pool.normals[i], normals=True) | marked(coverage, pool.outliers[i], normals=False)
        assert there == rows
        assert pool.lengths[i] == tag.length
        inside = [sum(numbers[row] == k for row in rows) / len(numbers) for k in range(3)]
        assert inside[group + 1] * shares[0] > inside[0] * shares[group + 1]  # none that tells nothing
    assert len({pool.tag([i]) for i in range(len(pool))}) == len(pool)
