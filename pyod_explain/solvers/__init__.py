"""Solvers: how what an explainer asks is answered, and how much of the answer is proved.

The way of a problem: `problem` (what is asked, as data), `scale` (weights in whole numbers), `greedy` (the paper's
algorithms), `local_search` and `paid_rows` (refined), `reduce` (a smaller problem with the same best value), then
`bounds` or `exact`. Where tags are few, `branch` searches all selections; else `choice` shares the costs of the whole
problem and `cover_program` hands it to HiGHS. `set_cover` is for PDM and DTDM, `description_search` for MDL, and
`nearest` and `infeasible` say what would do where nothing does.

Words
-----
pair : a group and a tag that may describe it.
lost : an outlier is lost if no tag of its own group covers it, or one of another group does.
mass : weight of rows, or their number where they have none. Not `weight`, which is λ: the cost of a lost outlier.
small : a problem after its reductions (`Reduced`): dominated pairs left out, identical rows merged.
hopeless : outliers that no tag of their group covers; lost in any case.
resource : a row that costs something once it is used: a normal that is covered, or an outlier that is lost.
pick : the tag of its own group that an outlier relies on; it uses all resources of the tag.
payer : an outlier that still has to pick a tag or be lost.
share : what a payer pays of the cost of a resource. All shares of a resource add up to its cost.
party : outliers of one group that have one share in common, where there are too many to keep apart.
toll : a part of a resource's cost that is laid on the tags that use it; the group that uses the tag pays it in full.
price : of a pick, the shares and tolls in all that it uses; of a loss under BCCM, which has none of its own, a
    multiplier that moves until no group loses more than it may.
part : the selections in which some tags are decided, used for a group or left out; branch and bound divides by parts.
room : weight of outliers that a group may lose under BCCM, beyond the hopeless ones.
paid row : a row whose cost is accepted, so that every pair that needs no other rows is free (`paid_rows`).
step : the objective is a multiple of it, so that a bound may be rounded up (`proof`).
cut-off : only selections that cost no more are looked for.
road : one of the ways to the optimum: branch and bound for few tags, HiGHS for many. `Limits` says where they part.
"""

from pyod_explain.solvers.bounds import budgeted_bound, weighted_bound
from pyod_explain.solvers.branch import branch_and_bound
from pyod_explain.solvers.choice import choice, share_costs
from pyod_explain.solvers.cost_sharing import (
    CostSharing,
    Manner,
    Schedule,
)
from pyod_explain.solvers.cover_program import CoverProgram
from pyod_explain.solvers.deadline import (
    NEVER,
    Clock,
    Deadline,
)
from pyod_explain.solvers.description_search import (
    describe,
    most_candidates,
    quick_search,
)
from pyod_explain.solvers.dominance import undominated
from pyod_explain.solvers.exact import solve_budgeted, solve_weighted
from pyod_explain.solvers.greedy import (
    Stuck,
    greedy_budgeted,
    greedy_weighted,
)
from pyod_explain.solvers.infeasible import (
    UncoverableError,
    budget_error,
    relaxed,
    uncoverable,
)
from pyod_explain.solvers.limits import LIMITS, Limits
from pyod_explain.solvers.local_search import refine_budgeted, refine_weighted
from pyod_explain.solvers.milp import Program, Untimed
from pyod_explain.solvers.nearest import Nearest, nearest
from pyod_explain.solvers.parts import Instance, everything
from pyod_explain.solvers.problem import (
    BudgetedCover,
    Chosen,
    WeightedCover,
    misused_tags,
    too_many_tags,
)
from pyod_explain.solvers.proof import settle, step_of
from pyod_explain.solvers.reduce import (
    Reduced,
    reduced,
    reduced_in_time,
    useful_pairs,
)
from pyod_explain.solvers.scale import (
    Scaled,
    scale_budgeted,
    scale_weighted,
)
from pyod_explain.solvers.set_cover import (
    fewest_tags,
    greedy_cover,
    uncovered_rows,
)

__all__ = [
    "LIMITS",
    "NEVER",
    "BudgetedCover",
    "Chosen",
    "Clock",
    "CostSharing",
    "CoverProgram",
    "Deadline",
    "Instance",
    "Limits",
    "Manner",
    "Nearest",
    "Program",
    "Reduced",
    "Scaled",
    "Schedule",
    "Stuck",
    "UncoverableError",
    "Untimed",
    "WeightedCover",
    "branch_and_bound",
    "budget_error",
    "budgeted_bound",
    "choice",
    "describe",
    "everything",
    "fewest_tags",
    "greedy_budgeted",
    "greedy_cover",
    "greedy_weighted",
    "misused_tags",
    "most_candidates",
    "nearest",
    "quick_search",
    "reduced",
    "reduced_in_time",
    "refine_budgeted",
    "refine_weighted",
    "relaxed",
    "scale_budgeted",
    "scale_weighted",
    "settle",
    "share_costs",
    "solve_budgeted",
    "solve_weighted",
    "step_of",
    "too_many_tags",
    "uncoverable",
    "uncovered_rows",
    "undominated",
    "useful_pairs",
    "weighted_bound",
]
