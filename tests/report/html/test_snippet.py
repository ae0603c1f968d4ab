"""The compact form for notebooks."""

import pandas as pd
from by_hand import explain_by

from pyod_explain import Condition, Tag


def test_the_compact_form_is_short():
    X = pd.DataFrame({"x": range(60)})
    e = explain_by(
        [[Tag.of(Condition("x", ">", 5 + g))] if g else [] for g in range(8)], X, [0] * 52 + list(range(1, 9))
    )
    text = e._repr_html_()
    assert len(text) < 10_000
    assert "... and 3 more groups" in text
    assert "1 outlier, and no rule that tells it more shortly than a list." in text
    assert "1 outlier with x above 6." in text
