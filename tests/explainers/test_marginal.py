"""What one more tag would make of what is minimised: the same as adding it and computing the whole anew."""

import numpy as np
import pytest
from fast import coverage_of
from hypothesis import given
from hypothesis import strategies as st
from reference import covered, mdl_group, objective_bccm, objective_wccm
from strategies import lambdas, problems, rhos, thetas

from pyod_explain import BCCM, MDL, PDM, WCCM, Coverage
from pyod_explain.description_length import tag_bits
from pyod_explain.explainers import PartObjective
from pyod_explain.solvers import BudgetedCover


@st.composite
def situations(draw):
    """A problem, what each of its groups has been given so far, a tag that nobody has, and the group it is for."""
    priced = draw(st.booleans())
    problem = draw(problems(max_rows=12, max_tags=6, max_groups=3, with_prices=priced).filter(lambda one: one.tags))
    n_groups, new = len(problem.groups), draw(st.integers(0, len(problem.tags) - 1))
    owner = [draw(st.integers(0, n_groups)) for _ in problem.tags]
    chosen = [[j for j, k in enumerate(owner) if k == one and j != new] for one in range(n_groups)]
    return problem, chosen, new, draw(st.integers(0, n_groups - 1))


def value_of(explainer, coverage, chosen, group, new):
    """Give the objective, and what it says of one tag."""
    make = explainer if callable(explainer) else explainer.marginal_objective
    objective = make(coverage, chosen, group)
    covered = objective.count(coverage.outlier_bits[[new]], coverage.normal_bits[[new]] & objective.normals)
    return objective, float(objective.value(covered, tag_bits(coverage, [new]))[0])


def excess(problem, tags):
    """How many outliers the groups lose beyond what they may."""
    lost = problem.coverage.count_lost(tags)
    return np.where(lost > problem.limit, lost - problem.allowed, 0.0).sum()


def added(chosen, group, new):
    return [[*one, new] if k == group else list(one) for k, one in enumerate(chosen)]


@given(situations())
def test_bits_are_those_of_the_slow_reading_with_and_without_the_tag(situation):
    problem, chosen, new, group = situation
    objective, value = value_of(MDL(), coverage_of(problem), chosen, group, new)
    assert objective.current == pytest.approx(mdl_group(problem, group, chosen[group]))
    assert value == pytest.approx(mdl_group(problem, group, [*chosen[group], new]))


@given(st.data())
def test_the_weighted_objective_is_that_of_its_definition(data):
    problem, chosen, new, group = data.draw(situations())
    weights = data.draw(lambdas(len(problem.groups)))
    objective, value = value_of(WCCM(weight=list(weights)), coverage_of(problem), chosen, group, new)
    assert objective.current == pytest.approx(objective_wccm(problem, chosen, weights))
    assert value == pytest.approx(objective_wccm(problem, added(chosen, group, new), weights))


@given(st.data())
def test_the_budgeted_objective_is_that_of_its_definition_once_the_budgets_are_met(data):
    problem, chosen, new, group = data.draw(situations())
    n_groups = len(problem.groups)
    most, share = data.draw(thetas(n_groups)), data.draw(rhos(n_groups))
    coverage = coverage_of(problem)
    limits = BudgetedCover(coverage, coverage.eligible(0), np.array(most, dtype=float), np.array(share))
    objective, value = value_of(BCCM(max_tags=list(most), max_uncovered=list(share)), coverage, chosen, group, new)
    assert objective.at_max_tags == (len(chosen[group]) >= most[group])
    dearer = coverage.n_normals + 1  # than all normals
    for got, tags in ((objective.current, chosen), (value, added(chosen, group, new))):
        assert got == pytest.approx(objective_bccm(problem, tags) + dearer * excess(limits, tags))


@given(situations(), st.data())
def test_a_part_of_the_outliers_has_fixed_costs(situation, data):
    problem, chosen, new, group = situation
    coverage = coverage_of(problem)
    part = data.draw(st.sets(st.sampled_from(sorted(problem.groups[group]))))
    dense = np.concatenate([np.isin(rows, list(part)) for rows in coverage.group_rows])
    marked = coverage.mark_outliers(dense)

    def cost(tags):
        rows = covered(problem, tags)
        return tag_bits(coverage, tags).sum() + 3 * len(part - rows) + 0.5 * len(problem.normals & rows)

    def fixed(coverage, chosen, group):
        return PartObjective(coverage, chosen, group, part=marked, missed=3.0, matched=0.5)

    objective, value = value_of(fixed, coverage, chosen, group, new)
    assert objective.current == pytest.approx(cost(chosen[group]))
    assert value == pytest.approx(cost([*chosen[group], new]))


def test_who_does_not_grow_says_so():
    with pytest.raises(TypeError, match="PDM"):
        PDM().marginal_objective(Coverage.from_dense([[1], [0]], [1, 0]), [[]], 0)
