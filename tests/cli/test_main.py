"""How the command starts and ends; `compare`, `diff`, `detectors` and `demo`."""

import json
import re
import subprocess
import sys

import pandas as pd
import pytest
from by_hand import explain_by
from command_line import ROOT, run, start_process

import pyod_explain
from pyod_explain import Condition, Explanation, PyodExplainError, Tag
from pyod_explain.cli import detectors


def test_help_and_version(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    for command in ("explain", "diff", "compare", "detectors", "demo", "mcp"):
        assert command in out
        assert run(capsys, command, "--help")[0] == 0
    assert run(capsys, "--version") == (0, f"pyod-explain {pyod_explain.__version__}\n", "")
    command = [sys.executable, "-m", "pyod_explain", "--version"]
    done = subprocess.run(command, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    assert done.stdout == f"pyod-explain {pyod_explain.__version__}\n"


def test_help_imports_nothing_large():
    code = (
        "import sys\nfrom pyod_explain.cli import main\n"
        "try: main([*sys.argv[1:], '--help'])\nexcept SystemExit: pass\n"
        "print([name for name in ('numpy', 'pandas', 'sklearn', 'scipy', 'mcp', 'pydantic') if name in sys.modules])"
    )
    for command in ([], ["explain"], ["diff"], ["compare"], ["detectors"], ["demo"], ["mcp"]):
        out, err = start_process(*command, code=code).communicate(timeout=60)
        assert out.decode().splitlines()[-1] == "[]", err


def test_an_unexpected_error_is_one_line_that_says_where_it_was_raised(capsys, csv, monkeypatch):
    def fail(*_args, **_options):
        raise ZeroDivisionError("by\nnothing")

    monkeypatch.setattr("pyod_explain.cli.run.explain", fail)
    code, out, err = run(capsys, csv, "--labels", "odd")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "ZeroDivisionError: by nothing" in err
    assert "of test_main.py" in err


def test_files_are_written_though_the_reader_of_the_report_left(csv, tmp_path):
    process = start_process(csv, "--labels", "odd", "--validate", 0, "-o", tmp_path / "r.json")
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    assert process.wait(timeout=60) == 141
    process.stderr.close()
    assert Explanation.from_json(tmp_path / "r.json").n_outliers == 10


# --- compare ------------------------------------------------------------------------------------------------------


@pytest.fixture
def reports(tmp_path):
    for name, cells in (("yesterday", [9] * 20), ("today", [-9] * 20)):
        X = pd.DataFrame({"x": [*range(5), *cells]})
        tag = Tag.of(Condition("x", ">", 5) if cells[0] > 0 else Condition("x", "<", 0))
        explain_by([[tag]], X, [0] * 5 + [1] * 20).to_json(tmp_path / f"{name}.json")
    return tmp_path / "yesterday.json", tmp_path / "today.json"


def test_what_changed_is_printed_and_written(capsys, reports, tmp_path):
    names = ["c.html", "c.txt", "c.csv", "c.json"]
    code, out, err = run(capsys, "compare", *reports, *(part for name in names for part in ("-o", tmp_path / name)))
    assert code == 0, err
    assert "1 rule gone:\n  x > 5: now 0 of 20 outliers, before 20 of 20 outliers" in out
    assert (tmp_path / "c.txt").read_text() == out
    assert "x &lt; 0" in (tmp_path / "c.html").read_text()
    assert "x < 0" in pd.read_csv(tmp_path / "c.csv").rule.tolist()
    assert json.loads((tmp_path / "c.json").read_text())["changed"] is True
    assert run(capsys, "compare", *reports, "-q", "-o", tmp_path / "c.html") == (0, "", "")


def test_the_exit_code_tells_a_job_that_something_changed(capsys, reports):
    before, after = reports
    assert run(capsys, "compare", before, after, "--exit-code")[0] == 3
    assert run(capsys, "compare", before, before, "--exit-code")[0] == 0
    assert run(capsys, "compare", before, after)[0] == 0


def test_files_that_cannot_be_compared(capsys, reports, tmp_path):
    (tmp_path / "folder.json").mkdir()
    for name, content in (("a.json", b"{}"), ("b.json", b"a,b\n1,2\n"), ("c.json", b"\xff\xfe\xff")):
        (tmp_path / name).write_bytes(content)
    for name in ("a.json", "b.json", "c.json", "folder.json", "none.json"):
        code, out, err = run(capsys, "compare", reports[0], tmp_path / name)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert name in err
    assert run(capsys, "compare", *reports, "-o", reports[0])[0] == 2
    assert run(capsys, "compare", *reports, "-o", tmp_path / "c.parquet")[0] == 2


# --- diff ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def tables(tmp_path):
    now, before = tmp_path / "today.csv", tmp_path / "yesterday.csv"
    pd.DataFrame({"x": [1, 2, 3, 4, 90] * 20, "day": 2}).to_csv(now, index=False)
    pd.DataFrame({"x": [1, 2, 3, 4, 5] * 20, "day": 1}).to_csv(before, index=False)
    return now, before


def test_what_is_new_is_printed_and_written(capsys, tables, tmp_path):
    names = ["n.html", "n.md", "n.txt", "n.csv", "n.json", "n.sql", "n.yaml"]
    outputs = [part for name in names for part in ("-o", tmp_path / name)]
    code, out, err = run(capsys, "diff", *tables, "--drop", "day", *outputs)
    assert code == 0, err
    assert (tmp_path / "n.txt").read_text() == out
    assert "<html" in (tmp_path / "n.html").read_text()
    assert (tmp_path / "n.md").read_text().startswith("# ")
    assert pd.read_csv(tmp_path / "n.csv").outliers.tolist() == [20]
    e = Explanation.from_json(tmp_path / "n.json")
    assert e.summary.validation.n_splits == 5
    assert (tmp_path / "n.sql").read_text() == e.to_sql("today")
    assert "today" in (tmp_path / "n.yaml").read_text()


def test_a_note_on_both_tables_is_printed_once(capsys, tmp_path):
    for name, code in (("now.csv", "007"), ("before.csv", "008")):
        (tmp_path / name).write_text("x,code\n" + f"1,007\n2,{code}\n" * 20)
    _, _, err = run(capsys, "diff", tmp_path / "now.csv", tmp_path / "before.csv", "--validate", 0)
    assert err.count("leading zero") == 1


def test_tables_that_do_not_compare(capsys, tables, tmp_path):
    (tmp_path / "other.csv").write_text("z\n1\n2\n")
    assert run(capsys, "diff", tables[0], tmp_path / "other.csv")[0] == 1
    for arguments in ([tables[0]], [tables[0], tables[0]], [*tables, "-o", tables[1]], [*tables, "--drop", "no"]):
        assert run(capsys, "diff", *arguments)[0] == 2


# --- detectors, demo ----------------------------------------------------------------------------------------------


def test_detectors_are_listed_without_importing_them(capsys):
    code, out, _ = run(capsys, "detectors")
    assert code == 0
    assert {"IForest", "ECOD", "KNN", "LOF", "COPOD", "HBOS"} <= {line.split()[0] for line in out.splitlines()}
    assert all(len(line) <= 80 for line in out.splitlines())
    source = (
        "import sys; from pyod_explain.cli.detectors import list_detectors; list_detectors();"
        "print([name for name in sys.modules if name.startswith('pyod.models.')])"
    )
    assert start_process(code=source).communicate(timeout=60)[0].strip() == b"[]"


def test_a_detector_that_lacks_a_package(monkeypatch):
    deep = detectors.DetectorInfo("Deep", "pyod.models.deep", "", ("no_such_package",))
    monkeypatch.setattr(detectors, "list_detectors", lambda: (deep,))
    with pytest.raises(PyodExplainError, match="no_such_package"):
        detectors.make_detector("deep", {}, contamination=0.1, seed=0)
    with pytest.raises(PyodExplainError, match="Deep") as caught:
        detectors.make_detector("deepest", {}, contamination=0.1, seed=0)
    assert caught.value.argument == "detector"


def test_every_listed_detector_that_can_run_is_made_by_its_name():
    for info in detectors.list_detectors():
        if not info.missing and info.name not in ("FeatureBagging", "RGraph"):
            made = detectors.make_detector(info.name.upper(), {}, contamination=0.1, seed=0)
            assert type(made).__name__ == info.name


def test_the_files_of_pyod_have_the_same_detectors_as_its_list():
    parsed = {one.name: one for one in detectors.parse_detectors()}
    listed = {one.name: one for one in detectors.list_detectors()}
    assert {name: one.module for name, one in parsed.items()} == {name: one.module for name, one in listed.items()}
    assert all(set(one.needs) <= set(listed[name].needs) for name, one in parsed.items())
    assert parsed["AutoEncoder"].needs == ("torch",)


def test_the_demo(capsys, tmp_path):
    code, out, _ = run(capsys, "demo", "-o", tmp_path / "demo.html")
    assert code == 0
    report, _, rest = out.partition("The planted faults")
    assert "3 rules explain 78" in report
    assert "not significant" not in report
    assert re.search(r"flow >= 10 and mode is 'idle' +30 +30 +30\n", rest)
    assert "BCCM(max_tags=4)" in rest
    assert all(len(line) <= 80 for line in out.splitlines())
    assert (tmp_path / "demo.html").stat().st_size > 5000
