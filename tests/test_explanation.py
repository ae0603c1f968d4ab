"""The result itself: one line, equal if it says the same, kept and written."""

import dataclasses

import pandas as pd
import pytest

from pyod_explain import Explanation, PyodExplainError, explain


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
    assert str(e).startswith("Nothing to explain. The labelling marks none of the 3 rows")
    assert e.to_frame().empty
    assert e.metrics.empty
    assert e.share_saved == 0
    assert e.validate() is e
    assert e.placebo_test() is e
    assert e.predict(pd.DataFrame({"x": [1, 2]})).tolist() == [0, 0]


def test_metrics_and_shortcuts(explained):
    assert list(explained.metrics.columns) == ["FUO", "FCO", "FCN", "AL", "NT", "MDL"]
    assert explained.metrics.index.tolist() == [1, 2]
    assert explained.metrics.attrs["mdl"] == explained.mdl == pytest.approx(explained.metrics["MDL"].sum())
    assert explained.share_saved == pytest.approx(1 - explained.summary.bits / explained.summary.bits_named)
    assert explained.groups[0].tags == explained.groups[0].rules
    assert (explained.n_rows, explained.summary.n_normals, explained.n_outliers) == (300, 280, 20)
    assert set(explained.summary.timings) == {"groups", "tags", "coverage", "selection"}


NAMES = """
    groups rules unexplained headline metrics mdl mdl_empty share_saved n_rows n_outliers notes summary selection
    predict transform matches scan for_row counterfactual to_rows contributions validate placebo_test compare rename
    is_stale plot to_frame to_dict from_dict to_json from_json to_markdown to_html to_sql
"""


def test_public_names():
    fields = {field.name for field in dataclasses.fields(Explanation)}
    assert {name for name in {*dir(Explanation), *fields} if not name.startswith("_")} == set(NAMES.split())


def test_metadata_is_written_and_read(explained):
    again = Explanation.from_dict(explained.to_dict(metadata={"ticket": "OPS-12", "date": ""}))
    assert again.summary.provenance["ticket"] == "OPS-12"
    assert "date" not in again.summary.provenance
    assert "OPS-12" in explained.to_markdown(metadata={"ticket": "OPS-12"})
    with pytest.raises(PyodExplainError, match=r"^`metadata`"):
        explained.to_html(metadata={"ticket": 3})
