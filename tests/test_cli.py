"""The command line: what it prints, writes, refuses and leaves behind."""

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pyod_explain import Explanation, PyodExplainError
from pyod_explain._progress import Bar, start
from pyod_explain.cli import main
from pyod_explain.detectors import list_detectors, make_detector
from pyod_explain.input_file import encode, read_file

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    made = pd.DataFrame(
        {
            "id": [f"row {i}" for i in range(200)],
            "amount": rng.gamma(2, 20, 200).round(2),
            "kind": rng.choice(["web", "shop"], 200),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 100, 200), unit="D"),
            "odd": [1] * 10 + [0] * 190,
        }
    )
    made.loc[:9, "amount"] += 500
    made.loc[20:25, "amount"] = np.nan
    made.loc[30:32, "kind"] = None
    return made


@pytest.fixture
def csv(frame, tmp_path):
    path = tmp_path / "payments.csv"
    frame.to_csv(path, index=False)
    return str(path)


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


# --- the usual way ----------------------------------------------------------------------------------------------------


def test_a_file_is_explained(capsys, csv):
    code, out, err = run(capsys, csv, "--index", "id", "--drop", "odd", "--contamination", "0.05", "--no-validate")
    assert code == 0
    assert out.startswith("IForest marks 10 of 200 rows (5.0%) as outliers")
    assert "Not checked on held-out rows" in out
    assert err == ""


def test_it_validates_by_default(capsys, csv):
    code, out, _ = run(capsys, csv, "--labels", "odd", "--index", "id")
    assert code == 0
    assert out.startswith("Column 'odd' marks 10 of 200 rows")
    assert "On rows kept aside while the rules were found (5 folds)" in out
    assert "odd" not in out.partition("\n\n")[2]  # the labels do not explain themselves


def test_all_outputs_at_once(capsys, csv, tmp_path):
    names = ["r.html", "r.md", "r.json", "r.sql", "r.csv", "r.txt"]
    outputs = [part for name in names for part in ("-o", tmp_path / name)]
    code, out, err = run(
        capsys,
        csv,
        "--labels",
        "odd",
        "--index",
        "id",
        "--validate",
        2,
        "--placebo",
        1,
        "--dialect",
        "duckdb",
        "--rows",
        *outputs,
    )
    assert code == 0
    assert all(f"wrote {tmp_path / name}" in err for name in names)
    e = Explanation.from_json(tmp_path / "r.json")
    assert e.validation.n_splits == 2
    assert len(e.placebo.gains) == 1
    assert (tmp_path / "r.txt").read_text() == out == f"{e}\n"
    assert (tmp_path / "r.html").read_text() == e.to_html(rows=True)
    assert (tmp_path / "r.md").read_text() == e.to_markdown(rows=True)
    assert (tmp_path / "r.sql").read_text() == e.to_sql("payments", dialect="duckdb")
    assert pd.read_csv(tmp_path / "r.csv").rule.tolist() == [rule.text for rule in e.rules]
    assert {path.name for path in tmp_path.iterdir()} == {*names, "payments.csv"}


def test_quiet_prints_only_what_was_asked_for(capsys, csv, tmp_path):
    arguments = [csv, "--labels", "odd", "--no-validate", "--quiet"]
    code, out, err = run(capsys, *arguments, "-o", tmp_path / "r.sql", "--sql-table", "my table")
    assert (code, out, err) == (0, "", "")
    assert 'FROM "my table"' in (tmp_path / "r.sql").read_text()
    code, out, err = run(capsys, *arguments)
    assert out.startswith("Column 'odd' marks")
    assert err == ""


def test_verbose_tells_the_stages(capsys, csv):
    _, _, err = run(capsys, csv, "--labels", "odd", "--no-validate", "--verbose")
    assert "selection" in err
    assert "groups: 0." in err


def test_parameters_reach_the_explainer(capsys, csv, tmp_path):
    out = tmp_path / "r.json"
    arguments = ["--groups", 2, "--method", "wccm", "--solver", "greedy", "--weight", 3, "--max-length", 1]
    code, _, err = run(
        capsys,
        csv,
        "--labels",
        "odd",
        "--only",
        "amount,kind",
        "--seed",
        3,
        "--quiet",
        "--no-validate",
        *arguments,
        "-o",
        out,
    )
    assert code == 0, err
    data = json.loads(out.read_text())
    assert len(data["groups"]) == 2
    assert data["method"] == "WCCM"
    assert data["parameters"]["weight"] == "3.0"
    assert data["parameters"]["random_state"] == "3"
    assert all(len(rule["conditions"]) == 1 for group in data["groups"] for rule in group["rules"])


