"""Makers: what they return is relevant, short, bounded, the same every time; bad arguments are said to be bad."""

from __future__ import annotations

import itertools
import logging
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.groups import Groups
from pyod_explain.input.read import as_table
from pyod_explain.input.table import Table
from pyod_explain.tags import Condition, ForestRules, GivenTags, Itemsets, Tag, TagMaker, TagSet, make_tags
from pyod_explain.tags.itemsets import ALGORITHMS, _frequent
from pyod_explain.tags.prune import Evidence, choose
from pyod_explain.tags.value_counts import gain

MAKERS = [Itemsets(), Itemsets(max_length=2, min_support=0.2, max_tags=15), ForestRules(n_rules=60, n_estimators=20)]


def grouped(numbers: Any) -> Groups:
    numbers = np.asarray(numbers)
    return Groups(numbers, tuple(str(k) for k in range(1, int(numbers.max(initial=0)) + 1)), "given")


@pytest.fixture
def shop() -> tuple[pd.DataFrame, Groups]:
    """Two groups with a reason each: large and paid by voucher; at night and from far away."""
    rng = np.random.default_rng(7)
    n = 1500
    frame = pd.DataFrame(
        {
            "amount": rng.lognormal(3, 1, n).round(2),
            "hour": rng.integers(0, 24, n),
            "pay": rng.choice(["card", "cash", "voucher"], n, p=[0.6, 0.3, 0.1]),
            "miles": np.where(rng.uniform(size=n) < 0.1, np.nan, rng.exponential(20, n)),
            "member": rng.uniform(size=n) < 0.5,
        }
    )
    y = np.zeros(n, dtype=np.int64)
    y[((frame["amount"] > 30) & (frame["pay"] == "voucher")).to_numpy()] = 1
    y[((frame["hour"] < 5) & (frame["miles"] > 35)).to_numpy()] = 2
    return frame, grouped(y)


# --- every maker -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("maker", MAKERS, ids=repr)
def test_tags_are_distinct_short_and_more_frequent_in_some_group(maker: Any, shop: Any) -> None:
    frame, groups = shop
    made = clone(maker).make(as_table(frame), groups)
    assert isinstance(maker, TagMaker)
    assert 0 < len(made.tags) == len(set(made.tags))
    for tag in made.tags:
        assert len(tag) <= maker.max_length
        assert len({(c.column, c.part, c.direction) for c in tag.conditions}) == len(tag)
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
    [[0] * 6, [1] * 6, [0, 0, 0, 0, 0, 1], [-1, -1, 0, 1, 1, 0]],
    ids=["no outliers", "no normals", "one outlier", "some rows neither"],
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


# --- itemsets --------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=14),
    support=st.sampled_from([0.01, 0.15, 0.3, 0.5, 1.0]),
    length=st.integers(1, 4),
)
def test_the_algorithms_find_what_counting_by_hand_finds(rows: Any, support: float, length: int) -> None:
    inside = np.array(rows).T
    by_hand = [
        combination
        for size in range(1, length + 1)
        for combination in itertools.combinations(range(5), size)
        if inside[list(combination)].all(axis=0).sum() >= max(support * len(rows) - 1e-6, 1)
    ]
    for algorithm in ALGORITHMS:
        sets, lengths = _frequent(inside, support, length, algorithm)
        assert [tuple(one[:n].tolist()) for one, n in zip(sets, lengths, strict=True)] == by_hand


