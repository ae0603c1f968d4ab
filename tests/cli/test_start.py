"""The command line: what it prints, writes, refuses and leaves behind."""

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pyod_explain import Explanation, PyodExplainError
from pyod_explain._progress import Bar, start
from pyod_explain.cli.detectors import list_detectors, make_detector
from pyod_explain.cli.input_file import encode, read_file
from pyod_explain.cli.start import main

ROOT = Path(__file__).parents[2]


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
    assert re.search(r"groups: \d+\.\d\d s", err)


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
        (["{csv}", "-o", "{csv}/"], "must end in .html"),
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
        (["missing.csv"], "pyod-explain: The file missing.csv could not be read: No such file"),
        (["{folder}"], "could not be read: Is a directory"),
        (["null\0.csv"], "could not be read: embedded null byte"),
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
        (["{cut}"], "does not decompress"),
        (["{csv}", "-o", "{folder}/folder.csv"], "must not be a folder"),
        (["{csv}", "-o", "{folder}/payments.csv/r.html"], "Not a directory"),
    ],
)
def test_wrong_data_is_1_and_one_line(capsys, csv, tmp_path, arguments, message):
    files = {
        "empty": b"",
        "other": b"x",
        "latin": "a\nä\n".encode("latin-1"),
        "broken": b"PAR1nonsense",
        "double": b'{"a": 1}\n',
        "cut": gzip.compress(b"a,b\n1,2\n" * 99)[:20],
    }
    names = {"empty": "e.csv", "other": "t.xyz", "latin": "l.csv", "broken": "b.parquet", "double": "d.parquet"}
    names["cut"] = "c.csv.gz"
    (tmp_path / "folder.csv").mkdir()
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

    monkeypatch.setattr("pyod_explain.cli.command.explain", stop)
    assert run(capsys, csv, "--labels", "odd", "--index", "id") == (130, "", "pyod-explain: interrupted\n")


def test_what_nobody_foresaw_is_one_line_too_and_a_traceback_if_asked_for(capsys, csv, monkeypatch):
    def fail(*_args, **_options):
        raise ZeroDivisionError("by\nnothing")

    monkeypatch.setattr("pyod_explain.cli.command.explain", fail)
    code, out, err = run(capsys, csv, "--labels", "odd", "--index", "id")
    assert (code, out) == (1, "")
    assert err == "pyod-explain: ZeroDivisionError: by nothing (not foreseen; --verbose shows where it happened)\n"
    code, out, err = run(capsys, csv, "--labels", "odd", "--verbose")
    assert (code, out) == (1, "")
    assert "Traceback" in err
    assert err.endswith("ZeroDivisionError: by\nnothing\n")


