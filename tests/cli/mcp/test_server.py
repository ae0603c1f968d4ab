"""The command as a client sees it: the official SDK's, over a subprocess."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from mcp_client import ROOT, connected

from pyod_explain import Explanation

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}},
}
FRAUDS = {"labels": "status", "outlier_values": ["fraud"]}


def test_the_tools_say_what_they_take_and_which_of_them_write(call):
    tools = {one["name"]: one for one in call.tools}
    assert set(tools) == {
        "list_files",
        "list_detectors",
        "explain_outliers",
        "explain_labels",
        "explain_row",
        "compare_reports",
        "save_report",
    }
    assert [name for name, one in tools.items() if not one["annotations"]["readOnlyHint"]] == ["save_report"]
    for one in tools.values():
        assert one["description"]
        assert one["inputSchema"]["additionalProperties"] is False
        assert all("description" in p or "$ref" in str(p) for p in one["inputSchema"]["properties"].values())


def test_files_are_listed(call, orders):
    failed, [text] = call("list_files")
    assert not failed
    assert f"{orders / 'orders.csv'}  " in text


def test_a_file_is_explained_as_on_the_command_line(call, orders):
    asked = {"detector": "ECOD", "contamination": 0.04, "options": {"index": "name", "drop": ["status"]}}
    failed, [text, remarks] = call("explain_outliers", data_path="orders.csv", **asked)
    assert not failed
    assert text.startswith("ECOD marks 7 of 300 rows (2.3%) as outliers")
    assert "  if amount >" in text
    command = remarks.rpartition("command line: ")[2]
    assert command == (
        f"pyod-explain {orders / 'orders.csv'} --detector=ECOD --contamination=0.04 --index=name --drop=status"
    )
    arguments = [sys.executable, "-m", "pyod_explain.cli", *command.split()[1:]]
    found = subprocess.run(
        arguments, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": ROOT}, encoding="utf-8"
    )
    assert found.stdout == text + "\n"


@pytest.mark.parametrize("who", [FRAUDS, {"labels": "status == fraud"}, {"rows": list(range(12))}])
def test_labels_are_explained_however_they_are_given(call, who):
    asked = {"options": {"index": "name", "drop": ["status"]}} if "rows" in who else {"options": {"index": "name"}}
    failed, texts = call("explain_labels", data_path="orders.csv", **who, **asked)
    assert not failed
    said = " ".join(texts[0].split())
    assert "12 of 300 rows (4.0%)" in said
    assert "1 rule explains 12 of them" in said
    assert "if amount >= 500" in texts[0]


@pytest.mark.parametrize("view", ["headline", "markdown", "json", "sql"])
def test_the_answer_comes_in_several_views(call, view):
    failed, texts = call("explain_labels", data_path="orders.csv", **FRAUDS, options={"drop": ["name"]}, view=view)
    assert not failed
    starts = {"headline": "12 of 300 rows", "markdown": "#", "json": "{", "sql": "SELECT"}
    assert texts[0].startswith(starts[view])
    if view == "json":
        assert Explanation.from_json(texts[0]).n_outliers == 12


def test_a_row_is_explained(call):
    asked = {"outliers": FRAUDS, "options": {"index": "name"}}
    failed, [text, cells, _] = call("explain_row", data_path="orders.csv", row="n3", **asked)
    assert not failed
    assert text.startswith("Row 'n3' is an outlier of group 1, because\n  if amount >= 500 (it is 903)")
    assert "would match no rule" in text
    assert cells.startswith("The row: amount = 903, kind = b")
    _, [text, *_] = call("explain_row", data_path="orders.csv", row="n200", **asked)
    assert text.startswith("Row 'n200' is not among the outliers, and matches no rule.")
    failed, [text] = call("explain_row", data_path="orders.csv", row="x", **asked)
    assert failed
    assert "`row` must be the name of a row: one of 'n0', 'n1', 'n2', ..., got 'x'" in text


def test_reports_are_saved_compared_and_asked_about_a_row(call, orders):
    asked = {"data_path": "orders.csv", "options": {"index": "name"}}
    failed, [text] = call("save_report", report_path="sub/a.json", outliers=FRAUDS, **asked)
    assert not failed
    assert text.startswith(f"Wrote {orders / 'sub' / 'a.json'}, ")
    report = Explanation.from_json(orders / "sub" / "a.json")
    assert report.n_outliers == 12
    assert report.summary.provenance["file"] == "orders.csv"
    assert report.summary.provenance["command"].startswith("pyod-explain ")
    outliers = {"labels": "amount > 905"}
    call("save_report", report_path="b.json", outliers=outliers, **asked)
    failed, [text] = call("compare_reports", before_path="sub/a.json", after_path="b.json", rows=True)
    assert not failed
    assert text.startswith("before: 12 outliers of 300 rows")
    failed, [text, *_] = call("explain_row", report_path="sub/a.json", row="n3", **asked)
    assert not failed
    assert text.startswith("Row 'n3' is an outlier of group 1, because")
    failed, [text] = call("explain_row", report_path="sub/a.json", row="n3", outliers=FRAUDS, **asked)
    assert failed
    assert "leave out `outliers`" in text


@pytest.mark.parametrize("ending", [".html", ".md", ".sql", ".txt"])
def test_a_report_is_saved_in_the_format_of_its_ending(call, orders, ending):
    failed, _ = call("save_report", report_path=f"r{ending}", data_path="orders.csv", outliers=FRAUDS)
    assert not failed
    starts = {".html": "<!doctype html>", ".md": "#", ".sql": "SELECT", ".txt": "12 of 300 rows"}
    assert (orders / f"r{ending}").read_text(encoding="utf-8").lower().startswith(starts[ending].lower())


def test_no_file_is_overwritten(call, orders):
    before = (orders / "orders.csv").read_bytes()
    (orders / "kept.md").write_text("mine", encoding="utf-8")
    for path, why in [
        ("orders.csv", "must end in .html, .json"),
        ("kept.md", "is there already"),
        ("../x.md", "outside"),
        ("no/x.md", "must be there"),
    ]:
        failed, [text] = call("save_report", report_path=path, data_path="orders.csv", outliers=FRAUDS)
        assert failed
        assert why in text
    assert (orders / "orders.csv").read_bytes() == before
    assert (orders / "kept.md").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("explain_outliers", {"data_path": "../x.csv"}, "outside the folders"),
        ("explain_outliers", {"data_path": "/etc/passwd"}, "outside the folders"),
        ("explain_outliers", {"data_path": "no.csv"}, "There is no file no.csv"),
        ("explain_outliers", {"data_path": "sub"}, "is a folder"),
        ("explain_outliers", {"data_path": ""}, "got nothing"),
        ("explain_outliers", {"data_path": "a\0b"}, "null byte"),
        ("explain_outliers", {"data_path": "orders.csv", "detector": "ECO"}, "did you mean ECOD"),
        ("explain_outliers", {"data_path": "orders.csv", "contamination": 3}, "`contamination` must be a share"),
        ("explain_outliers", {"data_path": "orders.csv", "detector_params": {"x": 1}}, "no parameter 'x'"),
        ("explain_outliers", {"data_path": "orders.csv", "options": {"drop": ["x"]}}, "no column 'x'"),
        ("explain_outliers", {"data_path": "orders.csv", "contaminaton": 0.1}, "contaminaton"),
        ("explain_outliers", {"data_path": "orders.csv", "options": {"dorp": []}}, "dorp"),
        ("explain_outliers", {}, "data_path"),
        ("explain_labels", {"data_path": "orders.csv"}, "neither is given"),
        ("explain_labels", {"data_path": "orders.csv", "rows": [300]}, "from 0 to 299"),
        ("explain_labels", {"data_path": "orders.csv", "rows": []}, "at least one"),
        ("explain_labels", {"data_path": "orders.csv", "rows": [1], "labels": "status"}, "leave out `labels`"),
        ("explain_labels", {"data_path": "orders.csv", "labels": "name"}, "which of them mark outliers is not plain"),
        ("explain_row", {"data_path": "orders.csv", "row": 1, "report_path": "/x.json"}, "outside the folders"),
        ("compare_reports", {"before_path": "orders.csv", "after_path": "orders.csv"}, "not a report"),
        ("compare_reports", {"before_path": "orders.csv", "after_path": "../orders.csv"}, "outside the folders"),
    ],
)
def test_what_cannot_be_done_is_answered_in_a_sentence(call, name, given, why):
    failed, [text] = call(name, **given)
    assert failed
    assert why in text
    assert "Traceback" not in text
    assert "pyod-explain-" not in text  # the folder of the copies


def test_a_file_with_a_name_or_letters_that_mean_something_is_a_file(call, orders):
    (orders / "-").write_text("a\n1\n", encoding="utf-8")
    failed, [text] = call("explain_outliers", data_path="-")
    assert failed
    assert "must end in .csv" in text
    rows = [{"a\x1b[31m": 900 + i if i < 5 else i % 7, "b": "\u202e"} for i in range(50)]
    (orders / "colours.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    for view in ("text", "headline", "markdown", "json", "sql"):
        failed, texts = call("explain_labels", data_path="colours.jsonl", rows=[0, 1, 2, 3, 4], view=view)
        assert not failed, texts
        if view != "sql":  # which must name the column as it is
            assert "\x1b" not in texts[0]


def test_without_write_there_is_no_tool_that_does_and_long_answers_are_cut(orders, tmp_path):
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    with connected(str(orders), str(tmp_path), "--max-chars", "120", "--max-mb", "1") as call:
        assert "save_report" not in [one["name"] for one in call.tools]
        _, [text, *_] = call("explain_labels", data_path="orders.csv", **FRAUDS)
        assert len(text) < 200
        assert text.endswith("characters are shown.]")
        failed, [text] = call("explain_labels", data_path="orders.csv", **FRAUDS, view="json")
        assert failed
        assert "more than 120" in text
        _, [text] = call("list_detectors")
        assert len(text) < 200
        failed, [text] = call("explain_outliers", data_path="empty.csv")
        assert failed
        assert "The file empty.csv is empty." in text
        (tmp_path / "large.csv").write_bytes(b"x" * 1_000_001)
        failed, [text] = call("explain_outliers", data_path="large.csv")
        assert failed
        assert "has more than 1 MB" in text


def serve(*arguments, temporary=None, **options):
    pytest.importorskip("mcp", reason="needs the package mcp")
    environment = {**os.environ, "PYTHONPATH": ROOT, **({} if temporary is None else {"TMPDIR": str(temporary)})}
    return subprocess.Popen(
        [sys.executable, "-m", "pyod_explain.cli", "mcp", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        encoding="utf-8",
        **options,
    )


def test_nothing_but_the_protocol_is_on_standard_output_and_nothing_is_left(orders, tmp_path):
    requests = [
        HELLO,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_detectors", "arguments": {}}},
        "no request at all",
    ]
    with serve(str(orders), temporary=tmp_path) as process:
        process.stdin.write("".join(f"{json.dumps(one)}\n" for one in requests))
        process.stdin.flush()
        lines = []
        while not any(line.get("id") == 2 for line in lines):
            lines.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in process.stdout)
        assert "Traceback" not in process.stderr.read()
    assert process.returncode == 0
    assert not any(one.name.startswith("pyod-explain-") for one in tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", None)])
def test_a_signal_ends_it_at_once_and_leaves_nothing(orders, tmp_path, number):
    with serve(str(orders), temporary=tmp_path) as process:
        process.stdin.write(f"{json.dumps(HELLO)}\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        started = time.monotonic()
        process.send_signal(number)
        assert process.wait(timeout=20) == 128 + number
        assert time.monotonic() - started < 10
        assert "Traceback" not in process.stderr.read()
    assert not any(one.name.startswith("pyod-explain-") for one in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [((), 2, "FOLDER"), (("/no/such",), 1, "must be a folder"), ((".", "--max-mb", "0"), 2, "whole number")],
)
def test_a_wrong_start_is_told_in_a_line(arguments, code, said):
    with serve(*arguments) as process:
        out, error = process.communicate()
    assert (out, process.returncode) == ("", code)
    assert said in error
    assert error.count("\n") == 1


def run_python(code):
    environment = {**os.environ, "PYTHONPATH": ROOT}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)


def test_without_the_sdk_the_error_has_the_line_that_installs_it():
    found = run_python(
        "import sys; sys.modules['mcp'] = None; from pyod_explain.cli import main; sys.exit(main(['mcp', '.']))"
    )
    assert found.returncode == 1
    assert "pip install 'pyod_explain[mcp]'" in found.stderr
    assert found.stdout == ""


def test_the_server_itself_imports_nothing_large():
    pytest.importorskip("mcp", reason="needs the package mcp")
    found = run_python(
        "import sys; from pyod_explain.cli.mcp import server, tools\n"
        "print([m for m in ('pandas', 'pyod') if m in sys.modules])"
    )
    assert found.stdout.strip() == "[]", found.stderr
