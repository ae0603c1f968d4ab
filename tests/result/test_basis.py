"""What a pickle leaves behind, and what puts it back."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyod_explain import Condition, PyodExplainError, Tag, explain
from pyod_explain.tags import GivenTags, TagSet


def test_a_pickle_leaves_the_table_behind_and_takes_it_back(explained, payments):
    big = pd.concat([payments[0]] * 30, ignore_index=True).assign(noise=np.random.default_rng(0).normal(size=9000))
    e = explain(payments[1] * 30, big)
    loaded = pickle.loads(pickle.dumps(e))
    assert loaded == e
    assert loaded.basis is None
    assert len(pickle.dumps(e)) < 0.2 * len(pickle.dumps(big))
    with pytest.raises(PyodExplainError, match=r"validate\(X=...\)"):
        loaded.validate()
    assert loaded.validate(2, X=big) == e.validate(2)
    loaded = pickle.loads(pickle.dumps(explained))
    assert loaded.control(1, X=payments[0]) == explained.control(1)
    assert str(loaded.for_row("p3")) == str(explained.for_row("p3"))


def test_a_pickle_refuses_another_table(explained, payments):
    loaded = pickle.loads(pickle.dumps(explained))
    with pytest.raises(PyodExplainError, match="300 rows"):
        loaded.validate(X=payments[0].head(50))
    with pytest.raises(PyodExplainError, match="other row labels"):
        loaded.validate(X=payments[0].iloc[::-1])
    with pytest.raises(PyodExplainError, match="lacks the column"):
        loaded.validate(X=payments[0][["kind"]])


def test_a_pickle_refuses_a_table_that_only_looks_alike():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"amount": rng.gamma(2, 10, 300), "when": pd.Timestamp("2024-01-01", tz="UTC")})
    X.loc[:11, "amount"] += 500
    X.loc[12:19, "when"] += pd.to_timedelta(range(8), unit="D") + pd.Timedelta(days=100)
    X.loc[3, "amount"] = None
    loaded = pickle.loads(pickle.dumps(explain([1] * 20 + [0] * 280, X, groups=2)))
    assert loaded.validate(2, X=X.astype({"when": "datetime64[ns, UTC]"})).validation is not None
    tomorrow = X.assign(amount=X["amount"].to_numpy()[::-1])
    for check in (loaded.validate, loaded.control):
        with pytest.raises(
            PyodExplainError, match=r"`X` must be the table .* another value in column 'amount' of row 0"
        ):
            check(2, X=tomorrow)
    with pytest.raises(PyodExplainError, match="another value in column 'amount' of row 3"):
        loaded.validate(X=X.fillna({"amount": 20.0}))
    with pytest.raises(PyodExplainError, match="in time zone Asia/Tokyo, not UTC"):
        loaded.validate(X=X.assign(when=X["when"].dt.tz_convert("Asia/Tokyo")))


def test_a_table_that_is_passed_beside_the_one_that_is_kept_is_looked_at_too(payments):
    X = payments[0].reset_index(drop=True)
    with pytest.raises(PyodExplainError, match="`X` must be the table that was explained"):
        explain(payments[1], X).validate(X=X.assign(amount=0.0))


def test_given_tags_may_come_back_as_they_were_given(payments):
    own = pd.DataFrame({"large": (payments[0]["amount"] > 300).astype(int)})
    e = explain(payments[1], payments[0], tags=GivenTags(own))
    loaded = pickle.loads(pickle.dumps(e))
    assert loaded.validate(2, X=payments[0].join(own)) == e.validate(2)
    with pytest.raises(PyodExplainError, match="another value in column 'large'"):
        loaded.validate(2, X=payments[0].join(1 - own))


def test_labels_are_compared_as_cells(payments):
    X = payments[0].assign(words=[["a", "b"] if one else ["c"] for one in payments[1]])
    e = explain(payments[1], X, tags=GivenTags("words"))
    loaded = pickle.loads(pickle.dumps(e))
    assert loaded.validate(2, X=X) == e.validate(2)
    with pytest.raises(PyodExplainError, match="another value in column 'words'"):
        loaded.validate(2, X=X.assign(words=[["a", "c"]] * 300))


def test_a_pickle_after_given_tags_needs_their_columns(payments):
    own = pd.DataFrame({"large": payments[0]["amount"] > 300})
    e = explain(payments[1], payments[0], tags=GivenTags(own))
    loaded = pickle.loads(pickle.dumps(e))
    with pytest.raises(PyodExplainError, match=r"given tags as columns too, got a table without 'large'[\s\S]*X.join"):
        loaded.validate(X=payments[0])
    assert loaded.validate(2, X=payments[0].join(own)) == e.validate(2)


class Columns:
    """A maker that brings a column of its own."""

    def make(self, table, groups):
        column = replace(table["kind"], name="copy")
        return TagSet((Tag.of(Condition("copy", "==", "phone")),), 1, columns={"copy": column})


def test_a_pickle_after_tags_with_columns_of_their_own_cannot_search_again(payments):
    e = explain(payments[1], payments[0], tags=Columns())
    assert e.validate(2).validation.groups[1].recall == 1.0
    with pytest.raises(PyodExplainError, match="does not know how its rules were found"):
        pickle.loads(pickle.dumps(e)).validate(X=payments[0])


def test_a_pickle_forgets_rows_that_were_rejected(payments):
    labels = np.array([1] * 12 + [0] * 280 + [-2] * 8)
    e = explain(labels, payments[0])
    assert e.validate(2).validation is not None
    with pytest.raises(PyodExplainError, match="neither normal nor outlier"):
        pickle.loads(pickle.dumps(e)).validate(X=payments[0])


def test_a_label_column_does_not_come_back_through_the_table(payments):
    frame = payments[0].assign(fraud=payments[1])
    e = explain("fraud", frame)
    again = pickle.loads(pickle.dumps(e)).validate(2, X=frame)
    assert again == e.validate(2)


NAN = float("nan")


@pytest.mark.parametrize(
    ("own", "others"),
    [
        (np.array(["o", "p"]), ["i"]),
        (["o", NAN], ["i"]),
        (["o", pd.NA], ["i", pd.NaT]),
        (("o", NAN), ("i", 1)),
    ],
    ids=["arrays", "NaN among labels", "NA among labels", "NaN in a tuple"],
)
def test_the_same_cells_are_recognised_whatever_they_hold(own, others):
    X = pd.DataFrame({"b": np.random.default_rng(0).normal(size=60)})
    X["a"] = pd.Series([copy.deepcopy(own if i < 8 else others) for i in range(60)], dtype=object)
    tags = "auto" if isinstance(own, tuple) else GivenTags("a")
    e = explain([1] * 8 + [0] * 52, X, groups=1, tags=tags)
    copied = pickle.loads(pickle.dumps(e))
    assert copied.predict(X).tolist() == e.predict(X).tolist() == [1] * 8 + [0] * 52
    assert copied.validate(X=pickle.loads(pickle.dumps(X))).validation == e.validate(X=X).validation
    another = ["q", pd.NA] if isinstance(tags, GivenTags) else ("q", NAN)
    X["a"] = pd.Series([another, *X["a"][1:]], dtype=object)
    with pytest.raises(PyodExplainError, match="got another value in column 'a' of row 0"):
        copied.validate(X=X)


@pytest.mark.parametrize("label", [NAN, pd.NaT, pd.NA], ids=repr)
def test_a_missing_row_label_is_a_label_as_any_other(label):
    X = pd.DataFrame({"a": [*range(90, 95), *range(50)]}, index=pd.Index([label, *range(1, 55)], dtype=object))
    e = explain([1] * 5 + [0] * 50, X, groups=1)
    copied = pickle.loads(pickle.dumps(e))
    assert copied.validate(X=X.copy()).validation is not None
    assert copied.for_row(float("nan") if label is NAN else label).group == 1
    assert e.compare(copied).rows.empty
