"""Rules of incidents are written out and compared with the causes as the benchmark says."""

import numpy as np
import pandas as pd
import pytest

from pyod_explain import Condition, Tag


def element(**values):
    return frozenset(values.items())


def test_is_one_of_is_written_out_value_by_value(incidents):
    rule = Tag.of(Condition("bitrate", "in", ["500", "2000"]), Condition("p2p", "==", "1"))
    assert incidents.elements_of(rule) == {element(bitrate="500", p2p="1"), element(bitrate="2000", p2p="1")}


def test_element_f1_is_over_all_incidents(incidents):
    a, b, c = element(x="1"), element(x="2"), element(x="3")
    right = incidents.Verdict("right", frozenset({a}), frozenset({a}), (), 0.0)
    more = incidents.Verdict("too much", frozenset({a}), frozenset({a, b, c}), (), 0.0)
    assert (right.exact, more.exact) == (True, False)
    assert incidents.element_f1([right, more]) == pytest.approx(2 * 2 / (1 + 3 + 1 + 1))


def test_viewers_are_written_out_or_drawn(incidents):
    viewers, stalling = np.array([5, 3]), np.array([2, 0])
    rows, stalls = incidents.written_out(viewers, stalling)
    assert np.bincount(rows).tolist() == [5, 3]
    assert np.bincount(rows[stalls]).tolist() == [2]
    rows, stalls = incidents.written_out(viewers * 1000, stalling * 1000, most=800)
    assert len(rows) == 800
    assert stalls.sum() == pytest.approx(200, abs=40)


def test_an_incident_whose_cause_is_plain_is_exact(incidents):
    rng = np.random.default_rng(0)
    minute = pd.DataFrame(
        {"cdn": rng.choice(["1", "2", "3"], 40), "bitrate": np.repeat(["500", "2000"], 20), "cnt": 50}
    )
    minute["value"] = np.where(minute["bitrate"] == "500", 40, 1)
    found = incidents.judge(incidents.Incident("made", minute, frozenset({element(bitrate="500")})), {"groups": 1})
    assert found.exact
