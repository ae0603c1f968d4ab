"""Our own tag makers keep the contract, and each of its checks catches what breaks it."""

import numpy as np
import pandas as pd
import pytest
from contract import failed
from sklearn.base import BaseEstimator

from pyod_explain import Condition, ForestRules, GivenTags, Itemsets, PyodExplainError, Tag
from pyod_explain.checks import CheckError, check_tag_maker, tag_maker_checks
from pyod_explain.checks.common import example
from pyod_explain.tags import TagSet, make_tags

X, Y = example().X, example().y


class Auto(BaseEstimator):
    """What `tags="auto"` stands for, as a maker."""

    def make(self, table, groups):
        return make_tags(["auto", Tag.of(Condition("amount", ">", 400))], table, groups, max_length=2)


OWN = pd.DataFrame({"large": X["amount"] > 400, "odd": X["visits"] % 2 == 1})
TAGS = [Tag.of(Condition("amount", ">", 400)), Tag.of(Condition("channel", "==", "phone"), Condition("visits", "<", 5))]
MAKERS = {
    "auto and a tag": (Auto(), X),
    "itemsets": (Itemsets(), X),
    "few itemsets": (Itemsets(max_length=2, min_lift=2.0, max_tags=20, max_items=8), X),
    "forest": (ForestRules(n_estimators=10), X),
    "forest by chance": (ForestRules(n_estimators=5, random_state=None), X),
    "given tags": (GivenTags(TAGS), X),
    "a given table": (GivenTags(OWN), X),
}


@pytest.mark.parametrize("check", dict(tag_maker_checks(Itemsets())))
@pytest.mark.parametrize("maker", MAKERS)
def test_our_tag_makers_keep_the_contract(maker, check):
    one, rows = MAKERS[maker]
    dict(tag_maker_checks(one, rows, Y))[check]()


# --- broken makers: each is caught by one check, and by no other ------------------------------------------------------


class Highest(BaseEstimator):
    """A maker that keeps the contract: a number is above all normals, or nearly all of them."""

    def __init__(self, share=1.0):
        self.share = share

    def make(self, table, groups):
        tags = [tag for name, column in sorted(table.columns.items()) for tag in self.tags(column, groups)]
        return TagSet(tuple(tags), 9)

    def tags(self, column, groups):
        normal = column.values[(groups.numbers == 0) & ~column.missing]
        if column.kind == "number" and len(normal):
            yield Tag.of(Condition(column.name, ">", float(np.quantile(normal, self.share))))


class NoTags(Highest):
    def tags(self, column, groups):
        return []


class OtherColumn(Highest):
    def make(self, table, groups):
        other = GivenTags(pd.DataFrame({"member": np.ones(table.n_rows)}))
        column = other.make(table.drop(["member"])).columns["member"]
        return TagSet((Tag.of(Condition("member", "==", True)),), 9, columns={"member": column})


class Cheap(Highest):
    def make(self, table, groups):
        return TagSet(super().make(table, groups).tags, 1)


class AboveAverage(Condition):
    __slots__ = ()

    def holds(self, column):
        return column.values > np.nanmean(column.values)


class Average(Highest):
    def tags(self, column, groups):
        if column.kind == "number":
            yield Tag.of(AboveAverage(column.name, ">", 0.0))


class Mute(Condition):
    __slots__ = ()

    def __str__(self):
        return "it is strange"


class Secretive(Highest):
    def tags(self, column, groups):
        if column.kind == "number":
            yield Tag.of(Mute(column.name, ">", 5.0))


class Meddler(Highest):
    def make(self, table, groups):
        made = super().make(table, groups)
        table["visits"].values[0] += 1
        return made


class Moody(Highest):
    """Turns its tags round whenever the number of rows changed."""

    def make(self, table, groups):
        made = super().make(table, groups)
        changed = table.n_rows != getattr(self, "seen", table.n_rows)
        self.seen = table.n_rows
        return TagSet(made.tags[::-1] if changed else made.tags, 9)


class FirstRow(Highest):
    def tags(self, column, groups):
        if column.kind == "number":
            yield Tag.of(Condition(column.name, ">=", float(column.values[~column.missing][0])))


class FirstColumn(Highest):
    def make(self, table, groups):
        tags = [tag for column in table.columns.values() for tag in self.tags(column, groups)]
        return TagSet(tuple(tags[:1]), 9)


