"""From the name of a method to an explainer."""

import pytest

from pyod_explain import BCCM, DTDM, MDL, PDM, WCCM, PyodExplainError
from pyod_explain.explainers import METHODS, SOLVERS, explainer_of


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("method", METHODS)
def test_every_name_makes_its_explainer(method, solver):
    made = explainer_of(method, solver=solver, min_lift=1.5)
    assert type(made) is METHODS[method]
    assert made.min_lift == 1.5


@pytest.mark.parametrize(
    ("method", "solver", "own"),
    [
        ("wccm", "exact", "exact"),
        ("bccm", "greedy", "greedy"),
        ("pdm", "refined", "exact"),
        ("dtdm", "greedy", "greedy"),
    ],
)
def test_methods_without_a_local_search_take_their_own_solver(method, solver, own):
    assert explainer_of(method, solver=solver, min_lift=0.0).solver == own


def test_what_is_given_is_passed_on_and_the_rest_is_the_methods_own():
    made = explainer_of("bccm", solver="refined", min_lift=0.0, max_tags=7, max_uncovered=None, weight=None)
    assert (made.max_tags, made.max_uncovered) == (7, BCCM().max_uncovered)


def test_an_explainer_is_taken_as_it_is():
    for explainer in (PDM(), DTDM(), WCCM(), BCCM(), MDL()):
        assert explainer_of(explainer, solver="refined", min_lift=2.0) is explainer


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("mdl", {"weight": 3.0}, "`weight` is no parameter of method 'mdl'"),
        ("wccm", {"max_tags": 3}, "`max_tags` is no parameter of method 'wccm', which takes"),
        ("best", {}, "'best'"),
        ("mdl", {"solver": "quick"}, "'quick'"),
        ("mdl", {"min_lift": -1.0}, "min_lift"),
    ],
)
def test_what_is_no_parameter_is_refused_by_name(method, options, message):
    with pytest.raises(PyodExplainError, match=message):
        explainer_of(method, **{"solver": "refined", "min_lift": 1.0, **options})


@pytest.mark.parametrize("method", [WCCM(), MDL()], ids=repr)
def test_a_parameter_beside_an_explainer_is_refused(method):
    with pytest.raises(
        PyodExplainError, match="`weight` must be set on the explainer where `method` is one, got weight=5"
    ):
        explainer_of(method, solver="refined", min_lift=1.0, weight=5.0, max_tags=None)


def test_a_solver_beside_an_explainer_is_refused():
    with pytest.raises(PyodExplainError, match="`solver` must be set on the explainer where `method` is one"):
        explainer_of(WCCM(), solver="exact", min_lift=1.0)
