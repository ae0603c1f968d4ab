"""Who is attached to whom, and was the detector fitted again?"""

from __future__ import annotations

import numpy as np
from pyod.models.knn import KNN

from pyod_explain.input.find_outliers import find_outliers
from pyod_explain.input.labels import read_labels
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.provenance import Origin, fingerprint, holder_of
from pyod_explain.input.read import as_table


def test_a_fingerprint_tells_labels_apart():
    assert fingerprint([0, 1, 1]) == fingerprint(np.array([False, True, True]))
    assert fingerprint([0, 1, 1]) != fingerprint([0, 1, 0])


def test_an_origin_knows_when_the_detector_was_fitted_again():
    X = np.arange(40.0).reshape(20, 2) ** 2
    clf = KNN(contamination=0.1).fit(X)
    found = find_outliers(clf, X, as_table(X), rows="train")
    origin = Origin.of(found, found.rows)
    assert not origin.is_outdated(clf)
    assert origin.is_outdated(KNN(contamination=0.3).fit(X))
    assert origin.is_outdated(KNN())  # no longer fitted
    assert not Origin.of(read_labels([0] * 19 + [1], 20), found.rows).is_outdated(clf)  # nobody's labels


def test_an_origin_ranks_its_outliers_among_all_rows():
    found = Outliers(np.array([0, 1, 0, 1]), "Scores", scores=np.array([1.0, 4.0, 2.0, 3.0]))
    origin = Origin.of(found, np.array([3, 1]))
    assert (origin.scores.tolist(), origin.percentiles.tolist()) == ([3, 4], [75, 100])


def test_who_can_hold_an_explanation():
    clf = KNN()
    assert holder_of(clf) is clf
    assert holder_of({"labels_train": [0, 1], "detector": clf}) is clf
    assert holder_of([0, 1]) is holder_of("column") is holder_of({"labels_train": [0, 1]}) is None
