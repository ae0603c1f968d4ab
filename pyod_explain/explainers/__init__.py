"""Explainers: which tags describe which group.

What is asked: `PDM`, `WCCM`, `BCCM`, `DTDM`, `MDL`. How it is answered: greedy (the paper), refined (local search),
exact (a mixed-integer program for HiGHS, with a proof or a bound).
"""

from pyod_explain.explainers.base import Explainer
from pyod_explain.explainers.bccm import BCCM
from pyod_explain.explainers.fewest import DTDM, PDM
from pyod_explain.explainers.mdl import MDL
from pyod_explain.explainers.selection import Selection
from pyod_explain.explainers.wccm import WCCM

__all__ = ["BCCM", "DTDM", "MDL", "PDM", "WCCM", "Explainer", "Selection"]
