"""
A threshold by PyThresh
=======================

How many rows are outliers? PyThresh decides instead of ``contamination``; what the detector marks then is explained
as ever.
"""

# %%
import numpy as np
import pandas as pd
from pyod.models.knn import KNN

from pyod_explain import explain

try:
    from pythresh.thresholds.iqr import IQR
except ImportError:
    raise SystemExit("This example needs PyThresh: pip install pythresh") from None

rng = np.random.default_rng(0)
X = pd.DataFrame({"amount": rng.normal(50, 5, 600).round(1), "age": rng.integers(18, 70, 600)})
X.loc[:24, "amount"] += 60

# %%
detector = KNN(contamination=IQR()).fit(X.to_numpy())
explanation = explain(detector, X)
print(explanation)

# %%
axes = explanation.plot("groups")
