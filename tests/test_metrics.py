from dataclasses import replace

import pytest
import reference
from fast import coverage_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

from pyod_explain import Coverage, PyodExplainError, evaluate


@given(st.booleans().flatmap(lambda priced: problems(with_prices=priced)), st.data())
def test_all_metrics_agree_with_the_slow_reading_of_the_paper(problem, data):
    """Its formula for the bits as well, whatever the prices of the tags."""
    n_groups = len(problem.groups)
    owner = [data.draw(st.integers(0, n_groups)) for _ in problem.tags]
    chosen = tuple(tuple(j for j, k in enumerate(owner) if k == g) for g in range(1, n_groups + 1))
    frame = evaluate(coverage_of(problem), chosen)
    problem = replace(problem, prices=None)
    for fast, slow in zip(frame.to_dict("records"), reference.metrics(problem, chosen), strict=True):
        assert fast == pytest.approx(slow, abs=1e-8)
    assert frame.attrs["mdl"] == pytest.approx(reference.mdl(problem, chosen), abs=1e-8)
    assert frame.attrs["mdl_empty"] == pytest.approx(reference.mdl_empty(problem), abs=1e-8)


def test_the_frame_has_a_row_per_group_and_the_papers_columns():
    frame = evaluate(Coverage.from_dense([[1], [1], [0]], [1, 2, 0]), [(0,), ()])
    assert frame.index.tolist() == [1, 2]
    assert frame.index.name == "group"
    assert list(frame) == ["FUO", "FCO", "FCN", "AL", "NT", "MDL"]
    assert frame.loc[1, "FCO"] == 1.0
    assert frame.loc[2, "AL"] == 0.0


@pytest.mark.parametrize(
    "selection",
    [[[0]], [[0], [1], []], [[0], [-1]], [[0], [5]], [[0, 0], [1]], [[0.5], [1]], [["a"], [1]], [[True], [0]]],
    ids=repr,
)
def test_what_is_no_selection_is_refused(selection):
    cov = Coverage.from_dense([[1, 0], [0, 1], [0, 0]], [1, 2, 0])
    with pytest.raises(PyodExplainError, match="`selection` must have"):
        evaluate(cov, selection)
