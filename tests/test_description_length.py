"""Description length: looked up, computed, and of all outliers as one set."""

import numpy as np
import pytest
import reference
from fast import coverage_of
from hypothesis import given
from strategies import problems

from pyod_explain.code_lengths import log2_binomial, log_star
from pyod_explain.description_length import CodeTable, mdl_empty, mdl_of_group, named_bits, set_bits


def test_the_table_of_code_lengths_agrees_with_the_formulas():
    table, n = CodeTable(5_000), np.arange(5_001)
    assert table.log_star(n) == pytest.approx(log_star(n))
    assert table.log2_binomial(n, n // 3) == pytest.approx(log2_binomial(n, n // 3), abs=1e-7)


@given(problems())
def test_the_empty_description_names_every_outlier(problem):
    coverage = coverage_of(problem)
    assert mdl_empty(coverage) == pytest.approx(reference.mdl_empty(problem), abs=1e-8)
    assert mdl_empty(coverage) == sum(mdl_of_group(coverage, k, ()) for k in range(coverage.n_groups))


@given(problems(max_groups=1))
def test_one_group_without_rules_is_named_as_one_set(problem):
    coverage = coverage_of(problem)
    assert named_bits(coverage) == pytest.approx(mdl_empty(coverage))
    assert set_bits(coverage, [()], (), None) == named_bits(coverage)
