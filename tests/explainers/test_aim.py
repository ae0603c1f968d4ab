"""What one more tag would make of what is minimised: the same as adding it and computing the whole anew."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import mdl_group, objective_bccm, objective_wccm
from strategies import lambdas, problems, rhos, thetas

from pyod_explain import BCCM, MDL, PDM, WCCM, Coverage
from pyod_explain.description_length import mdl_of_group, tag_bits
from pyod_explain.solvers import BudgetedCover


@st.composite
def situations(draw, weighted=False):
    """A problem, what each of its groups has been given so far, a tag that nobody has, and the group it is for."""
    problem = draw(
        problems(max_rows=12, max_tags=6, max_groups=3, weighted=weighted, with_lists=True).filter(
            lambda one: len(one.tags) > 0
        )
    )
    n_groups, new = len(problem.groups), draw(st.integers(0, len(problem.tags) - 1))
    owner = [draw(st.integers(0, n_groups)) for _ in problem.tags]
    chosen = [[j for j, k in enumerate(owner) if k == one and j != new] for one in range(n_groups)]
    return problem, chosen, new, draw(st.integers(0, n_groups - 1))


def coverage_of(problem, copies=None):
    y = np.zeros(problem.n_rows, dtype=int)
    for k, members in enumerate(problem.groups, start=1):
        y[sorted(members)] = k
    T = np.array([[row in rows for rows in problem.tags] for row in range(problem.n_rows)], dtype=bool)
    return Coverage.from_dense(
        T.reshape(problem.n_rows, len(problem.tags)),
        y,
        problem.lengths,
        problem.n_items,
        sample_weight=problem.weights,
        copies=copies,
        extra_bits=problem.extra_bits,
    )


def value_of(explainer, coverage, chosen, group, new):
    """Give the aim, and what it says of one tag."""
    aim = explainer.aim(coverage, chosen, group)
    hits = aim.hits(coverage.outlier_bits[[new]], coverage.normal_bits[[new]] & aim.normals)
    return aim, float(aim.value(hits, tag_bits(coverage, [new]))[0])


def added(chosen, group, new):
    return [[*one, new] if k == group else list(one) for k, one in enumerate(chosen)]


@given(situations())
def test_bits_are_those_of_the_slow_reading_with_and_without_the_tag(situation):
    problem, chosen, new, group = situation
    aim, value = value_of(MDL(), coverage_of(problem), chosen, group, new)
    assert aim.now == pytest.approx(mdl_group(problem, group, chosen[group]))
    assert value == pytest.approx(mdl_group(problem, group, [*chosen[group], new]))


@given(situations(), st.data())
def test_bits_count_copies(situation, data):
    problem, chosen, new, group = situation
    copies = data.draw(st.lists(st.integers(1, 70), min_size=problem.n_rows, max_size=problem.n_rows))
    coverage = coverage_of(problem, copies)
    aim, value = value_of(MDL(), coverage, chosen, group, new)
    assert aim.now == pytest.approx(mdl_of_group(coverage, group, chosen[group]))
    assert value == pytest.approx(mdl_of_group(coverage, group, [*chosen[group], new]))


@given(st.data(), st.booleans())
def test_the_weighted_objective_is_that_of_its_definition(data, weighted):
    problem, chosen, new, group = data.draw(situations(weighted=weighted))
    weights = data.draw(lambdas(len(problem.groups)))
    aim, value = value_of(WCCM(weight=list(weights)), coverage_of(problem), chosen, group, new)
    assert aim.now == pytest.approx(objective_wccm(problem, chosen, weights))
    assert value == pytest.approx(objective_wccm(problem, added(chosen, group, new), weights))


@given(st.data(), st.booleans())
def test_the_budgeted_objective_is_that_of_its_definition_once_the_budgets_are_met(data, weighted):
    problem, chosen, new, group = data.draw(situations(weighted=weighted))
    n_groups = len(problem.groups)
    most, share = data.draw(thetas(n_groups)), data.draw(rhos(n_groups))
    coverage = coverage_of(problem)
    limits = BudgetedCover(coverage, coverage.eligible(0), np.array(most, dtype=float), np.array(share))
    aim, value = value_of(BCCM(max_tags=list(most), max_uncovered=list(share)), coverage, chosen, group, new)
    assert aim.full == (len(chosen[group]) >= most[group])
    dearer = coverage.normal_total + 1  # than all normals
    for got, tags in ((aim.now, chosen), (value, added(chosen, group, new))):
        assert got == pytest.approx(objective_bccm(problem, tags) + dearer * limits.excess(tags).sum())


@pytest.mark.parametrize("explainer", [MDL(), WCCM(), BCCM()], ids=["MDL", "WCCM", "BCCM"])
@given(situation=situations(weighted=True), seed=st.integers(0, 10))
def test_open_rows_are_those_that_a_further_tag_can_win(explainer, situation, seed):
    """A tag that has only one outlier of the group lowers the loss exactly if that outlier is open."""
    problem, chosen, _, group = situation
    coverage = coverage_of(problem)
    if isinstance(explainer, MDL):
        theirs = set().union(*(problem.tags[j] for j in chosen[group]))
    else:
        theirs = set().union(*(problem.tags[j] for one in chosen for j in one))
    aim = explainer.aim(coverage, chosen, group)
    assert sorted(aim.open_rows.tolist()) == sorted(problem.groups[group] - theirs)
    row = np.random.default_rng(seed).integers(problem.n_rows)
    single = frozenset({int(row)})
    more = coverage_of(
        replace(
            problem,
            tags=(*problem.tags, single),
            lengths=(*problem.lengths, 1),
            extra_bits=(*problem.extra_bits, 0.0),
        )
    )
    aim = explainer.aim(more, chosen, group)
    hits = aim.hits(more.outlier_bits[[-1]], more.normal_bits[[-1]] & aim.normals)
    assert (hits.own[0] > 0) == (row in aim.open_rows)


@given(situations())
def test_free_is_what_is_left_of_the_totals(situation):
    problem, chosen, _, group = situation
    aim = MDL().aim(coverage_of(problem), chosen, group)
    mine = set().union(*(problem.tags[j] for j in chosen[group]))
    assert aim.totals == (len(problem.groups[group]), len(problem.normals))
    assert aim.free == (len(problem.groups[group] - mine), len(problem.normals - mine))


def test_a_group_with_all_the_tags_it_may_have_is_full():
    coverage = Coverage.from_sets([{0}, {1}], [{0, 1}], 5)
    assert MDL(max_tags=1).aim(coverage, [[0]], 0).full
    assert not MDL().aim(coverage, [[0]], 0).full
    assert not WCCM().aim(coverage, [[0]], 0).full


def test_who_does_not_grow_says_so():
    with pytest.raises(TypeError, match="PDM does not tell what a further tag of group 1"):
        PDM().aim(Coverage.from_sets([{0}], [{0}], 2), [[]], 0)


@given(st.data(), st.sampled_from([WCCM(weight=3.0), BCCM(max_tags=2, max_uncovered=0.2)]))
def test_on_their_scale_the_order_of_the_rows_changes_nothing(data, explainer):
    """Weights whose sums depend on the order in floating point: 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1."""
    problem, chosen, new, group = data.draw(situations())
    weights = data.draw(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.7]), min_size=(n := problem.n_rows), max_size=n))
    told = []
    for rows in (list(range(n)), data.draw(st.permutations(range(n)))):
        place = {row: i for i, row in enumerate(rows)}
        moved = replace(
            problem,
            normals=frozenset(place[row] for row in problem.normals),
            groups=tuple(frozenset(place[row] for row in one) for one in problem.groups),
            tags=tuple(frozenset(place[row] for row in one) for one in problem.tags),
            weights=tuple(weights[row] for row in rows),
        )
        scaled, coverage = explainer.on_scale(coverage_of(moved))
        aim, value = value_of(scaled, coverage, chosen, group, new)
        told.append((aim.now, value, aim.totals, aim.free))
    assert told[0] == told[1]


@given(st.data())
def test_on_its_scale_the_weighted_objective_differs_by_a_factor(data):
    problem, chosen, new, group = data.draw(situations(weighted=True))
    weights = list(data.draw(lambdas(len(problem.groups))))
    coverage = coverage_of(problem)
    scaled, same = WCCM(weight=weights).on_scale(coverage)
    before = objective_wccm(problem, chosen, weights), objective_wccm(problem, added(chosen, group, new), weights)
    aim, value = value_of(scaled, same, chosen, group, new)
    assert aim.now * before[1] == pytest.approx(value * before[0])
