"""Output files: each is read back."""

import json
from pathlib import Path

import pandas as pd
import pytest
from command_line import run

from pyod_explain import Explanation

QUICK = ("--labels", "odd", "--validate", 0)
READ = {
    ".csv": pd.read_csv,
    ".parquet": pd.read_parquet,
    ".jsonl": lambda path: pd.read_json(path, lines=True),
    ".xlsx": pd.read_excel,
}


def test_all_reports_at_once(capsys, csv, tmp_path):
    names = ["r.html", "r.md", "r.json", "r.sql", "r.csv", "r.txt", "r.yaml", "r.yml"]
    outputs = [part for name in names for part in ("-o", tmp_path / name)]
    code, out, err = run(capsys, csv, *QUICK, "--dialect", "duckdb", "--title", "Odd <payments>", *outputs)
    assert code == 0, err
    assert all(str(tmp_path / name) in err for name in names)
    e = Explanation.from_json(tmp_path / "r.json")
    assert (tmp_path / "r.txt").read_text() == out
    assert "<title>Odd &lt;payments&gt;</title>" in (tmp_path / "r.html").read_text()
    assert (tmp_path / "r.md").read_text().startswith("# Odd \\<payments\\>\n")
    assert (tmp_path / "r.sql").read_text() == e.to_sql("payments", dialect="duckdb")
    assert pd.read_csv(tmp_path / "r.csv").rule.tolist() == [rule.text for rule in e.rules]
    assert (tmp_path / "r.yaml").read_text() == (tmp_path / "r.yml").read_text()
    assert "payments" in (tmp_path / "r.yaml").read_text()
    assert {path.name for path in tmp_path.iterdir()} == {*names, "payments.csv"}
    assert e.summary.provenance["command"].startswith("pyod-explain ")
    assert e.summary.provenance["file"] == "payments.csv"


@pytest.mark.parametrize("suffix", READ)
def test_a_line_for_each_outlier(capsys, csv, frame, tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    code, _, err = run(capsys, csv, *QUICK, "--id-column", "id", "--rows-out", path)
    assert code == 0, err
    written = READ[suffix](path)
    assert written.id.tolist() == frame.id[:10].tolist()
    assert written.outlier.all()
    assert (written.group == 1).all()
    assert written.rules.str.startswith("amount").all()


@pytest.mark.parametrize("suffix", READ)
def test_all_rows_as_they_were_read_with_the_answers_beside(capsys, frame, tmp_path, suffix):
    path, out = tmp_path / "in.csv", tmp_path / f"out{suffix}"
    frame.assign(group=[f"g{i % 3}" for i in range(len(frame))]).to_csv(path, index=False)
    code, _, err = run(capsys, path, *QUICK, "--id-column", "id", "--drop", "day", "--rows-out", out, "--all-rows")
    assert code == 0, err
    written = READ[suffix](out)
    assert written.columns.tolist() == [*frame.columns, "group", "outlier", "group_", "rule", "text"]
    assert written.amount.equals(frame.amount)
    assert written.outlier.tolist() == (frame.odd == 1).tolist()
    assert (written.group_[:10] == 1).all()


@pytest.mark.parametrize("suffix", READ)
def test_formulas_and_mixed_types_are_texts(capsys, tmp_path, suffix):
    cells = ["=1+1" if i % 40 == 3 else 40 if i % 40 == 5 else i % 7 for i in range(400)]
    lines = [json.dumps({"a": cell, "x": i % 11, "odd": int(i % 40 in (3, 5))}) for i, cell in enumerate(cells)]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    path = tmp_path / f"r{suffix}"
    code, _, err = run(capsys, tmp_path / "t.jsonl", *QUICK, "--rows-out", path, "--all-rows")
    assert code == 0, err
    written = READ[suffix](path)
    assert written.a.astype(str).tolist() == [
        "'=1+1" if suffix in (".csv", ".xlsx") and cell == "=1+1" else str(cell) for cell in cells
    ]
    assert written.outlier.tolist() == [i % 40 in (3, 5) for i in range(400)]


def test_cells_in_json_lines(capsys, frame, tmp_path):
    whole = pd.array([None, *range(2**53, 2**53 + 199)], dtype="Int64")
    frame.assign(whole=whole, high=float("inf")).to_parquet(tmp_path / "t.parquet")
    path = tmp_path / "r.jsonl"
    code, _, err = run(capsys, tmp_path / "t.parquet", *QUICK, "--drop", "high", "--rows-out", path, "--all-rows")
    assert code == 0, err
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["whole"] for row in rows] == [None, *range(2**53, 2**53 + 199)]
    assert rows[20]["amount"] is rows[0]["high"] is None
    assert rows[0]["day"].startswith("2024-")


def test_cells_in_a_workbook(capsys, frame, tmp_path, monkeypatch):
    zoned = frame.day.dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin")
    old, whole = pd.Timestamp("1850-05-01"), pd.array([None, *range(2**53, 2**53 + 199)], dtype="Int64")
    odd = frame.assign(zoned=zoned, old=old, whole=whole, high=float("inf"), text="a\x0b\nb")
    odd.to_parquet(tmp_path / "t.parquet")
    arguments = (
        tmp_path / "t.parquet",
        *QUICK,
        "--drop",
        "high,zoned",
        "--all-rows",
        "--rows-out",
        tmp_path / "r.xlsx",
    )
    code, _, err = run(capsys, *arguments)
    assert code == 0, err
    written = pd.read_excel(tmp_path / "r.xlsx", dtype={"whole": object})
    assert written.day.equals(frame.day.astype(written.day.dtype))
    assert written.amount.equals(frame.amount)
    assert written.zoned.tolist() == zoned.astype(str).tolist()
    assert written.whole.tolist()[1:3] == [2**53, str(2**53 + 1)]
    assert (written.old[0], str(written.high[0]), written.text[0]) == (str(old), "inf", "a\\x0b\nb")
    monkeypatch.setattr("pyod_explain.cli.outputs.MAX_SHEET_ROWS", 200)  # a line for the names and 200 rows are 201
    code, _, err = run(capsys, *arguments)
    assert (code, "r.xlsx could not be written: a sheet has at most" in err) == (1, True)


