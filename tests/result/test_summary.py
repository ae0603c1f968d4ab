"""What is claimed: noise is never called explained."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by

from pyod_explain import WCCM, Condition, Tag, explain
from pyod_explain.report import to_text
from pyod_explain.result import Holdout, Validation


def noise(seed):
    """A table of columns of all kinds, and labels that have nothing to do with it."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([150, 500, 1200]))
    kinds = [
        lambda: rng.normal(size=n), lambda: rng.exponential(size=n).round(2), lambda: rng.integers(0, 20, n),
        lambda: rng.choice(list("abcdefgh"), n), lambda: rng.choice([f"name {i}" for i in range(300)], n),
    ]  # fmt: skip
    X = pd.DataFrame({f"c{j}": kinds[rng.integers(5)]() for j in range(int(rng.choice([1, 2, 5])))})
    y = np.zeros(n, dtype=int)
    y[rng.choice(n, max(5, int(n * rng.choice([0.02, 0.05, 0.1]))), replace=False)] = 1
    return X, y


NOISE_OPTIONS = ({}, {"groups": "auto"}, {"groups": 1}, {"groups": 3}, {"method": WCCM(weight=20.0)})


@pytest.mark.parametrize("options", NOISE_OPTIONS, ids=str)
@pytest.mark.parametrize("seed", range(8))
def test_noise_is_not_called_explained(seed, options):
    X, y = noise(seed)
    e = explain(y, X, **options)
    assert not e.summary.explains
    assert not any(rule.significant for rule in e.rules)
    flat = " ".join(str(e).split())
    assert "explain" not in flat.split("Group 1")[0]
    assert " shorter)" not in flat.replace("no shorter)", "") or "not statistically significant" in flat


def _names(rng):
    return {"name": rng.choice([f"name {i}" for i in range(500)], 2000)}


MEMORY = {
    "500 names of 2,000 rows": (8, _names, {}),
    "and other columns": (5, lambda rng: {**_names(rng), "v": rng.normal(size=2000)}, {}),
    "a name a row": (8, lambda rng: {"name": rng.permutation([f"name {i}" for i in range(500)])}, {}),
    "a number a row": (5, lambda rng: {"row": rng.permutation(500), "v": rng.normal(size=500)}, {}),
    "a number a row, used": (5, lambda rng: {"row": rng.permutation(500)}, {"id_columns": []}),
    "account numbers, used": (5, lambda rng: {"n": rng.choice(10**6, 500, replace=False)}, {"id_columns": []}),
}


@pytest.mark.parametrize(("n_seeds", "columns", "settings"), MEMORY.values(), ids=MEMORY)
def test_what_names_rows_is_not_memorised(n_seeds, columns, settings):
    """12 random rows: any five names cover five, and tell nothing. No rule, or one that is said to be chance."""
    silent = 0
    for seed in range(n_seeds):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(columns(rng))
        y = np.zeros(len(X), dtype=int)
        y[rng.choice(len(X), 12, replace=False)] = 1
        e = explain(y, X, **settings)
        silent += not e.rules
        assert not any(rule.significant for rule in e.rules)
        assert not e.summary.explains
        if e.rules and e.summary.share_saved > 0:
            assert "not statistically significant" in " ".join(str(e).split())
    assert silent >= 0.8 * n_seeds


def test_random_groups_are_not_said_to_be_told():
    """Names picked for each of three random groups: WCCM takes them, whatever it takes to say them; MDL does not."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame({"name": rng.permutation([f"name {i}" for i in range(200)])})
        y = np.r_[rng.integers(1, 4, 24), np.zeros(176, dtype=int)]
        s = explain(y, X, method=WCCM(weight=10.0)).summary
        assert s.rules
        assert not s.explains
        assert not s.tells_groups
        assert "tell" not in to_text(s).split("Group 1")[0]
        assert not explain(y, X).rules


def test_given_groups_that_the_rules_tell_are_said_to_be_told():
    """Colours tell the three groups from each other; the few normals have all colours."""
    rng = np.random.default_rng(0)
    y = np.r_[np.repeat([1, 2, 3], 60), np.zeros(12, dtype=int)]
    colour = np.r_[np.repeat(list("rgb"), 60), rng.choice(list("rgb"), 12)]
    s = explain(y, pd.DataFrame({"colour": colour}), method=WCCM(weight=20.0)).summary
    assert s.rules
    assert not s.explains
    assert s.tells_groups
    text = " ".join(to_text(s).split())
    assert "they tell the groups, but not outliers from normal rows" in text
    assert "Each group by itself:" in text
    with_one = replace(s, groups=(s.groups[0], *(replace(g, rules=()) for g in s.groups[1:])))
    assert ": it tells the groups" in " ".join(to_text(with_one).split())


def test_each_group_has_its_own_held_out_figures():
    X = pd.DataFrame({"x": range(9)})
    rules = [[Tag.of(Condition("x", ">", i)) for i in (3, 4)], [], [Tag.of(Condition("x", ">", 6))]]
    s = explain_by(rules, X, [0, 0, 0, 0, 1, 1, 2, 3, 3]).summary
    assert [s.held_out(group) for group in s.groups] == [None, None, None]
    held = tuple(Holdout(i, 0, 0, 5, 5) for i in range(3))
    checked = replace(s, validation=Validation(5, held[0], held, held))
    assert [checked.held_out(group) for group in s.groups] == [held[:2], (), held[2:]]
