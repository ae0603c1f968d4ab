import json

import pytest

from pyod_explain.cli.mcp import work
from pyod_explain.cli.mcp.work import MOST_KEPT, SAVED, VIEWS, Desk


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A table in the folder that we are in, and a request to explain it."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{900 + i if i < 5 else i % 7},{int(i < 5)}\n" for i in range(60))
    (tmp_path / "t.csv").write_text("a,odd\n" + rows, encoding="utf-8")
    arguments = {"labels": "odd", "validate": 0}
    return {
        "task": "explain",
        "file": "t.csv",
        "shown": "/x/t.csv",
        "view": "text",
        "most": 10**6,
        "arguments": arguments,
    }


def test_the_last_explanations_are_remembered_and_the_file_is_looked_at_each_time(asked, monkeypatch, tmp_path):
    calls = []
    explain = work.explain_table
    monkeypatch.setattr(work, "explain_table", lambda *a, **k: calls.append(1) or explain(*a, **k))
    desk = Desk()
    first = desk.answer(asked)
    assert desk.answer(asked) == first
    assert len(calls) == 1
    desk.answer({**asked, "task": "row", "row": 3})
    assert len(calls) == 1
    for seed in range(MOST_KEPT):
        desk.answer({**asked, "arguments": {**asked["arguments"], "seed": seed + 1}})
    assert len(desk.kept) == MOST_KEPT
    desk.answer(asked)
    assert len(calls) == 2 + MOST_KEPT
    (tmp_path / "t.csv").write_text((tmp_path / "t.csv").read_text("utf-8") + "990,1\n", encoding="utf-8")
    assert "6 of 61 rows" in desk.answer(asked)["texts"][0]


def test_what_cannot_be_encoded_is_escaped_in_an_answer_and_refused_in_a_file(asked, monkeypatch):
    monkeypatch.setitem(VIEWS, "text", lambda *_: "a\ud800")
    monkeypatch.setitem(SAVED, ".txt", lambda *_: "a\ud800")
    assert Desk().answer(asked)["texts"][0] == "a\\ud800"
    assert "no file in UTF-8 can hold" in Desk().answer({**asked, "task": "save", "ending": ".txt"})["error"]


def test_what_nobody_foresaw_is_a_sentence_too(asked, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("by\x1b zero")

    monkeypatch.setitem(VIEWS, "text", fail)
    assert Desk().answer(asked) == {"error": "ZeroDivisionError: by\\x1b zero (not foreseen)"}


def test_the_endings_are_the_same_on_both_sides():
    tools = pytest.importorskip("pyod_explain.cli.mcp.tools", reason="needs the package mcp")
    assert tuple(sorted(SAVED)) == tools.ENDINGS


@pytest.mark.parametrize("row", [2, "2"])
def test_rows_are_asked_for_by_number_or_text(asked, row):
    [text, cells, _] = Desk().answer({**asked, "task": "row", "row": row})["texts"]
    assert text.startswith("Row 2 is an outlier of group 1, because")
    assert cells == "The row: a = 902, odd = 1"


def test_all_rows_cannot_be_outliers(asked):
    answer = Desk().answer({**asked, "arguments": {"rows": list(range(60))}})
    assert answer["error"] == "`rows` must leave some rows normal, to tell the outliers from, got all 60 rows."


def test_a_name_that_several_rows_have_is_asked_back(asked, tmp_path):
    lines = [f"{900 + i if i < 5 else i % 7},{int(i < 5)},{i % 3}\n" for i in range(60)]
    (tmp_path / "t.csv").write_text("a,odd,k\n" + "".join(lines), encoding="utf-8")
    request = {**asked, "task": "row", "row": "2", "arguments": {"labels": "odd", "index": "k"}}
    assert "is the name of 20 rows" in Desk().answer(request)["error"]


def test_notes_are_in_the_words_of_the_call(asked, tmp_path):
    rows = "".join(f"{900 + i if i < 5 else i % 7},{'bad' if i < 5 else 'ok'}\n" for i in range(60))
    (tmp_path / "t.csv").write_text("a,state\n" + rows, encoding="utf-8")
    answer = Desk().answer({**asked, "arguments": {"labels": "state"}})
    assert json.dumps(answer)
    assert "note: outliers are the 5 rows with 'bad' in column 'state'" in answer["texts"][1]
    assert "`outlier_values` says otherwise" in answer["texts"][1]
