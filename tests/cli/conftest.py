"""A table with ten outliers, and the same as a file."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    made = pd.DataFrame(
        {
            "id": [f"row {i}" for i in range(200)],
            "amount": rng.gamma(2, 20, 200).round(2),
            "kind": rng.choice(["web", "shop"], 200),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 100, 200), unit="D"),
            "odd": [1] * 10 + [0] * 190,
        }
    )
    made.loc[:9, "amount"] += 500
    made.loc[20:25, "amount"] = np.nan
    made.loc[30:32, "kind"] = None
    return made


@pytest.fixture
def csv(frame, tmp_path):
    path = tmp_path / "payments.csv"
    frame.to_csv(path, index=False)
    return str(path)
