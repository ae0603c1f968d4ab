"""
A time series, with readable columns
====================================

The detector looks at the series alone. The rules speak of other columns of the same time steps.
"""

# %%
# An hourly load, with spikes in hours of maintenance.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from pyod.models.iforest import IForest

from pyod_explain import explain

rng = np.random.default_rng(0)
time = pd.date_range("2024-01-01", periods=1500, freq="h", name="time")
load = pd.Series(100 + 20 * np.sin(np.arange(1500) * 2 * np.pi / 24) + rng.normal(0, 2, 1500), index=time, name="load")
maintenance = np.zeros(1500, dtype=bool)
maintenance[rng.choice(1500, 12, replace=False)] = True
load[maintenance] += 90

# %%
# PyOD 3 has detectors of time series. With an older one, windows of three hours do.
try:
    from pyod.models.ts_spectral_residual import SpectralResidual
except ImportError:
    print("This PyOD has no SpectralResidual: IForest on windows of three hours instead.")
    seen = pd.concat([load.shift(lag) for lag in (0, 1, 2)], axis=1).bfill().to_numpy()
    detector = IForest(contamination=0.01, random_state=0).fit(seen)
else:
    seen = load.to_numpy()
    detector = SpectralResidual(contamination=0.01).fit(seen)

# %%
# One row of readable columns for each time step.
steps = pd.DataFrame({"maintenance": maintenance, "weekday": time.day_name(), "hour": time.hour}, index=time)
explanation = explain(detector, seen, features=steps)
print(explanation)

# %%
figure, axes = plt.subplots(figsize=(8, 2.5), layout="constrained")
axes.plot(load, linewidth=0.6)
spikes = load[explanation.predict(steps) == 1]
axes.plot(spikes, "o", markersize=4, color="tab:red", label="matches a rule")
_ = axes.legend(loc="upper right")
