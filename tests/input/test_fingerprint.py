"""Labels that differ have other marks."""

import numpy as np

from pyod_explain.input import fingerprint


def test_a_fingerprint_tells_labels_apart():
    assert fingerprint([0, 1, 1]) == fingerprint(np.array([False, True, True]))
    assert fingerprint([0, 1, 1]) != fingerprint([0, 1, 0])
