"""What a detector gets."""

import numpy as np
import pandas as pd

from pyod_explain.cli.encode import encode
from pyod_explain.input import as_table


def test_what_the_detector_gets_is_numbers_without_gaps(frame):
    matrix = encode(as_table(frame))
    assert matrix.shape == frame.shape
    assert np.isfinite(matrix).all()
    assert np.allclose(matrix.mean(axis=0), 0)
    gaps = encode(as_table(pd.DataFrame({"x": [None, None], "c": ["a", None], "k": [3, 3]})))
    assert gaps.tolist() == [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]
