"""What PyOD's ADEngine returns is explained."""

from __future__ import annotations

import pandas as pd
import pytest
from boxes import PYOD_3, drawn

from pyod_explain import PyodExplainError, explain
from pyod_explain.export import to_findings


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return drawn(seed=0)


@pytest.mark.skipif(not PYOD_3, reason="ADEngine came with PyOD 3")
def test_what_adengine_returns_is_explained(frame):
    from pyod.utils.ad_engine import ADEngine

    engine = ADEngine()
    result = engine.detect(frame.to_numpy(), X_test=frame.to_numpy()[:20])
    explanation = explain(result, frame)
    assert explanation.n_outliers == result["n_anomalies"]
    assert result["detector"].explanation_ is explanation
    tested = explain(result, frame.iloc[:20])
    assert tested.n_outliers == int(result["labels_test"].sum())
    ours, theirs = to_findings(explanation), engine.explain_findings(result, X=frame.to_numpy())
    assert set(theirs[0]) <= set(ours[0])
    for key in ("score", "percentile"):  # not the index: scores tie
        assert [one[key] for one in ours[:5]] == pytest.approx([one[key] for one in theirs])


@pytest.mark.skipif(not PYOD_3, reason="ADEngine came with PyOD 3")
def test_an_adengine_state_carries_its_data(frame):
    from pyod.utils.ad_engine import ADEngine

    engine = ADEngine()
    state = engine.investigate(frame.to_numpy())
    explanation = explain(state)
    assert explanation.n_outliers == int(state.consensus["labels"].sum())
    assert state.explanation_ is explanation
    assert set(explain(state, frame).rules[0].tag.columns) <= set(frame.columns)
    with pytest.raises(PyodExplainError, match="a consensus"):
        explain(engine.start(frame.to_numpy()))
    state.consensus = None  # as after another round of planning
    assert explanation.is_stale(state)
