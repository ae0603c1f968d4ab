"""The argument `tags=`: names, makers, tags, tables and lists of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tag_tables import grouped, two_piece_table

from pyod_explain import explain
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.groups import Groups
from pyod_explain.input import Table, as_table
from pyod_explain.tags import Condition, ForestRules, GivenTags, Itemsets, Tag, TagSet, columns_used, make_tags

NOT_A = Tag.of(Condition("kind", "!=", "a"))


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


def test_two_given_tables_must_not_share_a_name_unless_they_share_the_cells(small: Any) -> None:
    own = np.eye(3, 2, dtype=bool)
    with pytest.raises(PyodExplainError, match="names of given tags must differ, got 'tag0' in two tables"):
        make_tags([GivenTags(own), GivenTags(~own)], *small)
    assert len(make_tags([GivenTags(own), GivenTags(own)], *small).tags) == 2  # the same twice is no clash


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


@pytest.mark.parametrize("beside", [[], ["itemsets"], [pd.DataFrame({"own": [False] * 40 + [True] * 8})]], ids=len)
@pytest.mark.parametrize("kind", [list, tuple])
def test_the_order_of_the_users_tags_decides_no_tie(kind: Any, beside: list[Any]) -> None:
    i = np.arange(48)
    X = pd.DataFrame({"a": i % 5 + 90 * (i >= 40), "b": i % 7 + 90 * (i >= 40)})
    tags = [Tag.of(Condition(name, ">", 50)) for name in "ab"]
    one, other = (explain(i >= 40, X, tags=kind([*some, *beside]), groups=1) for some in (tags, tags[::-1]))
    assert one.rules == other.rules


@pytest.mark.parametrize("kind", [list, tuple])
def test_the_report_names_the_tags_as_they_were_given(kind: Any) -> None:
    tags = kind([Tag.of(Condition("x", ">", 50))])
    explanation = explain([0] * 40 + [1] * 8, pd.DataFrame({"x": [*range(40), *range(90, 98)]}), tags=tags)
    assert explanation.summary.parameters["tags"] == repr(tags)


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


def test_without_negations_rare_values_are_said_to_be_rare() -> None:
    frame, y = two_piece_table(host=(["www"] * 500 + ["mail"] * 400, [f"host-{i}" for i in range(40)]))
    for negations, said in ((True, "host is none of 'mail', 'www'"), (False, "host is a rare value")):
        made = make_tags("itemsets", as_table(frame), grouped(y), negations=negations)
        assert any(str(tag).startswith(said) for tag in made.tags)


def test_columns_that_the_users_tags_speak_of_are_known(small: Any) -> None:
    table, _ = small
    assert columns_used("auto", table) == columns_used(Itemsets(), table) == set()
    assert columns_used([NOT_A, "itemsets", GivenTags("labels")], table) == {"kind", "labels"}
    assert columns_used(GivenTags({NOT_A}), table) == {"kind"}
    assert columns_used([ForestRules(categorical=["code"])], table) == {"code"}

    class Mine:
        def make(self, _table: Table, _groups: Groups) -> TagSet:
            return TagSet((), 0)

    assert columns_used(["itemsets", Mine()], table) == {"x"}  # it may speak of any
