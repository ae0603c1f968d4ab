"""Learners of other projects are read as a person would read them, and judged on the same rows as ours."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"size": rng.normal(size=600), "kind": rng.choice(["a", "b", "c"], 600), "flag": rng.random(600) < 0.5}
    )
    X.loc[::7, "size"] = np.nan
    return X, np.asarray((X["size"] > 0.5) & (X["kind"] == "b"))


def test_ways_to_outliers_cover_what_the_tree_predicts(learners, table):
    from sklearn.tree import DecisionTreeClassifier

    X, y = table
    numbers = learners.Encoder(X).encode(X)
    model = DecisionTreeClassifier(max_depth=5, random_state=0).fit(numbers, y ^ (np.arange(len(y)) % 50 == 0))
    nodes = model.tree_
    for path in learners.outlier_paths(nodes):
        node = 0
        for column, high in path:
            assert nodes.feature[node] == column
            node = (nodes.children_right if high else nodes.children_left)[node]
    covered = [reached(nodes, numbers, path) for path in learners.outlier_paths(nodes)]
    assert (np.any(covered, axis=0) == model.predict(numbers)).all()


def reached(nodes, numbers, path):
    inside, node = np.ones(len(numbers), dtype=bool), 0
    for column, high in path:
        above = numbers[:, column] > nodes.threshold[node]
        inside &= above if high else ~above
        node = (nodes.children_right if high else nodes.children_left)[node]
    return inside


def test_columns_of_numbers_say_what_the_table_says(learners, table):
    X, _ = table
    encoder = learners.Encoder(X)
    numbers = encoder.encode(X)
    said = {(one.column, one.value): numbers[:, i] for i, one in enumerate(encoder.made)}
    assert (said["kind", "b"] == (X["kind"] == "b")).all()
    assert (said["size", "(missing)"] == X["size"].isna()).all()
    assert (said["size", None][X["size"].notna()] == X["size"].dropna()).all()
    assert (
        encoder.encode(pd.DataFrame({"size": [1.0], "kind": ["new"], "flag": [True]})).sum() == 1 + 1
    )  # unknown: none


@pytest.fixture
def peer(learners):
    def of(name):
        if not learners.PEERS[name].installed:
            pytest.skip(f"{learners.PEERS[name].packages[0]} is not installed")
        return learners.PEERS[name]

    return of


@pytest.mark.parametrize("name", ["tree3", "tree5", "ripper", "skope", "rulekit", "figs20", "cn2"])
def test_a_simple_reason_is_found_by_every_learner_that_is_installed(peer, table, name):
    X, y = table
    learned = peer(name)(X, y)
    said = np.asarray(learned.says(X), dtype=bool)
    assert said[y].mean() > 0.9
    assert said[~y].mean() < 0.2  # SkopeRules takes rules that are right half of the time
    assert learned.conditions >= learned.rules >= 1


@pytest.mark.parametrize(("name", "n_conditions"), [("figs20", 2), ("cn2", 2), ("greedy_list", 1)])
def test_conditions_that_speak_for_outliers_are_counted(peer, table, name, n_conditions):
    X, y = table
    if n_conditions == 1:  # a list of single conditions cannot tell two that hold together
        y = np.asarray(X["size"] > 0.5)
    learned = peer(name)(X, y)
    assert (learned.rules, learned.conditions) == (1, n_conditions)
    assert (learned.says(X) == y).mean() > 0.99  # a cut of CN2 is a value, which is on both sides of it
    assert not learned.says(pd.DataFrame({"size": [0.0], "kind": ["new"], "flag": [True]})).any()


def test_ours_says_what_explain_predicts(learners, table):
    from pyod_explain import explain

    X, y = table
    learned = learners.Learner(learners.ours, {"groups": 1})(X, y)
    assert (learned.says(X) == (explain(y.astype(int), X, groups=1).predict(X) > 0)).all()
    assert learned.conditions >= learned.rules >= 1
