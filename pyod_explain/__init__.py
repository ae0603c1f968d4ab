"""Why are these rows outliers? A few readable rules per group of outliers, after any PyOD detector.

>>> import pandas as pd
>>> from pyod_explain import explain
>>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990], "kind": ["a"] * 50 + ["b"] * 3})
>>> explain([0] * 50 + [1] * 3, X)
Explanation(3 of 3 outliers in 1 group by 1 rule)
"""

from pyod_explain import datasets
from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import InfeasibleError, PyodExplainError, StaleExplanationWarning
from pyod_explain.explained import ExplainedDetector
from pyod_explain.explainers import BCCM, DTDM, MDL, PDM, WCCM, Selection
from pyod_explain.explanation import Explanation
from pyod_explain.metrics import evaluate
from pyod_explain.pipeline import OutlierExplainer, explain
from pyod_explain.tags import Condition, ForestRules, GivenTags, Itemsets, Tag
from pyod_explain.tradeoff import tradeoff

__version__ = "0.1.0"

__all__ = [
    "BCCM",
    "DTDM",
    "MDL",
    "PDM",
    "WCCM",
    "Condition",
    "Coverage",
    "ExplainedDetector",
    "Explanation",
    "ForestRules",
    "GivenTags",
    "InfeasibleError",
    "Itemsets",
    "OutlierExplainer",
    "PyodExplainError",
    "Selection",
    "StaleExplanationWarning",
    "Tag",
    "datasets",
    "evaluate",
    "explain",
    "tradeoff",
]
