"""Explainers: which tags describe which group. What is asked: `WCCM`, `BCCM`; how: greedy."""

from pyod_explain.explainers.bccm import BCCM
from pyod_explain.explainers.mdl import MDL
from pyod_explain.explainers.selection import Selection
from pyod_explain.explainers.wccm import WCCM

__all__ = ["BCCM", "MDL", "WCCM", "Selection"]