def start_process(*arguments, code=None, before="", **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": ""}
    what = ["-m", "pyod_explain.cli"] if code is None else ["-c", f"import signal\n{before}\n{code}"]
    command = [sys.executable, *what, *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=environment, **{**pipes, **options})


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


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["payments.csv", "./here/payments.csv", "link.csv", "hard.csv", "PAYMENTS.CSV"])
def test_the_input_is_never_an_output(capsys, csv, tmp_path, monkeypatch, name):
    before = Path(csv).read_bytes()
    (tmp_path / "here").symlink_to(".")
    (tmp_path / "link.csv").symlink_to("payments.csv")
    os.link(csv, tmp_path / "hard.csv")
    if name.isupper():  # as a folder that ignores case has it
        os.link(csv, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pyod_explain.cli.command.read_file", lambda _: pytest.fail("work before the check"))
    with pytest.raises(SystemExit) as stopped:
        main([csv, "--labels", "odd", "-o", "new.json", "-o", name])
    assert stopped.value.code == 2
    assert "is the file that is read; it would be lost" in capsys.readouterr().err
    assert Path(csv).read_bytes() == before
    assert not Path("new.json").exists()


def test_standard_input_is_never_an_output(csv):
    before = Path(csv).read_bytes()
    with Path(csv).open("rb") as source:
        process = start_process("-", "--labels", "odd", "-o", csv, stdin=source)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert b"is the file that is read" in err
    assert Path(csv).read_bytes() == before


def test_the_same_output_twice_is_a_mistake(capsys, csv, tmp_path):
    (tmp_path / "a.json").symlink_to("r.json")
    for twin in ("r.json", "./r.json", "a.json"):
        with pytest.raises(SystemExit) as stopped:
            main([csv, "-o", str(tmp_path / "r.json"), "-o", f"{tmp_path}/{twin}"])
        assert stopped.value.code == 2
        assert "are the same file" in capsys.readouterr().err
    assert not (tmp_path / "r.json").exists()


def test_the_report_is_not_printed_into_an_output(csv, tmp_path):
    path = tmp_path / "r.txt"
    with path.open("wb") as out:
        process = start_process(csv, "--labels", "odd", "-o", path, stdout=out)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert b"is where the report is printed; add --quiet" in err
    with path.open("wb") as out:
        process = start_process(csv, "--labels", "odd", "--no-validate", "--quiet", "-o", path, stdout=out)
        process.communicate(timeout=60)
    assert path.read_text().startswith("Column 'odd' marks 10 of 200 rows")
    assert path.read_text().count("Column 'odd' marks") == 1


def test_an_error_at_the_second_file_leaves_the_first(capsys, csv, tmp_path, monkeypatch):
    first, second = tmp_path / "r.json", tmp_path / "r.md"
    first.write_text("before")
    arguments = [csv, "--labels", "odd", "--no-validate", "--index", "id", "-o", first, "-o", second]
    real = Path.replace

    def replace(self, target):
        if target == second:
            raise OSError(16, "Device or resource busy")
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", replace)
        code, _, err = run(capsys, *arguments)
    assert code == 1
    assert err == f"pyod-explain: {second} could not be written: Device or resource busy. No file was changed.\n"
    monkeypatch.setattr(Explanation, "to_markdown", lambda *_, **__: "\ud800")
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    assert "UTF-8" in err
    assert first.read_text() == "before"
    assert {path.name for path in tmp_path.iterdir()} == {"payments.csv", "r.json"}


def test_links_and_pipes_are_written_through(csv, tmp_path):
    (tmp_path / "link.json").symlink_to("real.json")
    os.mkfifo(tmp_path / "pipe.md")
    process = start_process(
        csv, "--labels", "odd", "--no-validate", "-o", tmp_path / "link.json", "-o", tmp_path / "pipe.md"
    )
    text = (tmp_path / "pipe.md").read_text()
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert text == Explanation.from_json(tmp_path / "real.json").to_markdown()
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "pipe.md").is_fifo()


def test_files_are_written_though_the_reader_of_the_report_left(csv, tmp_path):
    process = start_process(csv, "--labels", "odd", "--no-validate", "-o", tmp_path / "r.json")
    process.stdout.close()
    err = process.stderr.read()
    process.wait(timeout=60)
    process.stderr.close()
    assert process.returncode == 141
    assert err.startswith(b"note: column 'id'")
    assert err.count(b"\n") == 1
    assert Explanation.from_json(tmp_path / "r.json").n_outliers == 10


def test_nobody_needs_to_read_the_help():
    process = start_process("--help")
    process.stdout.close()
    assert process.stderr.read() == b""
    process.wait(timeout=60)
    process.stderr.close()


