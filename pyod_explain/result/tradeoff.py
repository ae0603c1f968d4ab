"""The trade-off between purity, coverage and length: one row per setting of the parameters (the paper's Table 5)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain._validate import check_choice
from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.explainers import BCCM, WCCM, Explainer
from pyod_explain.metrics import METRICS, evaluate, share
from pyod_explain.result.context import FitContext

SWEPT_WEIGHTS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
SWEPT_MAX_TAGS = (1, 2, 3, 5, 10)
SWEPT_MAX_UNCOVERED = (0.1, 0.2, 0.4, 0.6, 0.8)


def tradeoff(
    coverage: Coverage,
    method: str = "wccm",
    *,
    weight: Iterable[float | Sequence[float]] = SWEPT_WEIGHTS,
    max_tags: Iterable[int | Sequence[int]] = SWEPT_MAX_TAGS,
    max_uncovered: Iterable[float | Sequence[float]] = SWEPT_MAX_UNCOVERED,
    solver: str = "refined",
    min_lift: float = 0.0,
) -> pd.DataFrame:
    """Explain one coverage under several settings: what more coverage costs in purity and in tags.

    Parameters
    ----------
    coverage : what to explain.
    method : `"wccm"` sweeps `weight`, `"bccm"` sweeps `max_tags` times `max_uncovered`.
    weight, max_tags, max_uncovered : the settings to try; each a number for all groups, or one per group.
    solver, min_lift : as for the explainers.

    Returns
    -------
    A row per setting: its parameters, FUO (share of all outliers that their own description leaves uncovered), FCO
    (share of all outliers that another group's description covers), FCN (share of the normals that any description
    covers), AL, NT and MDL of all groups together, the objective and the status; `"infeasible"` and no figures where
    no description was found.

    Examples
    --------
    A dearer outlier is worth covering a normal row for:

    >>> cov = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 1], [0, 0]], [1, 1, 1, 0, 0])
    >>> tradeoff(cov, weight=[0.5, 2.0])[["weight", "FUO", "FCN", "NT"]].round(2).to_dict("list")
    {'weight': [0.5, 2.0], 'FUO': [0.33, 0.0], 'FCN': [0.0, 0.5], 'NT': [1, 2]}
    """
    check_choice("tradeoff()", "method", method, among=("wccm", "bccm"))
    settings: list[dict[str, Any]]
    kind: type[Explainer]
    if method == "wccm":
        kind, settings = WCCM, [{"weight": one} for one in weight]
    else:
        pairs = itertools.product(max_tags, max_uncovered)
        kind, settings = BCCM, [{"max_tags": tags, "max_uncovered": missed} for tags, missed in pairs]
    rows = [_row(coverage, kind(solver=solver, min_lift=min_lift, **setting), setting) for setting in settings]
    return pd.DataFrame(rows, columns=[*settings[0], *METRICS, "objective", "status"] if settings else None)


def _row(coverage: Coverage, explainer: Explainer, setting: dict[str, Any]) -> dict[str, Any]:
    try:
        selection = explainer.select(coverage)
    except InfeasibleError:
        return {**setting, **dict.fromkeys(METRICS, np.nan), "objective": np.nan, "status": "infeasible"}
    return {
        **setting,
        **_figures(coverage, selection.tags),
        "objective": selection.objective,
        "status": selection.status,
    }


def _figures(coverage: Coverage, selected: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Measure the descriptions of all groups together."""
    frame = evaluate(coverage, selected)
    totals = coverage.group_sizes
    foreign = [int(coverage.count_group(words, k)) for k, (_, words) in enumerate(coverage.own_and_foreign(selected))]
    chosen = [j for tags in selected for j in tags]
    normals = int(coverage.count_normals(coverage.normals_with(chosen)))
    return {
        "FUO": share(float((frame["FUO"].to_numpy() * totals).sum()), float(totals.sum())),
        "FCO": share(sum(foreign), float(totals.sum())),
        "FCN": share(normals, coverage.n_normals),
        "AL": float(coverage.lengths[chosen].mean()) if chosen else 0.0,
        "NT": len(chosen),
        "MDL": frame.attrs["mdl"],
    }


def tradeoff_of(context: FitContext) -> pd.DataFrame:
    """Explain what an explanation was found from under several settings, as `tradeoff` does.

    Parameters
    ----------
    context : the table, its groups, the tags to choose from.
    """
    tags = context.tags
    return tradeoff(Coverage.from_tags(context.table, tags.tags, context.groups.numbers, n_items=tags.n_items))
