import numpy as np
import pytest

from pyod_explain import Coverage, PyodExplainError, evaluate
from pyod_explain.explainers import WCCM
from pyod_explain.result import tradeoff


@pytest.fixture(scope="module")
def coverage():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [80, 18, 12])
    rate = np.array([[0.1, 0.6, 0.05], [0.1, 0.05, 0.6]])[rng.integers(0, 2, 10)]
    return Coverage.from_dense(rng.random((110, 10)) < rate[:, y].T, y)


def test_dearer_outliers_are_covered_at_the_price_of_normals(coverage):
    frame = tradeoff(coverage, weight=[1, 5, 50], solver="exact")
    assert frame["status"].eq("optimal").all()
    assert frame["FUO"].is_monotonic_decreasing
    assert frame["FCN"].is_monotonic_increasing


def test_a_row_measures_what_the_explainer_returns(coverage):
    (row,) = tradeoff(coverage, weight=[10.0]).to_dict("records")
    found = WCCM(weight=10.0).select(coverage)
    metrics = evaluate(coverage, found)
    assert row["objective"] == found.objective
    assert row["NT"] == metrics["NT"].sum()
    assert row["MDL"] == metrics.attrs["mdl"]
    assert row["FUO"] == pytest.approx((metrics["FUO"] * [18, 12]).sum() / 30)


def test_budgets_that_cannot_be_met_are_rows_without_figures(coverage):
    frame = tradeoff(coverage, "bccm", max_tags=[1, 10], max_uncovered=[0.0, 0.5])
    assert list(frame.columns[:2]) == ["max_tags", "max_uncovered"]
    hopeless = frame[(frame["max_tags"] == 1) & (frame["max_uncovered"] == 0.0)].iloc[0]
    assert hopeless["status"] == "infeasible"
    assert np.isnan(hopeless["FUO"])
    assert (frame["status"] == "feasible").any()


def test_an_unknown_method_is_named(coverage):
    with pytest.raises(PyodExplainError, match="`method` of tradeoff"):
        tradeoff(coverage, "pdm")
