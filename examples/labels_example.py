"""
Labels, scores or groups of your own
====================================

No detector is needed: whoever marked the rows, the question is what they have in common.
"""

# %%
# Five hundred patients. Ten have an age that nobody has, ten come far too often.
import numpy as np
import pandas as pd

from pyod_explain import explain

rng = np.random.default_rng(0)
X = pd.DataFrame({"age": rng.integers(18, 70, 500), "visits": rng.poisson(3, 500)}, index=[f"p{i}" for i in range(500)])
X.iloc[:10, 0] = 99
X.iloc[10:20, 1] = 40
marked = np.array([1] * 20 + [0] * 480)

# %%
# An array, a list or a Series of 0 and 1.
explanation = explain(marked, X)
print(explanation.headline)

# %%
# The name of a column. The column does not explain itself.
print(explain("flag", X.assign(flag=marked)).to_frame()["rule"].to_string())

# %%
# Scores and a threshold: above it is an outlier.
scores = X["age"] / 99 + X["visits"] / 40
print(repr(explain(None, X, scores=scores, threshold=1.05)))

# %%
# Groups that you know: 0 is normal, any other number a group.
groups = np.array([1] * 10 + [2] * 10 + [0] * 480)
print(explain(groups, X).to_frame()[["group", "rule", "outliers", "normals"]].to_string(index=False))

# %%
# Each column is an outlier, each line a rule; green is an outlier of the rule's own group.
axes = explanation.plot("coverage")
