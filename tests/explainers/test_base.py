"""What holds for every explainer: parameters are checked on use, and degenerate input has an answer."""

import numpy as np
import pytest
from sklearn.base import clone

from pyod_explain import BCCM, WCCM, Coverage
from pyod_explain.exceptions import InfeasibleError, PyodExplainError
from pyod_explain.explainers import DTDM, PDM


def two_of_five():
    """Five outliers, a tag each for two of them."""
    return Coverage.from_dense([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]], [1, 1, 1, 1, 1, 0])


@pytest.mark.parametrize(
    ("explainer", "message"),
    [
        (WCCM(weight=0), "`weight` of WCCM must be a number above 0, got 0"),
        (WCCM(weight=[1, 2]), "got 2 for 1 group"),
        (WCCM(solver="best"), "`solver` of WCCM must be one of 'greedy', 'refined', 'exact', got 'best'"),
        (WCCM(time_limit=-1), "`time_limit` of WCCM must be a number above 0"),
        (WCCM(min_lift=-0.5), "`min_lift` of WCCM"),
        (BCCM(max_tags=0), "`max_tags` of BCCM must be a whole number of at least 1, got 0"),
        (BCCM(max_tags=1.5), "`max_tags` of BCCM"),
        (BCCM(max_uncovered=1.0), r"`max_uncovered` of BCCM must be a number in \[0, 1\), got 1.0"),
        (BCCM(max_uncovered=[0.1, 0.2]), "got 2 for 1 group"),
        (BCCM(time_limit=True), "`time_limit` of BCCM"),
    ],
    ids=repr,
)
def test_parameters_are_checked_on_use(explainer, message):
    with pytest.raises(PyodExplainError, match=message):
        explainer.select(two_of_five())


SOLVERS = ("greedy", "refined", "exact")
EXPLAINERS = [
    *(WCCM(solver=solver, bound=True) for solver in SOLVERS),
    *(BCCM(solver=solver, bound=True, relax=True) for solver in SOLVERS),
    *(kind(solver=solver) for kind in (PDM, DTDM) for solver in ("greedy", "exact")),
]
DEGENERATE = {
    "one tag": Coverage.from_dense([[1], [1], [0]], [1, 1, 0]),
    "no tags": Coverage.from_dense(np.zeros((3, 0), dtype=bool), [1, 1, 0]),
    "one outlier": Coverage.from_dense([[1, 0], [0, 1], [0, 1]], [1, 0, 0]),
    "duplicate rows": Coverage.from_dense([[1, 0]] * 5 + [[0, 1]] * 5, [1] * 5 + [0] * 5),
    "a group covered by nothing": Coverage.from_dense([[1], [0], [0]], [1, 2, 0]),
    "an empty group": Coverage.from_dense([[1, 0], [0, 1], [0, 0]], [1, 3, 0]),
    "no normals": Coverage.from_dense([[1, 0], [0, 1]], [1, 2]),
    "a tag for everything": Coverage.from_dense(np.ones((6, 1), dtype=bool), [1, 1, 2, 0, 0, 0]),
    "rows without weight": Coverage.from_dense([[1], [0], [1]], [1, 1, 0], sample_weight=[0.0, 0.0, 0.0]),
    "30 groups": Coverage.from_dense(np.eye(31, dtype=bool), np.arange(31)),
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("explainer", EXPLAINERS, ids=repr)
def test_degenerate_input_gets_a_selection_or_a_clear_error(explainer, name):
    cov = DEGENERATE[name]
    try:
        found = clone(explainer).select(cov)
    except InfeasibleError as error:
        assert isinstance(explainer, PDM | DTDM)
        assert error.proved or explainer.solver == "greedy"
        return
    assert len(found.tags) == cov.n_groups
    assert found.method == type(explainer).__name__
    assert found.bound is None or found.bound <= found.objective
    if isinstance(explainer, WCCM | BCCM) and explainer.solver == "exact":
        assert found.status == "optimal"
    if name == "30 groups":
        assert found.tags == tuple((k,) for k in range(1, 31))


@pytest.mark.parametrize(
    "explainer", [WCCM(solver="greedy", bound=True), BCCM(solver="greedy", bound=True), PDM(), DTDM()], ids=repr
)
def test_two_hundred_groups(explainer):
    found = explainer.select(Coverage.from_dense(np.eye(201, dtype=bool), np.arange(201)))
    assert found.tags == tuple((k,) for k in range(1, 201))
    assert found.status == "optimal"
