"""Settings of the test run."""

import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings

from pyod_explain import explain

# Each process of a parallel run has one core: threads of the linear algebra in it would wait for those of the others.
# Set here, in the process that starts them, it is there before they import numpy.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# No deadline: the machine may be busy. In CI the examples are fixed, so that a run can be repeated; elsewhere
# they vary.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


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
