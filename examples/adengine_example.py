"""
After PyOD's ADEngine
=====================

ADEngine chooses detectors and combines them. Its state carries the data, so ``explain(state)`` is enough; the
answer can take the shape of its own findings.
"""

# %%
import contextlib
import io
import warnings

import numpy as np
import pandas as pd

from pyod_explain import explain
from pyod_explain.export import to_findings

try:
    from pyod.utils.ad_engine import ADEngine
except ImportError:
    raise SystemExit("This example needs PyOD 3, which brought ADEngine: pip install 'pyod>=3'") from None

rng = np.random.default_rng(0)
readings = pd.DataFrame(rng.normal([20, 3, 50], [2, 0.4, 5], (800, 3)).round(2), columns=["heat", "flow", "load"])
readings.loc[:19, "flow"] = rng.uniform(0.1, 0.5, 20).round(2)
readings.loc[20:39, "heat"] = rng.uniform(45, 60, 20).round(2)

# %%
# Detect, several detectors at once. (What they print is left out here.)
with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    state = ADEngine().investigate(readings.to_numpy())

# %%
# The engine has seen numbers without names; these come with ``features``.
explanation = explain(state, readings)
print(explanation)

# %%
# A line for each outlier, in the shape of ``ADEngine.explain_findings``.
for finding in to_findings(explanation)[:3]:
    print(finding["narrative"])

# %%
axes = explanation.plot("groups")
