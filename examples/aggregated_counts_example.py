"""
An aggregated table
===================

A row stands for many, and some of these are bad: viewers by site, line and device, and how many of them stalled.
"""

# %%
# A hundred thousand viewers in 48 lines. Cable at site b stalls, wherever else it is fine.
import itertools

import numpy as np
import pandas as pd

from pyod_explain import explain

rng = np.random.default_rng(0)
combinations = itertools.product(["a", "b", "c", "d"], ["dsl", "cable", "mobile"], ["tv", "phone", "laptop", "tablet"])
viewers = pd.DataFrame(combinations, columns=["site", "line", "device"])
viewers["viewers"] = rng.integers(800, 3400, len(viewers))
bad = (viewers["site"] == "b") & (viewers["line"] == "cable")
viewers["stalled"] = rng.binomial(viewers["viewers"], np.where(bad, 0.7, 0.01))
print(viewers.head(3).to_string(index=False))

# %%
# ``counts`` says how many rows a line stands for, ``outlier_counts`` how many of these are outliers.
explanation = explain(X=viewers, counts="viewers", outlier_counts="stalled")
print(explanation)

# %%
axes = explanation.plot("groups")
