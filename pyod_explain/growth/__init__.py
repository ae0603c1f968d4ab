"""Rules grown against the current selection: conjunctions that would lower what is minimised, given what is chosen.

Mined itemsets are frequent in a whole group. What is left after the first rules needs other conditions: cut points
among the outliers that nothing covers yet, and kinds that are a hundredth of a group. `grow.py` looks for these.
"""

from pyod_explain.growth.grow import Grower

__all__ = ["Grower"]
