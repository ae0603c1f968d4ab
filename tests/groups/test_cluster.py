"""Points into clusters."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from pyod_explain import PyodExplainError
from pyod_explain.groups import ask_clusterer, kmeans

POINTS = np.array([[0.0, 0.0], [0.0, 1.0], [1e5, 0.0], [1e5, 1.0]])


def test_k_means_parts_what_lies_apart():
    found = kmeans(POINTS, 2, 0)
    assert found[0] == found[1] != found[2] == found[3]


def test_there_are_no_more_clusters_than_distinct_points():
    assert len(set(kmeans(np.repeat(POINTS[::2], 3, axis=0), 5, 0).tolist())) == 2


def test_points_that_k_means_cannot_tell_apart_are_one():
    assert len(set(kmeans(np.array([[0.0], [1e-9], [1.0]]), 3, 0).tolist())) == 2


def test_a_clusterer_stays_as_it_is():
    theirs = KMeans(2, n_init=1, random_state=0)
    assert len(ask_clusterer(theirs, POINTS)) == 4
    assert not hasattr(theirs, "labels_")


def test_a_clusterer_that_fails_is_named_with_its_reason():
    with pytest.raises(PyodExplainError, match="KMeans failed with ValueError"):
        ask_clusterer(KMeans(9), POINTS)


def test_a_clusterer_that_leaves_labels_out_is_refused():
    class Shy(KMeans):
        def fit_predict(self, X, y=None, sample_weight=None):
            return np.where(np.arange(len(X)) % 2, 1.0, np.nan)

    with pytest.raises(PyodExplainError, match="`groups` must be a clusterer that gives every outlier a label, got 2 "):
        ask_clusterer(Shy(), np.arange(4.0)[:, None])


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_groups", [2, 4, 7])
def test_copies_are_clustered_as_repeated_points_are(seed, n_groups):
    random = np.random.default_rng(seed)
    points, copies = random.normal(size=(60, 3)), random.integers(1, 30, 60)
    repeated = kmeans(np.repeat(points, copies, axis=0), n_groups, 0)
    assert kmeans(points, n_groups, 0, copies).tolist() == repeated[np.cumsum(copies) - 1].tolist()
