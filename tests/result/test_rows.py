"""A line for each row: what the rules say of it."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations, three_outliers
from hypothesis import given

from pyod_explain import Condition, Explanation, LargeTable, PyodExplainError, Relation, Tag, explain
from pyod_explain.result import COLUMNS


def test_a_line_for_each_outlier():
    _, e = three_outliers()
    rows = e.to_rows()
    assert list(rows.columns) == list(COLUMNS)
    assert rows.index.tolist() == ["x", "y", "o"]
    assert rows.index.name == "label"
    assert rows["explained"].tolist() == [True, True, False]
    assert rows.loc["x", ["rules", "saw"]].tolist() == ["c is 'z' and x >= 40", "c = 'z', x = 50"]
    assert rows.loc["o", ["nearest", "nearest_group", "missed"]].tolist() == [
        "c is 'z' and x >= 40", 1, "x >= 40 (it is 9)"
    ]  # fmt: skip
    assert rows.loc["o", "rules"] is None
    assert rows["distance"].isna().tolist() == [True, True, False]


@given(explanations())
def test_lines_agree_with_the_row_that_is_asked_alone(case):
    frame, y, e = case
    if not e.groups:
        return
    rows = e.to_rows(frame, rows="all")
    for label in frame.index:
        line, alone = rows.loc[label], e.for_row(label, frame)
        assert line["outlier"] == bool(y[label]) == bool(alone.outlier)
        assert line["group"] == alone.group
        assert line["rules"] == (" or ".join(rule.text for rule in alone.matching) or None)
        assert line["nearest"] == (None if alone.nearest is None else alone.nearest.text)
        assert (line["explained"] is pd.NA) == (not y[label])
        if y[label]:
            assert line["explained"] == bool(alone.matching)
    assert rows.drop(columns=["outlier", "explained"])[rows["outlier"] == False].equals(  # noqa: E712 - nullable
        e.to_rows(frame).drop(columns=["outlier", "explained"])[(rows["outlier"] == False).to_numpy()]  # noqa: E712
    )


@given(explanations())
def test_the_group_of_other_rows_is_what_predict_says(case):
    frame, _, e = case
    rows = e.to_rows(frame)
    assert rows["group"].tolist() == e.predict(frame).tolist()
    assert rows["outlier"].isna().all()
    assert rows["explained"].isna().all()


def test_scores_of_all_rows_are_there_where_the_detector_has_some():
    from pyod.models.ecod import ECOD

    X = pd.DataFrame({"x": [*np.linspace(0, 1, 60), 40.0, 50.0, 60.0]})
    detector = ECOD(contamination=0.05).fit(X)
    e = explain(detector, X)
    rows = e.to_rows(rows="all")
    assert np.allclose(rows["score"], detector.decision_scores_)
    assert e.to_rows()["score"].tolist() == rows.loc[e.to_rows().index, "score"].tolist()
    assert rows["outlier"].tolist() == (detector.labels_ == 1).tolist()


def test_the_table_is_passed_after_a_pickle_or_a_file(explained, payments):
    X, _ = payments
    here = explained.to_rows(rows="all")
    pickled = pickle.loads(pickle.dumps(explained))
    assert pickled.to_rows().equals(explained.to_rows())
    with pytest.raises(PyodExplainError, match=r"not kept when an explanation is pickled[\s\S]*rows='all'"):
        pickled.to_rows(rows="all")
    assert pickled.to_rows(X, rows="all").drop(columns="score").equals(here.drop(columns="score"))
    read = Explanation.from_json(explained.to_json())
    with pytest.raises(PyodExplainError, match="rows='outliers'"):
        read.to_rows()
    assert read.to_rows(X, rows="outliers").drop(columns="score").equals(explained.to_rows().drop(columns="score"))
    with pytest.raises(PyodExplainError, match="the 300 rows that were explained, got 2"):
        read.to_rows(X.head(2), rows="all")
    with pytest.raises(PyodExplainError, match="labels of all outliers"):
        read.to_rows(X.set_axis(range(len(X))), rows="all")
    with pytest.raises(PyodExplainError, match="one row for each label"):
        read.to_rows(X.set_axis(["p1"] * len(X)), rows="all")
    with pytest.raises(PyodExplainError, match="without row labels"):
        Explanation.from_json(explained.to_json(rows=False)).to_rows(X, rows="all")


def test_which_rows_is_one_of_two_words(explained):
    with pytest.raises(PyodExplainError, match="`rows` of to_rows"):
        explained.to_rows(rows="some")


def test_repeated_labels_stay_as_they_are():
    X = pd.DataFrame({"x": [1, 2, 8, 9]}, index=["a", "a", "a", "a"])
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], X, [0, 0, 1, 1])
    assert e.to_rows(X, rows="all")["saw"].tolist() == ["x = 1", "x = 2", "x = 8", "x = 9"]


def test_rows_that_stand_for_many():
    X = pd.DataFrame({"x": [*range(20), 90, 95], "n": [5] * 20 + [3, 0]})
    e = explain([0] * 20 + [1, 1], X, counts="n")
    assert e.to_rows()["saw"].tolist() == ["x = 90"]
    with pytest.raises(PyodExplainError, match="not kept as it was given"):
        e.to_rows(rows="all")
    rows = e.to_rows(X, rows="all")
    assert rows["outlier"].tolist() == [False] * 20 + [True, False]


def test_no_outliers_and_no_rules():
    X = pd.DataFrame({"x": [1, 2, 3]})
    assert len(explain([0, 0, 0], X).to_rows()) == 0
    rows = explain_by([[]], X, [0, 0, 1]).to_rows()
    assert rows[["rules", "saw", "nearest", "missed"]].isna().all(axis=None)
    assert rows["nearest_group"].isna().all()
    assert rows["explained"].tolist() == [False]


def test_relations_are_seen_with_both_cells():
    X = pd.DataFrame({"outlet": [70.0, 71.0, 61.4], "inlet": [61.0, 62.5, 57.3]})
    e = explain_by([[Tag.of(Condition(Relation("outlet", "-", "inlet"), "<", 4.5))]], X, [0, 0, 1])
    assert e.to_rows()["saw"].tolist() == ["outlet - inlet = 4.1, outlet = 61.4, inlet = 57.3"]


def test_half_of_a_character_is_kept():
    X = pd.DataFrame({"c": pd.Series(["a", "b", "\ud800"], dtype=object)})
    e = explain_by([[Tag.of(Condition("c", "==", "\ud800"))]], X, [0, 0, 1])
    assert e.to_rows()["saw"].tolist() == ["c = '\\ud800'"]


def assert_same_lines(read, frame):
    for name in frame.columns:
        assert read[name].to_pylist() == [None if pd.isna(one) else one for one in frame[name]]


@pytest.mark.parametrize("pieces", [1, 3, 50])
def test_rows_beyond_memory_are_read_chunk_by_chunk(explained, payments, pieces):
    frame = payments[0].reset_index(drop=True)
    cuts = np.linspace(0, len(frame), pieces + 1).astype(int)
    chunks = [frame.iloc[a:b] for a, b in itertools.pairwise(cuts)]
    whole = explained.to_rows(frame).reset_index(drop=True)
    read = explained.to_rows(chunks).read_all()
    assert read.column_names == list(whole.columns)
    assert_same_lines(read, whole)
    bits = explained.contributions(chunks).read_all().to_pandas()
    pd.testing.assert_frame_equal(bits, explained.contributions(frame), check_dtype=False)


@pytest.mark.parametrize("sample", [60, None])
def test_all_rows_that_were_explained_are_told_beyond_memory(payments, sample):
    frame, labels = payments
    frame = frame.reset_index(drop=True).assign(odd=np.asarray(labels) != 0)
    chunks = [frame.iloc[:130], frame.iloc[130:]]
    e = explain("odd", LargeTable(chunks, sample=sample))
    told = e.to_rows(chunks, rows="all").read_all()
    assert told["outlier"].to_pylist() == frame.odd.tolist()
    assert_same_lines(told, e.to_rows(frame, rows="all"))
    with pytest.raises(PyodExplainError, match="must have the 300 rows that were explained, got 301 and more"):
        e.to_rows([*chunks, frame.iloc[:1]], rows="all").read_all()
    with pytest.raises(
        PyodExplainError, match=r"must be 'all' for rows beyond memory[\s\S]*Hint: to_rows\(\), without"
    ):
        e.to_rows(chunks, rows="outliers")
    with pytest.raises(PyodExplainError, match="read from a file, so that nothing tells"):
        Explanation.from_json(e.to_json()).to_rows(chunks, rows="all")
    with pytest.raises(PyodExplainError, match="`rows` of to_rows"):
        e.to_rows(chunks, rows="some")


@pytest.mark.parametrize("call", ["to_rows", "contributions"])
def test_lazy_frames_are_referred_to_transform(explained, payments, call):
    dask = pytest.importorskip("dask.dataframe")
    lazy = dask.from_pandas(payments[0], npartitions=2)
    with pytest.raises(PyodExplainError, match=rf"`X` of {call}\(\) must be a table in memory[\s\S]*Hint: transform"):
        getattr(explained, call)(lazy)
