"""The server as a client sees it: the official SDK's, over a subprocess."""

import json

import pytest
from command_line import run
from mcp_client import connected

from pyod_explain import Explanation

pytestmark = pytest.mark.slow

FRAUDS = {"where": "status == fraud", "id_column": "name"}


def test_the_tools_describe_what_they_take_and_which_of_them_write(call):
    tools = {one["name"]: one for one in call.tools}
    assert set(tools) == {
        "list_files", "list_detectors", "explain_file", "explain_row", "compare_reports", "save_report"
    }  # fmt: skip
    assert [name for name, one in tools.items() if not one["annotations"]["readOnlyHint"]] == ["save_report"]
    for one in tools.values():
        assert one["description"]
        assert one["inputSchema"]["additionalProperties"] is False
        assert all("description" in str(p) or "$ref" in str(p) for p in one["inputSchema"]["properties"].values())


def test_files_and_detectors_are_listed(call, orders):
    assert f"{orders / 'orders.csv'}  " in call("list_files")[1][0]
    assert "IForest" in call("list_detectors")[1][0]


def test_a_file_is_explained_as_on_the_command_line(call, capsys, orders):
    asked = {"detector": "ECOD", "contamination": 0.04, "id_column": "name", "drop": ["status"]}
    failed, [text] = call("explain_file", data_path="orders.csv", options=asked)
    assert not failed, text
    flags = ("--detector", "ECOD", "--contamination", "0.04", "--id-column", "name", "--drop", "status", "-q")
    code, out, _ = run(capsys, orders / "orders.csv", *flags)
    assert code == 0
    head = out.partition("\n\nEvery")[0].partition("\n\nLeft")[0]  # advice names flags there, arguments here
    assert text.startswith(head)


@pytest.mark.parametrize("outliers", [{"where": "status == fraud"}, {"positions": list(range(12)), "drop": ["status"]}])
def test_outliers_may_be_given(call, outliers):
    failed, [text] = call("explain_file", data_path="orders.csv", options={**outliers, "id_column": "name"})
    assert not failed, text
    assert "12 of 300 rows" in " ".join(text.split())
    assert "if amount >= 500" in text


@pytest.mark.parametrize(("view", "start"), [("text", "12 of 300"), ("markdown", "#"), ("sql", "SELECT")])
def test_views(call, view, start):
    failed, [text] = call("explain_file", data_path="orders.csv", options=FRAUDS, view=view)
    assert not failed, text
    assert text.startswith(start)


def test_a_row_is_explained_with_its_cells_quoted(call):
    failed, [text] = call("explain_row", data_path="orders.csv", row="n3", options=FRAUDS)
    assert not failed, text
    assert "amount >= 500" in text
    assert "kind = 'b'" in text
    assert "no rule" in call("explain_row", data_path="orders.csv", row="n200", options=FRAUDS)[1][0]
    failed, [text] = call("explain_row", data_path="orders.csv", row="x", options=FRAUDS)
    assert failed
    assert "`row`" in text


def test_reports_are_saved_and_compared(call, orders):
    asked = {"data_path": "orders.csv", "options": FRAUDS}
    failed, [text] = call("save_report", report_path="sub/a.json", **asked)
    assert not failed, text
    report = Explanation.from_json(orders / "sub" / "a.json")
    assert report.n_outliers == 12
    assert report.summary.provenance["file"] == "orders.csv"
    call("save_report", report_path="b.json", data_path="orders.csv", options={**FRAUDS, "where": "amount > 905"})
    failed, [text] = call("compare_reports", before_path="sub/a.json", after_path="b.json")
    assert not failed, text
    assert text.startswith("before: 12 outliers")
    for suffix in (".html", ".md", ".sql", ".txt", ".csv", ".yaml"):
        assert not call("save_report", report_path=f"r{suffix}", **asked)[0]
        assert (orders / f"r{suffix}").stat().st_size


@pytest.mark.parametrize(
    ("name", "given", "word"),
    [
        ("explain_file", {"data_path": "../x.csv"}, "outside"),
        ("explain_file", {"data_path": "a\0b"}, "path"),
        ("explain_file", {"data_path": "orders.csv", "options": {"detector": "ECO"}}, "ECOD"),
        ("explain_file", {"data_path": "orders.csv", "options": {"detector_params": {"x": 1}}}, "`detector_params`"),
        ("explain_file", {"data_path": "orders.csv", "options": {"dorp": []}}, "dorp"),
        ("explain_file", {"data_path": "orders.csv", "optoins": {}}, "optoins"),
        ("explain_file", {"data_path": "orders.csv", "options": {"positions": [300]}}, "`positions`"),
        ("explain_file", {"data_path": "orders.csv", "options": {"positions": [1], "labels": "kind"}}, "`labels`"),
        ("compare_reports", {"before_path": "orders.csv", "after_path": "orders.csv"}, "not a report"),
        ("compare_reports", {"before_path": "../orders.csv", "after_path": "orders.csv"}, "outside"),
    ],
)
def test_what_cannot_be_done_is_an_error_that_names_the_argument(call, name, given, word):
    failed, [text] = call(name, **given)
    assert failed
    assert word in text
    assert "Traceback" not in text


def test_control_characters_are_escaped(call, orders):
    rows = [{"a\x1b[31m": 900 + i if i < 5 else i % 7, "b": "\u202e"} for i in range(50)]
    (orders / "colours.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    for view in ("text", "markdown"):
        failed, [text] = call("explain_file", data_path="colours.jsonl", options={"positions": [0, 1]}, view=view)
        assert not failed, text
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_limits_and_no_writing_unless_asked_for(orders, tmp_path, monkeypatch):
    (tmp_path / "large.csv").write_bytes(b"x" * 1_000_001)
    (tmp_path / "wide.csv").write_text(",".join(f"c{i}" for i in range(3000)) + "\n" + ",".join("1" * 3000) + "\n")
    for i in range(250):
        (tmp_path / f"{i}.txt").write_text("")
    with connected(str(orders), str(tmp_path), "--max-mb", "1") as call:
        assert "save_report" not in [one["name"] for one in call.tools]
        assert call("list_files")[1][0].count("\n") <= 201
        for name in ("large.csv", "wide.csv"):
            failed, [text] = call("explain_file", data_path=name)
            assert failed
            assert name in text


def test_a_wrong_start_is_one_line(capsys):
    pytest.importorskip("mcp", reason="needs the package mcp")
    assert run(capsys, "mcp")[0] == 2
    code, out, err = run(capsys, "mcp", "/no/such")
    assert (code, out, err.count("\n")) == (1, "", 1)
