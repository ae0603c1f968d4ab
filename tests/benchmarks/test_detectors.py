"""The table of detectors says what an explanation says, and what cannot be measured in a sentence."""

import numpy as np
import pandas as pd
import pytest

from pyod_explain import explain


def test_a_line_has_the_figures_of_the_explanation_of_the_marked_rows(detectors, monkeypatch):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=400), "kind": rng.choice(["x", "y"], 400)})
    X.loc[:19, "a"] += rng.uniform(10, 100, 20)
    monkeypatch.setattr(detectors, "loaded", lambda name: (X, None))
    found = detectors.judge(("KNN", "made"))
    fitted = detectors.ALL["KNN"]().fit(detectors.as_points(X))
    summary = explain(fitted.labels_, X).summary
    assert found.explained == summary.n_explained / summary.n_outliers > 0.9
    assert found.normals == summary.n_normals_matched / summary.n_normals
    assert found.bits == pytest.approx(1 - summary.share_saved)
    assert (found.rules, found.held_out < 0.3, found.f1 > 0.9) == (len(summary.rules), True, True)
    assert found.ratio == found.cpu / found.fit


def test_a_file_that_is_missing_and_a_detector_that_fails_are_sentences(detectors, monkeypatch, tmp_path):
    monkeypatch.setenv("PYOD_EXPLAIN_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    detectors.loaded.cache_clear()
    assert detectors.judge(("ECOD", "yeast")).startswith("left out: ")
    monkeypatch.setitem(detectors.ALL, "ECOD", object)
    assert detectors.judge(("ECOD", "wine")).startswith("ECOD fails: AttributeError: ")
