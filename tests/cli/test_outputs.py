"""The report and the files: checked before the work, written all or none."""

import json
import os
import re
import shutil
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from command_line import run, start_process
from systems import needs_full, needs_pipes

from pyod_explain import Explanation
from pyod_explain._advice import in_a_shell
from pyod_explain.cli.start import main
from pyod_explain.export import to_dbt


def test_examples_are_shown_on_the_page(capsys, csv, tmp_path):
    out = tmp_path / "r.html"
    code, _, err = run(capsys, csv, "--no-validate", "--examples", 2, "-o", out)
    assert code == 0, err
    assert "2 outliers of the group, the strangest first" in out.read_text()
    with pytest.raises(SystemExit):
        run(capsys, csv, "--examples", 0, "-o", out)
    assert "at least 1, got 0" in capsys.readouterr().err


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
    assert e.summary.validation.n_splits == 2
    assert len(e.summary.placebo.gains) == 1
    assert (tmp_path / "r.txt").read_text() == out == f"{e}\n"
    page = re.sub(
        r'<section class="card" aria-labelledby="pictures">.*?</section>', "", (tmp_path / "r.html").read_text()
    )
    assert page == e.to_html(rows=True)  # a file has no table to draw
    assert (tmp_path / "r.md").read_text() == e.to_markdown(rows=True)
    assert (tmp_path / "r.sql").read_text() == e.to_sql("payments", dialect="duckdb")
    assert pd.read_csv(tmp_path / "r.csv").rule.tolist() == [rule.text for rule in e.rules]
    assert {path.name for path in tmp_path.iterdir()} == {*names, "payments.csv"}


def test_the_rows_of_a_csv_with_what_the_rules_say(capsys, csv, tmp_path):
    code, _, _ = run(capsys, csv, "--labels", "odd", "--index", "id", "--no-validate", "-o", tmp_path / "r.pq")
    assert code == 0
    frame = pd.read_csv(csv)
    written = pd.read_parquet(tmp_path / "r.pq")
    assert written.columns.tolist() == [*frame.columns, "group", "rule", "text"]
    assert written.id.tolist() == frame.id.tolist()
    assert (written.group[frame.odd == 1] > 0).any()


def test_rows_that_have_no_names_get_none(capsys, csv, tmp_path):
    assert run(capsys, csv, "--labels", "odd", "--no-validate", "-o", tmp_path / "r.parquet")[0] == 0
    names = pq.read_schema(tmp_path / "r.parquet").names
    assert names == [*pd.read_csv(csv).columns, "group", "rule", "text"]


def test_rows_of_mixed_types_are_written(capsys, tmp_path):
    cells = ["odd" if i % 40 == 3 else 40 if i % 40 == 5 else i % 7 for i in range(400)]
    lines = [json.dumps({"a": cell, "rule": None, "y": int(cell in ("odd", 40))}) for cell in cells]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    code, _, err = run(capsys, tmp_path / "t.jsonl", "--labels", "y", "--no-validate", "-o", tmp_path / "r.parquet")
    assert code == 0, err
    assert "column 'a' of" in err
    written = pd.read_parquet(tmp_path / "r.parquet")
    assert written.a.tolist() == [str(cell) for cell in cells]
    assert (written.group > 0).tolist() == [cell in ("odd", 40) for cell in cells]
    assert written.columns.tolist() == ["a", "rule", "y", "group", "rule_", "text"]


def test_quiet_prints_only_what_was_asked_for(capsys, csv, tmp_path):
    arguments = [csv, "--labels", "odd", "--no-validate", "--quiet"]
    code, out, err = run(capsys, *arguments, "-o", tmp_path / "r.sql", "--sql-table", "my table")
    assert (code, out, err) == (0, "", "")
    assert 'FROM "my table"' in (tmp_path / "r.sql").read_text()
    hidden = shutil.copy(csv, tmp_path / ".h.csv")
    run(capsys, hidden, *arguments[1:], "-o", tmp_path / "r.sql")
    assert 'FROM "h"' in (tmp_path / "r.sql").read_text()
    code, out, err = run(capsys, *arguments)
    assert out.startswith("Column 'odd' marks")
    assert err == ""


def test_an_error_leaves_files_as_they_were(capsys, csv, tmp_path):
    path = tmp_path / "r.json"
    path.write_text("before")
    assert run(capsys, csv, "--labels", "nope", "-o", path)[0] == 2
    assert path.read_text() == "before"


@pytest.mark.parametrize("name", ["payments.csv", "./here/payments.csv", "link.csv"])
def test_the_input_is_never_an_output(capsys, csv, tmp_path, monkeypatch, name):
    before = Path(csv).read_bytes()
    (tmp_path / "here").symlink_to(".")
    (tmp_path / "link.csv").symlink_to("payments.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pyod_explain.cli.command.read_file", lambda *_: pytest.fail("work before the check"))
    with pytest.raises(SystemExit) as stopped:
        main([csv, "--labels", "odd", "-o", "new.json", "-o", name])
    assert stopped.value.code == 2
    assert "is the file that is read; it would be lost" in capsys.readouterr().err
    assert Path(csv).read_bytes() == before
    assert not Path("new.json").exists()


def test_the_same_output_twice_is_a_mistake(capsys, csv, tmp_path):
    (tmp_path / "a.json").symlink_to("r.json")
    for twin in ("r.json", "./r.json", "a.json"):
        with pytest.raises(SystemExit) as stopped:
            main([csv, "-o", str(tmp_path / "r.json"), "-o", f"{tmp_path}/{twin}"])
        assert stopped.value.code == 2
        assert "are the same file" in capsys.readouterr().err
    assert not (tmp_path / "r.json").exists()


@needs_pipes
def test_links_and_pipes_are_written_through(csv, tmp_path):
    (tmp_path / "link.json").symlink_to("real.json")
    os.mkfifo(tmp_path / "pipe.md")
    process = start_process(
        csv, "--labels", "odd", "--no-validate", "-o", tmp_path / "link.json", "-o", tmp_path / "pipe.md"
    )
    text = (tmp_path / "pipe.md").read_text()
    process.communicate(timeout=60)
    assert process.returncode == 0
    with in_a_shell():
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


@needs_full
def test_a_full_disk_behind_standard_output_is_one_line_and_no_file(csv, tmp_path):
    with Path("/dev/full").open("wb") as full:
        process = start_process(csv, "--labels", "odd", "--no-validate", "-o", tmp_path / "r.json", stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.splitlines()[-1] == b"pyod-explain: [Errno 28] No space left on device"
    assert b"Traceback" not in err
    assert b"ignored" not in err
    assert not (tmp_path / "r.json").exists()


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


def test_rules_as_checks_of_dbt(capsys, csv, tmp_path):
    names = ["rules.yaml", "rules.yml", "e.json"]
    outputs = [part for name in names for part in ("-o", tmp_path / name)]
    code, _, err = run(capsys, csv, "--labels", "odd", "--no-validate", "--dialect", "duckdb", *outputs)
    assert code == 0, err
    e = Explanation.from_json(tmp_path / "e.json")
    for name in names[:2]:
        assert (tmp_path / name).read_text() == to_dbt(e, "payments", dialect="duckdb")
