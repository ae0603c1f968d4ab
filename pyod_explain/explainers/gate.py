"""The one gate through which every selection leaves a solver: all rules are checked here, whoever made it.

Solvers search in problems that were scaled, reduced and relaxed. What they return is judged here by the problem as it
was asked: the rules, the objective from its definition, and the proof against that objective. Nothing is claimed that
was not checked: a selection that breaks a rule is an error of ours, and a bound above the objective proves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pyod_explain.explainers.selection import Selection, Status
from pyod_explain.solvers import Chosen

__all__ = ["SolverError", "let_out"]

ABOVE = 1e-6  # a bound that exceeds the objective by a larger share of it is wrong, not rounded


class SolverError(RuntimeError):
    """A solver returned a selection that breaks a rule of the problem: an error in this package, not in its input."""


def let_out(
    tags: Chosen,
    objective: float,
    bound: float | None,
    *,
    broken: Sequence[str],
    violated: Sequence[str] = (),
    method: str,
    solver: str,
    notes: tuple[str, ...] = (),
) -> Selection:
    """Make the selection that the user gets, with no more claimed than holds.

    Parameters
    ----------
    objective : computed from its definition, of the problem as it was asked.
    bound : lower bound of the objective that the solver proved, if any.
    broken : the rules that the selection breaks; must be empty.
    violated : the rules that this solver is known to break at times; they are told, and nothing is proved then.
    """
    if broken or not math.isfinite(objective):
        facts = " ".join(broken) or f"Its objective is {objective}."
        raise SolverError(
            f"{method} with solver={solver!r} returned a selection that breaks a rule: {facts}\n"
            "Hint: this is an error in pyod_explain; please report it, and use another `solver` until it is mended."
        )
    if bound is not None and not bound <= objective + ABOVE * abs(objective):
        wrong = f"A bound of {bound:g} was claimed for an objective of {objective:g}; it is wrong and was dropped."
        bound, notes = None, (*notes, wrong)
    bound = bound if bound is None else min(bound, objective)
    status: Status = "violated" if violated else "optimal" if bound is not None and bound >= objective else "feasible"
    return Selection(
        tuple(tuple(int(j) for j in chosen) for chosen in tags),
        objective,
        status,
        bound,
        method=method,
        solver=solver,
        notes=(*notes, *violated),
    )
