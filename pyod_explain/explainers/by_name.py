"""From the name of a method, and the parameters that were given, to an explainer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyod_explain._validate import check_choice, check_number, shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.explainers.base import Explainer
from pyod_explain.explainers.bccm import BCCM
from pyod_explain.explainers.fewest import DTDM, PDM
from pyod_explain.explainers.mdl import MDL
from pyod_explain.explainers.wccm import WCCM

__all__ = ["METHODS", "SOLVERS", "explainer_of"]

METHODS: dict[str, type[Explainer]] = {"mdl": MDL, "wccm": WCCM, "bccm": BCCM, "pdm": PDM, "dtdm": DTDM}
SOLVERS = ("refined", "greedy", "exact")


def explainer_of(method: str | Explainer, *, solver: str = SOLVERS[0], min_lift: float, **parameters: Any) -> Explainer:
    """Make the explainer that is asked for; an explainer object is taken as it is, with parameters of its own.

    Parameters
    ----------
    method : a name of `METHODS`, or an explainer.
    solver : one of `SOLVERS`, of which the first is the default; methods that have not that one take their own.
    min_lift : what a tag must have to describe a group.
    parameters : of the method; None for its own default. Beside an explainer object these and a solver are refused.

    Examples
    --------
    >>> explainer_of("wccm", solver="greedy", min_lift=1.0, weight=5.0, max_tags=None)
    WCCM(min_lift=1.0, solver='greedy', weight=5.0)
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    if isinstance(method, Explainer):
        _check_nothing_beside(
            method, given if isinstance(solver, str) and solver == SOLVERS[0] else {"solver": solver, **given}
        )
        return method
    kind = METHODS[check_choice("explain()", "method", method, among=METHODS)]
    check_choice("explain()", "solver", solver, among=SOLVERS)
    check_number("explain()", "min_lift", min_lift, low=0.0)
    takes = kind().get_params()
    unknown = [name for name in given if name not in takes]
    if unknown:
        raise PyodExplainError(
            f"`{unknown[0]}` is no parameter of method {method!r}, which takes "
            f"{', '.join(name for name in takes if name != 'min_lift')}."
        )
    # PDM and DTDM have no local search, MDL has nothing else: each then takes its own solver.
    if "solver" in takes and not (kind in (PDM, DTDM) and solver == "refined"):
        given["solver"] = solver
    return kind(min_lift=min_lift, **given)


def _check_nothing_beside(method: Explainer, given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        kind = type(method).__name__
        raise PyodExplainError(
            f"`{name}` must be set on the explainer where `method` is one, got {name}={shown(value)} beside {kind}.\n"
            f"Hint: method={kind}({name}=...), if it has that parameter."
        )
