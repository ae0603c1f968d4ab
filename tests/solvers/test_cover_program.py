"""The program for HiGHS: by tags or, where tags outnumber rows, by rows."""

import numpy as np
import pytest
from fast import limited, table

from pyod_explain import WCCM, Coverage
from pyod_explain.solvers import CoverProgram, Limits


@pytest.fixture
def built(monkeypatch):
    """Whether each program that is built from here on is one by rows."""
    seen = []
    build = CoverProgram.of.__func__

    def noted(cls, *args, **options):
        program = build(cls, *args, **options)
        seen.append(program is not None and program.by_rows)
        return program

    monkeypatch.setattr(CoverProgram, "of", classmethod(noted))
    return seen


def test_where_tags_outnumber_rows_the_program_is_by_rows_and_finds_the_same(built):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y = np.where(rng.random(20) < 0.5, rng.integers(1, 4, 20), 0)
        y[:5] = 1, 2, 3, 0, 0
        cov = Coverage.from_dense(rng.random((20, 150)) < 0.4, y)
        weight = float(rng.integers(1, 4))
        by_program = limited(WCCM, Limits(few_tags=0))(weight=weight, solver="exact").select(cov)
        by_branching = WCCM(weight=weight, solver="exact").select(cov)
        assert by_program.status == by_branching.status == "optimal"
        assert by_program.objective == by_branching.objective
    assert any(built)


def test_with_few_tags_it_is_by_tags_and_finds_the_same(built):
    for seed in range(3):
        T, y, _ = table(seed, n_rows=120, n_tags=20)
        cov = Coverage.from_dense(T, y)
        by_program = limited(WCCM, Limits(few_tags=0))(weight=2.0, solver="exact").select(cov)
        assert by_program.objective == WCCM(weight=2.0, solver="exact").select(cov).objective
        assert by_program.status == "optimal"
    assert built
    assert not any(built)
