"""Solvers: how the problems of the explainers are solved, and how much of an answer is proved.

`problem` states WCCM and BCCM as data. `greedy` has the paper's algorithms, `local_search` improves their result
(refined), `reduce` makes a smaller problem with the same best value, and `highs` solves that as one mixed-integer
program (exact). `description_search` is the local search of MDL.

Words: a *pair* is a group and a tag that may describe it; an outlier is *lost* if no tag of its own group covers it,
or one of another group does; `small` is a problem after its reductions (`Reduced`).
"""

from pyod_explain.solvers.description_search import describe, most_candidates, quick_search
from pyod_explain.solvers.greedy import Stuck, greedy_budgeted, greedy_cover, greedy_weighted
from pyod_explain.solvers.highs import Solved, solve_budgeted, solve_fewest, solve_weighted
from pyod_explain.solvers.local_search import refine_budgeted, refine_weighted
from pyod_explain.solvers.problem import EXACT_SECONDS, NEVER, BudgetedCover, Chosen, Deadline, WeightedCover
from pyod_explain.solvers.reduce import merge_rows, useful_pairs
