"""The result itself: one line, equal if it says the same, kept and written."""

import pandas as pd
import pytest
from hypothesis import settings

from pyod_explain import Explanation, explain

SOME = settings(max_examples=60, deadline=None)


def test_repr_is_one_line_that_counts(explained):
    assert (
        repr(explained)
        == f"Explanation({20 - len(explained.unexplained)} of 20 outliers in 2 groups by {len(explained.rules)} rules)"
    )


def test_it_is_frozen(explained):
    with pytest.raises(AttributeError):
        explained.summary = None


def test_equal_if_it_says_the_same(explained, payments):
    again = explain(payments[1], payments[0])
    assert again == explained
    assert hash(again) == hash(explained)
    assert Explanation(again.summary) == again
    assert explained != "an explanation"
    assert explained.validate(2) != explained


def test_a_table_without_outliers_says_so():
    e = explain([0, 0, 0], pd.DataFrame({"x": [1, 2, 3]}))
    assert repr(e) == "Explanation(0 of 0 outliers in 0 groups by 0 rules)"
    assert str(e).startswith("Nothing to explain: the labelling marks none of the 3 rows as an outlier")
    assert e.to_frame().empty
    assert e.metrics.empty
    assert e.share_saved == 0
    assert e.validate() is e
    assert e.placebo_test() is e
    assert e.predict(pd.DataFrame({"x": [1, 2]})).tolist() == [0, 0]


def test_files_are_written(explained, tmp_path):
    for name in ("to_json", "to_markdown", "to_html"):
        path = tmp_path / name
        assert getattr(explained, name)(path) == path.read_text("utf-8")
    assert Explanation.from_json(tmp_path / "to_json") == explained
    assert Explanation.from_dict(explained.to_dict()) == explained
