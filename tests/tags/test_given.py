"""The user's own tags are taken as they are, or refused with the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from tag_tables import grouped

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import as_table
from pyod_explain.tags import Condition, GivenTags, Tag, make_tags

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


def test_labels_that_are_numbers_come_in_their_order() -> None:
    table = as_table(pd.DataFrame({"codes": [[10, "a"], [2, 1]]}))
    assert [str(tag) for tag in GivenTags("codes").make(table).tags] == [
        f"codes has {one}" for one in (1, 2, 10, "'a'")
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


HAS = [Tag.of(Condition("labels", "contains", "a"))]


def test_a_tag_about_labels_needs_a_column_of_labels(small: Any) -> None:
    text = as_table(pd.DataFrame({"labels": ["a, b", "b", "c"]}))
    with pytest.raises(
        PyodExplainError, match=r"condition labels has 'a' of `tags` must be .* got 'labels'.*'category'"
    ):
        make_tags(HAS, text, small[1])
    gone = as_table(pd.DataFrame({"labels": [None, None, None]}))
    assert make_tags(HAS, gone, small[1]).tags == tuple(HAS)


def test_new_rows_whose_labels_are_text_are_not_covered() -> None:
    assert HAS[0].covers(pd.DataFrame({"labels": ["a", "abc"]})).tolist() == [False, False]
