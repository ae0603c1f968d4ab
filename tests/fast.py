"""From a problem of the slow reference to the fast code's types."""

from __future__ import annotations

import numpy as np
from reference import Problem

from pyod_explain import Coverage
from pyod_explain.explainers.base import Explainer
from pyod_explain.solvers.limits import Limits


def coverage_of(problem: Problem) -> Coverage:
    """The same problem, packed."""
    dense, y = problem.dense()
    table = np.array(dense, dtype=bool).reshape(len(y), len(problem.tags))
    return Coverage.from_dense(
        table, y, lengths=problem.lengths, n_items=problem.n_items, sample_weight=problem.weights
    )


def limited(kind: type[Explainer], limits: Limits) -> type[Explainer]:
    """The same explainer with solvers that go only so far: small problems take the roads of large ones."""
    return type(kind.__name__, (kind,), {"limits": limits})
