"""Tag sets: columns of their own come along, and sets are joined without saying anything twice."""

from __future__ import annotations

import pandas as pd
import pytest

from pyod_explain.input import Column, Table, as_table
from pyod_explain.tags import Condition, Tag, TagSet
from pyod_explain.tags.tag import clashing_column, join_tags


@pytest.fixture
def table() -> Table:
    return as_table(pd.DataFrame({"own": [1, 2], "other": [3, 4]}))


def having(column: Column, *tags: Tag, note: str = "") -> TagSet:
    features = frozenset(condition.feature for tag in tags for condition in tag.conditions)
    return TagSet(tags, len(features), (note,), {column.name: column}, features)


def test_each_tag_note_and_column_is_there_once(table: Table) -> None:
    high, low = Tag.of(Condition("own", ">", 1)), Tag.of(Condition("other", "<", 4))
    joined = join_tags([having(table["own"], high, note="a"), having(table["own"], low, high, note="a")], n_items=7)
    assert joined == TagSet((high, low), 7, ("a",))
    assert joined.columns == {"own": table["own"]}
    assert joined.features == {condition.feature for tag in (high, low) for condition in tag.conditions}


def test_columns_of_one_name_clash_unless_they_are_the_same(table: Table) -> None:
    column = table["own"]
    copy = as_table(pd.DataFrame({"own": [1, 2]}))["own"]
    changed = as_table(pd.DataFrame({"own": [1, 3]}))["own"]
    assert clashing_column([having(column), having(column), having(table["other"])]) is None
    assert clashing_column([having(column), having(copy)]) is None
    assert clashing_column([having(column), having(changed)]) == "own"


def test_a_column_that_comes_along_stands_for_the_one_of_its_name(table: Table) -> None:
    changed = as_table(pd.DataFrame({"own": [2, 1]}))["own"]
    tag = Tag.of(Condition("own", ">", 1))
    assert tag.covers(table).tolist() == [False, True]
    assert tag.covers(having(changed, tag).extend(table)).tolist() == [True, False]  # not as answered before
