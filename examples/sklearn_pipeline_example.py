"""
A Pipeline, in raw columns
==========================

The detector sees scaled and encoded numbers. The rules speak of the columns that went in.
"""

# %%
# Two thousand payments. Thirty are large, at night and by a channel of their own.
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import IsolationForest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pyod_explain import ExplainedDetector, OutlierExplainer, explain

rng = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "amount": rng.lognormal(3, 0.6, 2000).round(2),
        "hour": rng.integers(8, 22, 2000),
        "channel": rng.choice(["web", "branch", "phone"], 2000),
    }
)
X.loc[:29, "amount"] = rng.uniform(900, 2500, 30).round(2)
X.loc[:29, "hour"] = rng.integers(0, 5, 30)
X.loc[:29, "channel"] = "api"

# %%
pipeline = make_pipeline(
    make_column_transformer((OneHotEncoder(sparse_output=False), ["channel"]), remainder=StandardScaler()),
    IsolationForest(contamination=0.015, random_state=0),
)
pipeline.fit(X)
explanation = explain(pipeline, X)
print(explanation)

# %%
# As one estimator: every fit explains itself, so the explanation is never that of an earlier fit. Parameters reach
# inside.
model = ExplainedDetector(pipeline, OutlierExplainer(max_length=2))
model.set_params(detector__isolationforest__contamination=0.01).fit(X)
print(repr(model.explanation_))

# %%
axes = explanation.plot("groups")
