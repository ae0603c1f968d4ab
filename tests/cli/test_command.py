"""What the command line explains, and what it refuses."""

import gzip
import json
import sys

import numpy as np
import pandas as pd
import pytest
from command_line import run

from pyod_explain.input import as_table


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


def test_relations_are_looked_at_unless_told_otherwise(capsys, tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(50, 5, (400, 2)).round(1), columns=["outlet", "inlet"])
    path = tmp_path / "sensors.csv"
    X.assign(bad=(X["outlet"] - X["inlet"] >= 9).astype(int)).to_csv(path, index=False)
    for options in ([], ["--relations"], ["--method", "wccm", "--relations"]):
        code, out, err = run(capsys, path, "--labels", "bad", *options, "--no-validate")
        assert code == 0, err
        assert "if outlet - inlet >= 9" in out or "if inlet - outlet" in out
    for options in (["--no-relations"], ["--method", "wccm"]):
        assert " - " not in run(capsys, path, "--labels", "bad", *options, "--no-validate")[1]


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.csv"], "pyod-explain: The file missing.csv could not be read: No such file"),
        (["{folder}"], "must be files that can be read"),
        (["null\0.csv"], "could not be read: embedded null byte"),
        (["{few}", "--detector", "KNN"], "KNN could not be fitted"),
        (["{json}"], "is JSON, not a table of text. Hint: rename it to .json."),
        (["{objects}"], "is JSON, not a table of text. Hint: rename it to .json."),
        (["{csv}", "-o", "{folder}/none/r.html"], "The folder of"),
        (["{empty}"], "is empty"),
        (["{other}"], "must end in .csv"),
        (["{latin}"], "must be UTF-8 text, got other bytes"),
        (["{broken}"], "could not be read as parquet"),
        (["{lists}"], "Column 'words' must hold single values, got list"),
        (["{lists}", "--labels", "odd"], "Column 'words' must hold single values, got list"),
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
        "latin": '{"a": "ä"}'.encode("latin-1"),
        "few": b"a,b\n1,2\n2,3\n3,5\n",
        "json": b'[\n  {"a": 1},\n  {"a": 2}\n]\n',
        "objects": b'{"a": 1}\n{"a": 2}\n',
        "broken": b"PAR1nonsense",
        "lists": b'{"x": 1, "words": ["a"], "odd": 0}\n{"x": 2, "words": ["b"], "odd": 1}\n',
        "double": b'{"a": 1}\n',
        "cut": gzip.compress(b"a,b\n1,2\n" * 99)[:20],
    }
    names = {"empty": "e.csv", "other": "t.xyz", "latin": "l.jsonl", "broken": "b.parquet", "double": "d.parquet"}
    names |= {"cut": "c.csv.gz", "lists": "w.jsonl", "few": "f.csv", "json": "j.csv", "objects": "o.txt"}
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--labels", "nope"], "--labels: the table has no column 'nope'; it has 'id', 'amount'"),
        (["--labels", "kind"], "which of them mark outliers is not plain. Hint: --labels kind --outlier-values"),
        (["--only", "odd", "--labels", "odd"], "No column is left to explain with"),
        (["--drop", "id,amount,kind,day,odd"], "No column is left to explain with"),
        (["--drop", "nope"], "The table has no column 'nope'"),
        (["--only", "nope"], "The table has no column 'nope'"),
        (["--index", "nope"], "The table has no column 'nope'"),
        (["--groups", "nope"], "The table has no column 'nope'"),
        (["--counts", "nope"], "The table has no column 'nope'"),
        (["--identifiers", "nope"], "--identifiers must name columns, got 'nope'"),
        (["--keep", "nope"], "--keep must name columns, got 'nope'"),
        (["--keep", "kind", "--ban", "kind"], "--keep and --ban must not contradict each other"),
        (["--detector", "Oracle"], "--detector must be one of PyOD's detectors, got 'Oracle'"),
        (["--detector", "KNN", "--param", "depth=3"], "KNN has no parameter 'depth'; it takes contamination"),
        (["--contamination", "0.9"], "IForest does not take these parameters: contamination must be in"),
        (["--detector", "KNN", "--param", "n_neighbors=0", "--drop", "id"], "KNN could not be fitted"),
        (["--detector", "KNN", "--param", "n_neighbors=many", "--drop", "id"], "KNN could not be fitted"),
        (["--labels", "odd", "--encoding", "utf-16"], "is not utf-16. Hint: leave it out"),
        (["--labels", "odd", "--max-uncovered", "0.1"], "--max-uncovered is no parameter of method 'mdl'"),
        (["--labels", "odd", "--weight", "2"], "--weight is no parameter of method 'mdl'"),
        (["--labels", "odd", "--method", "wccm", "--weight", "-2"], "--weight"),
    ],
)
def test_a_mistake_in_the_command_is_2_and_one_line_in_its_words(capsys, csv, arguments, message):
    code, out, err = run(capsys, csv, *arguments)
    assert (code, out) == (2, ""), err
    [line] = [line for line in err.splitlines() if not line.startswith("note:")]
    assert line.startswith("pyod-explain: ")
    assert message in line
    assert "explain()" not in line
    assert "`" not in line


