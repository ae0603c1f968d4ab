"""Explainers: which tags describe which group.

Objectives: `PDM`, `WCCM`, `BCCM`, `DTDM` (the paper) and `MDL`. Solvers: greedy (the paper), refined (local search),
exact (a mixed-integer program for HiGHS, with a lower bound).
"""

from pyod_explain._validate import check_choice, check_number
from pyod_explain.explainers.base import Explainer, Selection, SolverError, Status, checked_selection
from pyod_explain.explainers.cover import BCCM, WCCM
from pyod_explain.explainers.fewest import DTDM, PDM
from pyod_explain.explainers.marginal import MarginalObjective, NewlyCovered, PartObjective
from pyod_explain.explainers.mdl import MDL

METHODS: dict[str, type[Explainer]] = {"mdl": MDL, "wccm": WCCM, "bccm": BCCM, "pdm": PDM, "dtdm": DTDM}


def make_explainer(method: str | Explainer, *, min_lift: float) -> Explainer:
    """Make the explainer of this name; an explainer object is returned as it is.

    Parameters
    ----------
    method : a name of `METHODS`, or an explainer.
    min_lift : least ratio of a tag's share of the group to its share of the normals.

    Examples
    --------
    >>> make_explainer("wccm", min_lift=1.0)
    WCCM(min_lift=1.0)
    """
    if isinstance(method, Explainer):
        return method
    kind = METHODS[check_choice("explain()", "method", method, among=METHODS)]
    return kind(min_lift=check_number("explain()", "min_lift", min_lift, low=0.0))