def test_a_full_disk_behind_standard_output_is_one_line_and_no_file(csv, tmp_path):
    with Path("/dev/full").open("wb") as full:
        process = start_process(csv, "--labels", "odd", "--no-validate", "-o", tmp_path / "r.json", stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.splitlines()[-1] == b"pyod-explain: [Errno 28] No space left on device"
    assert b"Traceback" not in err
    assert b"ignored" not in err
    assert not (tmp_path / "r.json").exists()


@pytest.mark.parametrize("errors", ["closed", "/dev/full"])
def test_nobody_needs_to_hear_the_notes(csv, tmp_path, errors):
    redirect = "2>&-" if errors == "closed" else "2>/dev/full"
    process = start_process(
        csv,
        "--labels",
        "odd",
        "--no-validate",
        "-o",
        tmp_path / "r.json",
        code="import subprocess, sys\n"
        f"sys.exit(subprocess.call(['sh', '-c', 'exec \"$@\" {redirect}', 'sh', sys.executable, '-m', "
        "'pyod_explain.cli', *sys.argv[1:]]))",
    )
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out.startswith(b"Column 'odd' marks")
    assert b"note:" not in out
    assert (tmp_path / "r.json").exists()


def test_a_closed_standard_input_is_one_line(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)  # as Python has it then
    assert run(capsys, "-") == (1, "", "pyod-explain: Standard input could not be read: it is closed.\n")


# --- hostile names ----------------------------------------------------------------------------------------------------

HOSTILE = "\x1b[31m\x07\x7f\x9b2J\u202e\u2028\u2066\x85"


def assert_harmless(text, *, but="\n"):
    assert [c for c in text if not c.isprintable() and c not in but] == []


@pytest.fixture
def hostile(frame, tmp_path):
    path = tmp_path / "hostile.csv"
    renamed = frame.rename(columns={"amount": f"amount{HOSTILE}", "id": f"id{HOSTILE}"})
    renamed["kind"] = [f"odd{HOSTILE}"] * 10 + [f"usual{HOSTILE}"] * 190
    renamed.to_csv(path, index=False)
    return str(path)


def test_no_name_reaches_the_terminal_as_more_than_text(capsys, hostile, tmp_path):
    report = tmp_path / f"r{HOSTILE}.md"
    for arguments in (
        [hostile, "--labels", "odd", "--no-validate", "-o", report, "--verbose"],
        [hostile, "--labels", "odd", "--no-validate", "--groups", "kind", "--index", f"id{HOSTILE}"],
        [hostile, "--labels", f"none{HOSTILE}"],
        [hostile, "--detector", f"X{HOSTILE}"],
        [f"{HOSTILE}.csv"],
        [hostile, "-o", tmp_path / HOSTILE / "r.md"],
    ):
        _, out, err = run(capsys, *arguments)
        assert out + err
        assert_harmless(out)
        assert_harmless(err)
    _, out, _ = run(capsys, hostile, "--labels", "odd", "--no-validate", "--drop", "kind")
    assert r"amount\x1b[31m\x07\x7f\x9b2J\u202e\u2028\u2066\x85 >= " in out  # still to be recognised
    for arguments in ([hostile, f"--{HOSTILE}"], [hostile, "-o", HOSTILE], [hostile, "--method", HOSTILE]):
        with pytest.raises(SystemExit):
            main(arguments)
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert_harmless(err)


def test_what_other_packages_say_is_harmless_too(capsys, csv, monkeypatch):
    def fail(*_args, **_options):
        sys.stdout.write(HOSTILE)
        sys.stderr.write(HOSTILE)
        raise ZeroDivisionError(HOSTILE)

    monkeypatch.setattr("pyod_explain.cli.command.explain", fail)
    for extra, times in (([], 2), (["--verbose"], 3)):
        code, out, err = run(capsys, csv, "--labels", "odd", "--index", "id", *extra)
        assert (code, out) == (1, "")
        assert err.count(r"\x1b[31m") == times
        assert_harmless(err)


def test_letters_that_the_terminal_lacks_are_escaped(frame, tmp_path, monkeypatch):
    frame[["amount", "odd"]].rename(columns={"amount": "größe"}).to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    out, err = start_process(tmp_path / "t.csv", "--labels", "odd", "--no-validate").communicate(timeout=60)
    assert rb"if gr\xf6\xdfe >= " in out
    assert err == b""


def test_a_bar_shows_no_control_characters():
    stream, now = io.StringIO(), [0.0]
    bar = Bar(stream, clock=lambda: now[0])
    now[0] = 5.0
    bar(HOSTILE, 0.5)
    bar.close()
    assert r"\x1b[31m" in stream.getvalue()
    assert_harmless(stream.getvalue(), but="\r")


@pytest.mark.parametrize("quiet", [False, True])
def test_a_header_that_is_a_formula_is_no_formula_in_csv(capsys, frame, tmp_path, quiet):
    name = "=HYPERLINK(0)"
    frame[["amount", "odd"]].rename(columns={"amount": name}).to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "r.csv"
    arguments = ["--labels", "odd", "--no-validate", "-o", out, *(["--quiet"] if quiet else [])]
    code, _, err = run(capsys, tmp_path / "t.csv", *arguments)
    assert code == 0
    written = pd.read_csv(out)
    assert written["rule"].str.startswith(f"'{name} ").all()
    assert (written["outliers"] > 0).all()
    assert ("would be run as a formula by a spreadsheet" in err) is not quiet


# --- interrupts -------------------------------------------------------------------------------------------------------

READY = """
import sys, pyod_explain.cli.start as cli
run = cli._run
def tell(*arguments):
    sys.stderr.write("ready\\n")
    sys.stderr.flush()
    return run(*arguments)
cli._run = tell
{more}
sys.exit(cli.main())
"""


def interrupt(csv, *arguments, wait=0.0, more="", times=1, sign=b"ready\n", **options):
    """Start the command, and interrupt it some time after it gave a sign; give its code and what it said since."""
    code = READY.replace("{more}", more)
    process = start_process(csv, "--labels", "odd", "--index", "id", *arguments, code=code, **options)
    while process.stderr.readline() != sign:
        assert process.poll() is None
    for _ in range(times):
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.parametrize("wait", [0.0, 0.02, 0.1, 0.3])
def test_an_interrupt_during_the_imports_is_one_line(csv, tmp_path, wait):
    path = tmp_path / "r.json"
    path.write_text("before")
    assert interrupt(csv, "-o", path, wait=wait) == (130, b"", b"pyod-explain: interrupted\n")
    assert path.read_text() == "before"
    assert {one.name for one in tmp_path.iterdir()} == {"payments.csv", "r.json"}


def test_several_interrupts_in_a_row_are_one(csv):
    assert interrupt(csv, wait=0.003, times=5) == (130, b"", b"pyod-explain: interrupted\n")


SWALLOWED = {
    "by a package": "try: time.sleep(60)\n    except: pass",
    "for another error": "try: time.sleep(60)\n    except BaseException as e: raise RuntimeError('lost') from e",
    "by Python, which prints it": "class D:\n        def __del__(self): time.sleep(60)\n    D()",
    "in a string, where Python ends by the signal": "exec('time.sleep(60)')",
}


@pytest.mark.parametrize("swallow", SWALLOWED.values(), ids=SWALLOWED)
def test_an_interrupt_that_is_swallowed_is_not_forgotten(csv, tmp_path, swallow):
    more = f"""
import time
import pyod_explain.cli.command as command
real = command.read_file
def read(path):
    sys.__stderr__.write("reading\\n")
    sys.__stderr__.flush()
    {swallow}
    return real(path)
command.read_file = read
"""
    path = tmp_path / "r.json"
    found = interrupt(csv, "-o", path, wait=0.05, more=more, sign=b"reading\n")
    assert found == (130, b"", b"pyod-explain: interrupted\n")
    assert not path.exists()


def test_an_interrupt_while_the_report_waits_for_its_reader_leaves_no_file(csv, tmp_path):
    """The report is printed before the files are put in place, so that 130 means that none was."""
    more = """
import pyod_explain.cli.command as command
class Long(command.Explanation):
    def __str__(self):
        sys.stderr.write("printing\\n")
        sys.stderr.flush()
        return "x" * 10**6  # more than a pipe holds
real = command.explain
def explain(*arguments, **options):
    return Long(real(*arguments, **options).summary)
command.explain = explain
"""
    path = tmp_path / "r.json"
    path.write_text("before")
    code, _, err = interrupt(csv, "--no-validate", "-o", path, wait=0.2, more=more, sign=b"printing\n")
    assert (code, err) == (130, b"pyod-explain: interrupted\n")
    assert path.read_text() == "before"
    assert {one.name for one in tmp_path.iterdir()} == {"payments.csv", "r.json"}


def test_a_process_that_ignores_interrupts_goes_on(csv):
    ignore = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    code, out, _ = interrupt(csv, "--no-validate", before=ignore)
    assert code == 0
    assert out.startswith(b"Column 'odd' marks")


def test_the_command_is_ready_for_an_interrupt_before_it_imports_much():
    names = ["numpy", "pandas", "sklearn", "typing", "argparse", "enum", "contextlib"]
    code = f"import sys, pyod_explain.cli.start; print([n for n in {names} if n in sys.modules])"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=True)
    assert done.stdout == b"[]\n"


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
        "import sys; from pyod_explain.cli.detectors import list_detectors; list_detectors();"
        "print([name for name in sys.modules if name.startswith('pyod.models.')])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_detector_that_lacks_a_package_says_which(monkeypatch):
    from pyod_explain.cli import detectors

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
