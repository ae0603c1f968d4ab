"""Files with a line for each row."""

import json

import numpy as np
import pandas as pd
import pytest
from command_line import run

from pyod_explain.cli.parquet import as_arrow
from pyod_explain.cli.row_files import _objects

QUICK = ("--labels", "odd", "--no-validate")


def test_a_line_for_each_outlier_in_three_formats(capsys, csv, frame, tmp_path):
    names = ["rows.csv", "payment-rows.parquet", "any.jsonl"]
    code, _, err = run(
        capsys, csv, *QUICK, "--index", "id", *(part for name in names for part in ("-o", tmp_path / name))
    )
    assert code == 0, err
    text = pd.read_csv(tmp_path / "rows.csv")
    assert text.id.tolist() == frame.id[:10].tolist()
    assert text.columns[:4].tolist() == ["id", "outlier", "group", "explained"]
    assert text.explained.all()
    assert text.saw.tolist() == [f"amount = {amount}" for amount in frame.amount[:10]]
    parquet = pd.read_parquet(tmp_path / names[1])
    lines = [json.loads(line) for line in (tmp_path / names[2]).read_text().splitlines()]
    for name in text.columns:
        assert parquet[name].dropna().tolist() == text[name].dropna().tolist()
        assert [line[name] for line in lines if line[name] is not None] == text[name].dropna().tolist()


def test_other_names_keep_their_meaning(capsys, csv, tmp_path):
    code, _, _ = run(capsys, csv, *QUICK, "-o", tmp_path / "arrows.csv", "-o", tmp_path / "arrows.parquet")
    assert code == 0
    assert "lift" in pd.read_csv(tmp_path / "arrows.csv").columns
    assert pd.read_parquet(tmp_path / "arrows.parquet").columns.tolist()[-3:] == ["group", "rule", "text"]


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.jsonl"])
def test_appended_columns_stand_beside_the_rows_as_they_were_read(capsys, frame, tmp_path, name):
    path = tmp_path / "in.csv"
    frame.assign(group=[f"g{i % 3}" for i in range(len(frame))]).to_csv(path, index=False)
    code, _, err = run(capsys, path, *QUICK, "--index", "id", "--drop", "day", "-o", tmp_path / name, "--append")
    assert code == 0, err
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet, "jsonl": lambda file: pd.read_json(file, lines=True)}
    written = read[name.partition(".")[2]](tmp_path / name)
    assert written.columns[:8].tolist() == [*frame.columns, "group", "outlier", "group_"]
    assert written.id.tolist() == frame.id.tolist()
    assert written.amount.equals(frame.amount)
    assert written.outlier.tolist() == (frame.odd == 1).tolist()
    assert (written.group_[:10] == 1).all()
    assert written.missed[10:].str.contains("it is").all()


def test_names_of_rows_are_appended_to_as_well(capsys, frame, tmp_path):
    named = frame.drop(columns="id").set_axis([f"r{k}" for k in range(len(frame))])
    (tmp_path / "in.csv").write_text(named.to_csv().removeprefix(","))
    code, _, err = run(capsys, tmp_path / "in.csv", *QUICK, "-o", tmp_path / "rows.csv", "--append")
    assert code == 0, err
    written = pd.read_csv(tmp_path / "rows.csv")
    assert written.columns[:2].tolist() == ["label", named.columns[0]]
    assert written.label.tolist() == named.index.tolist()


def test_append_without_such_a_file_is_a_mistake(capsys, csv, tmp_path):
    with pytest.raises(SystemExit, match="2"):
        run(capsys, csv, *QUICK, "-o", tmp_path / "rules.csv", "--append")
    assert "--append needs a file with a line for each row: -o rows.csv" in capsys.readouterr().err


def test_formulas_are_written_so_that_a_spreadsheet_does_not_run_them(capsys, frame, tmp_path):
    path = tmp_path / "in.csv"
    frame.assign(id=["=1+1", *frame.id[1:]], note="-x").to_csv(path, index=False)
    arguments = (path, *QUICK, "--index", "id", "--drop", "note", "-o", tmp_path / "rows.csv")
    code, _, err = run(capsys, *arguments)
    assert code == 0
    assert pd.read_csv(tmp_path / "rows.csv").id[0] == "'=1+1"
    assert "1 text in" in err
    assert "would be run as a formula by a spreadsheet; an apostrophe stands before it" in err
    code, _, err = run(capsys, *arguments, "--append")
    assert "201 texts in" in err
    assert (pd.read_csv(tmp_path / "rows.csv").note == "'-x").all()


def test_an_index_named_as_one_of_our_columns(capsys, frame, tmp_path):
    path = tmp_path / "in.csv"
    frame.rename(columns={"id": "group"}).to_csv(path, index=False)
    code, _, err = run(capsys, path, *QUICK, "--index", "group", "-o", tmp_path / "rows.csv")
    assert code == 0, err
    written = pd.read_csv(tmp_path / "rows.csv")
    assert written.group.tolist() == frame.id[:10].tolist()
    assert (written.group_ == 1).all()


def test_cells_that_json_does_not_know():
    cells = [
        None, float("nan"), pd.NA, pd.NaT, np.int64(3), True, 2.5, np.inf, pd.Timestamp("2024-05-01 07:30"),
        pd.Timedelta(hours=1), ["a", None], "ü\ud800", 10**30,
    ]  # fmt: skip
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    assert [json.loads(line)["x"] for line in _objects(frame).splitlines()] == [
        None, None, None, None, 3, True, 2.5, "inf", "2024-05-01T07:30:00", "0 days 01:00:00", ["a", None],
        "ü\ud800", 10**30,
    ]  # fmt: skip


def test_what_parquet_cannot_hold_is_text_and_said(capsys, frame, tmp_path):
    path = tmp_path / "in.jsonl"
    mixed = [i if i % 2 else "x" for i in range(len(frame))]
    lines = [
        {"amount": amount, "odd": odd, "m": m}
        for amount, odd, m in zip(frame.amount.fillna(1), frame.odd, mixed, strict=True)
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    files = [tmp_path / "rows.parquet", tmp_path / "said.parquet"]
    code, _, err = run(capsys, path, *QUICK, "-o", files[0], "-o", files[1], "--append")
    assert code == 0, err
    for file in files:
        assert f"note: column 'm' of {file} is text: it has values of several types\n" in err
        assert pd.read_parquet(file).m.tolist() == [str(one) for one in mixed]


def test_half_of_a_character_is_an_escape_in_parquet():
    cells = pd.Series(["a", "\ud800", None], dtype=object)
    table, why = as_arrow(pd.DataFrame({"c": cells}), index=False)
    assert table["c"].to_pylist() == ["a", "\\ud800", None]
    assert why == {"c": "it has halves of characters, written as escapes"}
