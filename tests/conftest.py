"""Settings of the test run."""

import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import is_hypothesis_test, settings

from pyod_explain import explain

# Each process of a parallel run has one core: threads of the linear algebra in it would wait for those of the others.
# Set here, in the process that starts them, it is there before they import numpy.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
# PyOD's detectors see tables of a few rows here: compiling them takes longer than running them.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

# No deadline: the machine may be busy. In CI the examples are fixed, so that a run can be repeated; elsewhere
# they vary. A test sees a quarter of its examples; PYOD_EXPLAIN_EXAMPLES=all sees all, few a twentieth.
ONE_OF = {"all": 1, "few": 20}.get(os.environ.get("PYOD_EXPLAIN_EXAMPLES", ""), 4)
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_collection_modifyitems(items):
    """Give each Hypothesis test its share of examples, also where it names a number."""
    tests = {item.obj for item in items if is_hypothesis_test(getattr(item, "obj", None))}
    for test in tests:
        own = test._hypothesis_internal_use_settings  # a profile would not reach the tests that name a number
        test._hypothesis_internal_use_settings = settings(own, max_examples=max(own.max_examples // ONE_OF, 3))


@pytest.fixture(scope="module")
def payments():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "amount": rng.gamma(2, 20, 300).round(2),
            "kind": rng.choice(["web", "shop"], 300),
            "age": rng.integers(18, 80, 300),
        },
        index=[f"p{i}" for i in range(300)],
    )
    frame.iloc[:12, 0] += 400
    frame.iloc[12:20, 1] = "phone"
    return frame, [1] * 12 + [2] * 8 + [0] * 280


@pytest.fixture(scope="module")
def explained(payments):
    return explain(payments[1], payments[0])


@pytest.fixture
def frame() -> pd.DataFrame:
    """Eighty rows, of which six are far off in one column; rooms with a table of their own put it in its place."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"amount": rng.normal(size=80), "age": rng.integers(18, 70, 80), "kind": ["a", "b"] * 40})
    frame.loc[:5, "amount"] += 20
    return frame