def test_a_detector_with_parameters(capsys, csv):
    arguments = [
        "--detector",
        "knn",
        "--param",
        "n_neighbors=7",
        "--param",
        "method=mean",
        "--drop",
        "id,odd",
        "--no-validate",
    ]
    code, out, err = run(capsys, csv, *arguments)
    assert code == 0, err
    assert out.startswith("KNN marks 20 of 200 rows (10%)")


def test_groups_from_a_column(capsys, csv):
    code, out, _ = run(capsys, csv, "--groups", "kind", "--drop", "id,odd", "--no-validate", "--labels", "odd")
    assert code == 0
    assert "Group 1 (shop)" in out


def test_groups_from_a_column_that_the_detector_does_not_see(capsys, frame, tmp_path):
    path = tmp_path / "t.csv"
    frame.assign(kind=frame["kind"].fillna("web")).to_csv(path, index=False)
    code, out, err = run(capsys, path, "--groups", "kind", "--only", "amount", "--no-validate")
    assert code == 0, err
    assert "(shop)" in out
    assert "kind is" not in out


def test_names_of_rows_are_noted(capsys, csv):
    _, _, err = run(capsys, csv, "--no-validate")
    assert "note: column 'id' has another value in every row; --index id" in err


# --- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: data"),
        (["{csv}", "--labels", "odd", "--detector", "KNN"], "--labels says which rows are outliers"),
        (["{csv}", "-o", "report.pdf"], "must end in .html"),
        (["{csv}", "--contamination", "7"], "must be a share from 0 to 1"),
        (["{csv}", "--contamination", "much"], "invalid"),
        (["{csv}", "--param", "n_neighbors"], "must be KEY=VALUE"),
        (["{csv}", "--method", "magic"], "invalid choice"),
        (["{csv}", "--lab", "odd"], "unrecognized arguments"),
    ],
)
def test_wrong_usage_is_2_and_one_line(capsys, csv, arguments, message):
    with pytest.raises(SystemExit) as stopped:
        main([argument.format(csv=csv) for argument in arguments])
    assert stopped.value.code == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.csv"], "No such file"),
        (["{folder}"], "directory"),
        (["{csv}", "--labels", "nope"], "The table has no column 'nope'; it has 'id', 'amount'"),
        (["{csv}", "--labels", "kind"], "must not be missing"),
        (["{csv}", "--only", "odd", "--labels", "odd"], "must have a column to explain with"),
        (["{csv}", "--drop", "id,amount,kind,day,odd"], "No column is left"),
        (["{csv}", "--detector", "Oracle"], "must be one of PyOD's detectors, got 'Oracle'"),
        (["{csv}", "--detector", "KNN", "--param", "depth=3"], "KNN has no parameter 'depth'; it takes contamination"),
        (["{csv}", "--detector", "KNN", "--param", "n_neighbors=0", "--drop", "id"], "KNN could not be fitted"),
        (["{csv}", "--contamination", "0.9"], "IForest does not take these parameters: contamination must be in"),
        (["{csv}", "-o", "{folder}/none/r.html"], "The folder of"),
        (["{csv}", "--labels", "odd", "--max-uncovered", "0.1"], "`max_uncovered` is no parameter of method 'mdl'"),
        (["{empty}"], "is empty"),
        (["{other}"], "must end in .csv"),
        (["{latin}"], "must be UTF-8 text"),
        (["{broken}"], "could not be read as parquet"),
        (["{double}"], "two columns named 'a'"),
    ],
)
def test_wrong_data_is_1_and_one_line(capsys, csv, tmp_path, arguments, message):
    files = {
        "empty": b"",
        "other": b"x",
        "latin": "a\nä\n".encode("latin-1"),
        "broken": b"PAR1nonsense",
        "double": b'{"a": 1}\n',
    }
    names = {"empty": "e.csv", "other": "t.xyz", "latin": "l.csv", "broken": "b.parquet", "double": "d.parquet"}
    for key, data in files.items():
        (tmp_path / names[key]).write_bytes(data)
    if "{double}" in arguments:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table([[1, 2], [3, 4]], names=["a", "a"]), tmp_path / "d.parquet")
    places = {key: tmp_path / name for key, name in names.items()}
    code, out, err = run(capsys, *[a.format(csv=csv, folder=tmp_path, **places) for a in arguments])
    assert code == 1, err
    assert out == ""
    lines = [line for line in err.splitlines() if not line.startswith("note:")]
    assert len(lines) == 1
    assert lines[0].startswith("pyod-explain: ")
    if "{double}" not in arguments:
        assert message in lines[0]


def test_an_error_leaves_files_as_they_were(capsys, csv, tmp_path):
    path = tmp_path / "r.json"
    path.write_text("before")
    assert run(capsys, csv, "--labels", "nope", "-o", path)[0] == 1
    assert path.read_text() == "before"


