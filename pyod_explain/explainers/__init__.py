"""Explainers: which tags describe which group.

What is asked: `PDM`, `WCCM`, `BCCM`, `DTDM`, `MDL`. How it is answered: greedy (the paper), refined (local search),
exact (a mixed-integer program for HiGHS, with a proof or a bound).
"""

from pyod_explain.explainers.aim import Aim, Hits
from pyod_explain.explainers.base import Explainer
from pyod_explain.explainers.bccm import BCCM
from pyod_explain.explainers.by_name import (
    METHODS,
    SOLVERS,
    explainer_of,
)
from pyod_explain.explainers.fewest import DTDM, PDM
from pyod_explain.explainers.gate import SolverError, let_out
from pyod_explain.explainers.mdl import MDL
from pyod_explain.explainers.selection import Selection, Status
from pyod_explain.explainers.wccm import WCCM

__all__ = [
    "BCCM",
    "DTDM",
    "MDL",
    "METHODS",
    "PDM",
    "SOLVERS",
    "WCCM",
    "Aim",
    "Explainer",
    "Hits",
    "Selection",
    "SolverError",
    "Status",
    "explainer_of",
    "let_out",
]
