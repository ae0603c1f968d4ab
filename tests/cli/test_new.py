"""`pyod-explain --now FILE --before FILE`."""

import pandas as pd
import pytest
from command_line import run

from pyod_explain import Explanation
from pyod_explain.export import to_dbt


@pytest.fixture
def files(tmp_path):
    now, before = tmp_path / "today.csv", tmp_path / "yesterday.csv"
    pd.DataFrame({"x": [1, 2, 3, 4, 90] * 20, "day": 2}).to_csv(now, index=False)
    pd.DataFrame({"x": [1, 2, 3, 4, 5] * 20, "day": 1}).to_csv(before, index=False)
    return ["--now", now, "--before", before]


def test_what_is_new_is_printed_and_written(capsys, files, tmp_path):
    names = ["n.html", "n.md", "n.txt", "n.csv", "n.json", "n.sql", "n.yaml"]
    outputs = [part for name in names for part in ("-o", tmp_path / name)]
    code, out, err = run(capsys, *files, "--drop", "day", *outputs)
    assert code == 0, err
    assert out.startswith("today.csv has 100 rows, yesterday.csv 100.\n1 rule matches 20 rows of today.csv (20%)")
    assert (tmp_path / "n.txt").read_text() == out
    assert "What is new?" in (tmp_path / "n.html").read_text()
    assert (tmp_path / "n.md").read_text().startswith("# What is new?")
    assert pd.read_csv(tmp_path / "n.csv").now.tolist() == [20]
    e = Explanation.from_json(tmp_path / "n.json")
    assert (tmp_path / "n.sql").read_text() == e.to_sql("today")
    assert (tmp_path / "n.yaml").read_text() == to_dbt(e, "today")
    assert all(f"wrote {tmp_path / name}" in err for name in names)


def test_a_column_that_tells_the_tables_apart_is_told_unless_banned(capsys, files):
    assert "if day is 2\n" in run(capsys, *files, "--no-validate")[1]
    banned = run(capsys, *files, "--no-validate", "--ban", "day")[1]
    assert "if x is 90\n" in banned
    assert "if day" not in banned


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["data.csv"], "leave out the table data.csv"),
        (["--labels", "x"], "leave out --labels"),
        (["--outlier-counts", "x"], "leave out --outlier-counts"),
        (["--groups", "3"], "--groups does not go with"),
        (["--rows"], "--rows does not go with"),
        (["-o", "rows.csv"], "-o must end in"),
        (["-o", "said.parquet"], "-o must end in"),
    ],
)
def test_what_does_not_go_with_two_tables(capsys, files, extra, message):
    with pytest.raises(SystemExit, match="2"):
        run(capsys, *files, *extra)
    assert message in capsys.readouterr().err


def test_one_table_is_not_two(capsys, files):
    for arguments, message in (
        (files[:2], "need each other"),
        ([*files[:2], "--before", files[1]], "the same file"),
        ([*files, "-o", files[1]], "the file that is read"),
        ([], "name the table to read"),
    ):
        with pytest.raises(SystemExit, match="2"):
            run(capsys, *arguments)
        assert message in capsys.readouterr().err


def test_tables_without_a_common_column_are_told_so_in_flags(capsys, files, tmp_path):
    (tmp_path / "other.csv").write_text("z\n1\n2\n")
    code, out, err = run(capsys, *files[:3], tmp_path / "other.csv")
    assert (code, out) == (2, "")
    assert err.startswith("pyod-explain: --now and --before must have a column in common, got ")
