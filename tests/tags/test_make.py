"""The argument `tags=`: names, makers, tags, tables, columns of labels and lists of them."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from tag_tables import grouped

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import as_table
from pyod_explain.tags import Condition, ForestRules, GivenTags, Itemsets, Tag, make_tags

NOT_A = Tag.of(Condition("kind", "!=", "a"))


@pytest.mark.parametrize("unknown", ["itemset", "", 3, None, [], [3], [["itemsets"]], {"itemsets"}, Itemsets], ids=repr)
def test_an_unknown_maker_is_refused_with_the_list_of_choices(unknown: Any, small: Any) -> None:
    with pytest.raises(PyodExplainError, match="`tags` must be"):
        make_tags(unknown, *small)


def test_makers_combine_and_pay_once_for_what_both_looked_at(shop: Any) -> None:
    table, groups = as_table(shop[0]), shop[1]
    own = Tag.of(Condition("member", "==", True))
    parts = [make_tags(one, table, groups) for one in ("itemsets", ForestRules(n_estimators=10), [own])]
    together = make_tags(["itemsets", ForestRules(n_estimators=10), own], table, groups)
    assert set(together.tags) == {tag for part in parts for tag in part.tags}
    assert together.n_items == len(frozenset().union(*(part.features for part in parts)))
    assert together.n_items < sum(part.n_items for part in parts)


def test_two_given_tables_must_not_share_a_name_unless_they_share_the_cells(small: Any) -> None:
    own = np.eye(3, 2, dtype=bool)
    with pytest.raises(PyodExplainError, match="'tag0'"):
        make_tags([GivenTags(own), GivenTags(~own)], *small)
    assert len(make_tags([GivenTags(own), GivenTags(own)], *small).tags) == 2  # the same twice is no clash


@pytest.mark.parametrize(
    "tags", ["itemsets", "forest", Itemsets(), [ForestRules(n_estimators=5), "itemsets"], GivenTags([NOT_A])]
)
def test_without_negations_no_tag_says_what_a_value_is_not_but_the_users_own(tags: Any) -> None:
    rng = np.random.default_rng(0)
    n = 600
    frame = pd.DataFrame({"kind": rng.choice(list("abcd"), n), "sex": rng.choice(["f", "m"], n), "code": ["x"] * n})
    frame.loc[rng.random(n) < 0.9, "code"] = None
    outlier = (frame["kind"] != "a") & frame["code"].notna() & (frame["sex"] == "f")
    table, groups = as_table(frame), grouped(outlier.to_numpy().astype(int))
    on, off = (make_tags(tags, table, groups, negations=negations) for negations in (True, False))
    assert {condition.op for tag in on.tags for condition in tag.conditions if condition.negates}
    if isinstance(tags, GivenTags):
        assert off.tags == on.tags
        return
    assert not [condition for tag in off.tags for condition in tag.conditions if condition.negates]
    assert any("sex is 'f'" in str(tag) for tag in off.tags)  # of two values, "is not the one" is "is the other"


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


def test_given_tags_are_taken_as_they_are(small: Any) -> None:
    tags = [Tag.of(Condition("x", ">=", 2)), Tag.of(Condition("x", "<", 2)), Tag.of(Condition("x", ">=", 2))]
    made = make_tags(tags, *small)
    assert made.tags == (tags[1], tags[0])  # each once, in an order that is not that of the list
    assert make_tags(tags[::-1], *small).tags == made.tags
    assert made.n_items == 1  # the second is the opposite of the first


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (OWN[:2], "rows of `X`"),
        (sparse.csr_matrix(OWN[:2]), "rows of `X`"),
        (pd.DataFrame(OWN, index=list("abz")), "`tags`"),
        (pd.DataFrame({"t": [0, 1, 2]}), "column 't'"),
        (pd.DataFrame({"t": ["yes", "no", "no"]}), "column 't'"),
        (sparse.csr_matrix([[0.5], [0], [1]]), "True or False"),
        (pd.DataFrame({"x": [True, True, False]}), "columns of `X`, got 'x'"),
        ([Tag.of(Condition("weight", ">", 1))], "'weight'"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_given_tags_that_do_not_fit_are_refused(bad: Any, message: str, small: Any) -> None:
    with pytest.raises(PyodExplainError, match=message):
        make_tags(bad, *small)
