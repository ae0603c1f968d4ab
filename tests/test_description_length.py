"""Description length: looked up, computed, and of all outliers as one set."""

import math

import numpy as np
import pytest
import reference
from fast import coverage_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

from pyod_explain import explain
from pyod_explain.datasets import make_planted
from pyod_explain.description_length import CodeTable, mdl_empty, named_bits, set_bits
from pyod_explain.input import as_table
from pyod_explain.tags import Prices, log2_binomial, log_star


def test_the_table_of_code_lengths_agrees_with_the_formulas():
    table, n = CodeTable(5_000), np.arange(5_001)
    assert table.log_star(n) == pytest.approx(log_star(n))
    assert table.log2_binomial(n, n // 3) == pytest.approx(log2_binomial(n, n // 3), abs=1e-7)


@given(problems(max_groups=1))
def test_one_group_without_rules_is_named_as_one_set(problem):
    coverage = coverage_of(problem)
    assert named_bits(coverage) == pytest.approx(mdl_empty(coverage))
    assert set_bits(coverage, [()]) == named_bits(coverage)


def test_the_bits_of_a_set_are_those_of_the_rules_and_of_the_exceptions_of_their_union():
    planted = make_planted(600, n_groups=2, random_state=1)
    e = explain(planted.y, planted.X)
    covered = np.logical_or.reduce([rule.tag.covers(planted.X) for rule in e.rules])
    outlier = planted.y > 0
    v, u, o, n = (~covered & outlier).sum(), (covered & ~outlier).sum(), outlier.sum(), len(outlier)
    wrong = log_star(v) + log2_binomial(n - covered.sum(), v) + log_star(u) + log2_binomial(covered.sum(), u)
    rules = Prices(as_table(planted.X)).of(rule.tag for rule in e.rules).sum()
    assert e.summary.bits == pytest.approx(float(rules + wrong))
    assert e.summary.bits_named == pytest.approx(float(log_star(o) + log2_binomial(n, o)))


def test_a_table_of_many_numbers_computes_the_large_ones():
    random = np.random.default_rng(0)
    n = random.integers(0, 10_000_000, 2_000)
    k = (n * random.uniform(size=len(n)) ** 8).astype(np.int64)
    table = CodeTable(10_000_000)
    assert table.log2_binomial(n, k) == pytest.approx(log2_binomial(n, k), abs=1e-6)
    assert table.log_star(n).tolist() == log_star(n).tolist()
    assert table.log_star(np.int64(5)) == log_star(5)


@given(st.integers(0, 10**6))
def test_log_star_is_rissanens(n):
    assert float(log_star(n)) == pytest.approx(reference.log_star(n))


@given(st.integers(0, 300), st.integers(0, 300))
def test_binomials_cost_nothing_outside_their_range(n, k):
    expected = math.log2(math.comb(n, k)) if k <= n else 0.0
    assert float(log2_binomial(n, k)) == pytest.approx(expected, abs=1e-9)
