"""Conditions that rules are grown from: cuts of ranked columns, and the pool."""

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
from pyod_explain.growth import Conditions, Cut, RankedColumn, RankedColumns
from pyod_explain.growth.pool import write_tag
from pyod_explain.input import as_table
from pyod_explain.tags import Prices, Tag

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


def cuts_of(ranked, parts, near=None):
    """The cuts of a single column."""
    return set(ranked.cuts([ranked.outliers(part) for part in parts], near).tolist())


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
    line = RankedColumn.of("v", table, groups, coverage)
    positions = np.arange(1, line.n_distinct)
    ranked = RankedColumns(coverage, [line])
    parts = {high: ranked.bits(positions, np.full(len(positions), high)) for high in (True, False)}
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
        ranked = RankedColumns(coverage, [RankedColumn.of("v", one, split, coverage)])
        over, near = one["v"].values[rows] > 150, one["v"].values[coverage.normal_rows] > 200
        lined.append([cuts_of(ranked, *masks) for masks in (([over],), ([~over, over], near))])
    assert lined[0] == lined[1]


@given(st.data())
def test_a_pool_has_what_its_conditions_say_at_their_prices_and_of_like_cuts_the_sharpest(data):
    values = data.draw(st.lists(st.sampled_from([None, 1.0, 2.5, 4.0, 7.0]), min_size=6, max_size=20))
    letters = data.draw(st.lists(st.sampled_from("abc"), min_size=len(values), max_size=len(values)))
    numbers = [*data.draw(st.lists(st.integers(0, 2), min_size=len(values) - 2, max_size=len(values) - 2)), 0, 2]
    table = as_table(pd.DataFrame({"v": pd.Series(values, dtype=float), "w": letters}))
    groups = whole(numbers)
    coverage = Coverage.from_tags(table, [], groups)
    said = [Condition("w", "==", "a"), Condition("w", "in", ["a", "b"]), Condition("w", "==", "a")]
    line = RankedColumn.of("v", table, groups, coverage)
    group = data.draw(st.sampled_from([k for k in (0, 1) if k + 1 in numbers]))
    own, normal = ({row for row, number in enumerate(numbers) if number == k} for k in (group + 1, 0))
    members = coverage.all_outliers.copy()
    members[[i for i in range(len(members)) if not coverage.slices[group].start <= i < coverage.slices[group].stop]] = 0
    prices = Prices(table)
    conditions = Conditions(table, coverage, [line], prices)
    cuts = np.arange(1, line.n_distinct)
    own_ranks = conditions.ranked.outliers(np.repeat([k == group for k in (0, 1)], coverage.group_table_rows))
    pool = conditions.with_cuts(conditions.pool(said), cuts, members, own_ranks)
    tags = [write_tag([pool.condition(i)]) for i in range(len(pool))]
    assert len(set(tags)) == len(pool)
    rows = [set(np.flatnonzero(tag.covers(table)).tolist()) for tag in tags]
    for i, having in enumerate(rows):
        words = (pool.normals[i], True), (pool.outliers[i], False)
        assert set.union(*(marked(coverage, one, normals=normals) for one, normals in words)) == having
        assert pool.prices[i] == prices.of([tags[i]])[0]
        assert pool.term_sides[i] == conditions.side_number(pool.condition(i))
    every = [Tag.of(one) for one in said[:2]] + [Tag.of(one) for cut in cuts.tolist() for one in line.conditions(cut)]
    telling = [set(np.flatnonzero(tag.covers(table)).tolist()) for tag in every]
    telling = [one for one in telling if len(one & own) * len(normal) > len(one & normal) * len(own)]
    assert all(one in telling for one in rows)  # none that tells nothing
    for one in telling:  # and for each that tells something the same or one that is as good
        assert any(having & own == one & own and len(having & normal) <= len(one & normal) for having in rows)
    assert conditions.pool(said).given == tuple(said[:2])


@pytest.mark.parametrize(
    ("cuts", "text"),
    [([(2, True), (3, False)], "n is 2"), ([(2, True), (4, False)], "2 <= n <= 3"), ([(3, True)], "n >= 3")],
)
def test_two_cuts_around_a_whole_number_say_which_it_is(cuts, text):
    table, groups = as_table(pd.DataFrame({"n": [0, 1, 2, 3, 4] * 3})), whole([0, 0, 1, 0, 0] * 3)
    line = RankedColumn.of("n", table, groups, Coverage.from_tags(table, [], groups))
    assert str(write_tag([Cut(line, position, high) for position, high in cuts])) == text
