"""Plots with matplotlib, which is imported only here and only when a plot is asked for.

Each is drawn on the user's Axes, or on a figure of its own that nothing else keeps alive or shows.
"""

from pyod_explain.report.plots.coverage_plot import coverage
from pyod_explain.report.plots.groups_plot import groups
from pyod_explain.report.plots.pairs_plot import pairs
from pyod_explain.report.plots.tradeoff_plot import tradeoff

__all__ = ["coverage", "groups", "pairs", "tradeoff"]