def test_columns_may_be_chosen_and_dropped_at_once(capsys, csv):
    arguments = ("--labels", "odd", "--no-validate", "--quiet")
    chosen = run(capsys, csv, "--only", "amount", *arguments)
    assert chosen[0] == 0
    assert run(capsys, csv, "--only", "amount", "--drop", "kind", *arguments) == chosen
    assert run(capsys, csv, "--only", "amount,kind", "--drop", "kind", "--drop", "id", *arguments) == chosen


def test_no_placebo_and_no_parts_are_none(capsys, csv):
    plain = run(capsys, csv, "--labels", "odd", "--only", "amount", "--no-validate")
    assert plain[0] == 0
    assert run(capsys, csv, "--labels", "odd", "--only", "amount", "--validate", 0, "--placebo", 0) == plain


def test_the_report_of_the_command_line_advises_flags(capsys, csv, tmp_path):
    page, text, data = tmp_path / "r.html", tmp_path / "r.md", tmp_path / "r.json"
    code, out, err = run(capsys, csv, "--labels", "odd", "--no-validate", "-o", page, "-o", text, "-o", data)
    assert code == 0, err
    assert "Not checked on held-out rows" in " ".join(out.split())
    assert "To use it: --identifiers none." in " ".join(out.split())
    for said in (out, page.read_text(), text.read_text(), " ".join(json.loads(data.read_text())["notes"])):
        assert "explain(..." not in said


def test_rules_are_simplified_as_much_as_is_said(capsys, csv, tmp_path):
    for share in ("0", "0.2"):
        out = tmp_path / f"r{share}.json"
        code, _, err = run(
            capsys, csv, "--labels", "odd", "--simplify", share, "--no-validate", "--quiet", "--output", out
        )
        assert code == 0, err
        assert float(json.loads(out.read_text())["parameters"]["simplify"]) == float(share)


