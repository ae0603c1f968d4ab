"""What an explanation says, as attributes."""

import pytest


def test_metrics_and_shortcuts(explained):
    assert list(explained.metrics.columns) == ["FUO", "FCO", "FCN", "AL", "NT", "MDL"]
    assert explained.metrics.index.tolist() == [1, 2]
    assert explained.metrics.attrs["mdl"] == explained.mdl == pytest.approx(explained.metrics["MDL"].sum())
    assert explained.share_saved == pytest.approx(1 - explained.summary.bits / explained.summary.bits_named)
    assert explained.groups[0].tags == explained.groups[0].rules
    assert (explained.n_rows, explained.n_normals, explained.n_outliers) == (300, 280, 20)
    assert explained.summary.n_tags > 0
    assert explained.summary.grouping == "given with the labels"
    assert set(explained.summary.timings) == {"groups", "tags", "coverage", "selection"}
    assert explained.summary.placebo is None
    assert explained.summary.validation is None