def test_saving_memory_does_not_change_what_is_mined(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = np.random.default_rng(0).uniform(size=(12, 50)) < 0.5
    fast = _frequent(inside, 0.1, 3, "apriori")
    monkeypatch.setattr("pyod_explain.tags.itemsets.MINING_CELLS", 0)
    slow = _frequent(inside, 0.1, 3, "apriori")
    assert (fast[0] == slow[0]).all()
    assert (fast[1] == slow[1]).all()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_algorithm_does_not_change_the_tags(algorithm: str, shop: Any) -> None:
    table, groups = as_table(shop[0]), shop[1]
    assert Itemsets(algorithm=algorithm, max_items=15).make(table, groups) == Itemsets(max_items=15).make(table, groups)


def test_a_longer_tag_with_the_same_outliers_stays_only_if_it_is_purer() -> None:
    inside = np.ones((3, 2), dtype=bool)
    normal = np.array([[0b111], [0b011], [0b111]], dtype=np.uint64)
    evidence = Evidence(inside, normal, 8)
    sets = np.array([[0, 0], [1, 1], [2, 2], [0, 1], [0, 2]])
    chosen, _ = choose(sets, np.array([1, 1, 1, 2, 2]), evidence, n_items=3, min_lift=1.0, most=9)
    assert chosen.tolist() == [1]  # the purest single condition; neither pair covers fewer than its two normals
    normal[2] = 0b110
    chosen, _ = choose(
        np.array([[0, 0], [1, 1], [1, 2]]), np.array([1, 1, 2]), evidence, n_items=3, min_lift=1.0, most=9
    )
    assert chosen.tolist() == [1, 2]


def test_the_bound_keeps_the_most_telling_tags_says_so_and_covers_everybody(shop: Any, caplog: Any) -> None:
    table, groups = as_table(shop[0]), shop[1]
    everything = Itemsets(max_tags=10**6).make(table, groups)
    with caplog.at_level(logging.INFO, logger="pyod_explain"):
        few = Itemsets(max_tags=20).make(table, groups)
    assert len(few.tags) <= 40 < len(everything.tags)
    assert set(few.tags) <= set(everything.tags)
    assert any("max_tags=20" in note for note in few.notes)
    assert set(few.notes) <= {record.message for record in caplog.records}
    for group in (1, 2):
        members = groups.numbers == group

        def best(tags: Any, members: Any = members) -> float:
            normal = groups.numbers == 0
            masks = [tag.covers(table) for tag in tags]
            return max(
                float(gain(m[members].sum(), m[normal].sum(), members.sum(), normal.sum())) - 3 * len(tag)
                for m, tag in zip(masks, tags, strict=True)
            )

        assert best(few.tags) >= 0.95 * best(everything.tags)
        reached, reachable = (
            np.any([tag.covers(table)[members] for tag in made.tags], axis=0) for made in (few, everything)
        )
        assert (reached == reachable).all()


def test_every_tag_reaches_the_support_and_the_lift(shop: Any) -> None:
    frame, _ = shop
    groups = grouped((shop[1].numbers == 1).astype(int))
    for tag in Itemsets(min_support=0.3, min_lift=4.0).make(as_table(frame), groups).tags:
        covered = tag.covers(frame)
        share = covered[groups.numbers == 1].mean()
        assert share >= 0.3
        assert share > 4.0 * covered[groups.numbers == 0].mean()


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
        (Itemsets(categorical=["zip"]), "lacks the column 'zip'; it has 'amount'"),
        (ForestRules(n_rules=0), "`n_rules` of ForestRules must be a whole number of at least 1, got 0"),
        (ForestRules(max_length=0), "`max_length` of ForestRules must be a whole number of at least 1, got 0"),
        (ForestRules(min_lift=-1), "`min_lift` of ForestRules must be a number of at least 0, got -1"),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value),
)
def test_parameters_that_cannot_be_are_refused_on_use(maker: Any, message: str, shop: Any) -> None:
    with pytest.raises(PyodExplainError, match=message):
        maker.make(as_table(shop[0]), shop[1])


# --- forest rules ----------------------------------------------------------------------------------------------------


def test_forest_rules_merge_the_conditions_on_one_column() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": np.r_[rng.uniform(0, 100, 900), rng.uniform(40, 50, 60)]})
    made = ForestRules(n_estimators=10).make(as_table(frame), grouped([0] * 900 + [1] * 60))
    assert all(len(tag) == 1 for tag in made.tags)
    assert any(condition.op == "between" for tag in made.tags for condition in tag.conditions)


def test_forest_rules_join_values_that_are_ruled_out() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"c": np.r_[rng.choice(list("abc"), 900), rng.choice(list("defgh"), 100)]})
    made = ForestRules(n_estimators=30).make(as_table(frame), grouped([0] * 900 + [1] * 100))
    assert "c is none of 'a', 'b', 'c'" in [str(tag) for tag in made.tags]


