"""JSON text: what would be read in another way is not written, and anything else is refused."""

import enum
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by

from pyod_explain import Condition, Explanation, PyodExplainError, Tag, explain
from pyod_explain.report import DIALECTS, SCHEMA

X = pd.DataFrame({"x": [*range(50), 900, 950, 990]})

E = explain([0] * 50 + [1] * 3, X).validate(2).control(2)


class Colour(enum.Enum):
    RED = 1


def test_halves_of_a_character_that_would_be_read_as_one_are_refused():
    frame = pd.DataFrame({"c": pd.Series(["\ud83d\ude00", "b"], dtype=object)})
    e = explain_by([[Tag.of(Condition("c", "==", "\ud83d\ude00"))]], frame, [1, 0])
    with pytest.raises(PyodExplainError, match="two halves of a character"):
        e.to_json()


def test_a_mark_of_the_byte_order_is_no_damage(tmp_path):
    (tmp_path / "e.json").write_text(E.to_json(), encoding="utf-8-sig")
    assert Explanation.from_json(tmp_path / "e.json") == E
    assert Explanation.from_json("\ufeff" + E.to_json()) == E


@pytest.mark.parametrize("name", ["", "absent.json", "a\0b"])
def test_a_path_that_cannot_be_read_is_one_clear_error(tmp_path, name):
    with pytest.raises(PyodExplainError, match="path of a file that can be read"):
        Explanation.from_json(tmp_path / name)


@pytest.mark.parametrize("view", ["to_json", "to_html", "to_markdown"])
def test_what_cannot_be_written_leaves_the_old_file_as_it_was(tmp_path, view):
    path = tmp_path / "old"
    path.write_text("precious")
    if view == "to_json":
        frame = pd.DataFrame({"c": pd.Categorical([Colour.RED, "b", "b"])})
        e = explain_by([[Tag.of(Condition("c", "==", Colour.RED))]], frame, [1, 0, 0])
    else:
        e = replace(E, summary=replace(E.summary, groups=(None,)))
    with pytest.raises((PyodExplainError, AttributeError)):
        getattr(e, view)(path)
    assert path.read_text() == "precious"


def test_a_text_that_utf_8_cannot_write_leaves_the_old_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "old"
    path.write_text("precious")
    monkeypatch.setattr("pyod_explain.report.views.to_markdown", lambda *_, **__: "half \ud800")
    with pytest.raises(PyodExplainError, match="must be text that UTF-8 can hold"):
        E.to_markdown(path)
    assert path.read_text() == "precious"


def test_halves_of_a_character_are_written_as_escapes_in_every_view(tmp_path):
    cells = np.array([["a\ud800"], ["b"], ["b"]], dtype=object)
    names, labels = (pd.Index(some, dtype=object) for some in (["\udcff"], ["\ud900", 1, 2]))
    frame = pd.DataFrame(cells, columns=names, index=labels, dtype=object)
    e = explain_by([[Tag.of(Condition("\udcff", "==", "a\ud800"))]], frame, [1, 0, 0])
    for view in ("to_json", "to_html", "to_markdown"):
        getattr(e, view)(tmp_path / view)
    assert Explanation.from_json(tmp_path / "to_json") == e
    str(e).encode()
    assert e.to_frame()["rule"].tolist() == ["\udcff is 'a\\ud800'"]
    assert e.compare(E).rows["label"].tolist() == ["\ud900", 50, 51, 52]
    for dialect in DIALECTS:
        with pytest.raises(PyodExplainError, match="half of a character"):
            e.to_sql("t", dialect=dialect)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "must be JSON as written by to_json"),
        (b"\xff\xfe\x00", "must be JSON as written by to_json"),
        ("[1, 2]", "must be an explanation"),
        ('{"schema": "other"}', "must be an explanation"),
        ("", "must be JSON as written by to_json"),
        (E.to_dict(), r"`text` of from_json\(\) must be JSON text or a Path, got dict.\nHint: Explanation.from_dict"),
        ("[" * 100_000, "nested too deep"),
        ('{"a": 1, "a": 2}', "key 'a' more than once"),
        ('{"a": NaN}', "got NaN, which is no number of JSON"),
        ("9" * 5000, "must be JSON as written by to_json"),
        (json.dumps({"schema": SCHEMA, "version": 99}), r"(?s)schema version 1, got 99.*Hint: .*install the newest"),
        (json.dumps({"schema": SCHEMA, "version": True}), "`version` of the explanation must be"),
        (json.dumps({"schema": SCHEMA}), "`version` of the explanation must be"),
        (json.dumps({"schema": SCHEMA, "version": 1}), "incomplete: `objective` is not there"),
    ],
)
def test_other_files_are_refused(text, message):
    with pytest.raises(PyodExplainError, match=message):
        Explanation.from_json(text)
