"""What an explainer claims of its selections: value, bound and proof, judged by one another and by the definition."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, get_args

from pyod_explain.checks.coverages import Tags, all_selections, small_instances
from pyod_explain.checks.failure import expect
from pyod_explain.checks.selections import selections
from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.explainers import Status

__all__ = ["ROUNDING", "Objective", "figures_agree", "objective_is_its_definition", "proofs_hold"]

Objective = Callable[[Coverage, Tags], float]
ROUNDING = 1e-6  # share of an objective by which two sums of the same numbers may differ


def figures_agree(explainer: Any) -> None:
    """A finite objective, a bound below it, and "optimal" only with a bound that equals it."""
    for what, _, found in selections(explainer):
        known = found.status in get_args(Status) and math.isfinite(found.objective)
        rule = f"`status` must be one of {', '.join(get_args(Status))} and `objective` finite, on {what}"
        expect(known, explainer, rule, f"{found.status!r} and {found.objective}", "see Selection")
        below = found.bound is None or found.bound <= found.objective
        got = f"{found.bound} for {found.objective}"
        expect(below, explainer, f"`bound` must be at most `objective`, on {what}", got, "without a proof it is None")
        proved = found.status != "optimal" or (found.gap is not None and found.gap <= ROUNDING)
        rule = f"'optimal' needs a bound that equals the objective, on {what}"
        expect(proved, explainer, rule, got, "call it 'feasible'")


def objective_is_its_definition(explainer: Any, objective: Objective) -> None:
    """`objective` is what the definition gives for the tags; infinite only where the status is "violated"."""
    for what, instance, found in selections(explainer):
        value = objective(instance.coverage, found.tags)
        if found.status == "violated":
            expect(value == math.inf, explainer, f"'violated' on {what}", f"tags of {value}", "call it 'feasible'")
            continue
        same = math.isclose(value, found.objective, rel_tol=ROUNDING, abs_tol=1e-9)
        got = f"{found.objective} where it is {value} for {found.tags}"
        hint = "compute it from the tags that are returned, after the search"
        expect(same, explainer, f"`objective` must be what the tags give, on {what}", got, hint)


def proofs_hold(explainer: Any, objective: Objective) -> None:
    """No selection of a small problem is better than one that is called optimal, or lies below a bound."""
    for i, instance in enumerate(small_instances()):
        cov, what = instance.coverage, f"small problem {i}"
        best = min(objective(cov, tags) for tags in all_selections(cov.n_tags, cov.n_groups))
        slack = ROUNDING * abs(best) if math.isfinite(best) else 0.0
        try:
            found = explainer.select(cov)
        except InfeasibleError as error:
            hint = "raise InfeasibleError(..., proved=False) for a search that gave up"
            wrong = error.proved and math.isfinite(best)
            expect(not wrong, explainer, "proved to be infeasible", f"{what}, where {best} is possible", hint)
            continue
        hint = "claim no more than was proved: status='feasible', bound=None"
        got = f"{found.bound} on {what}, where {best} is possible"
        expect(
            found.bound is None or found.bound <= best + slack, explainer, "`bound` must be a lower bound", got, hint
        )
        fine = found.status != "optimal" or found.objective <= best + slack
        got = f"{found.objective} on {what}, where {best} is possible"
        expect(fine, explainer, "'optimal' must be the best there is", got, hint)
