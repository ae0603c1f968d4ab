"""Rules grown against the current selection: conjunctions that would lower what is minimised, given what is chosen.

Mined itemsets are frequent in a whole group. What is left after the first rules needs other conditions: cut points
among the outliers that nothing covers yet, and kinds that are a hundredth of a group. `grow.py` looks for these.
"""

from pyod_explain.growth.beam import best_conjunctions
from pyod_explain.growth.description import MOST_RULES, Description
from pyod_explain.growth.grid import (
    FEW,
    MOST_LINES,
    Cut,
    Line,
    lines,
    most_telling,
)
from pyod_explain.growth.grow import (
    FEWEST,
    NORMALS,
    OUTLIERS,
    Grower,
)
from pyod_explain.growth.pool import Pool

__all__ = [
    "FEW",
    "FEWEST",
    "MOST_LINES",
    "MOST_RULES",
    "NORMALS",
    "OUTLIERS",
    "Cut",
    "Description",
    "Grower",
    "Line",
    "Pool",
    "best_conjunctions",
    "lines",
    "most_telling",
]