@pytest.mark.parametrize("name", ["payments.csv", "here/payments.csv", "link.csv"])
@pytest.mark.parametrize("flag", ["-o", "--rows-out"])
def test_the_input_is_never_an_output(capsys, csv, tmp_path, monkeypatch, name, flag):
    before = Path(csv).read_bytes()
    (tmp_path / "here").symlink_to(".")
    (tmp_path / "link.csv").symlink_to("payments.csv")
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, csv, *QUICK, "-o", "new.json", flag, name)
    assert code == 2
    assert name in err
    assert Path(csv).read_bytes() == before
    assert not Path("new.json").exists()


def test_groups_get_names_and_a_number_that_no_group_has_is_a_mistake(capsys, csv, tmp_path):
    arguments = (csv, *QUICK, "--id-column", "id", "-o", tmp_path / "r.md", "--rows-out", tmp_path / "r.csv")
    assert run(capsys, *arguments, "--name", "1=Odd = <large>")[0] == 0
    assert "Odd = \\<large\\>" in (tmp_path / "r.md").read_text()
    (tmp_path / "r.csv").unlink()
    for name in ("2=Tolls", "1= ", "Tolls", "one=Tolls", "=Tolls"):
        code, out, err = run(capsys, *arguments, "-q", "--name", name)
        assert (code, out, err.count("\n"), "--name" in err) == (2, "", 1, True)
        assert not (tmp_path / "r.csv").exists()


def test_a_page_that_reacts_needs_a_page(capsys, csv, tmp_path):
    code, _, err = run(capsys, csv, *QUICK, "-o", tmp_path / "r.html", "--interactive", "-q")
    assert code == 0, err
    assert "application/json" in (tmp_path / "r.html").read_text()
    code, _, err = run(capsys, csv, *QUICK, "-o", tmp_path / "r.md", "--interactive")
    assert (code, "--interactive must be given with" in err) == (2, True)


def test_the_same_output_twice_is_a_mistake(capsys, csv, tmp_path):
    assert run(capsys, csv, "-o", tmp_path / "r.csv", "--rows-out", tmp_path / "r.csv")[0] == 2
    assert run(capsys, csv, "-o", tmp_path / "r.csv", "-o", f"{tmp_path}/./r.csv")[0] == 2
    assert not (tmp_path / "r.csv").exists()


# --- rows beyond memory -------------------------------------------------------------------------------------------


@pytest.fixture
def folder(frame, tmp_path, monkeypatch):
    """The rows in three parquet files, which are taken not to fit into memory."""
    monkeypatch.setattr("pyod_explain.cli.run.default_sample", lambda *_: 50)
    path = tmp_path / "parts"
    path.mkdir()
    for i in range(3):
        frame.iloc[i * 70 : (i + 1) * 70].to_parquet(path / f"{i}.parquet", index=False)
    return path


@pytest.mark.parametrize("what", [("--labels", "odd"), ("--where", "odd == 1"), ("--detector", "ECOD")])
def test_a_folder_is_explained_as_one_file(capsys, csv, folder, tmp_path, what):
    for name, path in (("one", csv), ("parts", folder), ("glob", folder / "*.parquet")):
        arguments = (path, *what, "--id-column", "id", "--drop", "kind", "--validate", 0, "-q")
        code, _, err = run(capsys, *arguments, "-o", tmp_path / f"{name}.json")
        assert code == 0, err
    one, parts, glob = (Explanation.from_json(tmp_path / f"{name}.json") for name in ("one", "parts", "glob"))
    assert parts.n_rows == glob.n_rows == one.n_rows == 200
    assert [rule.text for rule in parts.rules] == [rule.text for rule in glob.rules]
    if what[0] != "--detector":
        assert [group.rows for group in parts.groups] == [group.rows for group in one.groups]


@pytest.mark.parametrize("suffix", READ)
def test_rows_beyond_memory_are_written(capsys, folder, frame, tmp_path, suffix):
    arguments = (folder, *QUICK, "--id-column", "id", "--rows-out", tmp_path / f"r{suffix}")
    assert run(capsys, *arguments)[0] == 0
    assert sorted(READ[suffix](tmp_path / f"r{suffix}").iloc[:, 0]) == sorted(frame.id[:10])
    assert run(capsys, *arguments, "--all-rows")[0] == 0
    written = READ[suffix](tmp_path / f"r{suffix}")
    assert written.id.tolist() == frame.id.tolist()
    assert written.columns.tolist() == [*frame.columns, "outlier", "group", "rule", "text"]
    assert written.outlier.tolist() == (frame.odd == 1).tolist()
    assert (written.group > 0).tolist() == (frame.odd == 1).tolist()


@pytest.mark.parametrize("path", ["{folder}", "{folder}/*.parquet"])
def test_the_files_that_are_read_are_not_replaced(capsys, folder, path):
    before = {one: one.read_bytes() for one in folder.iterdir()}
    arguments = (path.format(folder=folder), *QUICK, "--rows-out", folder / "1.parquet")
    assert run(capsys, *arguments)[0] == 2
    assert {one: one.read_bytes() for one in folder.iterdir()} == before
