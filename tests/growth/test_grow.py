"""Rules grown against the current selection: what mined itemsets lack is found, and nothing is made worse."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from pyod_explain import BCCM, MDL, WCCM, PyodExplainError, explain
from pyod_explain.datasets import make_planted
from pyod_explain.description_length import mdl_of_group
from pyod_explain.groups import all_together, split_outliers
from pyod_explain.growth import Grower
from pyod_explain.growth.grow import MAX_GROWTH_OUTLIERS, MIN_GROWTH_OUTLIERS
from pyod_explain.input import as_table, read_labels
from pyod_explain.search import search
from pyod_explain.settings import Settings
from pyod_explain.tags import Itemsets, growing_maker

search_module = import_module("pyod_explain.search")


def kinds(seed, n=20_000, n_outliers=2_000):
    """Outliers of three kinds, 95, 4 and 1 percent of them; the second is a category that is nobody else's."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "amount": rng.gamma(2, 20, n).round(2),
            "hours": rng.normal(40, 5, n).round(1),
            "channel": rng.choice(["web", "shop", "phone", "mail"], n, p=[0.6, 0.3, 0.08, 0.02]),
            "age": rng.integers(18, 80, n),
            "colour": rng.choice(list("rgbykw"), n),
        }
    )
    first, second = int(0.95 * n_outliers), int(0.99 * n_outliers)
    X.loc[: first - 1, "amount"] = rng.uniform(300, 900, first).round(2)
    X.loc[first : second - 1, "channel"] = "telex"
    X.loc[second : n_outliers - 1, "hours"] = rng.uniform(5, 12, n_outliers - second).round(1)
    return X, np.repeat([1, 0], [n_outliers, n - n_outliers])


def rules(e):
    return [[str(rule.tag) for rule in group.rules] for group in e.groups]


@pytest.mark.parametrize("seed", [0, 1])
def test_kinds_of_a_hundredth_of_the_outliers_are_named_by_default(seed):
    e = explain(*kinds(seed)[::-1])
    assert [group.size for group in e.groups] == [1900, 80, 20]
    assert [[rule.tag.columns for rule in group.rules] for group in e.groups] == [
        [["amount"]],
        [["channel"]],
        [["hours"]],
    ]
    assert all(rule.precision > 0.99 for group in e.groups for rule in group.rules)


def test_the_order_of_rows_and_columns_does_not_matter():
    X, y = kinds(2, 3_000, 400)
    X["noise"] = np.random.default_rng(0).normal(size=len(X))
    first = explain(y, X)
    order = np.random.default_rng(1).permutation(len(X))
    again = explain(y[order], X.iloc[order][["noise", *reversed(X.columns[:-1])]])
    assert rules(first) == rules(again)
    assert first.metrics.equals(again.metrics)
    assert first.notes == again.notes


