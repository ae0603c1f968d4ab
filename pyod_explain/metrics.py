"""The paper's metrics of a selection: FUO, FCO, FCN, AL, NT and MDL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.coverage import Coverage
from pyod_explain.description_length import mdl_empty, mdl_of_group
from pyod_explain.exceptions import PyodExplainError, shown
from pyod_explain.explainers import Selection

METRICS = ("FUO", "FCO", "FCN", "AL", "NT", "MDL")


def evaluate(coverage: Coverage, selection: Selection | Sequence[Sequence[int]]) -> pd.DataFrame:
    """Measure a selection: a row per group, lower is better in every column.

    FUO is the share of the group that its own tags leave uncovered, FCO the share of the other groups' outliers that
    they cover, FCN the share of the normals that they cover, AL the mean number of conditions of a tag, NT the
    number of tags, MDL the bits that it takes to tell somebody who has the table which rows are the group.
    A share of nothing is 0.

    Returns
    -------
    A frame indexed by group number; `.attrs["mdl"]` and `.attrs["mdl_empty"]` have the bits of the whole selection and
    of the empty one, which names every outlier.

    Examples
    --------
    >>> cov = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> evaluate(cov, [(1,)])[["FUO", "FCO", "FCN", "AL", "NT"]].to_dict("records")
    [{'FUO': 0.5, 'FCO': 0.0, 'FCN': 0.5, 'AL': 1.0, 'NT': 1}]
    """
    tags = selection.tags if isinstance(selection, Selection) else [list(chosen) for chosen in selection]
    _check_tags(tags, coverage)
    rows = measure(coverage, tags)
    return metrics_frame(rows, mdl=sum(row["MDL"] for row in rows), mdl_empty=mdl_empty(coverage))


def metrics_frame(rows: Sequence[Mapping[str, Any]], *, mdl: float, mdl_empty: float) -> pd.DataFrame:
    """Put the metrics of each group in a frame, with the bits of all groups together beside it, as `evaluate` says."""
    frame = pd.DataFrame([dict(row) for row in rows], columns=list(METRICS))
    frame.index = pd.RangeIndex(1, len(rows) + 1, name="group")
    frame.attrs.update(mdl=mdl, mdl_empty=mdl_empty)
    return frame


def measure(coverage: Coverage, tags: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """Give the metrics of each group by name, as plain numbers; `evaluate` says what they mean."""
    priced_as_in_the_paper = replace(coverage, prices=None)
    return [_measure(priced_as_in_the_paper, k, list(chosen)) for k, chosen in enumerate(tags)]


def _check_tags(tags: Sequence[Sequence[int]], coverage: Coverage) -> None:
    if len(tags) != coverage.n_groups:
        rule = f"the tags of each of the {coverage.n_groups} groups"
        raise PyodExplainError(f"`selection` must have {rule}, got {len(tags)} lists.")
    for number, chosen in enumerate(tags, start=1):
        whole = all(isinstance(tag, int | np.integer) and not isinstance(tag, bool) for tag in chosen)
        known = whole and all(0 <= tag < coverage.n_tags for tag in chosen)
        if not known or len(set(chosen)) < len(chosen):
            rule = f"for each group the numbers of different ones of the {coverage.n_tags} tags, counted from 0"
            raise PyodExplainError(f"`selection` must have {rule}, got {shown(list(chosen))} for group {number}.")


def share(part: float, whole: float) -> float:
    """Return part / whole; a share of nothing is 0."""
    return part / whole if whole else 0.0


def _measure(cov: Coverage, group: int, tags: list[int]) -> dict[str, Any]:
    covered, normals = cov.outliers_with(tags), cov.normals_with(tags)
    own, size = int(cov.count_group(covered[cov.slices[group]], group)), int(cov.group_sizes[group])
    return {
        "FUO": share(size - own, size),
        "FCO": share(int(cov.count_outliers(covered)) - own, cov.n_outliers - size),
        "FCN": share(int(cov.count_normals(normals)), cov.n_normals),
        "AL": float(cov.lengths[tags].mean()) if tags else 0.0,
        "NT": len(tags),
        "MDL": mdl_of_group(cov, group, tags),
    }
