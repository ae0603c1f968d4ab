"""How it was made: enough to make it again, and no part of what it says."""

import hashlib
import inspect
import re

import numpy as np
import pandas as pd
from pyod.models.hbos import HBOS

from pyod_explain import OutlierExplainer, explain
from pyod_explain.result import call_facts, file_facts, today

X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
Y = [0] * 50 + [1] * 3


def test_the_call_names_what_was_passed_beside_the_defaults():
    e = explain(Y, X, random_state=np.int32(3), progress=lambda *_: None).validate(2, random_state=3)
    assert e.summary.provenance["call"] == "explain(<list of 53>, <DataFrame 53 x 1>, random_state=3)"
    assert "detector" not in e.summary.provenance
    e = explain(X=X.assign(day=1), scores=np.array(Y), threshold=0.5, exclude=["day"])
    said = "explain(X=<DataFrame 53 x 2>, exclude=['day'], scores=<ndarray 53>, threshold=0.5)"
    assert e.summary.provenance["call"] == said


def test_a_detector_is_told_with_its_parameters():
    e = explain(HBOS(n_bins=7, contamination=0.05).fit(X), X)
    assert e.summary.provenance["call"] == "explain(<HBOS>, <DataFrame 53 x 1>)"
    assert e.summary.provenance["detector"] == "HBOS(n_bins=7, alpha=0.1, tol=0.5, contamination=0.05)"


def test_what_is_passed_is_not_asked_for_more_than_its_name():
    class Relation:  # of a database, say
        @property
        def shape(self):
            raise AssertionError("a query was run")

        def __repr__(self):
            raise AssertionError("a query was run")

    given = {name: one.default for name, one in inspect.signature(explain).parameters.items()}
    assert call_facts(explain, {**given, "X": Relation()}) == {"call": "explain(X=<Relation>)"}


def test_the_date_is_noted_once_and_can_be_set(monkeypatch):
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", today())
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    e = explain(Y, X)
    assert e.summary.provenance["date"] == "1970-01-02 00:00:00 UTC"
    assert OutlierExplainer().fit(X, Y).explanation_.summary.provenance == {"date": "1970-01-02 00:00:00 UTC"}
    assert explain([0] * 53, X).summary.provenance["date"] == "1970-01-02 00:00:00 UTC"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "172800")
    later = explain(Y, X)
    assert later == e  # the same may be made on another day
    assert later.summary.provenance != e.summary.provenance
    assert e.validate(2).summary.provenance == e.summary.provenance


def test_a_file_is_told_by_its_name_size_and_content(tmp_path):
    path = tmp_path / "orders.parquet"
    X.assign(flag=Y).to_parquet(path)
    facts = explain("flag", str(path)).summary.provenance
    assert facts["file"] == "orders.parquet"
    assert facts["size"] == f"{path.stat().st_size:,} bytes"
    assert facts["fingerprint"] == f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}"
    X.assign(flag=Y).to_parquet(tmp_path / "more.parquet")
    folder = file_facts(tmp_path)
    assert folder["file"] == f"{tmp_path.name} (2 files)"
    for other in ("notes.txt", "_SUCCESS", "_hidden.parquet"):
        (tmp_path / other).write_bytes(b"1")
    assert file_facts(tmp_path) == folder  # what is not read is not counted
    assert file_facts(tmp_path / "o*.parquet")["file"] == "o*.parquet (1 file)"
    assert file_facts(tmp_path / "nothing.csv") == {}
