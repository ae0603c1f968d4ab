"""`pyod-explain explain`: what reaches `explain`, and which mistakes have which exit code."""

import json

import pytest
from command_line import HOSTILE, assert_harmless, run

from pyod_explain import Explanation
from pyod_explain.cli import parser
from pyod_explain.report import DIALECTS

QUICK = ("--validate", 0, "--quiet")


@pytest.fixture
def explained(capsys, tmp_path):
    """Run the command, and read the report that it writes."""

    def explain_file(*arguments):
        out = tmp_path / "explained.json"
        code, _, err = run(capsys, *arguments, *QUICK, "-o", out)
        assert code == 0, err
        return Explanation.from_json(out)

    return explain_file


def test_a_bare_file_name_means_explain(capsys, csv):
    arguments = (csv, "--labels", "odd", "--id-column", "id", "--validate", 0)
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    assert run(capsys, "explain", *arguments) == (0, out, "")
    assert run(capsys, *arguments[1:], csv) == (0, out, "")


@pytest.mark.parametrize(
    ("where", "n_outliers"),
    [("odd == 1", 10), ("odd != 0", 10), ("amount > 400", 10), ("kind in web,shop", 197), ("kind == web", None)],
)
def test_a_condition_defines_the_outliers_and_its_column_is_in_no_rule(explained, frame, csv, where, n_outliers):
    e = explained(csv, "--where", where)
    expected = (frame.kind == "web").sum() if n_outliers is None else n_outliers
    assert e.n_outliers == expected
    assert where.split()[0] not in {str(one.column) for rule in e.rules for one in rule.tag.conditions}


def test_a_detector_with_parameters_and_a_column_that_is_in_no_rule(explained, csv):
    detector = ("--detector", "knn", "--detector-param", "n_neighbors=7", "--detector-param", "method=mean")
    e = explained(csv, *detector, "--contamination", "0.05", "--drop", "id,odd", "--seed", 3)
    assert e.n_outliers == 10
    assert e.summary.detector == "KNN"
    assert "n_neighbors=7" in json.dumps(dict(e.summary.provenance))
    without = explained(csv, *detector, "--contamination", "0.05", "--drop", "id,odd", "--exclude", "amount")
    assert "amount" in str(e.rules)
    assert "amount" not in {str(one.column) for rule in without.rules for one in rule.tag.conditions}
    marked = [{row for group in one.groups for row in group.rows} for one in (e, without)]
    assert marked[0] == marked[1]  # the detector sees what rules may not speak of


@pytest.mark.parametrize("groups", ["reasons", "kmeans", 2, "kind"])
def test_groups(explained, frame, tmp_path, groups):
    path = tmp_path / "t.csv"
    frame.assign(kind=frame.kind.fillna("web")).to_csv(path, index=False)
    e = explained(path, "--groups", groups, "--drop", "id,odd")
    if groups == 2:
        assert len(e.groups) == 2
    if groups == "kind":
        assert {group.name for group in e.groups} <= {"shop", "web"}
        assert "kind" not in {str(one.column) for rule in e.rules for one in rule.tag.conditions}


def test_aggregated_rows(explained, tmp_path):
    path = tmp_path / "viewers.csv"
    path.write_text("site,line,n,bad\na,dsl,300,2\na,cable,250,1\nb,dsl,310,1\nb,cable,260,250\nc,dsl,280,0\n")
    e = explained(path, "--counts", "n", "--outlier-counts", "bad", "--groups", 1)
    assert (e.n_rows, e.n_outliers) == (1400, 254)
    detected = explained(
        path, "--counts", "n", "--drop", "bad", "--detector", "KNN", "--detector-param", "n_neighbors=2"
    )
    assert detected.n_rows == 1400


def test_rules_are_validated_unless_told_otherwise(capsys, csv, tmp_path):
    for flags, n_splits in (((), 5), (("--validate", 3), 3), (("--validate", 0), None)):
        run(capsys, csv, "--labels", "odd", "--drop", "id", *flags, "-o", tmp_path / "r.json", "-q")
        checked = Explanation.from_json(tmp_path / "r.json").summary.validation
        assert (None if checked is None else checked.n_splits) == n_splits


