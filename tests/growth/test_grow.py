"""Candidates from several starts and rules grown against a selection: every kind is found, nothing is made worse."""

import numpy as np
import pandas as pd
import pytest

from pyod_explain import BCCM, MDL, WCCM, Condition, Tag, explain
from pyod_explain.datasets import make_planted
from pyod_explain.description_length import mdl_of_group
from pyod_explain.growth import Grower
from pyod_explain.growth.grow import MAX_GROWTH_OUTLIERS, MIN_GROWTH_OUTLIERS
from pyod_explain.input import as_table, read_labels
from pyod_explain.search import search
from pyod_explain.settings import Settings


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
    assert [rule.tag.columns for rule in e.rules] == [["amount"], ["channel"], ["hours"]]
    assert all(rule.precision > 0.99 for group in e.groups for rule in group.rules)


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


# --- kinds that a single search misses --------------------------------------------------------------------------------


def four_kinds(seed=0, n=6_000):
    """Each kind takes two conditions, one of which all kinds share; of either there are normals as well."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(size=(n, 6)), columns=list("abcdef")) * [0.9, 0.9, 0.9, 0.9, 1, 2]
    X.iloc[:160, :4] *= 0.5
    for k, name in enumerate("abcd"):
        X.loc[40 * k : 40 * k + 39, ["f", name]] += [2, 1]  # outliers
        X.loc[200 + 40 * k : 239 + 40 * k, name] += 1
    X.loc[400:639, "f"] += 2
    return X, (np.arange(n) < 160).astype(int)


@pytest.mark.parametrize("seed", range(3))
def test_each_of_four_kinds_has_its_rule_though_a_wide_one_has_them_all(seed):
    X, y = four_kinds(seed)
    e = explain(y, X)
    assert sorted(sorted(rule.tag.columns) for rule in e.rules) == [[name, "f"] for name in "abcd"]
    assert [(group.size, group.n_normals) for group in e.groups] == [(40, 0)] * 4


def rare(seed, n=5_000):
    """Three rare kinds among normals of eight normal columns, three of whole numbers and three of letters."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 8)), columns=[f"x{i}" for i in range(8)])
    X = X.assign(**{f"k{i}": rng.integers(0, 10, n) for i in range(3)})
    X = X.assign(**{f"c{i}": rng.choice(list("abcdef"), n) for i in range(3)})
    for i, wild in enumerate(np.arange(300).reshape(3, 100)):  # enough of each kind, and normals next to them
        X.loc[wild, ["x0", "x1", "x2", "x3"]] += [[3, 0, 0, 0], [0, 3, -3, 0], [0, 0, 0, -3]][i]
        X.loc[wild[::3], [["c0"], [], ["k0"]][i]] = ["a", 0, 7][i]
    first = (X["x0"] > 3) & (X["c0"] == "a")
    second = X["x1"] - X["x2"] > 5.2
    third = (X["k0"] == 7) & (X["x3"] < -2.6)
    return X, np.select([first, second, third], [1, 2, 3], 0)


@pytest.mark.parametrize("times", [1, 50, 1_000])
def test_rare_outliers_are_told_exactly_however_many_rows_each_normal_stands_for(times):
    X, kinds_of = rare(0)
    y = (kinds_of > 0).astype(int)
    X["times"] = np.where(y == 1, 1, times)
    e = explain(y, X, counts="times", groups=1)
    hit = np.logical_or.reduce([rule.tag.covers(X) for rule in e.rules])
    assert (hit == (y == 1)).all()
    assert sorted(sorted(rule.tag.columns) for rule in e.rules) == [["c0", "x0"], ["k0", "x3"], ["x1", "x2"]]


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
    """From one choice to the next, and from each choice to the rules that growing makes of it."""
    rounds = []
    improve = Grower.improve

    def watched(grower, tags, rules):
        more, better = improve(grower, tags, rules)
        rounds.append((rules, better))
        return more, better

    monkeypatch.setattr(Grower, "improve", watched)
    X, y = data(1)
    settings = Settings(groups=n_groups, method=explainer, detail=0, relations=False)
    found = search(as_table(X).by_name(), read_labels(y, len(y)), settings)
    number = {tag: j for j, tag in enumerate(found.tags.tags)}

    def value(rules):
        return objective(explainer, found.coverage, [[number[tag] for tag in one] for one in rules])

    values = [(value(chosen), value(better)) for chosen, better in rounds]
    assert all(better <= chosen + 1e-6 for chosen, better in values)
    assert [chosen for chosen, _ in values] == sorted((chosen for chosen, _ in values), reverse=True)
    assert found.selection.objective <= min(map(min, values)) + 1e-6 or not isinstance(explainer, MDL)
    assert found.selection.objective <= values[-1][0] + 1e-6


# --- what it gives ----------------------------------------------------------------------------------------------------


def test_a_given_tag_stays_as_it_is_though_one_of_its_conditions_implies_another():
    X = pd.DataFrame({"x": np.arange(600) % 20, "c": list("abc") * 200})
    own = Tag.of(Condition("x", "between", (2, 8)), Condition("x", ">=", 4), Condition("c", "==", "a"))
    found = explain(own.covers(X).astype(int), X, tags=[own, "auto"], max_length=1)
    assert [rule.tag for rule in found.rules] == [own]


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


@pytest.mark.parametrize("min_lift", [1.0, 10.0, 1000.0])
def test_a_value_that_is_frequent_among_normals_is_part_of_a_rule_that_is_not(min_lift):
    """A third of the normals are of the kind: `min_lift` is about the rule, which none of them meets."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=600), "kind": rng.choice(["a", "b", "c"], 600)})
    y = (X["x"] > 1) & (X["kind"] == "a")
    e = explain(y.astype(int), X, min_lift=min_lift)
    assert [(rule.n_outliers, rule.n_normals) for rule in e.rules] == [(y.sum(), 0)]


@pytest.mark.parametrize("seed", range(0, 40, 4))
def test_two_kinds_each_of_one_value_of_two_columns_of_few_values_are_found(seed):
    X = pd.DataFrame(np.random.default_rng(seed).integers(0, 6, (500, 3)), columns=list("abc"))
    kinds = [(X["a"] == 2) & (X["b"] == 1), (X["a"] == 3) & (X["c"] == 4)]
    e = explain((kinds[0] | kinds[1]).astype(int), X)
    assert {(rule.n_outliers, rule.n_normals) for rule in e.rules} == {(kind.sum(), 0) for kind in kinds}
