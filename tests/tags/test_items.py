"""Items: what is printed is what is counted, and thresholds move no row."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from exactly import COMPARE
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tag_tables import COLUMNS, every_condition, grouped, texts, two_piece_table

from pyod_explain.input import as_table
from pyod_explain.tags import Shortlist, count_values
from pyod_explain.tags.cuts import between, threshold
from pyod_explain.tags.value_counts import value_of

rows = st.lists(st.tuples(st.one_of(st.none(), st.integers(-3, 3)), st.integers(-1, 3)), min_size=1, max_size=40)


@given(rows, st.sampled_from(["float64", "Int64", "object"]))
def test_values_are_counted_for_the_normals_and_each_group(cells: Any, dtype: str) -> None:
    values, numbers = zip(*cells, strict=True)
    beyond = [None if value is None else value * 10**30 for value in values]  # whole numbers that no type holds
    typed = pd.Series(beyond if dtype == "object" else values, dtype=dtype)
    column = as_table(pd.DataFrame({"x": typed}))["x"]
    seen = count_values(column, grouped(numbers))
    scale = 10**30 if dtype == "object" and any(beyond) else 1
    distinct = sorted({value for value, number in cells if value is not None and number >= 0})
    assert [value_of(column, seen, i) for i in range(seen.n_distinct)] == [value * scale for value in distinct]
    for k in range(seen.n_groups + 1):
        mine = [value for value, number in cells if number == k]
        by_hand = [mine.count(value) for value in distinct]
        assert seen.counts(range(len(distinct)))[k].tolist() == by_hand
        assert seen.below(range(len(distinct) + 1))[k].tolist() == [sum(by_hand[:p]) for p in range(len(distinct) + 1)]
        assert (seen.missing[k], seen.present[k]) == (mine.count(None), sum(by_hand))


def read_value(text: str, like: Any) -> Any:
    """Read a printed value as the type that the cells have."""
    if isinstance(like, pd.Timestamp):
        return pd.Timestamp(text)
    if isinstance(like, pd.Timedelta):
        return pd.Timedelta(text)
    if text in ("true", "false"):
        return text == "true"
    if text.startswith(("'", '"')):
        return text[1:-1]
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def read_and_evaluate(text: str, name: str, cells: list[Any]) -> list[bool]:
    """Evaluate a printed condition on raw cells (None where missing)."""
    if text == f"{name} is missing":
        return [cell is None for cell in cells]
    if text == f"{name} is not missing":
        return [cell is not None for cell in cells]
    like = next(cell for cell in cells if cell is not None)
    if match := re.fullmatch(rf"(.+) <= {name} <= (.+)", text):
        low, high = (read_value(end, like) for end in match.groups())
        return [cell is not None and low <= cell <= high for cell in cells]
    if text == f"{name} is 0 or less":
        return [cell is not None and cell <= 0 for cell in cells]
    if match := re.fullmatch(rf"{name} (<=|<|>=|>) (.+)", text.replace(" is at most ", " <= ")):
        bound = read_value(match[2], like)
        return [cell is not None and COMPARE[match[1]](cell, bound) for cell in cells]
    if match := re.fullmatch(rf"{name} is (not |one of |none of )?(.+)", text):
        kind = (match[1] or "").strip()
        values = [read_value(v, like) for v in (match[2].split(", ") if kind.endswith("of") else [match[2]])]
        return [cell is not None and (cell in values) == (kind in ("", "one of")) for cell in cells]
    raise AssertionError(f"unreadable: {text}")


@pytest.mark.parametrize("kind", COLUMNS)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_the_printed_condition_read_by_a_stranger_gives_exactly_the_rows_and_counts(kind: str, data: Any) -> None:
    cells, values = data.draw(COLUMNS[kind])
    cells = [None if pd.isna(cell) else cell for cell in cells]
    assume(any(cell is not None for cell in cells))
    numbers = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(cells), max_size=len(cells))))
    items = every_condition(pd.DataFrame({"col": values}), numbers)
    table = as_table(pd.DataFrame({"col": values}))
    for condition, counts in zip(items.conditions, items.counts, strict=True):
        mask = condition.holds(table[condition.column])
        if isinstance(condition.column, str) and condition.op != "rare":
            assert read_and_evaluate(str(condition), "col", cells) == mask.tolist()
        assert [int(mask[numbers == k].sum()) for k in range(len(counts))] == counts.tolist()


def test_rare_values_together_are_a_reason() -> None:
    frame, y = two_piece_table(host=(list("abcdefgh") * 100, [f"host-{i}" for i in range(40)]))
    assert "host is a rare value (none of the 8 common ones)" in texts(every_condition(frame, y))


def test_many_distinct_values_are_bounded_and_the_bound_is_said() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": rng.permutation(100_000).astype(str)})
    items = every_condition(frame, np.arange(100_000) < 500)
    assert len(items.conditions) < 400
    assert "100,000 distinct values" in items.notes[0]


@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "uint64", "Int64", "datetime", "zoned", "timedelta"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_possible_cut_moves_no_row(kind: str, data: Any) -> None:
    _, values = data.draw(COLUMNS[kind])
    column = as_table(pd.DataFrame({"col": values}))["col"]
    assume(not column.missing.all())
    seen = count_values(column, grouped(np.zeros(len(column.missing), dtype=np.int64)))
    for position in range(1, seen.n_distinct):
        below, above = threshold(column, seen, position)
        assert below.holds(column).sum() == seen.normals_below[position]
        assert (above.holds(column) == ~below.holds(column) & ~column.missing).all()
        for stop in range(position + 1, min(position + 4, seen.n_distinct)):
            inside = between(column, seen, position, stop).holds(column).sum()
            assert inside == seen.normals_below[stop] - seen.normals_below[position]


def test_a_group_in_the_middle_gets_an_interval() -> None:
    rng = np.random.default_rng(0)
    frame, y = two_piece_table(x=(rng.uniform(0, 100, 1000), rng.uniform(40, 42, 40)))
    assert any(re.fullmatch(r"(39|40)[.\d]* <= x <= (41|42)[.\d]*", text) for text in texts(every_condition(frame, y)))


def sides(values: Any, position: int) -> list[str]:
    column = as_table(pd.DataFrame({"fee": values}))["fee"]
    seen = count_values(column, grouped(np.zeros(len(column.missing), dtype=np.int64)))
    return [str(one) for one in threshold(column, seen, position)]


SCATTERED = [round(20.37 + 1.13 * i, 2) for i in range(50)]


@pytest.mark.parametrize(
    ("values", "position", "expected"),
    [
        ([17] * 50 + [23, *SCATTERED], 1, ["fee is at most 17", "fee > 17"]),  # and not 20
        ([12.5] * 50 + SCATTERED, 1, ["fee <= 12.5", "fee > 12.5"]),  # and not 15 or 20
        ([81.25] * 50 + SCATTERED, 50, ["fee < 81.25", "fee >= 81.25"]),  # and not 80
        ([12.50680118739] * 50 + SCATTERED, 1, ["fee < 20", "fee >= 20"]),  # too long to be named
        ([10] * 3 + SCATTERED, 1, ["fee < 20", "fee >= 20"]),  # no more than some rows have it
        ([17, 23, 31, 47] * 20, 1, ["fee < 20", "fee >= 20"]),  # all values are alike
        ([-1.5, *[0.0] * 40, *SCATTERED], 2, ["fee is 0 or less", "fee > 0"]),
        (np.array([0.1] * 40 + SCATTERED, dtype=np.float32), 1, ["fee < 10", "fee >= 10"]),  # it is 0.10000000149
    ],
)
def test_a_cut_beside_a_value_that_stands_out_names_it(values: Any, position: int, expected: list[str]) -> None:
    assert sides(values, position) == expected


def test_of_thresholds_with_the_same_members_the_tightest_is_kept() -> None:
    items = every_condition(pd.DataFrame({"x": [*range(10), 14, 15]}), [0] * 10 + [1, 1])
    conditions = map(str, Shortlist(items, 40, min_support=0.05, min_lift=1.0).best(1)[0])
    assert [text for text in conditions if ">" in text] == ["x >= 10", "x >= 15"]  # 1, ..., 9 reach the same two
