import contextlib
import time

import numpy as np
import pytest
from fast import WEIGHTS, table

from pyod_explain import BCCM, DTDM, PDM, WCCM, Coverage
from pyod_explain.exceptions import InfeasibleError

pytestmark = pytest.mark.no_cover


@pytest.mark.parametrize(
    "explainer",
    [
        WCCM(weight=10.0, solver="exact", time_limit=0.5),
        WCCM(weight=10.0, bound=True, time_limit=0.5),
        BCCM(max_tags=3, max_uncovered=0.3, solver="exact", time_limit=0.5, relax=True),
        BCCM(max_tags=1, max_uncovered=0.0, solver="refined", time_limit=0.5, relax=True),
    ],
    ids=repr,
)
def test_the_time_limit_is_of_all_that_select_does(explainer):
    T, y, _ = table(1, n_rows=6_000, n_tags=800, n_groups=3, rate=0.1)
    cov = Coverage.from_dense(T, y)
    start, work = time.perf_counter(), time.process_time()
    found = explainer.select(cov)
    # Of the two clocks the one that says less: other programs may hold up this one, and libraries use several cores.
    assert min(time.perf_counter() - start, time.process_time() - work) < 1.2
    assert found.bound is None or found.bound <= found.objective


@pytest.mark.parametrize("explainer", [WCCM(weight=10.0), BCCM(max_tags=5, max_uncovered=0.3)], ids=repr)
def test_the_time_limit_holds_where_the_table_is_large(explainer, monkeypatch):
    """On the clock of this thread: other programs, and threads of the linear algebra, play no part."""
    rng = np.random.default_rng(0)
    y = (rng.random(20_500) < 0.025).astype(int)
    T = rng.random((20_500, 2_000), dtype=np.float32) < np.where(y == 1, 0.25, 0.06)[:, None]
    cov = Coverage.from_dense(T, y)
    monkeypatch.setattr(time, "perf_counter", time.thread_time)
    start = time.thread_time()
    explainer.set_params(solver="exact", time_limit=0.5).select(cov)
    assert time.thread_time() - start < 0.8


def large(seed, n_rows, n_tags, n_groups, outliers, own, base, weigh=None):
    """Tags that cover a share `own` of one group and a share `base` of all other rows."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n_rows) < outliers, rng.integers(1, n_groups + 1, n_rows), 0)
    y[:n_groups] = np.arange(1, n_groups + 1)
    owner = rng.integers(1, n_groups + 1, n_tags)
    T = rng.random((n_rows, n_tags)) < np.where(y[:, None] == owner[None, :], own, base)
    return Coverage.from_dense(T, y, sample_weight=None if weigh is None else weigh(rng, n_rows))


@pytest.mark.parametrize(
    ("explainer", "problem"),
    [
        # What is reachable with 200 tags, where none are enough.
        (
            BCCM(max_tags=200, max_uncovered=0.0, time_limit=1),
            (1, 20_000, 2_000, 1, 0.9, 0.01, 0.005, WEIGHTS["real"]),
        ),
        # Hundreds of rounds of the greedy cover.
        (PDM(time_limit=0.5), (1, 20_000, 2_000, 1, 0.9, 0.01, 0.0001)),
        # A program that HiGHS reads for a second or more.
        (DTDM(time_limit=0.5), (770_402, 20_000, 1_000, 5, 0.9, 0.3, 0.15)),
        # 10,000 outliers that may pay for one another.
        (WCCM(weight=0.5, solver="exact", time_limit=0.5), (1, 20_000, 100, 2, 0.5, 0.08, 0.08)),
        # 2,000 picks of each outlier, each with thousands of normals.
        (WCCM(weight=100.0, bound=True, time_limit=1), (1, 20_000, 2_000, 1, 0.003, 0.95, 0.3)),
    ],
    ids=lambda one: repr(one) if not isinstance(one, tuple) else "",
)
def test_no_step_takes_long_without_a_look_at_the_clock(explainer, problem, monkeypatch):
    cov = large(*problem)
    monkeypatch.setattr(time, "perf_counter", time.thread_time)
    start = time.thread_time()
    with contextlib.suppress(InfeasibleError):
        found = explainer.select(cov)
        assert found.status == "feasible"
        assert found.bound is None or found.bound <= found.objective
    assert time.thread_time() - start < explainer.time_limit + 0.4


@pytest.mark.parametrize("explainer", [WCCM(solver="exact"), WCCM(bound=True)], ids=repr)
def test_the_time_limit_holds_where_groups_are_many(explainer, monkeypatch):
    """On the clock of this thread, as above."""
    rng = np.random.default_rng(0)
    y = np.r_[np.repeat(np.arange(1, 61), 6), np.zeros(300, dtype=int)]
    T = rng.random((660, 190)) < np.where(y[:, None] == rng.integers(1, 61, 190), 0.5, 0.02)
    cov = Coverage.from_dense(T, y)
    monkeypatch.setattr(time, "perf_counter", time.thread_time)
    start = time.thread_time()
    explainer.set_params(time_limit=1.0).select(cov)
    assert time.thread_time() - start < 1.3
