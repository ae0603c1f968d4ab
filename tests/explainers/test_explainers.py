"""What holds for every explainer: parameters are checked on use, degenerate input has an answer, errors are data."""

import pickle

import numpy as np
import pytest
from fast import table

from pyod_explain import BCCM, DTDM, MDL, PDM, WCCM, Coverage
from pyod_explain.exceptions import InfeasibleError, ParameterError, PyodExplainError
from pyod_explain.explainers import METHODS, SolverError, checked_selection, make_explainer

SOLVERS = ("greedy", "refined", "exact")


def two_of_five():
    """Five outliers, a tag each for two of them."""
    return Coverage.from_dense([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]], [1, 1, 1, 1, 1, 0])


@pytest.mark.parametrize(
    ("explainer", "argument"),
    [
        (WCCM(weight=0), "weight"), (WCCM(weight=[1, 2]), "weight"), (WCCM(solver="best"), "solver"),
        (WCCM(time_limit=-1), "time_limit"), (WCCM(min_lift=-0.5), "min_lift"), (BCCM(max_tags=0), "max_tags"),
        (BCCM(max_tags=1.5), "max_tags"), (BCCM(max_uncovered=1.0), "max_uncovered"),
        (BCCM(max_uncovered=[0.1, 0.2]), "max_uncovered"), (BCCM(time_limit=True), "time_limit"),
        (PDM(solver="refined"), "solver"), (DTDM(time_limit=0), "time_limit"), (PDM(min_lift=-1), "min_lift"),
        (MDL(max_tags=0), "max_tags"), (MDL(min_lift=-1), "min_lift"),
    ],
    ids=repr,
)  # fmt: skip
def test_parameters_are_checked_on_use(explainer, argument):
    with pytest.raises(ParameterError) as caught:
        explainer.select(two_of_five())
    assert (caught.value.argument, caught.value.owner) == (argument, type(explainer).__name__)


def test_what_is_no_coverage_is_refused():
    with pytest.raises(ParameterError, match=r"^`coverage`"):
        WCCM().select([[1, 0]])
    with pytest.raises(PyodExplainError, match="group"):
        WCCM().select(Coverage.from_dense([[1], [0]], [0, 0]))


def test_any_number_of_tags_may_be_allowed():
    T, y, _ = table(0)
    cov = Coverage.from_dense(T, y)
    for solver in SOLVERS:
        many = BCCM(max_tags=[1, 10**400], max_uncovered=0.9, solver=solver).select(cov)
        assert many.tags == BCCM(max_tags=[1, 10**15], max_uncovered=0.9, solver=solver).select(cov).tags
    assert MDL(max_tags=10**400).select(cov).tags == MDL().select(cov).tags


# --- budgets that cannot be met ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_infeasible_problem_names_the_group_what_is_reachable_and_whether_that_is_proved(solver):
    with pytest.raises(InfeasibleError, match="Group 1") as caught:
        BCCM(max_tags=1, max_uncovered=0.1, solver=solver).select(two_of_five())
    error = caught.value
    assert (error.group, error.proved, error.best_uncovered) == (1, True, 0.8)
    assert error.hint
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.group, copy.best_uncovered) == (str(error), 1, 0.8)


# --- the check of every selection; names of methods -------------------------------------------------------------------


def test_no_selection_is_returned_that_breaks_a_rule_or_contradicts_its_proof():
    facts = {"method": "BCCM", "solver": "exact"}
    with pytest.raises(SolverError, match="Group 1 has 4 tags"):
        checked_selection([[0]], 1.0, 1.0, broken=["Group 1 has 4 tags."], **facts)
    with pytest.raises(SolverError, match="inf"):
        checked_selection([[0]], np.inf, np.inf, broken=[], **facts)
    assert checked_selection([[0]], 1.0, 1.0, broken=[], **facts).status == "optimal"
    assert checked_selection([[0]], 1.0, 0.5, broken=[], **facts).status == "feasible"
    wrong = checked_selection([[0]], 1.0, 2.0, broken=[], **facts)
    assert (wrong.status, wrong.bound, len(wrong.notes)) == ("feasible", None, 1)
    assert checked_selection([[0]], 1.0, 1.0, broken=[], violated=["lost"], **facts).status == "violated"


@pytest.mark.parametrize("method", METHODS)
def test_every_name_makes_its_explainer(method):
    made = make_explainer(method, min_lift=1.5)
    assert (type(made), made.min_lift) == (METHODS[method], 1.5)
    assert make_explainer(made, min_lift=2.0) is made


@pytest.mark.parametrize(("method", "min_lift", "argument"), [("best", 1.0, "method"), ("mdl", -1.0, "min_lift")])
def test_unknown_names_and_limits_are_refused(method, min_lift, argument):
    with pytest.raises(ParameterError, match=f"^`{argument}`"):
        make_explainer(method, min_lift=min_lift)
