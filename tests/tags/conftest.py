"""Tables for the tests of makers."""

import numpy as np
import pandas as pd
import pytest
from tag_tables import grouped

from pyod_explain.groups import Groups
from pyod_explain.input import Table, as_table


@pytest.fixture
def shop() -> tuple[pd.DataFrame, Groups]:
    """Two groups with a reason each: large and paid by voucher; at night and from far away."""
    rng = np.random.default_rng(7)
    n = 1500
    frame = pd.DataFrame(
        {
            "amount": rng.lognormal(3, 1, n).round(2),
            "hour": rng.integers(0, 24, n),
            "pay": rng.choice(["card", "cash", "voucher"], n, p=[0.6, 0.3, 0.1]),
            "miles": np.where(rng.uniform(size=n) < 0.1, np.nan, rng.exponential(20, n)),
            "member": rng.uniform(size=n) < 0.5,
        }
    )
    y = np.zeros(n, dtype=np.int64)
    y[((frame["amount"] > 30) & (frame["pay"] == "voucher")).to_numpy()] = 1
    y[((frame["hour"] < 5) & (frame["miles"] > 35)).to_numpy()] = 2
    return frame, grouped(y)


@pytest.fixture
def small() -> tuple[Table, Groups]:
    return as_table(pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=list("abc"))), grouped([0, 1, 1])
