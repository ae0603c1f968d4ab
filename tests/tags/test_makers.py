"""Every maker: what it returns is relevant, short, bounded, the same every time; bad arguments are said to be bad."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from tag_tables import grouped

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import as_table
from pyod_explain.tags import ForestRules, Itemsets, TagMaker, TagSet

MAKERS = [Itemsets(), Itemsets(max_length=2, min_support=0.2, max_tags=15), ForestRules(n_rules=60, n_estimators=20)]


@pytest.mark.parametrize("maker", MAKERS, ids=repr)
def test_tags_are_distinct_short_and_more_frequent_in_some_group(maker: Any, shop: Any) -> None:
    frame, groups = shop
    made = clone(maker).make(as_table(frame), groups)
    assert isinstance(maker, TagMaker)
    assert 0 < len(made.tags) == len(set(made.tags))
    for tag in made.tags:
        assert len(tag) <= maker.max_length
        assert len({(c.column, c.side) for c in tag.conditions}) == len(tag)
        covered = tag.covers(frame)
        shares = [covered[groups.numbers == k].mean() for k in range(3)]
        assert max(shares[1:]) > shares[0]


@pytest.mark.parametrize("maker", MAKERS, ids=repr)
def test_the_features_paid_for_include_those_of_the_tags(maker: Any, shop: Any) -> None:
    made = maker.make(as_table(shop[0]), shop[1])
    assert made.n_items == len(made.features)
    assert {c.feature for tag in made.tags for c in tag.conditions if c.op not in ("==", "!=")} <= made.features


@pytest.mark.parametrize("maker", MAKERS, ids=repr)
def test_the_same_input_in_another_row_order_gives_the_same_tags(maker: Any, shop: Any) -> None:
    frame, groups = shop
    order = np.random.default_rng(0).permutation(len(frame))
    one = maker.make(as_table(frame), groups)
    again = maker.make(as_table(frame), groups)
    other = maker.make(as_table(frame.iloc[order]), grouped(groups.numbers[order]))
    assert one.tags == again.tags == other.tags
    assert one.n_items == other.n_items


@pytest.mark.parametrize("maker", MAKERS, ids=repr)
def test_the_input_is_not_changed(maker: Any, shop: Any) -> None:
    frame, groups = shop
    before, numbers = frame.copy(deep=True), groups.numbers.copy()
    maker.make(as_table(frame), groups)
    pd.testing.assert_frame_equal(frame, before)
    assert (groups.numbers == numbers).all()


@pytest.mark.parametrize("maker", MAKERS, ids=repr)
@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "arrow"])
def test_other_dataframe_libraries_give_the_same_tags(maker: Any, convert: Any, shop: Any) -> None:
    frame, groups = shop
    frame = frame.drop(columns="miles")
    assert maker.make(as_table(convert(frame)), groups).tags == maker.make(as_table(frame), groups).tags


@pytest.mark.parametrize("maker", MAKERS, ids=repr)
@pytest.mark.parametrize(
    "numbers",
    [[0] * 6, [1] * 6, [0, 0, 0, 0, 0, 1], [-1, -1, 0, 1, 1, 0], [-1] * 6],
    ids=["no outliers", "no normals", "one outlier", "some rows neither", "all rows neither"],
)
def test_odd_groupings_do_not_crash(maker: Any, numbers: Any) -> None:
    table = as_table(pd.DataFrame({"x": [1.0, 2.0, 2.0, 3.0, None, 9.0], "c": list("aabbcc")}))
    made = maker.make(table, grouped(numbers))
    assert isinstance(made, TagSet)
    assert max(numbers) > 0 or made.tags == ()


@pytest.mark.parametrize("maker", MAKERS, ids=repr)
def test_a_constant_table_gives_no_tags(maker: Any) -> None:
    assert maker.make(as_table(pd.DataFrame({"x": [1, 1, 1, 1]})), grouped([0, 0, 1, 1])).tags == ()


@pytest.mark.parametrize("maker", MAKERS[::2], ids=repr)
def test_planted_reasons_are_among_the_tags(maker: Any, shop: Any) -> None:
    frame, groups = shop
    masks = [tag.covers(frame) for tag in maker.make(as_table(frame), groups).tags]
    for group in (1, 2):
        members = groups.numbers == group
        assert min(int((mask != members).sum()) for mask in masks) <= 0.1 * members.sum()


@pytest.mark.parametrize(
    ("maker", "message"),
    [
        (Itemsets(max_length=0), "`max_length` of Itemsets must be a whole number of at least 1, got 0"),
        (Itemsets(min_support=0), r"`min_support` of Itemsets must be a number in \(0, 1\], got 0"),
        (Itemsets(min_support=1.5), r"`min_support` of Itemsets must be a number in \(0, 1\], got 1.5"),
        (Itemsets(min_lift=-1), "`min_lift` of Itemsets must be a number of at least 0, got -1"),
        (Itemsets(max_tags=0), "`max_tags` of Itemsets must be a whole number of at least 1, got 0"),
        (Itemsets(max_items=2.5), "`max_items` of Itemsets must be a whole number of at least 1, got 2.5"),
        (
            Itemsets(algorithm="eclat"),
            "`algorithm` of Itemsets must be one of 'apriori', 'hmine', 'fpgrowth', got 'eclat'",
        ),
        (
            Itemsets(categorical=["zip"]),
            "`categorical` of Itemsets",
        ),
        (Itemsets(categorical="zip"), "`categorical` of Itemsets"),
        (
            ForestRules(categorical=["zip", 0]),
            "`categorical` of ForestRules",
        ),
        (ForestRules(categorical=3), "`categorical` of ForestRules"),
        (ForestRules(n_rules=0), "`n_rules` of ForestRules must be a whole number of at least 1, got 0"),
        (ForestRules(max_length=0), "`max_length` of ForestRules must be a whole number of at least 1, got 0"),
        (ForestRules(min_lift=-1), "`min_lift` of ForestRules must be a number of at least 0, got -1"),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value),
)
def test_parameters_that_cannot_be_are_refused_on_use(maker: Any, message: str, shop: Any) -> None:
    with pytest.raises(PyodExplainError, match=message):
        maker.make(as_table(shop[0]), shop[1])
