"""Every example runs as it stands, and says something."""

import json
import runpy
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


def test_there_are_examples_named_as_those_of_pyod():
    assert len(EXAMPLES) >= 10
    assert all(path.stem.endswith("_example") for path in EXAMPLES)


def run_example(path, tmp_path, monkeypatch):
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(path)])
    return runpy.run_path(str(path), run_name="__main__")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # an example warns as it would for a user: other packages' warnings are theirs
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path, monkeypatch, capsys):
    try:
        run_example(path, tmp_path, monkeypatch)
    except SystemExit as ended:
        if not str(ended).startswith("This example needs"):
            raise
        pytest.skip(str(ended))
    assert capsys.readouterr().out.strip()


@pytest.mark.no_cover
def test_the_nightly_job_ends_with_3_on_just_the_nights_of_a_new_cause(tmp_path, monkeypatch, capsys):
    [path] = (path for path in EXAMPLES if path.stem == "nightly_job_example")
    job = run_example(path, tmp_path, monkeypatch)
    told = [line.split()[-1] for line in capsys.readouterr().out.splitlines() if " ends with " in line]
    assert told == ["0", "0", "3", "0", "0", "3"]  # the fifth night has the cause that somebody marked after the third
    folder = tmp_path / "nights"
    folder.mkdir()
    for night in range(30):
        trouble = job["TROUBLES"][night // 3] if night % 3 == 2 else None
        payments = job["make_night"](1000 + night, trouble)
        payments.to_parquet(folder / f"{night:02}.parquet")
        assert job["run_job"](folder) == (0 if trouble is None else 3), (night, trouble)
        if trouble is not None:
            told, query = capsys.readouterr().out, (folder / "alert.sql").read_text("utf-8")
            assert any(name in told and f't."{name}"' in query for name in trouble)
        rows = pd.read_csv(folder / f"{night:02}.csv", index_col=0)
        assert len(rows) == json.loads((folder / f"{night:02}.json").read_text("utf-8"))["n_outliers"]
