"""Why there is no description: errors that name the group, what is reachable, and the way out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import InfeasibleError
from pyod_explain.solvers.deadline import Deadline
from pyod_explain.solvers.greedy import Stuck
from pyod_explain.solvers.limits import LIMITS, Limits
from pyod_explain.solvers.nearest import Nearest, least_uncovered, tags_needed
from pyod_explain.solvers.problem import TOLERANCE, BudgetedCover
from pyod_explain.solvers.scale import Scaled

__all__ = ["BudgetError", "UncoverableError", "budget_error", "relaxed", "uncoverable"]

Floats = NDArray[np.float64]


class UncoverableError(InfeasibleError):
    """Some outliers are covered by no tag that may describe them.

    Attributes
    ----------
    rows : positions of those outliers in the table.
    """

    def __init__(self, message: str, *, rows: Sequence[int] = (), **facts: Any) -> None:
        super().__init__(message, **facts)
        self.rows = tuple(int(row) for row in rows)

    def at(self, lines: NDArray[np.intp]) -> UncoverableError:
        """Return the same error about a table of which row i is row `lines[i]` of the user's."""
        theirs = [int(lines[row]) for row in self.rows]
        message = str(self).replace(_listed(self.rows), _listed(theirs))
        return UncoverableError(message, rows=theirs, group=self.group, round=self.round, proved=self.proved)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the keyword arguments, which the default of exceptions would lose."""
        facts = {"rows": self.rows, "group": self.group, "round": self.round, "proved": self.proved}
        return _rebuild, (type(self), str(self), facts)


class BudgetError(InfeasibleError):
    """The budgets of BCCM were not met; `proved` tells a theorem from a search that gave up.

    Attributes
    ----------
    best_uncovered : lowest share of the group that its own `max_tags` tags were found to leave uncovered.
    needed_max_tags : fewest tags found with which the group's budgets could be met, or None.
    needed_max_uncovered : lowest share found with which they could be met, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        best_uncovered: float | None = None,
        needed_max_tags: int | None = None,
        needed_max_uncovered: float | None = None,
        **facts: Any,
    ) -> None:
        super().__init__(message, **facts)
        self.best_uncovered = best_uncovered
        self.needed_max_tags = needed_max_tags
        self.needed_max_uncovered = needed_max_uncovered

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the keyword arguments, which the default of exceptions would lose."""
        names = ("best_uncovered", "needed_max_tags", "needed_max_uncovered", "group", "round", "proved")
        return _rebuild, (type(self), str(self), {name: getattr(self, name) for name in names})


def _rebuild(kind: type[InfeasibleError], message: str, facts: dict[str, Any]) -> InfeasibleError:
    return kind(message, **facts)


def _listed(rows: Sequence[int]) -> str:
    return "(rows " + ", ".join(str(int(row)) for row in rows[:10]) + (", ..." if len(rows) > 10 else "") + ")"


def uncoverable(group: int, rows: Sequence[int], number: int, size: int, kind: str) -> UncoverableError:
    """Say which outliers of a group (0-based) no tag of this kind covers: a fact about the tags, so it is proved."""
    return UncoverableError(
        f"Group {group + 1}: no {kind} covers {number} of its {size} outliers {_listed(rows)}, whatever is chosen.\n"
        "Hint: add tags that do, leave those rows out, or use WCCM or BCCM, which may leave outliers uncovered.",
        rows=rows,
        group=group + 1,
        proved=True,
    )


def relaxed(problem: BudgetedCover, near: Nearest) -> tuple[BudgetedCover, tuple[str, ...]]:
    """Raise `max_uncovered` of the groups that exceed it to what the nearest selection needs, and say so."""
    lost = np.asarray(problem.coverage.weigh_lost(near.tags), dtype=np.float64)
    over = near.excess > 0
    share = np.where(over, lost / np.where(problem.totals > 0, problem.totals, 1.0), problem.max_uncovered)
    notes = tuple(
        f"`max_uncovered` of group {k + 1} was raised from {problem.max_uncovered[k]:g} to {share[k]:g}: "
        + ("no choice of tags" if near.impossible else "no choice of tags that was found")
        + " meets the given budgets."
        for k in np.flatnonzero(over)
    )
    return replace(problem, max_uncovered=share), notes


def budget_error(
    scaled: Scaled[BudgetedCover],
    near: Nearest,
    deadline: Deadline,
    stuck: Stuck | None = None,
    limits: Limits = LIMITS,
) -> BudgetError:
    """Say which group fails, what is reachable, and which budgets would do.

    Parameters
    ----------
    scaled : the problem as it was asked, and the one in which the nearest selection was found.
    stuck : where Algorithm 2 gave up, if that is why there is no selection.
    """
    problem = scaled.asked
    totals = problem.totals
    lost = np.asarray(problem.coverage.weigh_lost(near.tags), dtype=np.float64)
    share = np.divide(lost, totals, out=np.zeros_like(lost), where=totals > 0)
    # Where Algorithm 2 gave up another group may be the one that cannot be told.
    k = stuck.group if stuck is not None and near.feasible else int(np.argmax(near.excess))
    alone = least_uncovered(scaled, near.small, k, deadline.part(0.5), limits)
    needed = tags_needed(scaled, near.small, k, deadline, limits)
    # To be lost altogether is no budget: max_uncovered is below 1.
    share_needed = float(share[k]) if share[k] < 1 - TOLERANCE else None
    return BudgetError(
        _message(problem, near, k, alone, needed, share, stuck),
        group=k + 1,
        round=None if stuck is None else stuck.round,
        proved=near.impossible,
        best_uncovered=alone,
        needed_max_tags=needed,
        needed_max_uncovered=share_needed,
    )


def _message(
    problem: BudgetedCover,
    near: Nearest,
    k: int,
    alone: float,
    needed: int | None,
    share: Floats,
    stuck: Stuck | None,
) -> str:
    limit, allowed = int(problem.max_tags[k]), problem.max_uncovered[k]
    what = f"at most {limit} tag{'s' if limit != 1 else ''} and at most {100 * allowed:g}% of the group lost"
    if near.feasible and stuck is not None:
        return (
            f"Group {k + 1}: the paper's greedy search gave up in round {stuck.round} of {limit}, though there is a "
            f"description with {what}.\nHint: use `solver='refined'`, which finds it."
        )
    verdict = "no choice of tags has (this is proved)" if near.impossible else "no choice of tags was found that has"
    own = f"With that many tags of its own, the best choice found leaves {alone:.1%} uncovered"
    if len(problem.max_tags) > 1:  # what was looked for, and maybe proved not to be there, is for all of them
        what += " and meets the budgets of the other groups"
    facts = f"Group {k + 1}: {verdict} {what}. {own}"
    if alone <= allowed + TOLERANCE:
        facts += ", but tags that other groups need cover its outliers, or its tags theirs"
    over = np.flatnonzero(near.excess > 0)
    raise_to = ", ".join(f"{_ceil(share[m]):g} for group {m + 1}" for m in over)
    ways = [f"`max_uncovered` of {raise_to}"] if (share[over] < 1 - TOLERANCE).all() else []
    if needed is not None:
        ways.append(f"`max_tags` of {needed} for group {k + 1}")
    hint = f"{' or '.join(ways)} would do; " if ways else "add tags that cover more of the group; "
    return f"{facts}.\nHint: {hint}`relax=True` returns the nearest explanation."


def _ceil(share: float) -> float:
    return float(np.ceil(share * 1000 - 1e-6) / 1000)
