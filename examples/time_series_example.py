"""Explain a time series detector: detected on the series, explained with readable columns of the same steps.

python examples/time_series_example.py
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from pyod.models.ts_spectral_residual import SpectralResidual

from pyod_explain import explain


def main() -> None:
    """Find spikes in an hourly load, and say when and under which conditions they happen."""
    rng = np.random.default_rng(0)
    time = pd.date_range("2024-01-01", periods=1500, freq="h", name="time")
    load = pd.Series(100 + 20 * np.sin(np.arange(1500) * 2 * np.pi / 24) + rng.normal(0, 2, 1500), index=time)
    maintenance = np.zeros(1500, dtype=bool)
    maintenance[rng.choice(1500, 12, replace=False)] = True
    load[maintenance] += 90

    clf = SpectralResidual(contamination=0.01)
    clf.fit(load.to_numpy())

    features = pd.DataFrame(
        {"load": load, "change": load.diff(), "maintenance": maintenance, "weekday": time.day_name()}, index=time
    )
    print(explain(clf, load, features=features))


if __name__ == "__main__":
    main()