@pytest.mark.parametrize("max_length", [1, 2, 4])
def test_rules_are_no_longer_than_asked_for_and_as_long_as_needed(max_length):
    """The cause takes four conditions; none of them alone tells anything."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.random((6_000, 8)), columns=list("abcdefgh"))
    y = ((X[["a", "c", "e", "g"]] > 0.6).all(axis=1)).to_numpy().astype(int)
    e = explain(y, X, groups=1, max_length=max_length)
    longest = max(len(rule.tag) for group in e.groups for rule in group.rules)
    assert longest <= max_length
    if max_length == 4:
        assert [rule.tag.columns for rule in e.groups[0].rules] == [["a", "c", "e", "g"]]
        assert e.groups[0].n_normals == 0


# --- nothing is made worse --------------------------------------------------------------------------------------------


def ball(seed):
    """Outliers all around: no rule is right, and each that is added changes what the others should be."""
    X = np.random.default_rng(seed).normal(size=(1_200, 5))
    far = (X**2).sum(axis=1)
    return pd.DataFrame(X, columns=list("abcde")), (far > np.quantile(far, 0.95)).astype(int)


def planted(seed):
    made = make_planted(1_000, 3, random_state=seed)
    return made.X, (made.y > 0).astype(int)


def objective(explainer, coverage, tags):
    if isinstance(explainer, MDL):
        return sum(mdl_of_group(coverage, k, one) for k, one in enumerate(tags))
    return explainer.marginal_objective(coverage, tags, 0).current


@pytest.mark.parametrize("explainer", [MDL(), WCCM(), BCCM(max_tags=3, max_uncovered=0.5)], ids=["MDL", "WCCM", "BCCM"])
@pytest.mark.parametrize("n_groups", [1, 2])
@pytest.mark.parametrize("data", [ball, planted])
def test_growing_never_raises_what_is_minimised(explainer, n_groups, data, monkeypatch):
    """From one choice to the next, all at the price of the last, where most conditions were looked at."""
    chosen = []
    attempt = search_module._attempt

    def watched(*args):
        chosen.append(attempt(*args))
        return chosen[-1]

    monkeypatch.setattr(search_module, "_attempt", watched)
    X, y = data(1)
    settings = Settings(groups=n_groups, method=explainer, detail=0, relations=False)
    found = search(as_table(X).by_name(), read_labels(y, len(y)), settings)
    values = [objective(explainer, found.coverage, one.tags) for one in chosen]
    assert values == sorted(values, reverse=True)
    assert found.selection.objective <= values[0] + 1e-6


# --- what it gives ----------------------------------------------------------------------------------------------------


def grower_of(X, y, n_groups=1, explainer=None):
    table = as_table(X).by_name()
    groups = split_outliers(n_groups, read_labels(y, len(y)), table)
    explainer = explainer or MDL()
    maker = growing_maker("auto")
    grower = Grower(table, groups, maker=maker, explainer=explainer, random_state=0)
    return table, groups, grower, maker.make(table, groups)


def test_tags_are_added_at_the_end_and_every_condition_that_was_looked_at_counts():
    X, y = ball(2)
    _, _, grower, tags = grower_of(X, y)
    more = grower.grow(tags, [[]])
    assert more.tags[: len(tags.tags)] == tags.tags
    assert len(more.tags) > len(tags.tags)
    assert len(set(more.tags)) == len(more.tags)
    assert more.n_items > tags.n_items
    assert more.n_items >= len({c.feature for tag in more.tags for c in tag.conditions})


def test_every_group_keeps_outliers_in_the_sample_that_rules_are_grown_on():
    """Two rows of a kind among more outliers than are looked at."""
    rng = np.random.default_rng(0)
    n = 2 * MAX_GROWTH_OUTLIERS
    X = pd.DataFrame({"a": np.r_[rng.normal(size=3_000), rng.normal(8, 1, n), [-30.0, -31.0]]})
    e = explain(np.repeat([0, 1, 2], [3_000, n, 2]), X)
    assert [group.size for group in e.groups] == [n, 2]
    assert rules(e)[1] == ["a < -20"]
    assert MIN_GROWTH_OUTLIERS >= 2


@pytest.mark.parametrize("tags", ["auto", "itemsets"])
def test_wide_tables_are_cut_in_the_columns_that_tell_most(tags):
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(600, 400)), columns=[f"c{i}" for i in range(400)])
    X.loc[:29, "c17"] += 7
    e = explain(np.repeat([1, 0], [30, 570]), X, tags=tags, groups=1)
    assert [rule.tag.columns for rule in e.groups[0].rules] == [["c17"]]


def test_what_was_grown_is_said():
    X, y = ball(0)
    grown, mined = (explain(y, X, method="wccm", tags=tags) for tags in ("auto", "itemsets"))
    assert sum("grown for outliers that the rules chosen before left" in note for note in grown.notes) == 1
    assert not any("grown" in note for note in mined.notes)


def test_what_is_mined_for_other_splits_is_offered_to_all():
    X, y = ball(0)
    table, outliers = as_table(X).by_name(), read_labels(y, len(y))
    one, four = (
        search_module._make(
            table, all_together(outliers), Settings(tags=Itemsets(grow=True, splits=splits), relations=False)
        )
        for splits in ((1,), (1, 4))
    )
    assert set(one.tags) < set(four.tags)
    assert one.n_items < four.n_items
    with pytest.raises(PyodExplainError, match="`splits` of Itemsets"):
        Itemsets(splits=(0,)).make(table, all_together(outliers))
