"""Why are these rows outliers? A few readable rules per group of outliers, after any PyOD detector.

>>> import pandas as pd
>>> from pyod_explain import explain
>>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990], "kind": ["a"] * 50 + ["b"] * 3})
>>> explain([0] * 50 + [1] * 3, X)
Explanation(3 of 3 outliers in 1 group by 1 rule)
"""

TYPE_CHECKING = False  # type checkers take it for true; importing it from `typing` would take longer than the rest here

if TYPE_CHECKING:
    from pyod_explain import datasets
    from pyod_explain.api import OutlierExplainer, explain
    from pyod_explain.beyond_memory import LargeTable
    from pyod_explain.coverage import Coverage
    from pyod_explain.detector import ExplainedDetector
    from pyod_explain.exceptions import InfeasibleError, PyodExplainError, StaleExplanationWarning
    from pyod_explain.explainers import BCCM, DTDM, MDL, PDM, WCCM, Selection
    from pyod_explain.explanation import Explanation
    from pyod_explain.metrics import evaluate
    from pyod_explain.new_rows import explain_new
    from pyod_explain.tags import Condition, DatePart, ForestRules, GivenTags, Itemsets, Relation, Tag

__version__ = "0.1.0"

__all__ = [
    "BCCM",
    "DTDM",
    "MDL",
    "PDM",
    "WCCM",
    "Condition",
    "Coverage",
    "DatePart",
    "ExplainedDetector",
    "Explanation",
    "ForestRules",
    "GivenTags",
    "InfeasibleError",
    "Itemsets",
    "LargeTable",
    "OutlierExplainer",
    "PyodExplainError",
    "Relation",
    "Selection",
    "StaleExplanationWarning",
    "Tag",
    "datasets",
    "evaluate",
    "explain",
    "explain_new",
]

# Where each name comes from. They are imported on first use, so that the command line, which is a part of this
# package, can answer an interrupt before numpy, pandas and scikit-learn are imported, which takes seconds. So are the
# modules beside this file: else `pyod_explain.tags` would be there or not, depending on what was used before. No name
# may be that of a module, which Python would put in its place.
_HOMES = {
    **dict.fromkeys(("BCCM", "DTDM", "MDL", "PDM", "WCCM", "Selection"), "explainers"),
    **dict.fromkeys(("Condition", "DatePart", "ForestRules", "GivenTags", "Itemsets", "Relation", "Tag"), "tags"),
    **dict.fromkeys(("InfeasibleError", "PyodExplainError", "StaleExplanationWarning"), "exceptions"),
    **dict.fromkeys(("OutlierExplainer", "explain"), "api"),
    "explain_new": "new_rows",
    "Coverage": "coverage",
    "ExplainedDetector": "detector",
    "Explanation": "explanation",
    "datasets": "datasets",
    "LargeTable": "beyond_memory",
    "evaluate": "metrics",
}

if not TYPE_CHECKING:  # a type checker reads the imports above, and would take any name for one that is there

    def __getattr__(name: str) -> object:
        from importlib import import_module
        from importlib.util import find_spec

        home = _HOMES.get(name, name)
        no_module = (
            name.startswith("_") or not name.isidentifier()
        )  # of a dotted name, find_spec imports the first part
        if name not in _HOMES and (no_module or find_spec(f"{__name__}.{name}") is None):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = import_module(f"{__name__}.{home}")
        found = module if name == home else getattr(module, name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
