"""Which plot is asked for, and what it is drawn from: `result` finds that out, `plots` draws it."""

from __future__ import annotations

from typing import Any

from pyod_explain._validate import check_choice
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Table
from pyod_explain.report import plots
from pyod_explain.result import FitContext, Summary, choose_pairs, match_rules, need_table, standing, tradeoff_of

__all__ = ["PLOTS", "draw"]

PLOTS = ("coverage", "groups", "tradeoff", "pairs")


def draw(
    kind: str, summary: Summary, cells: Table | None, context: FitContext | None, *, ax: Any, **options: Any
) -> Any:
    """Draw one of the plots; returns the Axes, for `"pairs"` the Figure.

    Parameters
    ----------
    kind : which one.
    summary : what the explanation says: all that `"groups"` needs.
    cells : the outliers' cells, for `"coverage"`.
    context : the whole table, for `"tradeoff"` and `"pairs"`.
    ax : Axes to draw on.
    options : of the plot.
    """
    check_choice("plot()", "kind", kind, among=PLOTS)
    if not summary.groups and options.get("data") is None:
        raise PyodExplainError(
            f"`plot({kind!r})` has nothing to draw: none of the rows is an outlier.\n"
            "Hint: raise the detector's contamination, or explain rows of which it marks some."
        )
    if kind == "coverage":
        return plots.coverage(summary, match_rules(summary, _known(cells)), ax=ax, **options)
    if kind == "groups":
        return plots.groups(summary, ax=ax, **options)
    if kind == "tradeoff":
        data = options.pop("data", None)
        if data is None:
            data = tradeoff_of(need_table(context, "plot('tradeoff')", "pass data=, a frame of the figures to draw."))
        return plots.tradeoff(data, standing(summary, context), ax=ax, **options)
    context = need_table(context, "plot('pairs')")
    named = summary.rule_columns
    chosen = choose_pairs(context.table, context.groups.numbers, first=named, **options)
    return plots.pairs(context.table, context.groups.numbers, chosen, ax=ax)


def _known(cells: Table | None) -> Table:
    if cells is None:
        raise PyodExplainError(
            "This explanation was read from a file and has no cells of the rows, so nothing tells which rule "
            "covers which.\nHint: call explain() again, or plot('groups')."
        )
    return cells