def test_forest_rules_are_bounded_by_n_rules_over_all_groups(shop: Any) -> None:
    made = ForestRules(n_rules=30).make(as_table(shop[0]), shop[1])
    assert len(made.tags) <= 30
    assert any("n_rules=30" in note for note in made.notes)


def test_forest_rules_differ_with_the_seed(shop: Any) -> None:
    table, groups = as_table(shop[0]), shop[1]
    one, other = (ForestRules(n_estimators=5, random_state=seed).make(table, groups).tags for seed in (0, 1))
    assert one != other


# --- given tags ------------------------------------------------------------------------------------------------------


@pytest.fixture
def small() -> tuple[Table, Groups]:
    return as_table(pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=list("abc"))), grouped([0, 1, 1])


OWN = np.array([[True, False], [False, False], [True, True]])


@pytest.mark.parametrize(
    "given_tags",
    [
        pd.DataFrame(OWN, columns=["tag0", "tag1"], index=list("abc")),
        pd.DataFrame(OWN, columns=["tag0", "tag1"], index=list("abc")).iloc[[2, 0, 1]],
        pd.DataFrame(OWN, columns=["tag0", "tag1"]).astype(int),
        pd.DataFrame(OWN, columns=["tag0", "tag1"]).astype("boolean"),
        pl.DataFrame({"tag0": OWN[:, 0], "tag1": OWN[:, 1]}),
        OWN,
        OWN.astype(float),
        sparse.csr_matrix(OWN),
        sparse.coo_array(OWN.astype(int)),
    ],
    ids=["frame", "frame in another order", "0 and 1", "nullable", "polars", "array", "floats", "sparse", "coo"],
)
def test_a_table_of_true_and_false_becomes_tags_about_columns_that_come_along(given_tags: Any, small: Any) -> None:
    table, groups = small
    made = make_tags(given_tags, table, groups)
    assert [str(tag) for tag in made.tags] == ["tag0 is true", "tag1 is true"]
    assert made.n_items == 2
    extended = made.extend(table)
    assert [tag.covers(extended).tolist() for tag in made.tags] == OWN.T.tolist()
    assert list(table.columns) == ["x"]


def test_missing_cells_of_given_tags_are_not_true(small: Any) -> None:
    made = make_tags(pd.DataFrame({"t": pd.array([True, None, False], dtype="boolean")}), *small)
    assert made.tags[0].covers(made.extend(small[0])).tolist() == [True, False, False]


def test_a_column_of_labels_gives_a_tag_per_label() -> None:
    frame = pd.DataFrame({"labels": [["a", "b"], {"b"}, None, ()]})
    table = as_table(frame)
    made = GivenTags("labels").make(table, grouped([0, 1, 0, 0]))
    assert [str(tag) for tag in made.tags] == ["labels has 'a'", "labels has 'b'"]
    assert [tag.covers(table).tolist() for tag in made.tags] == [
        [True, False, False, False],
        [True, True, False, False],
    ]


def test_labels_may_stand_in_frozen_sets() -> None:
    table = as_table(pd.DataFrame({"labels": [frozenset("ab"), frozenset("b")]}))
    assert len(GivenTags("labels").make(table).tags) == 2


def test_given_tags_are_taken_as_they_are(small: Any) -> None:
    tags = [Tag.of(Condition("x", ">=", 2)), Tag.of(Condition("x", "<", 2)), Tag.of(Condition("x", ">=", 2))]
    made = make_tags(tags, *small)
    assert made.tags == (tags[1], tags[0])  # each once, in an order that is not that of the list
    assert make_tags(tags[::-1], *small).tags == made.tags
    assert made.n_items == 1  # the second is the opposite of the first