def test_reading_flags_reach_the_reader(explained, tmp_path):
    path = tmp_path / "t.txt"
    path.write_text(
        "".join(f"{900 if i < 4 else i % 9},5|{'none' if i == 9 else i % 3}|{int(i < 4)}\n" for i in range(60))
    )
    e = explained(path, "--sep", "|", "--decimal", ",", "--na", "none,-", "--no-header", "--where", "column_3 == 1")
    assert e.n_outliers == 4
    assert "column_1" in str(e.rules)


def test_standard_input(explained, csv, monkeypatch, tmp_path):
    with open(csv, encoding="utf-8") as file:  # noqa: PTH123 - as a shell opens it
        monkeypatch.setattr("sys.stdin", file)
        assert explained("-", "--labels", "odd").n_outliers == 10


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        ([], ""),
        (["{csv}", "-o", "no/such/r.json"], "--output"),
        (["{csv}", "--seed", "-1"], "--seed"),
        (["{csv}", "--where", "nope == 1"], "--where"),
        (["{csv}", "--drop", "id,amount,kind,day,odd"], "--drop"),
        (["{csv}", "--exclude", "nope"], "--exclude"),
        (["missing.csv", "--detector", "Oracle"], "--detector"),  # noticed before the file is read
        (["{csv}", "--sheet", "first"], "--sheet"),
    ],
)
def test_a_wrong_command_is_2_and_one_line_that_names_the_flag(capsys, csv, arguments, flag):
    code, out, err = run(capsys, *[argument.format(csv=csv) for argument in arguments])
    assert (code, out) == (2, ""), err
    [line] = [line for line in err.splitlines() if not line.startswith("note:")]
    assert line.startswith("pyod-explain: ")
    assert flag in line
    assert "explain()" not in line


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["missing.csv"], "missing.csv"), (["null\0.csv"], ".csv"), (["{folder}"], "has no parquet files"),
        (["{folder}/few.csv", "--detector", "KNN"], "KNN"), (["{folder}/empty.csv"], "empty"),
        (["{folder}/one.csv"], "one row"), (["{folder}/lists.jsonl"], "words"),
    ],
)  # fmt: skip
def test_wrong_data_is_1_and_one_line(capsys, tmp_path, arguments, word):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "one.csv").write_text("a,b\n1,2\n")
    (tmp_path / "few.csv").write_text("a,b\n1,2\n2,3\n3,5\n")
    rows = [{"x": i, "words": ["a"], "odd": i} for i in range(2)]
    (tmp_path / "lists.jsonl").write_text("\n".join(map(json.dumps, rows)))
    code, out, err = run(capsys, *[argument.format(folder=tmp_path) for argument in arguments])
    assert (code, out) == (1, "")
    [line] = [line for line in err.splitlines() if not line.startswith("note:")]
    assert line.startswith("pyod-explain: ")
    assert word in line


def test_no_name_reaches_the_terminal_as_more_than_text(capsys, frame, tmp_path):
    path = tmp_path / "hostile.csv"
    named = frame.rename(columns={"amount": f"amount{HOSTILE}", "id": f"id{HOSTILE}"})
    named.assign(kind=[f"odd{HOSTILE}"] * 10 + [f"usual{HOSTILE}"] * 190).to_csv(path, index=False)
    for arguments in (
        [path, "--labels", "odd", "-o", tmp_path / f"r{HOSTILE}.md", "--name", f"1={HOSTILE}"],
        [path, "--labels", "odd", "--groups", "kind", "--id-column", f"id{HOSTILE}"],
        [path, "--labels", f"none{HOSTILE}"],
        [path, "--detector", f"X{HOSTILE}"],
        [f"{HOSTILE}.csv"],
        [path, f"--{HOSTILE}"],
        [path, "-o", HOSTILE],
    ):
        _, out, err = run(capsys, *arguments, *QUICK[:2])
        assert out + err
        assert_harmless(out)
        assert_harmless(err)
    _, out, _ = run(capsys, path, "--labels", "odd", "--drop", "kind", *QUICK)
    assert r"amount\x1b[31m\x07" in out


def test_quiet_prints_nothing_but_the_report(capsys, csv):
    assert run(capsys, csv, "--labels", "odd", *QUICK)[2] == ""


def test_a_bar_is_for_terminals(capsys, csv, monkeypatch):
    monkeypatch.setattr("pyod_explain._progress.BAR_DELAY", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert run(capsys, csv, "--labels", "odd", "--validate", 0, "--drop", "id")[2].endswith("\r")


def test_the_parser_knows_the_dialects():
    assert tuple(DIALECTS) == parser.SQL_DIALECTS
