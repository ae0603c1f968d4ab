"""Which rows match which rules."""

import pytest
from by_hand import explanations
from hypothesis import given, settings

from pyod_explain import PyodExplainError

SOME = settings(max_examples=60, deadline=None)


@SOME
@given(explanations())
def test_predict_and_transform_agree(made):
    frame, _, e = made
    matches = e.transform(frame)
    assert (e.predict(frame) > 0).tolist() == matches.any(axis=1).tolist()
    assert matches.shape == (len(frame), len(e.rules))


def test_predict_needs_only_the_columns_of_the_rules_in_any_order(explained, payments):
    frame = payments[0][["kind", "amount"]]
    assert explained.predict(frame).tolist() == explained.predict(payments[0]).tolist()
    with pytest.raises(PyodExplainError, match="lacks the column"):
        explained.predict(frame[[]].assign(other=1))
