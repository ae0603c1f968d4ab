import math

import numpy as np
import pytest
import reference
from fast import coverage_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

from pyod_explain import Coverage, evaluate
from pyod_explain.code_lengths import log2_binomial, log_star
from pyod_explain.description_length import CodeTable


@given(problems(), st.booleans(), st.data())
def test_all_metrics_agree_with_the_slow_reading_of_the_paper(problem, weighted, data):
    if weighted:
        problem = data.draw(problems(weighted=True))
    n_groups = len(problem.groups)
    owner = [data.draw(st.integers(0, n_groups)) for _ in problem.tags]
    chosen = tuple(tuple(j for j, k in enumerate(owner) if k == g) for g in range(1, n_groups + 1))
    frame = evaluate(coverage_of(problem), chosen)
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


@given(st.integers(0, 10**6))
def test_log_star_is_rissanens(n):
    assert float(log_star(n)) == pytest.approx(reference.log_star(n))


@given(st.integers(0, 300), st.integers(0, 300))
def test_binomials_cost_nothing_outside_their_range(n, k):
    expected = math.log2(math.comb(n, k)) if k <= n else 0.0
    assert float(log2_binomial(n, k)) == pytest.approx(expected, abs=1e-9)


def test_the_table_of_code_lengths_agrees_with_the_formulas():
    table, n = CodeTable(5_000), np.arange(5_001)
    assert table.log_star(n) == pytest.approx(log_star(n))
    assert table.log2_binomial(n, n // 3) == pytest.approx(log2_binomial(n, n // 3), abs=1e-7)
