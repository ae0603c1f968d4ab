"""All that gives rows gives the same rows: whatever it is, and however the rows are cut into batches."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from pyod_explain import PyodExplainError
from pyod_explain.beyond_memory import Source, as_source
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
    chunks = list(source.chunks(["n", "a"], rows=64))
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


INDICES = {
    "repeated": [f"row {i // 2}" for i in range(N)],
    "counted": pd.RangeIndex(100, 100 + 2 * N, 2),
    "levels": pd.MultiIndex.from_product([range(N // 2), ["u", "v"]], names=["p", "q"]),
}


@pytest.mark.parametrize("name", INDICES)
def test_row_labels_are_those_of_the_frame(name, frame, tmp_path):
    labelled = frame.set_axis(INDICES[name])
    labelled.to_parquet(tmp_path / "1.parquet")
    for held in (tmp_path, [labelled.iloc[:400], labelled.iloc[400:]]):
        source = as_source(held)
        assert source.columns == ["a", "k", "n"]
        rows = pa.Table.from_batches([chunk.batch for chunk in source.chunks(["a", *source.index_columns])])
        assert source.row_labels(rows, np.arange(N)).tolist() == labelled.index.tolist()


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
    texts = {"t": ["x" * 800 + f"{i}" for i in range(900)]}
    table = pa.table({f"c{i}": np.arange(900.0) for i in range(100)} if wide else texts)
    pq.write_table(table, tmp_path / "1.parquet", use_dictionary=False)
    for held in (tmp_path, ds.dataset(tmp_path).filter(ds.field(table.schema.names[0]).is_valid()), table.to_batches()):
        chunks = list(as_source(held).chunks(table.schema.names))
        assert [chunk.start for chunk in chunks] == list(np.cumsum([0, *(chunk.n_rows for chunk in chunks[:-1])]))
        assert max(chunk.n_rows for chunk in chunks) <= 100
        assert pa.Table.from_batches([chunk.batch for chunk in chunks]).to_pydict() == table.to_pydict()


def test_a_wide_chunk_after_narrow_ones_is_not_joined_to_them(monkeypatch):
    monkeypatch.setattr("pyod_explain.beyond_memory.source.CHUNK_BYTES", 1_000)
    batches = [pa.record_batch({"t": ["x"] * 50}), pa.record_batch({"t": ["x" * 100] * 20})]
    assert [chunk.n_rows for chunk in as_source(batches).chunks(["t"])] == [50, 9, 9, 2]


# --- what cannot be read ------------------------------------------------------------------------------------------


def broken(path):
    path.write_bytes(b"PAR1 broken PAR1")


def damaged(path):
    """Damage the cells; the footer, which tells the columns, is whole."""
    content = bytearray(path.read_bytes())
    content[4:2000] = b"\xff" * 1996
    path.write_bytes(content)


def of_other_types(path):
    pd.DataFrame({"a": [1.0], "k": ["x"], "n": ["text"]}).to_parquet(path)


@pytest.mark.parametrize("spoil", [broken, damaged, of_other_types])
def test_a_file_that_cannot_be_read_is_named(spoil, frame, tmp_path):
    dataset = ds.dataset(in_files(frame, tmp_path))
    spoil(tmp_path / "part-1.parquet")
    for held in (tmp_path, dataset):
        with pytest.raises(FileError, match=r"part-1\.parquet"):
            list(as_source(held).chunks(["a", "k", "n"]))


@pytest.mark.parametrize(
    ("path", "words"), [("nothing", "no file"), ("*.parquet", "pattern"), ("", "no parquet"), ("s3://b/x", "dataset")]
)
def test_a_path_that_leads_nowhere(path, words, tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n")
    with pytest.raises(FileError, match=words):
        as_source(path if "://" in path else tmp_path / path)


@pytest.mark.parametrize(
    ("chunks", "words"),
    [
        ([pd.DataFrame({"a": range(9), "k": 1}), pd.DataFrame({"a": [1]})], "without 'k' after 9 rows"),
        (iter([pd.DataFrame({"a": [1], "k": 1}), 5]), "got a int among them"),
        (iter([]), "at least one chunk"),
        ([pd.DataFrame({"a": [1, "x"], "k": 1})], "chunks that Arrow can hold"),
        ([pa.RecordBatch.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])], "'a' more than once"),
        ([pd.DataFrame([[1, 2]], columns=["a", "a"])], "'a' more than once"),
    ],
)
def test_chunks_that_cannot_be_read(chunks, words):
    with pytest.raises(PyodExplainError, match=words):
        list(as_source(chunks).chunks([*dict.fromkeys([*as_source(chunks).columns, "a", "k"])]))


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
        ("run=5", ["year"]), ("./run=5/", ["year"]), ("~/run=5", ["year"]), ("run=5/*/*.parquet", ["year"]),
        ("{}/run=5/**/*.parquet", ["year"]), ("*/*/*.parquet", ["run", "year"]), ("run=5/year=2023/1.parquet", []),
        ("~/run=5/year=2024", []),
    ],
)  # fmt: skip
def test_only_folders_below_what_is_named_are_values(path, parts, parted):
    assert as_source(path.format(parted)).columns == ["a", "k", "n", *parts]


def test_names_of_files_in_capitals_are_not_passed_over(frame, tmp_path):
    frame.to_parquet(tmp_path / "1.parquet")
    frame.to_parquet(tmp_path / "2.PARQUET")
    assert as_source(tmp_path).n_rows == 2 * N
