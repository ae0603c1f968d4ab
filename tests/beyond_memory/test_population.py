"""What is kept of rows beyond memory: all outliers, and an even sample that depends on the seed alone."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyod.models.ecod import ECOD
from sklearn.ensemble import IsolationForest

from pyod_explain import PyodExplainError
from pyod_explain.beyond_memory import (
    ChunkLabeler,
    LocalEngine,
    as_source,
    default_sample,
    population,
    read_into_memory,
    read_population,
)

N = 5_000


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    marked = (rng.random(N) < 0.02).astype(int)
    return pd.DataFrame({"a": rng.normal(size=N) + 6 * marked, "k": rng.choice(["x", "y"], N), "y": marked})


def read(frame, size, detector="y", *, sample=600, seed=0, engine=None, **more):
    source = as_source([frame.iloc[i : i + size] for i in range(0, len(frame), size)])
    engine = engine or LocalEngine()
    return read_population(
        source, ChunkLabeler(detector, source, engine, **more), sample=sample, seed=seed, engine=engine
    )


def outlying(found):
    return found.outliers.source_rows[found.outliers.labels == 1].tolist()


class Shuffled:
    """An engine that counts chunks in any order, with a kernel that was sent to it, and adds them up two by two."""

    def total(self, kernel, source, step=None):
        kernel = pickle.loads(pickle.dumps(kernel))
        chunks = list(source.chunks(kernel.columns, rows=70))
        parts = [kernel(chunks[i]) for i in np.random.default_rng(0).permutation(len(chunks))]
        while len(parts) > 1:
            parts = [sum(parts[i + 1 : i + 2], parts[i]) for i in range(0, len(parts), 2)]
        return parts[0], sum(chunk.n_rows for chunk in chunks)


@pytest.mark.parametrize(("size", "engine"), [(7, None), (N, None), (500, Shuffled())])
def test_what_is_kept_does_not_depend_on_the_chunks(size, engine, frame):
    found, expected = read(frame, size, engine=engine), read(frame, 333)
    assert found.outliers.source_rows.tolist() == expected.outliers.source_rows.tolist()
    assert found.outliers.labels.tolist() == expected.outliers.labels.tolist()
    assert found.table["a"].values.tolist() == frame["a"].iloc[found.outliers.source_rows].tolist()
    assert found.table.index.tolist() == found.outliers.source_rows.tolist()
    assert found.non_normal.batch.equals(expected.non_normal.batch)


def test_all_outliers_are_kept_and_each_normal_stands_for_as_many(frame):
    found = read(frame, 333)
    assert outlying(found) == np.flatnonzero(frame["y"]).tolist()
    assert (found.n_rows, found.n_normals) == (N, int((frame["y"] == 0).sum()))
    assert found.rows_per_sample == 16  # the first power of two that leaves at most 600
    assert found.n_sampled == found.n_normals // 16
    assert found.row_counts.tolist() == np.where(found.outliers.labels == 1, 1, 16).tolist()
    assert found.non_normal.batch.column("a").to_pylist() == frame["a"][frame["y"] == 1].tolist()
    everything = read(frame, 333, sample=N)
    assert everything.rows_per_sample == 1
    assert everything.outliers.source_rows.tolist() == list(range(N))


def test_rows_are_drawn_evenly_and_others_by_another_seed(frame):
    small = frame.iloc[:400]
    drawn = [read(small, 400, seed=seed, sample=60).outliers.source_rows for seed in range(100)]
    times = np.bincount(np.concatenate(drawn), minlength=400)[small["y"] == 0]
    share = times.mean() / 100
    assert 0.8 < times.std() / np.sqrt(100 * share * (1 - share)) < 1.2
    assert abs(np.corrcoef(times[:-1], times[1:])[0, 1]) < 0.2


def test_group_numbers_and_rejected_rows_are_kept():
    found = read(pd.DataFrame({"a": range(8), "y": [0, 2, 0, 1, -2, 0, 0, 2]}), 3)
    assert found.outliers.numbers.tolist() == [0, 2, 0, 1, 0, 0, 0, 2]
    assert found.outliers.labels.tolist() == [0, 1, 0, 1, -1, 0, 0, 1]
    assert (found.n_rows, found.n_normals, found.non_normal.n_rows) == (8, 4, 4)


def test_a_detector_predicts_chunk_by_chunk(frame):
    columns = frame[["a"]].assign(b=np.cos(frame["a"]))
    pyod = ECOD(contamination=0.02).fit(columns.to_numpy()[:2_000])
    assert outlying(read(columns, 333, pyod)) == np.flatnonzero(pyod.predict(columns.to_numpy())).tolist()
    forest = IsolationForest(random_state=0, contamination=0.02).fit(columns[["a"]])  # it knows the name of its column
    assert outlying(read(columns, 333, forest)) == np.flatnonzero(forest.predict(columns[["a"]]) == -1).tolist()


def test_scores_and_labels_in_order(frame):
    by_score = read(frame, 333, None, scores="a", threshold=5.0)
    assert outlying(by_score) == np.flatnonzero(frame["a"] > 5).tolist()
    assert by_score.outliers.columns == ("a",)
    labels = frame["y"].to_numpy()
    assert outlying(read(frame, 333, labels)) == np.flatnonzero(labels).tolist()


@pytest.mark.parametrize(
    ("detector", "more", "words"),
    [
        ("no", {}, "none of the columns"),
        ("k", {}, "category values"),
        ("a", {}, "must be whole numbers"),
        (None, {}, "`detector` must be a fitted detector"),
        (None, {"scores": "no", "threshold": 1}, "`scores` must be numbers"),
        (None, {"scores": [1, 2], "threshold": 1}, "must be the name of a column"),
        (np.zeros(N - 1, dtype=int), {}, "4,999 labels for at least 5,000 rows"),
        (np.zeros(N + 1, dtype=int), {}, "5,001 labels for 5,000 rows"),
        (pd.Series([0, 1], index=[5, 6]), {}, "an index of its own"),
    ],
)
def test_who_cannot_say(detector, more, words, frame):
    with pytest.raises(PyodExplainError, match=words):
        read(frame, 333, detector, **more)


def test_cells_that_no_table_may_hold_are_refused_while_reading(frame):
    with pytest.raises(PyodExplainError, match="labels without gaps"):
        read(frame.assign(y=frame["y"].where(np.arange(N) != 4_321)), 333)
    with pytest.raises(PyodExplainError, match="Column 'a' of `X` must be finite, got 1 infinite value"):
        read(frame.assign(a=frame["a"].where(np.arange(N) != 4_321, np.inf)), 333, sample=10)
    far = frame.assign(when=pd.Timestamp("2020-01-01")).astype({"when": "datetime64[s]"})
    far.loc[17, "when"] = pd.Timestamp("9999-12-31").as_unit("s")
    with pytest.raises(PyodExplainError, match="between the years 1678 and 2262"):
        read(far, 333, sample=10)


def test_too_many_outliers_are_refused_while_reading(frame, monkeypatch):
    monkeypatch.setattr(population, "MAX_NON_NORMAL", 1_000)
    many = frame.assign(y=np.tile([0, 1], N // 2))
    with pytest.raises(PyodExplainError, match=r"at most 1,000, got 2,500 of the first 5,000 rows"):
        read(many, 500)
    assert len(outlying(read(many, 500, sample=3_000))) == N // 2


def test_rows_that_fit_are_read_as_a_whole(frame):
    source = as_source([frame.iloc[:10], frame.iloc[10:]])
    assert read_into_memory(source, N - 1) is None
    table, whole = read_into_memory(source, N)
    assert table.index.tolist() == frame.index.tolist()
    pd.testing.assert_frame_equal(whole, frame, check_dtype=False)
    assert read_into_memory(as_source(iter([frame.iloc[:10], frame.iloc[10:]])), N)[0].n_rows == N
    with pytest.raises(PyodExplainError, match=r"got 0 sample\(s\)"):
        read_into_memory(as_source([pd.DataFrame({"a": []})]), 100)


def test_what_can_be_read_once_is_refused_as_soon_as_it_is_too_long(frame):
    given = []

    def chunks():
        for i in range(1_000):
            given.append(i)
            yield pd.concat([frame] * 20)  # more than a chunk

    with pytest.raises(PyodExplainError, match=r"can be read more than once, got the generator of chunks"):
        read_into_memory(as_source(chunks()), 150_000)
    assert len(given) < 5


def test_rows_with_high_keys_are_not_kept_where_the_number_of_rows_is_known(frame, tmp_path, monkeypatch):
    frame.to_parquet(tmp_path / "rows.parquet")
    monkeypatch.setattr(population, "MAX_NON_NORMAL", 400)
    source = as_source(tmp_path / "rows.parquet")
    labeler = ChunkLabeler("y", source, LocalEngine())
    found = read_population(source, labeler, sample=300, seed=0, engine=LocalEngine())
    assert found.outliers.source_rows.tolist() == read(frame, 333, sample=300).outliers.source_rows.tolist()
    for n_rows, sample in ((10**6, 1_000), (10**7, 310_000), (500_000, 1)):
        share = population._key_limit(n_rows, sample) / 2**64
        assert share == 1.0 or share * (n_rows - 400) >= sample + 10 * np.sqrt(sample)


def test_wide_tables_and_long_texts_have_smaller_samples(tmp_path):
    assert default_sample(10) > default_sample(1_000) >= 1_000
    assert default_sample(2, 5_000) < default_sample(2) / 10
    long = pd.DataFrame({"a": range(300), "t": [f"{i}" + "x" * 5_000 for i in range(300)]})
    long.to_parquet(tmp_path / "long.parquet")
    encoded = pa.table({"a": long.a, "t": pa.array(long.t).dictionary_encode()})
    for held in ([long.iloc[:0], long], lambda: iter([long]), tmp_path, pl.from_pandas(long).lazy(), [encoded]):
        assert as_source(held).long_bytes == pytest.approx(5_000, rel=0.01)
    assert as_source([long.assign(t="x")]).long_bytes == as_source(iter([long])).long_bytes == 0  # what is read once