class NeedsNormals(Highest):
    def make(self, table, groups):
        table["visits"].values[groups.numbers == 0].max()
        return super().make(table, groups)


class Counter(Highest):
    def __init__(self, share=1.0, calls=0):
        super().__init__(share)
        self.calls = calls

    def make(self, table, groups):
        self.calls += 1
        return super().make(table, groups)


class Nameless(Highest):
    def __repr__(self):
        return "a maker"


class Unpicklable(Highest):
    def __init__(self, share=1.0):
        self.share = share
        self.help = lambda: "a function without a name"


class Countless(Highest):
    def make(self, table, groups):
        return TagSet(super().make(table, groups).tags, 10**400)


BROKEN_MAKERS = {
    "makes_tags": NoTags(), "brings_its_columns": OtherColumn(), "counts_features": Cheap(),
    "tags_hold_anywhere": Average(), "tags_can_be_told_apart": Secretive(), "leaves_its_input_alone": Meddler(),
    "answers_the_same_again": Moody(), "row_order_is_irrelevant": FirstRow(),
    "column_order_is_irrelevant": FirstColumn(), "odd_rows_are_no_trouble": NeedsNormals(),
    "keeps_its_parameters": Counter(), "can_be_copied": Unpicklable(), "repr_rebuilds_it": Nameless(),
    "explain_takes_it": Countless(),
}  # fmt: skip


def test_a_good_maker_passes():
    check_tag_maker(Highest(0.95))
    check_tag_maker(Highest(), X[["amount"]], Y)


@pytest.mark.parametrize("check", dict(tag_maker_checks(Itemsets())))
def test_a_broken_maker_is_caught_by_the_check_for_it_alone(check):
    assert failed(tag_maker_checks(BROKEN_MAKERS[check])) == [check]


class Crash(Highest):
    def make(self, table, groups):
        raise KeyError("amount")


class Lists(Highest):
    def make(self, table, groups):
        return [*super().make(table, groups).tags]


class Late(Highest):
    """Its column tells the place of a row."""

    def make(self, table, groups):
        return GivenTags(pd.DataFrame({"late": np.arange(table.n_rows) > 50})).make(table)


class Above(Highest):
    """Its column depends on other rows."""

    def make(self, table, groups):
        visits = table["visits"].floats()
        return GivenTags(pd.DataFrame({"above": visits > visits.mean()})).make(table)


class Usual(Highest):
    """Its column compares with the median, which is the same in the part of the rows that is tried first."""

    def make(self, table, groups):
        usual = table["visits"].floats() > (5 if table.n_rows > 2 else 0)
        return GivenTags(pd.DataFrame({"usual": usual})).make(table)


class Renamer(Highest):
    def make(self, table, groups):
        table.index.name = "seen"
        return super().make(table, groups)


class Understated(Highest):
    def __repr__(self):
        return "Understated()"


class Stubborn(Highest):
    """Keeps to its first answer."""

    def make(self, table, groups):
        self.first = getattr(self, "first", None) or super().make(table, groups)
        return self.first


@pytest.mark.parametrize(
    ("maker", "check", "key"),
    [
        (Crash(), "makes_tags", "KeyError"), (Lists(), "makes_tags", "TagSet"),
        (Late(), "row_order_is_irrelevant", "late"), (Above(), "tags_hold_anywhere", "above"),
        (Usual(), "tags_hold_anywhere", "usual"), (Renamer(), "leaves_its_input_alone", "changed"),
        (Understated(0.5), "repr_rebuilds_it", "code"), (Stubborn(0.5), "answers_the_same_again", "again"),
    ],
)  # fmt: skip
def test_the_error_names_what_is_wrong(maker, check, key):
    with pytest.raises(CheckError, match=key):
        dict(tag_maker_checks(maker))[check]()


@pytest.mark.parametrize(
    ("rows", "y", "argument"),
    [
        (X, Y[1:], "y"), (X, None, "X"), (X.to_numpy(), Y, "X"), (X, 0 * Y, "y"), (X, 0 * Y + 1, "y"),
        (X, 0 * Y - 1, "y"),
    ],
)  # fmt: skip
def test_an_example_must_have_rows_normals_and_outliers(rows, y, argument):
    with pytest.raises(PyodExplainError, match=f"`{argument}`"):
        check_tag_maker(Highest(), rows, y)
