"""Folders of parquet files on the command line: from rows to a report in one command."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from command_line import run
from sklearn.pipeline import Pipeline

from pyod_explain import Explanation
from pyod_explain.cli.encode import Encoder, encode
from pyod_explain.input import as_table

N = 3_000


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(0)
    odd = np.arange(N) % 100 == 7
    return pd.DataFrame(
        {
            "amount": np.where(odd, 900 + random.normal(size=N), random.gamma(2, 30, N)),
            "kind": random.choice(["a", "b", None], N),
            "hour": random.integers(0, 24, N),
            "odd": odd.astype(int),
            "id": [f"t{i}" for i in range(N)],
        }
    )


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows")
    for i in range(3):
        frame.iloc[i * 1_000 : (i + 1) * 1_000].to_parquet(path / f"{i}.parquet", index=False)
    return path


QUICK = ("--no-validate", "--index", "id")


def test_a_folder_becomes_a_report(capsys, folder, tmp_path):
    report, data = tmp_path / "report.html", tmp_path / "report.json"
    code, out, err = run(
        capsys, folder, "--detector", "ECOD", "--contamination", 0.01, "--drop", "odd", "--sample", 500, *QUICK,
        "-o", report, "-o", data,
    )  # fmt: skip
    assert code == 0, err
    assert out.startswith("ECOD marks")
    assert "of 3,000 rows" in out
    assert "a sample of" in out
    assert report.read_text().startswith("<!doctype html>")
    said = json.loads(data.read_text())
    assert any(rule["conditions"][0]["column"] == "amount" for group in said["groups"] for rule in group["rules"])
    assert all(str(row).startswith("t") for group in said["groups"] for row in group["rows"])


def test_labels_of_a_folder_and_what_fits_is_as_one_file(capsys, frame, folder, tmp_path):
    _, whole, _ = run(capsys, folder, "--labels", "odd", *QUICK)
    frame.to_csv(tmp_path / "all.csv", index=False)
    _, alone, _ = run(capsys, tmp_path / "all.csv", "--labels", "odd", *QUICK)
    assert whole == alone
    _, pattern, _ = run(capsys, f"{folder}/*.parquet", "--labels", "odd", *QUICK)
    assert pattern == whole
    code, out, _ = run(capsys, folder, "--labels", "odd", "--sample", 400, *QUICK)
    assert code == 0
    assert out.startswith("Column 'odd' marks 30 of 3,000 rows (1.0%)")


WORDS = {
    "word": ["bad", "ok"],
    "kind of": ["bad", "fine"],
    "flag": [True, False],
    "minus": [-1, 1],
    "either": ["x", "y"],
    "code": [2, 1],
}
GOOD = {
    ("word",), ("kind of",), ("flag",), ("minus",), ("gaps == bad",), ("gaps != ok",),
    ("either", "--outlier-values", "x"), ("either", "--outlier-values", "y"),
}  # fmt: skip


@pytest.fixture(scope="module")
def worded(frame, tmp_path_factory):
    """The same rows as a file of text and as a folder; each column of WORDS marks the outliers otherwise."""
    path, odd = tmp_path_factory.mktemp("words"), frame.odd == 1
    made = frame[["amount", "hour"]].assign(**{name: np.where(odd, *words) for name, words in WORDS.items()})
    made["gaps"] = made.word.where(np.arange(N) % 500 != 8)
    made["number gaps"] = odd.astype(float).where(np.arange(N) % 500 != 8)
    made["steps"] = np.arange(N)
    made["same"] = "ok"
    made.to_csv(path / "all.csv", index=False)
    made["kind of"] = pd.Categorical(made["kind of"], ["none", "bad", "fine"])  # one that no row has
    (path / "folder").mkdir()
    for i in range(3):
        made.iloc[i * 1_000 : (i + 1) * 1_000].to_parquet(path / "folder" / f"{i}.parquet", index=False)
    return path


@pytest.mark.parametrize(
    "labels",
    [
        *([name] for name in [*WORDS, "gaps", "number gaps", "steps", "amount", "same"]),
        *(["either", "--outlier-values", value] for value in ("x", "y", "x,y", "z")),
        ["gaps == bad"], ["gaps != ok"], ["hour > 99"], ["hour >= 0"], ["hour =="],
    ],
    ids=" ".join,
)  # fmt: skip
def test_words_mark_outliers_beyond_memory_as_in_a_file(capsys, worded, labels):
    usual = ("--only", "amount,hour", "--no-validate")
    code, out, err = run(capsys, worded / "all.csv", "--labels", *labels, *usual)
    many = run(capsys, worded / "folder", "--labels", *labels, *usual, "--sample", 400)
    assert (many[0], many[2]) == (code, err)
    first = out.partition("outliers")[0]  # which column, and how many rows; the rules are of a sample
    assert many[1].startswith(first)
    assert code == (0 if tuple(labels) in GOOD else 2), err


def test_one_large_file_is_read_in_chunks_too(capsys, frame, tmp_path):
    frame.to_parquet(tmp_path / "all.parquet", index=False)
    code, out, _ = run(capsys, tmp_path / "all.parquet", "--labels", "odd", "--sample", 400, *QUICK)
    assert code == 0
    assert "a sample of 371 of the" in " ".join(out.split())


@pytest.mark.parametrize("sample", [400, 100_000], ids=["in chunks", "as a whole"])
def test_every_row_is_written_with_its_group_and_rule(capsys, frame, folder, tmp_path, sample):
    rows, data = tmp_path / "said.parquet", tmp_path / "e.json"
    arguments = (folder, "--labels", "odd", "--drop", "hour", "--sample", sample, *QUICK)
    code, _, err = run(capsys, *arguments, "-o", rows, "-o", data)
    assert code == 0, err
    written, e = pd.read_parquet(rows), Explanation.from_json(data)
    pd.testing.assert_frame_equal(written[frame.columns], frame)
    assert written.group.tolist() == e.predict(frame).tolist()
    assert written.text.dropna().unique().tolist() == [rule.text for rule in e.rules]
    assert written.rule.isna().tolist() == (written.group == 0).tolist()


def test_a_line_for_each_outlier_of_many_rows(capsys, frame, folder, tmp_path):
    arguments = (folder, "--labels", "odd", "--sample", 400, *QUICK, "-o", tmp_path / "rows.csv")
    code, _, err = run(capsys, *arguments)
    assert code == 0, err
    written = pd.read_csv(tmp_path / "rows.csv")
    assert sorted(written.label) == sorted(frame.id[frame.odd == 1])


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.jsonl"])
def test_all_rows_with_what_is_said_of_them_chunk_by_chunk(capsys, frame, tmp_path, monkeypatch, name):
    monkeypatch.setattr(
        "pyod_explain.beyond_memory.source.Source.chunks.__kwdefaults__", {"labels": False, "rows": 700}
    )
    made = frame.assign(group="=g", whole=pd.array([None, *range(N - 1)], dtype="Int64"))
    (tmp_path / "in").mkdir()
    for i in range(3):
        made.iloc[i * 1_000 : (i + 1) * 1_000].to_parquet(tmp_path / "in" / f"{i}.parquet", index=False)
    arguments = (tmp_path / "in", "--labels", "odd", "--drop", "group,whole", *QUICK, "-o", tmp_path / name, "--append")
    code, _, err = run(capsys, *arguments, "--sample", 400)
    assert code == 0, err
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet, "jsonl": lambda file: pd.read_json(file, lines=True)}
    written = read[name.partition(".")[2]](tmp_path / name)
    assert written.columns[:9].tolist() == [*made.columns, "outlier", "group_"]
    assert written.id.tolist() == made.id.tolist()
    assert written.whole[1:].tolist() == [*range(N - 1)]
    assert written.outlier.tolist() == (made.odd == 1).tolist()
    assert written.rules.notna().tolist() == written.nearest.isna().tolist()
    if name == "rows.csv":
        assert "3,000 texts in" in err
        assert ",0,True,1,True," not in (tmp_path / name).read_text().splitlines()[1]
        assert '"t1"' in (tmp_path / name).read_text().splitlines()[2]
        assert ".0,False" not in (tmp_path / name).read_text()


def test_rows_are_not_written_where_they_are_read(capsys, folder):
    before = sorted(folder.iterdir())
    with pytest.raises(SystemExit, match="2"):
        run(capsys, folder, "--labels", "odd", *QUICK, "-o", folder / "said.parquet")
    assert "is in the folder that is read" in capsys.readouterr().err
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("pattern", "output", "words"),
    [
        ("*.parquet", "1.parquet", "is the file that is read"),
        ("**/*.parquet", "1.parquet", "is the file that is read"),
        ("*.parquet", "said.parquet", "would be read the next time"),
        ("**/*.parquet", "said.parquet", "would be read the next time"),
        ("**/*.parquet", "more/said.parquet", "would be read the next time"),
        ("[0-9].parquet", "8.parquet", "would be read the next time"),
        ("*.parquet", "more/said.parquet", None),
        ("[0-9].parquet", "said.parquet", None),
    ],
)
def test_a_pattern_keeps_its_files(capsys, frame, tmp_path, pattern, output, words):
    (tmp_path / "more").mkdir()
    for i in range(3):
        frame.iloc[i * 100 : (i + 1) * 100].to_parquet(tmp_path / f"{i}.parquet", index=False)
    before = {path: path.read_bytes() for path in tmp_path.glob("*.parquet")}
    arguments = (tmp_path / pattern, "--labels", "odd", *QUICK, "-o", tmp_path / output)
    if words is None:
        assert run(capsys, *arguments)[0] == 0
    else:
        with pytest.raises(SystemExit, match="2"):
            run(capsys, *arguments)
        assert words in capsys.readouterr().err
    assert {path: path.read_bytes() for path in before} == before


def test_a_link_in_the_folder_keeps_its_file(capsys, frame, tmp_path):
    (tmp_path / "rows").mkdir()
    frame.to_parquet(tmp_path / "real.parquet", index=False)
    (tmp_path / "rows" / "link.parquet").symlink_to(tmp_path / "real.parquet")
    with pytest.raises(SystemExit, match="2"):
        run(capsys, tmp_path / "rows", "--labels", "odd", *QUICK, "-o", tmp_path / "real.parquet")
    assert "is the file that is read" in capsys.readouterr().err


def test_columns_that_are_not_there(capsys, folder):
    code, _, err = run(capsys, folder, "--labels", "no", "--sample", 400)
    assert code == 2
    assert "no column 'no'" in err
    code, _, err = run(capsys, folder, "--labels", "odd", "--sample", 400, "--only", "odd")
    assert code == 2
    code, _, err = run(capsys, folder, "--only", "hour", "--groups", "hour", "--sample", 400)
    assert code == 2
    assert "No column is left to explain with" in err


def test_a_folder_without_parquet(capsys, tmp_path):
    code, _, err = run(capsys, tmp_path)
    assert code == 1
    assert "must be a folder of parquet files" in err


def test_a_detector_that_cannot_be_fitted(capsys, folder):
    code, _, err = run(capsys, folder, "--detector", "KNN", "--param", "n_neighbors=-3", "--sample", 400)
    assert code == 2
    assert "could not be fitted" in err


def test_other_rows_are_encoded_as_those_that_told_how(frame):
    table = as_table(frame.drop(columns="id"))
    encoder = Encoder(table)
    assert np.array_equal(encoder.numbers(table), encode(table))
    assert np.array_equal(encoder.transform(frame.iloc[::-1]), encode(table)[::-1])
    other = encoder.transform(frame.iloc[:2].assign(kind=["never seen", None], amount=np.nan))
    assert np.isfinite(other).all()
    assert other[0, 1] > encode(table)[:, 1].max()  # after all known categories
    assert other[1, 1] == encode(table)[:, 1].min()  # missing
    assert Pipeline([("encode", encoder)]).feature_names_in_.tolist() == ["amount", "kind", "hour", "odd"]


def test_rows_beyond_memory_are_marked_by_a_test(capsys, folder):
    usual = ("--sample", 400, *QUICK, "--only", "amount,hour")
    code, plain, err = run(capsys, folder, "--labels", "odd", *usual)
    assert code == 0, err
    for labels in (["odd == 1"], ["odd != 0"], ["odd > 0"], ["odd", "--outlier-values", "1"]):
        code, out, err = run(capsys, folder, "--labels", *labels, *usual)
        assert code == 0, err
        assert out.startswith("30 of 3,000 rows (1.0%) are outliers: those where odd ")
        assert out.partition("\n\n")[2] == plain.partition("\n\n")[2]
    code, out, err = run(capsys, folder, "--labels", "od == 1", *usual)
    assert (code, out) == (2, "")
    assert "the table has no column 'od'" in err
