"""From the name of a method, and the parameters that were given, to an explainer."""

from __future__ import annotations

from typing import Any

from pyod_explain._validate import check_choice, check_number
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.explainers.base import Explainer
from pyod_explain.explainers.bccm import BCCM
from pyod_explain.explainers.fewest import DTDM, PDM
from pyod_explain.explainers.mdl import MDL
from pyod_explain.explainers.wccm import WCCM

__all__ = ["METHODS", "SOLVERS", "make_explainer"]

METHODS: dict[str, type[Explainer]] = {"mdl": MDL, "wccm": WCCM, "bccm": BCCM, "pdm": PDM, "dtdm": DTDM}
SOLVERS = ("refined", "greedy", "exact")


def make_explainer(method: str | Explainer, *, min_lift: float, **parameters: Any) -> Explainer:
    """Make the explainer of this name; an explainer object is returned as it is.

    Parameters
    ----------
    method : a name of `METHODS`, or an explainer.
    min_lift : least ratio of a tag's share of the group to its share of the normals.
    parameters : of the method; None for its own default. `solver` is ignored where the method has not that one.

    Examples
    --------
    >>> make_explainer("wccm", solver="greedy", min_lift=1.0, weight=5.0, max_tags=None)
    WCCM(min_lift=1.0, solver='greedy', weight=5.0)
    """
    if isinstance(method, Explainer):
        return method
    kind = METHODS[check_choice("explain()", "method", method, among=METHODS)]
    check_number("explain()", "min_lift", min_lift, low=0.0)
    given = {name: value for name, value in parameters.items() if value is not None}
    solver = given.pop("solver", None)
    takes = kind().get_params()
    if unknown := [name for name in given if name not in takes]:
        names = ", ".join(name for name in takes if name != "min_lift")
        raise PyodExplainError(f"`{unknown[0]}` is no parameter of method {method!r}, which takes {names}.")
    if solver is not None:
        check_choice("explain()", "solver", solver, among=SOLVERS)
        # PDM and DTDM have no local search, MDL has nothing else.
        if "solver" in takes and not (kind in (PDM, DTDM) and solver == "refined"):
            given["solver"] = solver
    return kind(min_lift=min_lift, **given)
