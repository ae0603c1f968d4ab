"""All that gives rows gives the same rows: whatever it is, and however the rows are cut into batches."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from pyod_explain import PyodExplainError
from pyod_explain.beyond_memory import Source, as_source, files
from pyod_explain.exceptions import FileError

N = 1_000


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "a": random.normal(size=N),
            "k": random.choice(["x", "y", "z"], N),
            "n": pd.array(np.where(random.random(N) < 0.1, None, random.integers(0, 9, N)), dtype="Int64"),
        }
    )


def in_files(frame, folder, n_files=3):
    edges = np.linspace(0, len(frame), n_files + 1).astype(int)
    for i in range(n_files):
        part = frame.iloc[edges[i] : edges[i + 1]]
        pq.write_table(
            pa.Table.from_pandas(part, preserve_index=False), folder / f"part-{i}.parquet", row_group_size=70
        )
    return folder


MAKERS = {
    "folder": lambda frame, path: str(in_files(frame, path)),
    "path object": in_files,
    "pattern": lambda frame, path: f"{in_files(frame, path)}/part-*.parquet",
    "one file": lambda frame, path: in_files(frame, path, 1) / "part-0.parquet",
    "dataset": lambda frame, path: ds.dataset(in_files(frame, path)),
    "dataset in memory": lambda frame, _: ds.dataset(pa.Table.from_pandas(frame, preserve_index=False)),
    "filtered dataset": lambda frame, path: ds.dataset(in_files(frame, path)).filter(ds.field("k") != "no such"),
    "reader": lambda frame, _: pa.Table.from_pandas(frame, preserve_index=False).to_reader(max_chunksize=77),
    "relation": lambda frame, path: duckdb.connect().read_parquet(f"{in_files(frame, path)}/*.parquet"),
    "lazy frame": lambda frame, path: pl.scan_parquet(f"{in_files(frame, path)}/*.parquet"),
    "list of frames": lambda frame, _: [frame.iloc[:1], frame.iloc[1:1], frame.iloc[1:]],
    "tuple of batches": lambda frame, _: tuple(pa.Table.from_pandas(frame).to_batches(max_chunksize=99)),
    "list of Polars frames": lambda frame, _: [pl.from_pandas(frame.iloc[i : i + 300]) for i in range(0, N, 300)],
    "generator": lambda frame, _: (frame.iloc[i : i + 1] for i in range(N)),
    "function": lambda frame, _: lambda: iter([frame.iloc[:500], frame.iloc[500:]]),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_every_source_gives_the_same_rows(maker, frame, tmp_path):
    source = as_source(MAKERS[maker](frame, tmp_path))
    assert isinstance(source, Source)
    assert source.columns == ["a", "k", "n"]
    chunks = list(source.chunks(["n", "a"], labels=True, rows=64))
    assert [chunk.start for chunk in chunks] == list(range(0, N, 64))
    read = pa.Table.from_batches([chunk.batch.select(["n", "a"]) for chunk in chunks])
    expected = pa.Table.from_pandas(frame[["n", "a"]], preserve_index=False)
    assert read.to_pydict() == expected.to_pydict()
    assert source.repeatable == (maker not in ("reader", "generator"))
    if source.repeatable:
        assert sum(chunk.n_rows for chunk in source.chunks(["k"])) == N


@pytest.mark.parametrize("held", [pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), pa.table({"a": [1]}), [[1], [2]]])
def test_tables_in_memory_are_none(held):
    assert as_source(held) is None
    assert as_source(np.zeros((2, 2))) is None


def test_row_labels_are_those_of_the_frame_that_was_written(frame, tmp_path):
    labelled = frame.set_axis([f"row {i // 2}" for i in range(N)])  # each twice
    labelled.iloc[:400].to_parquet(tmp_path / "1.parquet")
    labelled.iloc[400:].to_parquet(tmp_path / "2.parquet")
    source = as_source(tmp_path)
    assert source.columns == ["a", "k", "n"]
    index = [label for chunk in source.chunks(["a"], labels=True, rows=128) for label in chunk.index]
    assert index == labelled.index.tolist()


def test_rows_that_were_counted_otherwise_keep_their_numbers(frame, tmp_path):
    frame.set_axis(pd.RangeIndex(100, 100 + 2 * N, 2)).to_parquet(tmp_path / "1.parquet")
    chunks = as_source(tmp_path / "1.parquet").chunks(["a"], labels=True, rows=300)
    assert [label for chunk in chunks for label in chunk.index] == list(range(100, 100 + 2 * N, 2))


def test_labels_of_pandas_chunks_are_theirs(frame):
    source = as_source([frame.iloc[:3].set_axis(list("abc")), frame.iloc[:2].set_axis(list("ab"))])
    assert [label for chunk in source.chunks(["a"], labels=True) for label in chunk.index] == list("abcab")


def test_several_levels_of_labels(frame):
    twice = frame.iloc[:4].set_index(pd.MultiIndex.from_product([["u", "v"], [1, 2]], names=["p", "q"]))
    [chunk] = as_source([twice]).chunks(["a"], labels=True)
    assert chunk.index.tolist() == twice.index.tolist()


def test_folders_that_are_parted_by_values_have_a_column_of_them(frame, tmp_path):
    for year in (2023, 2024):
        (tmp_path / f"year={year}").mkdir()
        frame.to_parquet(tmp_path / f"year={year}" / "1.parquet")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "notes.txt").write_text("no parquet")
    source = as_source(tmp_path)
    assert source.columns == ["a", "k", "n", "year"]
    years = [year for chunk in source.chunks(["year"]) for year in chunk.batch.column("year").to_pylist()]
    assert years == [2023] * N + [2024] * N


def test_a_column_that_is_null_in_the_first_file_only(tmp_path):
    pq.write_table(pa.table({"a": pa.nulls(2), "b": [1, 2]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": ["x", None], "b": [1.5, 2.0]}), tmp_path / "2.parquet")
    read = [cell for chunk in as_source(tmp_path).chunks(["a", "b"]) for cell in chunk.batch.to_pylist()]
    assert [one["a"] for one in read] == [None, None, "x", None]
    assert [one["b"] for one in read] == [1, 2, 1.5, 2.0]


def test_chunks_of_different_types_are_not_joined(frame):
    one, two = pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [0.5, None]})
    chunks = list(as_source([one, one, two]).chunks(["a"]))
    assert [(chunk.start, chunk.n_rows) for chunk in chunks] == [(0, 4), (4, 2)]


def test_dictionaries_that_differ_are_joined_by_their_texts():
    batches = [pa.record_batch({"a": pa.array(texts).dictionary_encode()}) for texts in (["x", "y"], ["y", None, "z"])]
    [chunk] = as_source(batches).chunks(["a"])
    assert chunk.batch.column("a").to_pylist() == ["x", "y", "y", None, "z"]


@pytest.mark.parametrize("wide", [False, True], ids=["long texts", "many columns"])
def test_chunks_have_fewer_rows_where_these_take_many_bytes(wide, tmp_path, monkeypatch):
    monkeypatch.setattr("pyod_explain.beyond_memory.source.CHUNK_BYTES", 80_000)
    monkeypatch.setattr("pyod_explain.beyond_memory.files.BATCH_BYTES", 20_000)
    columns = (
        {f"c{i}": np.arange(900.0) for i in range(100)} if wide else {"t": ["x" * 800 + f"{i}" for i in range(900)]}
    )
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "1.parquet", use_dictionary=False)
    for held in (tmp_path, ds.dataset(tmp_path).filter(ds.field(table.schema.names[0]).is_valid()), table.to_batches()):
        chunks = list(as_source(held).chunks(table.schema.names))
        assert [chunk.start for chunk in chunks] == list(np.cumsum([0, *(chunk.n_rows for chunk in chunks[:-1])]))
        assert max(chunk.n_rows for chunk in chunks) <= 100
        assert min(chunk.n_rows for chunk in chunks[:-1]) >= 90
        assert pa.Table.from_batches([chunk.batch for chunk in chunks]).to_pydict() == table.to_pydict()
    [fragment] = ds.dataset(tmp_path).get_fragments()
    assert files._batch_size(fragment) <= 25


def test_a_wide_chunk_after_narrow_ones_is_not_joined_to_them(monkeypatch):
    monkeypatch.setattr("pyod_explain.beyond_memory.source.CHUNK_BYTES", 1_000)
    batches = [pa.record_batch({"t": ["x"] * 50}), pa.record_batch({"t": ["x" * 100] * 20})]
    assert [chunk.n_rows for chunk in as_source(batches).chunks(["t"])] == [50, 9, 9, 2]


def test_a_dictionary_that_chunks_share_is_no_reason_for_small_ones(monkeypatch):
    monkeypatch.setattr("pyod_explain.beyond_memory.source.CHUNK_BYTES", 1_000)
    texts = pa.array(["y" * 5_000, "x"] * 100).dictionary_encode()
    assert [chunk.n_rows for chunk in as_source([pa.record_batch({"t": texts})]).chunks(["t"])] == [200]


# --- what cannot be read ------------------------------------------------------------------------------------------


def test_a_file_that_cannot_be_read_is_named(frame, tmp_path):
    in_files(frame, tmp_path)
    (tmp_path / "part-1.parquet").write_bytes(b"PAR1 broken PAR1")
    with pytest.raises(FileError, match=r"part-1\.parquet could not"):
        as_source(tmp_path)


def test_a_damaged_page_names_its_file(frame, tmp_path):
    in_files(frame, tmp_path)
    path = tmp_path / "part-2.parquet"
    content = bytearray(path.read_bytes())
    content[4:2000] = b"\xff" * 1996  # the footer, which tells the columns, is whole
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"part-2\.parquet could not"):
        list(as_source(tmp_path).chunks(["a", "k", "n"]))


@pytest.mark.parametrize(("path", "words"), [("nothing", "no file or folder"), ("*.parquet", "pattern")])
def test_a_path_that_leads_nowhere(path, words, tmp_path):
    with pytest.raises(FileError, match=words):
        as_source(tmp_path / path)


def test_a_folder_without_parquet(tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n")
    with pytest.raises(FileError, match="no parquet files"):
        as_source(tmp_path)


def test_a_chunk_without_a_column_says_after_which_row(frame):
    with pytest.raises(PyodExplainError, match=r"got one without 'k' after 1,000 rows"):
        list(as_source([frame, frame[["a"]]]).chunks(["a", "k"]))


def test_chunks_that_are_none(frame):
    with pytest.raises(TypeError, match="got a int among them"):
        list(as_source(iter([frame, 5])).chunks(["a"]))
    with pytest.raises(PyodExplainError, match="at least one chunk"):
        _ = as_source(iter([])).columns


def test_a_chunk_that_arrow_cannot_hold():
    with pytest.raises(PyodExplainError, match="chunks that Arrow can hold"):
        list(as_source([pd.DataFrame({"a": [1, "x"]})]).chunks(["a"]))


def test_two_columns_of_one_name():
    batch = pa.RecordBatch.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(PyodExplainError, match="must differ, got 'a' more than once"):
        _ = as_source([batch]).columns


def test_two_columns_of_one_name_in_a_frame(frame):
    with pytest.raises(PyodExplainError, match="must differ, got 'a' more than once"):
        _ = as_source([pd.concat([frame, frame[["a"]]], axis=1)]).columns


# --- paths --------------------------------------------------------------------------------------------------------


@pytest.fixture
def parted(frame, tmp_path, monkeypatch):
    """Files in folders whose names are values, seen from the folder above."""
    for year in (2023, 2024):
        (tmp_path / "run=5" / f"year={year}").mkdir(parents=True)
        frame.to_parquet(tmp_path / "run=5" / f"year={year}" / "1.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("run=5", ["year"]),
        ("./run=5/", ["year"]),
        ("{}/run=5", ["year"]),
        ("~/run=5", ["year"]),
        ("run=5/*/*.parquet", ["year"]),
        ("./run=5/year=*/1.parquet", ["year"]),
        ("{}/run=5/**/*.parquet", ["year"]),
        ("*/*/*.parquet", ["run", "year"]),
        ("run=5/year=2023/1.parquet", []),
        ("{}/run=5/year=2023/1.parquet", []),
        ("run=5/year=2023/*.parquet", []),
        ("~/run=5/year=2024", []),
    ],
)
def test_only_folders_below_what_is_named_are_values(path, parts, parted):
    assert as_source(path.format(parted)).columns == ["a", "k", "n", *parts]


def test_names_of_files_in_capitals_are_not_passed_over(frame, tmp_path):
    frame.to_parquet(tmp_path / "1.parquet")
    frame.to_parquet(tmp_path / "2.PARQUET")
    assert as_source(tmp_path).n_rows == 2 * N


def test_a_file_of_other_types_is_named(frame, tmp_path):
    in_files(frame, tmp_path)
    frame.assign(n="x").to_parquet(tmp_path / "part-1.parquet")
    with pytest.raises(FileError, match=r"part-1\.parquet could not be read: .*Field n has incompatible types"):
        as_source(tmp_path)


def test_a_dataset_with_a_file_that_cannot_be_read(frame, tmp_path):
    dataset = ds.dataset(in_files(frame, tmp_path))
    (tmp_path / "part-1.parquet").write_bytes(b"PAR1 broken PAR1")
    with pytest.raises(FileError, match=r"part-1\.parquet"):
        _ = as_source(dataset).n_rows


def test_a_path_of_another_machine_has_its_own_hint():
    with pytest.raises(FileError, match=r"'s3://bucket/rows', .*\n.*pyarrow\.dataset\.dataset"):
        as_source("s3://bucket/rows")
