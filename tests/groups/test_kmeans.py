"""Rows as points, and points into clusters."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from pyod_explain import PyodExplainError
from pyod_explain.groups.kmeans import Points, ask_clusterer, embed, kmeans
from pyod_explain.input import as_table


def test_the_largest_numbers_do_not_overflow():
    huge = as_table(pd.DataFrame({"a": [-1.7e308, 1.7e308] * 14, "gone": [np.nan] * 28}))
    assert np.isfinite(embed(huge, np.arange(28))).all()


def test_values_and_gaps_have_a_place_each():
    frame = pd.DataFrame({"kind": ["a", "b", None, "b"], "size": [1.0, np.nan, 2.0, 3.0]})
    points = Points.of(as_table(frame), np.arange(4))
    assert points.flags.toarray().tolist() == [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]]
    assert points.numbers[1].tolist() == [0.0]  # a gap stands in the middle, and its flag says so


POINTS = np.array([[0.0, 0.0], [0.0, 1.0], [1e5, 0.0], [1e5, 1.0]])


def test_there_are_no_more_clusters_than_distinct_points():
    assert len(set(kmeans(np.repeat(POINTS[::2], 3, axis=0), 5, 0).tolist())) == 2


def test_a_clusterer_that_leaves_labels_out_is_refused():
    class Shy(KMeans):
        def fit_predict(self, X, y=None, sample_weight=None):
            return np.where(np.arange(len(X)) % 2, 1.0, np.nan)

    with pytest.raises(PyodExplainError, match="groups"):
        ask_clusterer(Shy(), np.arange(4.0)[:, None])


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_groups", [2, 4, 7])
def test_copies_are_clustered_as_repeated_points_are(seed, n_groups):
    random = np.random.default_rng(seed)
    points, copies = random.normal(size=(60, 3)), random.integers(1, 30, 60)
    repeated = kmeans(np.repeat(points, copies, axis=0), n_groups, 0)
    assert kmeans(points, n_groups, 0, copies).tolist() == repeated[np.cumsum(copies) - 1].tolist()
