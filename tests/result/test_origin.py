"""Where an explanation comes from, and was the detector fitted again?"""

from __future__ import annotations

import numpy as np
from pyod.models.knn import KNN

from pyod_explain.input import Outliers, as_table, find_outliers, read_labels
from pyod_explain.result import Origin


def test_an_origin_knows_when_the_detector_was_fitted_again():
    X = np.arange(40.0).reshape(20, 2) ** 2
    clf = KNN(contamination=0.1).fit(X)
    found = find_outliers(clf, X, as_table(X), training=True)
    origin = Origin.of(found, found.rows)
    assert not origin.is_outdated(clf)
    assert origin.is_outdated(KNN(contamination=0.3).fit(X))
    assert origin.is_outdated(KNN())  # no longer fitted
    assert not Origin.of(read_labels([0] * 19 + [1], 20), found.rows).is_outdated(clf)  # nobody's labels


def test_an_origin_ranks_its_outliers_among_all_rows():
    found = Outliers(np.array([0, 1, 0, 1]), "Scores", scores=np.array([1.0, 4.0, 2.0, 3.0]))
    origin = Origin.of(found, np.array([3, 1]))
    assert (origin.scores.tolist(), origin.percentiles.tolist()) == ([3, 4], [75, 100])
