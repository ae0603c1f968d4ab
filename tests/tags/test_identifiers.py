"""Columns that name the rows are found; columns that describe them are not taken for such."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from pyod_explain.datasets import make_planted
from pyod_explain.exceptions import ParameterError
from pyod_explain.input import as_table
from pyod_explain.tags import choose_identifiers, find_identifiers

RNG = np.random.default_rng(0)
N = 400
NUMBERED = as_table(pd.DataFrame({"v": [1.5] * 40, "row": range(40)}))


def found(name="x", cells=None, **columns):
    table = {name: cells} if cells is not None else columns
    return dict(find_identifiers(as_table(pd.DataFrame(table))))


@pytest.mark.parametrize(
    ("name", "cells", "why"),
    [
        ("x", RNG.permutation(N), "it counts up"),
        ("x", np.delete(np.arange(40), [5, 17]), "it counts up"),
        ("x", [int(i) + 10**30 for i in RNG.permutation(40)], "it counts up"),
        ("x", np.array([-(2**63), *range(-19, 20), 2**63 - 1], dtype=np.int64), None),
        ("x", [Decimal(int(i)) for i in RNG.permutation(40)], "it counts up"),
        ("x", RNG.choice(10**6, N, replace=False), "all distinct, evenly spread"),
        ("x", RNG.choice(80, 40, replace=False), "all distinct, evenly spread"),
        ("x", [f"row {i}" for i in range(40)], "all distinct"),
        ("comment", [f"row {min(i, 37)}" for i in range(40)], "95% distinct"),
        ("user_id", [7 * (i % 25) ** 3 for i in range(40)], "62% distinct"),
        ("order KEY", [float(7 * i**3) for i in range(40)], "all distinct"),
    ],
)
def test_what_names_the_rows_is_found_with_the_reason(name, cells, why):
    assert found(name, cells) == ({} if why is None else {name: why})


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("name", [f"row {i}" for i in range(29)]),
        ("name", [f"name {i % 100}" for i in range(N)]),  # a free category
        ("store_id", [i % 12 for i in range(N)]),  # a useful one
        ("idle", [7 * i**3 for i in range(40)]),
        ("x", RNG.normal(size=N)),
        ("x", (RNG.lognormal(8, 1, N) * 100).round()),  # an amount in cents
        ("x", RNG.triangular(0, 5e5, 1e6, N).round()),
        ("x", RNG.choice(10**6, 100, replace=False)),  # too few to tell from an amount
        ("x", [*range(50), 900, 950, 990]),  # a tail: what names rows has none
        ("x", [*range(39), 5]),  # a number comes twice
        ("amount", RNG.permutation(N)),
        ("unix_time", 1_700_000_000 + 60 * np.arange(N)),
        ("start", [dt.time(i // 60, i % 60) for i in range(60)]),
        ("x", pd.date_range("2024-01-01", periods=60)),
    ],
)
def test_what_describes_the_rows_is_not_taken_for_a_name(name, cells):
    assert found(name, cells) == {}


def test_no_column_of_scikit_learns_data_nor_a_planted_one_is_taken_for_one():
    names = ["iris", "wine", "breast_cancer", "diabetes", "digits", "linnerud"]
    tables = [getattr(datasets, f"load_{name}")(as_frame=True).data for name in names]
    for X in (*tables, *(make_planted(600, n_groups=2, random_state=seed).X for seed in range(5))):
        assert found(**X) == {}


def test_the_note_names_columns_and_reasons_and_the_way_back():
    left_out, [note] = choose_identifiers("auto", NUMBERED)
    assert left_out == ("row",)
    assert "'row' (it counts up)" in note
    assert "id_columns=[]" in note
    table = as_table(pd.DataFrame({"v": [1.5] * 40} | {f"row {i}": range(40) for i in range(9)}))
    left_out, [note] = choose_identifiers("auto", table, spared=["row 0"])
    assert left_out == tuple(f"row {i}" for i in range(1, 9))
    assert "and 2 more" in note


def test_where_nothing_else_is_left_they_are_used():
    table = as_table(pd.DataFrame({"row": range(40)}))
    left_out, [note] = choose_identifiers("auto", table)
    assert left_out == ()
    assert "identifier" in note


def test_a_list_says_which_they_are():
    assert choose_identifiers([], NUMBERED) == ((), ())
    assert choose_identifiers(("v",), NUMBERED) == (("v",), ())
    assert choose_identifiers(["v"], NUMBERED, spared={"v"}) == ((), ())


@pytest.mark.parametrize("asked", ["row", None, ["nobody"], [0], ["v", "row"]])
def test_other_answers_are_refused(asked):
    with pytest.raises(ParameterError, match=r"^`id_columns`"):
        choose_identifiers(asked, NUMBERED)