def test_names_of_a_matrix_can_be_given(small: Any) -> None:
    assert [str(tag) for tag in GivenTags(OWN, names=["p", "q"]).make(*small).tags] == ["p is true", "q is true"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (OWN[:2], "must have the 3 rows of `X`, got 2 rows"),
        (sparse.csr_matrix(OWN[:2]), "must have the 3 rows of `X`, got 2 rows"),
        (pd.DataFrame(OWN, index=list("abz")), "`tags` must have the index of `X`"),
        (pd.DataFrame({"t": [0, 1, 2]}), "must be True or False .* got column 't'"),
        (pd.DataFrame({"t": ["yes", "no", "no"]}), "must be True or False .* got column 't'"),
        (sparse.csr_matrix([[0.5], [0], [1]]), "must be True or False .* value 0.5"),
        (pd.DataFrame({"x": [True, True, False]}), "must differ from the columns of `X`, got 'x'"),
        ([Tag.of(Condition("weight", ">", 1))], "lacks the column 'weight'; it has 'x'"),
        (GivenTags("labels"), "lacks the column 'labels'; it has 'x'"),
        (GivenTags("x"), "must name a column whose cells are collections of labels, got 'x'"),
        (GivenTags(OWN, names=["p"]), "must be 2 different names"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_given_tags_that_do_not_fit_are_refused(bad: Any, message: str, small: Any) -> None:
    with pytest.raises(PyodExplainError, match=message):
        make_tags(bad, *small)


def test_cells_of_text_are_not_taken_for_collections_of_letters() -> None:
    table = as_table(pd.DataFrame({"labels": ["ab", ["b"]]}))
    with pytest.raises(PyodExplainError, match="must be lists or sets of labels, got 'ab'"):
        GivenTags("labels").make(table, grouped([0, 1]))


# --- the argument tags= ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unknown", ["itemset", "", 3, None, [], [3], [["itemsets"]], {"itemsets"}, Itemsets], ids=repr)
def test_an_unknown_maker_is_refused_with_the_list_of_choices(unknown: Any, small: Any) -> None:
    with pytest.raises(PyodExplainError, match="`tags` must be 'auto', 'itemsets', 'forest', a maker"):
        make_tags(unknown, *small)


def test_makers_combine_and_pay_once_for_what_both_looked_at(shop: Any) -> None:
    table, groups = as_table(shop[0]), shop[1]
    own = Tag.of(Condition("member", "==", True))
    parts = [make_tags(one, table, groups) for one in ("itemsets", ForestRules(n_estimators=10), [own])]
    together = make_tags(["itemsets", ForestRules(n_estimators=10), own], table, groups)
    assert set(together.tags) == {tag for part in parts for tag in part.tags}
    assert together.n_items == len(frozenset().union(*(part.features for part in parts)))
    assert together.n_items < sum(part.n_items for part in parts)


def test_two_given_tables_must_not_share_a_name(small: Any) -> None:
    with pytest.raises(PyodExplainError, match="names of given tags must differ, got 'tag0' in two tables"):
        make_tags([GivenTags(OWN), GivenTags(~OWN)], *small)


def test_any_object_with_make_is_a_maker(small: Any) -> None:
    class Mine:
        def make(self, _table: Table, _groups: Groups) -> TagSet:
            return TagSet((Tag.of(Condition("x", ">", 1)),), n_items=5)

    assert make_tags(Mine(), *small).n_items == 5
    assert make_tags([Mine(), "itemsets"], *small).n_items >= 5


def test_a_maker_that_returns_something_else_is_told_what_to_return(small: Any) -> None:
    class Wrong:
        def make(self, _table: Table, _groups: Groups) -> list[Tag]:
            return []

    with pytest.raises(PyodExplainError, match="`make` of Wrong must return a TagSet, got list"):
        make_tags(Wrong(), *small)


def test_the_length_is_passed_on(shop: Any) -> None:
    table, groups = as_table(shop[0]), shop[1]
    for name in ("auto", "itemsets", "forest"):
        assert max(map(len, make_tags(name, table, groups, max_length=1).tags)) == 1
    with pytest.raises(PyodExplainError, match=r"`max_length` of explain\(\) must be a whole number"):
        make_tags("auto", table, groups, max_length=0)


def test_a_support_that_leaves_no_tags_is_said() -> None:
    rng = np.random.default_rng(0)
    table = as_table(pd.DataFrame({"a": rng.normal(size=200)}))
    made = Itemsets(min_support=0.9, min_lift=5.0).make(table, grouped([1, *[0] * 9] * 20))
    assert made.tags == ()
    (note,) = made.notes
    assert note.startswith("Group 1: no condition holds for at least 90% of the group and more than 5 times as often")
    assert note.endswith("(min_support, min_lift).")
