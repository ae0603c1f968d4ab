"""Explainers: which tags describe which group.

Objectives: `PDM`, `WCCM`, `BCCM`, `DTDM` (the paper) and `MDL`. Solvers: greedy (the paper), refined (local search),
exact (a mixed-integer program for HiGHS, with a lower bound).
"""

from pyod_explain.explainers.base import Explainer, Selection, SolverError, Status, checked_selection
from pyod_explain.explainers.cover import BCCM, WCCM
from pyod_explain.explainers.fewest import DTDM, PDM
from pyod_explain.explainers.marginal import MarginalObjective, NewlyCovered, PartObjective
from pyod_explain.explainers.mdl import MDL
from pyod_explain.explainers.methods import METHODS, make_explainer
