"""Numbers and values as words."""

import numpy as np
import pandas as pd

from pyod_explain.result import number, percent, short_value


def test_numbers_are_written_for_people():
    assert percent(1) == "100%"
    assert percent(3.5) == "350%"
    assert percent(0.995) == "99.5%"
    assert number(-np.inf) == "minus infinite"
    assert number(123456.7) == "123,457"
    assert short_value(12345.678) == "12,346"
    assert short_value(1e20) == "1e+20"
    assert short_value(pd.Timestamp("2024-01-02")) == "2024-01-02"
    assert short_value(pd.Timedelta("1 day")) == "1 days 00:00:00"