def test_one_row_is_one_line(capsys, tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    found = run(capsys, tmp_path / "a.csv")
    assert found == (1, "", "pyod-explain: The table has one row, and no other to tell it from.\n")


@pytest.mark.parametrize(
    "arguments", [["{csv}"], ["{csv}", "--groups", "kind"], ["{csv}", "--labels", "odd"], ["demo"]]
)
def test_the_frame_is_read_into_a_table_once(capsys, frame, tmp_path, arguments):
    path = tmp_path / "t.csv"
    frame.assign(kind=frame["kind"].fillna("web")).to_csv(path, index=False)
    read = []

    def note(called, event, _):
        if event == "call" and called.f_code is as_table.__code__ and isinstance(called.f_locals["X"], pd.DataFrame):
            read.append(called.f_locals["X"].shape)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        code, _, _ = run(capsys, *[argument.format(csv=path) for argument in arguments], "--no-validate")
    finally:
        sys.setprofile(before)
    assert code == 0
    assert len(read) == 1


def test_a_detector_needs_a_column_beside_the_groups(capsys, csv):
    code, out, err = run(capsys, csv, "--only", "kind", "--groups", "kind")
    assert (code, out, err) == (2, "", "pyod-explain: No column is left to explain with.\n")


def test_identifiers_and_negations_are_said_on_the_command_line(capsys, csv, tmp_path):
    def parameters(*arguments):
        out = tmp_path / "r.json"
        code, _, err = run(capsys, csv, "--labels", "odd", "--no-validate", "--quiet", *arguments, "-o", out)
        assert code == 0, err
        data = json.loads(out.read_text())
        return data["parameters"], [note for note in data["notes"] if "identifiers" in note]

    usual, [note] = parameters()
    assert (usual["identifiers"], usual["negations"]) == ("'auto'", "True")
    assert note.startswith("Column 'id' (all distinct) was left out of the rules")
    other, none = parameters("--identifiers", "kind, id", "--no-negations")
    assert (other["identifiers"], other["negations"]) == ("['kind', 'id']", "False")
    assert none == []
    assert parameters("--identifiers", "none")[0]["identifiers"] == "[]"


def test_what_must_be_said_and_what_must_not_on_the_command_line(capsys, csv, tmp_path):
    out = tmp_path / "r.json"
    words = ("--keep", "kind", "--ban", "amount")
    code, _, err = run(capsys, csv, "--labels", "odd", "--no-validate", "--quiet", *words, "-o", out)
    assert code == 0, err
    data = json.loads(out.read_text())
    assert (data["parameters"]["keep"], data["parameters"]["ban"]) == ("['kind']", "['amount']")
    assert [note.split(";")[0].split(" (")[0] for note in data["notes"] if note.startswith(("Kept", "Banned"))] == [
        "Kept: column 'kind'",
        "Banned: column 'amount'",
    ]
    code, _, err = run(capsys, csv, "--labels", "odd", "--ban", "nothing")
    assert code == 2
    assert "--ban must name columns, got 'nothing'" in err


@pytest.fixture
def viewers(tmp_path):
    path = tmp_path / "viewers.csv"
    lines = ["site,line,n,bad", "a,dsl,300,2", "a,cable,250,1", "b,dsl,310,1", "b,cable,260,250", "c,dsl,280,0"]
    path.write_text("\n".join(lines))
    return path


def test_rows_that_stand_for_many(capsys, viewers):
    code, out, err = run(capsys, viewers, "--counts", "n", "--outlier-counts", "bad", "--groups", 1)
    assert code == 0, err
    assert out.startswith("Column 'bad' marks 254 of 1,400 rows (18%) as outliers")
    assert "250 outliers of 254, 10 normal rows" in out
    assert "All figures count 1,400 rows, which are 5 lines of the table." in out
    detector = ("--detector", "KNN", "--param", "n_neighbors=2")
    code, out, err = run(capsys, viewers, "--counts", "n", "--drop", "bad", *detector)
    assert code == 0, err
    assert "of 1,400 rows" in out
    assert " n " not in out  # a number of rows is no feature


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--outlier-counts", "bad"], "--outlier-counts says how many of --counts are outliers"),
        (["--counts", "n", "--outlier-counts", "bad", "--labels", "bad"], "--outlier-counts says which rows are"),
        (["--counts", "n", "--outlier-counts", "bad", "--detector", "KNN"], "--outlier-counts says which rows are"),
    ],
)
def test_counts_of_outliers_go_with_counts_and_with_nothing_else(capsys, viewers, arguments, message):
    with pytest.raises(SystemExit) as caught:
        run(capsys, viewers, *arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err
