"""Held-out figures, placebo and p-values: honest, and redone by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyod_explain import BCCM, InfeasibleError, LargeTable, explain
from pyod_explain.datasets import make_planted
from pyod_explain.explanation import SAMPLED_CHECKS
from pyod_explain.input import by_content
from pyod_explain.result.validation import Part, deal_folds, find_again
from pyod_explain.tags import GivenTags


@pytest.fixture(scope="module")
def planted():
    return make_planted(600, 2, 40, random_state=0)


@pytest.fixture(scope="module")
def explained(planted):
    return explain(planted.y, planted.X).validate(4)


def test_planted_rules_hold_on_rows_they_were_not_found_on(explained, planted):
    v = explained.summary.validation
    assert v.n_splits == 4
    assert v.whole.recall > 0.8
    assert v.whole.precision > 0.8
    assert v.whole.group_size == (planted.y > 0).sum()
    assert v.whole.found == 4
    assert [group.group_size for group in v.groups] == [group.size for group in explained.groups]
    assert all(rule.found >= 3 for rule in v.rules)
    frame = explained.to_frame()
    assert frame["holdout_found"].tolist() == [rule.found for rule in v.rules]
    assert frame["holdout_precision"].tolist() == [rule.precision for rule in v.rules]


def test_held_out_figures_are_those_of_rules_found_without_the_rows(explained, planted):
    """The whole check once more, in plain loops."""
    context, n_splits = explained._context, 4
    folds = deal_folds(planted.y, by_content(context.table, np.arange(len(planted.y))), n_splits, 0)
    own = normals = others = 0
    for fold in range(n_splits):
        train, test = folds != fold, folds == fold
        found = explain(
            np.where(train, planted.y, 0)[train], planted.X[train], groups="auto", random_state=0
        )  # the same groups, since they are given with the labels
        assert [[rule.tag for rule in group.rules] for group in found.groups] == find_again(
            context, Part(np.flatnonzero(train))
        )
        matches = found.matches(planted.X)
        rules = np.array([rule.group for rule in found.rules])
        for i in np.flatnonzero(test):
            mine = matches[i, rules == planted.y[i]].any()
            own += bool(planted.y[i] and mine)
            normals += bool(planted.y[i] == 0 and matches[i].any())
            others += bool(planted.y[i] and matches[i].any() and not mine)
    whole = explained.summary.validation.whole
    assert (whole.n_outliers, whole.n_normals, whole.n_others) == (own, normals, others)


def test_every_row_is_dealt_once_and_every_group_evenly():
    numbers = np.array([0] * 100 + [1] * 7 + [2] * 3 + [-1] * 4)
    folds = deal_folds(numbers, np.arange(len(numbers)), 5, 0)
    assert (folds[numbers == -1] == -1).all()
    assert np.bincount(folds[numbers == 0]).tolist() == [20] * 5
    for number in (1, 2):
        counts = np.bincount(folds[numbers == number], minlength=5)
        assert counts.max() - counts.min() <= 1


def test_constraints_out_of_reach_on_fewer_rows_find_nothing():
    X = pd.DataFrame({"x": [0] * 40 + [1, 2, 3, 4]})
    method = BCCM(max_tags=1, max_uncovered=0.0, min_lift=1.0)
    y = [0] * 40 + [1] * 4
    e = explain(y, X, method=method, groups=1)

    class Refuses(BCCM):
        def select(self, coverage):
            raise InfeasibleError("out of reach")

    settings = replace(e._context.settings, method=Refuses())
    refused = replace(e, _context=replace(e._context, settings=settings))
    assert refused.validate(2).summary.validation.whole.n_outliers == 0
    assert refused.placebo_test(2).summary.placebo.shares_saved == (0.0, 0.0)


def test_given_tags_are_validated_as_they_are(planted):
    own = pd.DataFrame({f"t{k}": reason.covers(planted.X) for k, reason in enumerate(planted.reasons)})
    e = explain(planted.y, planted.X, tags=GivenTags(own)).validate(2).placebo_test(1)
    assert e.summary.validation.whole.recall == 1.0
    assert e.summary.placebo.shares_saved[0] <= 0.05


# --- groups by reasons ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def by_reasons(planted):
    return explain((planted.y > 0).astype(int), planted.X).validate(3)


def test_reasons_are_found_again_as_one_description_and_each_rule_is_of_the_group_that_has_most_of_it(
    by_reasons, planted
):
    context = by_reasons._context
    numbers = context.groups.numbers
    rows = np.flatnonzero(np.arange(len(numbers)) % 3 > 0)
    again = find_again(context, Part(rows))
    together = explain((planted.y[rows] > 0).astype(int), planted.X.iloc[rows], groups=1)
    assert {tag for one in again for tag in one} == {rule.tag for rule in together.rules}
    for k, tags in enumerate(again):
        for tag in tags:
            hit = numbers[rows][tag.covers(context.table)[rows]]
            having = [int((hit == number).sum()) for number in range(1, context.groups.n_groups + 1)]
            assert having[k] == max(having)


def test_the_whole_of_an_explanation_by_reasons_covers_what_any_of_its_rules_covers(by_reasons, planted):
    """In plain loops: which group a rule was put with does not matter for the whole."""
    context = by_reasons._context
    numbers = context.groups.numbers
    folds = deal_folds(numbers, by_content(context.table, np.arange(len(numbers))), 3, 0)
    covered = normals = 0
    for fold in range(3):
        found = [tag for one in find_again(context, Part(np.flatnonzero(folds != fold))) for tag in one]
        for row in np.flatnonzero(folds == fold):
            hit = any(tag.covers(context.table)[row] for tag in found)
            covered += bool(hit and numbers[row] > 0)
            normals += bool(hit and numbers[row] == 0)
    whole = by_reasons.summary.validation.whole
    assert (whole.n_outliers, whole.n_normals, whole.n_others) == (covered, normals, 0)
    assert whole.group_size == (planted.y > 0).sum()


def test_checks_of_a_sample_say_so_once():
    X = pd.DataFrame({"x": np.arange(3000.0) % 97, "odd": np.arange(3000) < 20})
    X.loc[:19, "x"] += 500
    e = explain("odd", LargeTable(lambda: iter([X]), sample=200))
    checked = e.validate(2).placebo_test(1)
    assert [note for note in checked.notes if note not in e.notes] == [SAMPLED_CHECKS]
    whole = explain(X["odd"], X[["x"]])
    assert whole.validate(2).notes == whole.notes
