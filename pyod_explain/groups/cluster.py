"""Points into clusters: by k-means, or by a clusterer of the user's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.cluster import KMeans

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.groups.points import first_of_runs

__all__ = ["ask_clusterer", "kmeans"]


def kmeans(
    points: NDArray[np.float64], n_groups: int, random_state: Any, copies: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Cluster the points; fewer distinct points than groups give fewer clusters.

    Distinct as far as k-means can see: it works with squared distances, in which points closer than about 1e-8 of the
    whole extent are one. So they are rounded before they are counted. Equal points that stand next to each other share
    a cluster. Without that a tie between two centres could part them, by the last digit of a distance, which is not the
    same in every row of a matrix.

    Points that stand for many rows give the clusters that repeated ones would, as far as sums of floats allow:
    scikit-learn draws the first centres by weight, and only the spread of the points, by which it tells that the
    centres have come to rest, is weighed here.
    """
    points = np.round(points / (float(np.abs(points).max(initial=0.0)) or 1.0), 6)
    distinct = len(np.unique(points, axis=0))
    model = KMeans(min(n_groups, distinct), n_init=4, random_state=random_state)
    if copies is not None:
        middle = np.average(points, axis=0, weights=copies)
        weighed = float(np.average((points - middle) ** 2, axis=0, weights=copies).mean())
        plain = float(np.var(points, axis=0).mean())
        model.set_params(tol=model.tol * (weighed / plain if plain else 1.0))
    weights = {} if copies is None else {"sample_weight": copies}
    found = np.asarray(model.fit_predict(points, **weights), dtype=np.int64)
    return found[_first_of_equal(points)]


def _first_of_equal(points: NDArray[np.float64]) -> NDArray[np.intp]:
    """Give for each row the first of the rows before it, without a gap, that are equal to it.

    >>> _first_of_equal(np.array([[1.0], [1.0], [2.0], [1.0]])).tolist()
    [0, 0, 2, 3]
    """
    return first_of_runs(np.append(True, (points[1:] != points[:-1]).any(axis=1)))


def ask_clusterer(clusterer: Any, points: NDArray[np.float64]) -> NDArray[Any]:
    """Ask the user's clusterer; a copy of it, so that theirs stays as it is."""
    name = type(clusterer).__name__
    try:
        clusters = np.asarray(clone(clusterer).fit_predict(points))
    except Exception as error:
        raise PyodExplainError(
            f"`groups` must be a clusterer that can split the {len(points):,} outliers; {name} failed with "
            f"{type(error).__name__}: {error}\nHint: a smaller number of clusters, or groups='auto'."
        ) from error
    if clusters.shape != (len(points),):
        raise PyodExplainError(
            f"`groups` must be a clusterer that gives one label per row, got shape {clusters.shape} from {name} "
            f"for {len(points):,} outliers."
        )
    if pd.isna(clusters).any():
        raise PyodExplainError(
            f"`groups` must be a clusterer that gives every outlier a label, got {int(pd.isna(clusters).sum()):,} "
            f"missing labels from {name}.\nHint: -1 marks those that belong to no cluster."
        )
    return clusters