def test_ctrl_c_is_one_line(capsys, csv, monkeypatch):
    def stop(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("pyod_explain.command.explain", stop)
    assert run(capsys, csv, "--labels", "odd", "--index", "id") == (130, "", "pyod-explain: interrupted\n")


def test_what_nobody_foresaw_is_one_line_too_and_a_traceback_if_asked_for(capsys, csv, monkeypatch):
    def fail(*_args, **_options):
        raise ZeroDivisionError("by\nnothing")

    monkeypatch.setattr("pyod_explain.command.explain", fail)
    code, out, err = run(capsys, csv, "--labels", "odd", "--index", "id")
    assert (code, out) == (1, "")
    assert err == "pyod-explain: ZeroDivisionError: by nothing (not foreseen; --verbose shows where it happened)\n"
    code, out, err = run(capsys, csv, "--labels", "odd", "--verbose")
    assert (code, out) == (1, "")
    assert "Traceback" in err
    assert err.endswith("ZeroDivisionError: by\nnothing\n")


def start_process(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": ""}
    command = [sys.executable, "-m", "pyod_explain.cli", *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_ctrl_c_leaves_no_half_file(frame, tmp_path):
    path = tmp_path / "big.csv"
    noise = {f"x{i}": np.random.default_rng(i).normal(size=200) for i in range(20)}
    pd.concat([frame.assign(**noise)] * 40).to_csv(path, index=False)
    process = start_process(path, "--drop", "id", "-o", tmp_path / "r.html", "--placebo", 50, "--verbose")
    while b"groups" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert out == b""
    assert err.splitlines()[-1] == b"pyod-explain: interrupted"
    assert b"Traceback" not in err
    assert [one.name for one in tmp_path.iterdir()] == ["big.csv"]


def test_a_reader_that_leaves_early_is_no_error(csv):
    process = start_process(csv, "--labels", "odd", "--no-validate")
    process.stdout.close()
    err = process.stderr.read()
    process.wait(timeout=60)
    process.stderr.close()
    assert b"Traceback" not in err


# --- input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet", "csv.gz", "tsv.gz", "jsonl.gz"])
def test_files_of_any_kind_give_the_same_table(frame, tmp_path, ending):
    path = tmp_path / f"data.{ending}"
    kind = ending.partition(".")[0]
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind in ("jsonl", "json"):
        text = frame.to_json(orient="records", lines=kind == "jsonl", date_format="iso")
        path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    else:
        frame.to_csv(path, sep="," if kind == "csv" else "\t", index=False)
    found = read_file(str(path))
    assert found.columns.tolist() == frame.columns.tolist()
    assert found["amount"].tolist()[:5] == frame["amount"].tolist()[:5]
    assert found["kind"].isna().tolist() == frame["kind"].isna().tolist()
    assert str(found["day"].dtype).startswith("datetime64")
    assert found["day"].dt.strftime("%Y-%m-%d").tolist() == frame["day"].dt.strftime("%Y-%m-%d").tolist()


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
def test_standard_input_is_recognised_by_its_content(frame, tmp_path, monkeypatch, kind, capsys):
    if kind == "parquet":
        frame.to_parquet(tmp_path / "p")
        data = (tmp_path / "p").read_bytes()
    elif kind == "jsonl":
        data = frame.to_json(orient="records", lines=True, date_format="iso").encode()
    else:
        data = frame.to_csv(index=False, sep="\t" if kind == "tsv" else ",").encode()
    data = gzip.compress(data) if kind.endswith("gz") else data
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    code, out, err = run(capsys, "-", "--labels", "odd", "--index", "id", "--no-validate")
    assert code == 0, err
    assert out.startswith("Column 'odd' marks 10 of 200 rows")


def test_a_byte_order_mark_is_not_part_of_a_name(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfa,b\n1,2\n")
    assert read_file(str(tmp_path / "a.csv")).columns.tolist() == ["a", "b"]


def test_excel_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(PyodExplainError, match="pip install openpyxl"):
        read_file(str(tmp_path / "a.xlsx"))


def test_text_that_only_looks_like_dates_stays_text(tmp_path):
    (tmp_path / "a.csv").write_text("d,e,f\n2024-02-31,2024-01-01,2024-01-01\n2024-01-01,x,2024-01-01T10:00:00+02:00\n")
    found = read_file(str(tmp_path / "a.csv"))
    assert found["d"].tolist() == ["2024-02-31", "2024-01-01"]
    assert found["e"].tolist() == ["2024-01-01", "x"]
    assert found["f"].tolist() == ["2024-01-01", "2024-01-01T10:00:00+02:00"]


def test_times_with_zones_are_times(tmp_path):
    text = "a,b\n2024-01-01T10:00:00+02:00,2024-01-01T10:00:00+01:00\n2024-07-01T10:00:00+02:00,2024-07-01 10:00Z\n"
    (tmp_path / "a.csv").write_text(text)
    found = read_file(str(tmp_path / "a.csv"))
    assert found["a"].dt.hour.tolist() == [10, 10]
    assert found["b"].dt.hour.tolist() == [9, 10]  # zones differ: all on the clock of UTC


def test_what_the_detector_gets_is_numbers_without_gaps(frame):
    matrix = encode(frame)
    assert matrix.shape == frame.shape
    assert np.isfinite(matrix).all()
    assert np.allclose(matrix.mean(axis=0), 0)
    gaps = encode(pd.DataFrame({"x": [None, None], "c": ["a", None], "k": [3, 3]}))
    assert gaps.tolist() == [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]


# --- detectors and demo -----------------------------------------------------------------------------------------------


def test_detectors_are_listed_with_what_they_need(capsys):
    code, out, _ = run(capsys, "detectors")
    assert code == 0
    names = [line.split()[0] for line in out.splitlines()]
    assert {"IForest", "ECOD", "KNN", "LOF", "COPOD", "HBOS", "AutoEncoder"} <= set(names)
    assert all(len(line) <= 80 for line in out.splitlines())


def test_listing_imports_no_detector():
    code = (
        "import sys; from pyod_explain.detectors import list_detectors; list_detectors();"
        "print([name for name in sys.modules if name.startswith('pyod.models.')])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_detector_that_lacks_a_package_says_which(monkeypatch):
    from pyod_explain import detectors

    deep = detectors.DetectorInfo("Deep", "pyod.models.deep", "", ("no_such_package",))
    monkeypatch.setattr(detectors, "list_detectors", lambda: (deep,))
    with pytest.raises(PyodExplainError, match="pip install no_such_package"):
        make_detector("deep", {}, contamination=None, seed=0)
    with pytest.raises(PyodExplainError, match="did you mean Deep"):
        make_detector("deepest", {}, contamination=None, seed=0)


def test_every_listed_detector_that_can_run_is_made_by_its_name():
    for info in list_detectors():
        if not info.missing and info.name not in ("FeatureBagging", "RGraph"):
            assert type(make_detector(info.name.upper(), {}, contamination=0.1, seed=0)).__name__ == info.name


def test_the_demo(capsys, tmp_path):
    code, out, _ = run(capsys, "demo", "--validate", 2, "-o", tmp_path / "demo.html")
    assert code == 0
    assert out.startswith("Data: 569 breast tumours")
    assert "IForest marks 57 of 569 rows (10%) as outliers, in 2 groups." in out
    assert "malignant are" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert (tmp_path / "demo.html").stat().st_size > 5000
    code, out, err = run(capsys, "demo", "--quiet", "--no-validate", "--placebo", 1)
    assert out.startswith("IForest marks")
    assert err == ""


def test_help_shows_examples(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    assert "pyod-explain data.csv --detector ECOD --contamination 0.02 -o report.html" in out
    for command in ("demo", "detectors"):
        with pytest.raises(SystemExit):
            main([command, "--help"])


# --- progress ---------------------------------------------------------------------------------------------------------


def test_a_bar_appears_after_two_seconds_and_goes_away():
    stream, now = io.StringIO(), [0.0]
    bar = Bar(stream, clock=lambda: now[0])
    bar("groups", 0.1)
    assert stream.getvalue() == ""
    now[0] = 2.5
    bar("validation", 0.5)
    bar("tags", 1.0)
    assert "[############............]  50% validation, 2 s" in stream.getvalue()
    assert "100% tags, 2 s" in stream.getvalue()
    bar.close()
    bar.close()
    bar("tags", 1.0)
    assert stream.getvalue().endswith("s      \r" + " " * 47 + "\r")


def test_a_long_stage_shows_that_time_passes(monkeypatch):
    monkeypatch.setattr("pyod_explain._progress.EVERY", 0.01)
    stream, now = io.StringIO(), [0.0]
    bar = Bar(stream, clock=lambda: now[0])
    bar("groups", 0.0)
    now[0] = 7.0
    while not stream.getvalue():
        bar.ticker.join(0.01)
    bar.close()
    bar.ticker.join()
    assert "groups, 7 s" in stream.getvalue()


def test_true_is_a_bar_and_none_is_silence(capsys):
    with start(True) as step:
        step("x", 0.5)
    with start(None) as step:
        step("x", 0.5)
    assert capsys.readouterr().err == ""


def test_the_bar_is_for_terminals(capsys, csv, monkeypatch):
    monkeypatch.setattr("pyod_explain._progress.PATIENCE", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    _, _, err = run(capsys, csv, "--labels", "odd", "--no-validate", "--index", "id")
    assert "selection" in err
    assert err.endswith("\r")
    _, _, err = run(capsys, csv, "--labels", "odd", "--no-validate", "--quiet")
    assert err == ""
