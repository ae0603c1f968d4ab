"""
A fitted PyOD detector
======================

Fit any detector of PyOD, pass it on with its table, and read why it marked what it marked.
"""

# %%
# A detector that is not told which tumours are malignant marks a tenth of them.
from pyod.models.iforest import IForest
from sklearn.datasets import load_breast_cancer

from pyod_explain import explain

X = load_breast_cancer(as_frame=True).data
clf = IForest(contamination=0.1, random_state=0).fit(X)

# %%
# One line explains it. ``str()`` of the explanation is the report.
explanation = explain(clf, X)
print(explanation)

# %%
# The same object is kept on the detector. It notices when the detector is fitted again.
print(repr(clf.explanation_))

# %%
# Why this row? Its rules, with its own values.
label = explanation.groups[0].rows[0]
print(explanation.for_row(label))

# %%
# Which group's description do new rows match? 0 is none.
print(explanation.predict(X.head(12)).tolist())

# %%
# How often the conditions of the rules hold in each group, and among the normal rows.
axes = explanation.plot("groups")
