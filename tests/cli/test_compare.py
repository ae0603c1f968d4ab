"""`pyod-explain compare`."""

import json

import pandas as pd
import pytest
from by_hand import explain_by
from command_line import run

from pyod_explain import Condition, Tag

X = pd.DataFrame({"x": [1, 2, 3, 4, 8, 9, 20]}, index=list("abcdefg"))


@pytest.fixture
def reports(tmp_path):
    y = [0, 0, 0, 0, 1, 1, 1]
    for name, limit in (("yesterday", 5), ("today", 7)):
        e = explain_by([[Tag.of(Condition("x", ">", limit))]], X, y)
        e.to_json(tmp_path / f"{name}.json")
    return tmp_path / "yesterday.json", tmp_path / "today.json"


def test_what_changed_is_printed_and_written(capsys, reports, tmp_path):
    names = ["changes.html", "c.txt", "c.csv", "c.json"]
    code, out, err = run(capsys, "compare", *reports, *(part for name in names for part in ("-o", tmp_path / name)))
    assert code == 0
    assert "1 rule with other limits:\n  x > 5 -> x > 7" in out
    assert (tmp_path / "c.txt").read_text() == out
    assert "Rules: 1 with other limits." in (tmp_path / "changes.html").read_text()
    assert pd.read_csv(tmp_path / "c.csv").rule_after.tolist() == ["x > 7"]
    assert json.loads((tmp_path / "c.json").read_text())["changed"] is True
    assert all(f"wrote {tmp_path / name}" in err for name in names)


def test_the_exit_code_tells_a_job_that_something_changed(capsys, reports):
    before, after = reports
    assert run(capsys, "compare", before, after, "--exit-code")[0] == 3
    assert run(capsys, "compare", before, before, "--exit-code")[0] == 0
    assert run(capsys, "compare", before, after)[0] == 0


def test_rows_are_named_if_asked_for(capsys, reports):
    assert "row" not in run(capsys, "compare", *reports)[1].split("\n", 2)[2]
    assert "No row changed its group." in run(capsys, "compare", *reports, "--rows")[1]


def test_quiet(capsys, reports, tmp_path):
    assert run(capsys, "compare", *reports, "--quiet", "-o", tmp_path / "c.html") == (0, "", "")
    assert run(capsys, "compare", *reports, "--quiet")[1].startswith("before:")


@pytest.mark.parametrize("case", ["lost", "twice", "ending"])
def test_mistakes_are_noticed_before_the_work(capsys, reports, tmp_path, case):
    outputs = {
        "lost": ["-o", reports[0]],
        "twice": ["-o", tmp_path / "c.csv", "-o", tmp_path / "c.csv"],
        "ending": ["-o", tmp_path / "c.parquet"],
    }
    message = {"lost": "the file that is read", "twice": "the same file", "ending": "must end in .html"}
    with pytest.raises(SystemExit, match="2"):
        run(capsys, "compare", *reports, *outputs[case])
    assert message[case] in capsys.readouterr().err


def test_a_file_that_is_no_report(capsys, reports, tmp_path):
    (tmp_path / "other.json").write_text("{}")
    code, _, err = run(capsys, "compare", tmp_path / "other.json", reports[1])
    assert code == 1
    assert err.startswith("pyod-explain: ")
    code, _, err = run(capsys, "compare", tmp_path / "none.json", reports[1])
    assert code == 1
    assert "none.json" in err


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"{}", "is not a report that compare can read: "),
        (b"a,b\n1,2\n", "is not a report that compare can read: "),
        (b"\xff\xfe\xff", "could not be read: it is not text."),
        (None, "could not be read: Is a directory."),
    ],
)
def test_an_error_names_the_file_and_speaks_the_shells_language(capsys, reports, tmp_path, content, why):
    other = tmp_path / "other.json"
    other.mkdir() if content is None else other.write_bytes(content)
    code, out, err = run(capsys, "compare", reports[0], other)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"{other} {why}" in err
    assert "Path(" not in err
    assert "from_json" not in err
