"""Small drawings."""

import re

import pandas as pd
from by_hand import explain_by

from pyod_explain import Condition, Tag


def test_a_line_from_the_least_to_the_largest_of_all_floats_is_drawn():
    X = pd.DataFrame({"x": [-1.7e308] * 30 + [1.7e308] * 4})
    page = explain_by([[Tag.of(Condition("x", ">=", 0.0))]], X, [0] * 30 + [1] * 4).to_html()
    assert "var(--bad)" in page
    assert not re.findall(r'(?:x|y|width|d)="[^"]*?(?:nan|inf)', page)
