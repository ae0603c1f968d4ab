"""What is kept of rows beyond memory: all outliers, and an even sample that depends on the seed alone."""

from __future__ import annotations

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
    SamplingKernel,
    as_source,
    build_population,
    dask,
    default_sample,
    hash_keys,
    population,
    raise_failure,
    read_into_memory,
    read_population,
    spark,
)

N = 5_000


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    marked = (rng.random(N) < 0.02).astype(int)
    return pd.DataFrame({"a": rng.normal(size=N) + 6 * marked, "k": rng.choice(["x", "y"], N), "y": marked})


def labeler(detector, source, **more):
    return ChunkLabeler(detector, source, **more)


def read(frame, size, detector="y", *, sample=600, seed=0, **more):
    source = as_source([frame.iloc[i : i + size] for i in range(0, len(frame), size)])
    return read_population(source, labeler(detector, source, **more), sample=sample, seed=seed)


@pytest.mark.parametrize("size", [1, 7, 1_000, N])
def test_what_is_kept_does_not_depend_on_the_chunks(size, frame):
    found, expected = read(frame, size), read(frame, 333)
    assert found.outliers.source_rows.tolist() == expected.outliers.source_rows.tolist()
    assert found.table["a"].values.tolist() == frame["a"].iloc[found.outliers.source_rows].tolist()
    assert found.table.index.tolist() == found.outliers.source_rows.tolist()


def test_all_outliers_are_kept_and_each_normal_stands_for_as_many(frame):
    found = read(frame, 333)
    assert found.outliers.source_rows[found.outliers.labels == 1].tolist() == np.flatnonzero(frame["y"]).tolist()
    assert (found.n_rows, found.n_normals) == (N, int((frame["y"] == 0).sum()))
    assert found.rows_per_sample == 16  # the first power of two that leaves at most 600
    assert found.n_sampled == found.n_normals // 16
    assert set(found.row_counts[found.outliers.labels == 0]) == {16}
    assert set(found.row_counts[found.outliers.labels == 1]) == {1}
    assert found.non_normal.batch.column("a").to_pylist() == frame["a"][frame["y"] == 1].tolist()


def test_all_normals_are_kept_if_there_are_no_more(frame):
    found = read(frame, 333, sample=N)
    assert found.rows_per_sample == 1
    assert found.outliers.source_rows.tolist() == list(range(N))


def test_other_seeds_draw_other_rows_evenly(frame):
    one, two = read(frame, 333, seed=1), read(frame, 333, seed=2)
    assert one.outliers.source_rows.tolist() != two.outliers.source_rows.tolist()
    keys = np.array([hash_keys(np.arange(1_000), seed) for seed in range(200)])
    drawn = np.argpartition(keys, 100, axis=1)[:, :100]
    times = np.bincount(drawn.ravel(), minlength=1_000)
    # 200 draws of a tenth: 20 of each row on average, with a standard deviation of 4.2.
    assert abs(times.mean() - 20) < 1e-9
    assert 0.8 < times.std() / np.sqrt(200 * 0.1 * 0.9) < 1.2
    assert np.abs(times - 20).max() < 6 * 4.3
    neighbours = np.corrcoef(times[:-1], times[1:])[0, 1]
    assert abs(neighbours) < 0.15


@pytest.mark.parametrize(
    ("labels", "outlying"),
    [([0, 0, 0, 1], 1), ([1, 1, 1, -1], -1), ([False, False, True, False], True), ([0.0, 0.0, 1.0, 0.0], 1.0)],
)
def test_labels_in_a_column_mean_what_they_mean_in_a_table(labels, outlying):
    frame = pd.DataFrame({"a": range(4), "y": labels})
    found = read(frame, 1)
    assert (
        found.outliers.source_rows[found.outliers.labels == 1].tolist() == frame.index[frame["y"] == outlying].tolist()
    )
    assert found.outliers.columns == ("y",)
    assert found.outliers.source == "Column 'y'"


def test_group_numbers_and_rejected_rows_are_kept():
    frame = pd.DataFrame({"a": range(8), "y": [0, 2, 0, 1, -2, 0, 0, 2]})
    found = read(frame, 3)
    assert found.outliers.numbers.tolist() == [0, 2, 0, 1, 0, 0, 0, 2]
    assert found.outliers.labels.tolist() == [0, 1, 0, 1, -1, 0, 0, 1]
    assert (found.n_rows, found.n_normals, found.non_normal.n_rows) == (8, 4, 4)


def test_a_detector_predicts_chunk_by_chunk(frame):
    columns = frame[["a"]].assign(b=np.cos(frame["a"]))
    pyod = ECOD(contamination=0.02).fit(columns.to_numpy()[:2_000])
    found = read(columns, 333, pyod)
    assert found.outliers.source == "ECOD"
    chosen = found.outliers.source_rows[found.outliers.labels == 1]
    assert len(chosen) > 0
    assert chosen.tolist() == np.flatnonzero(pyod.predict(columns.to_numpy())).tolist()  # one chunk of them all
    forest = IsolationForest(random_state=0, contamination=0.02).fit(columns[["a"]])
    found = read(columns, 333, forest)  # it knows the name of its column
    chosen = found.outliers.source_rows[found.outliers.labels == 1]
    assert chosen.tolist() == np.flatnonzero(forest.predict(columns[["a"]]) == -1).tolist()


def test_scores_and_labels_in_order(frame):
    by_score = read(frame, 333, None, scores="a", threshold=5.0)
    assert (
        by_score.outliers.source_rows[by_score.outliers.labels == 1].tolist() == np.flatnonzero(frame["a"] > 5).tolist()
    )
    assert by_score.outliers.columns == ("a",)
    labels = frame["y"].to_numpy()
    given = read(frame, 333, labels)
    assert given.outliers.source_rows.tolist() == read(frame, 333).outliers.source_rows.tolist()
    with pytest.raises(PyodExplainError, match=r"got 4,999 labels for at least 5,000 rows"):
        read(frame, 333, labels[:-1])
    with pytest.raises(PyodExplainError, match=r"got 5,001 labels for 5,000 rows"):
        read(frame, 333, np.append(labels, 0))
    with pytest.raises(PyodExplainError, match="an index of its own"):
        read(frame, 333, frame["y"].sample(frac=1))


@pytest.mark.parametrize(
    ("detector", "more", "words"),
    [
        ("no", {}, "`detector` must be a fitted detector, labels or the name of a column of `X`, got 'no'"),
        ("k", {}, "category values"),
        ("a", {}, "must be whole numbers"),
        (None, {}, "`detector` must be a fitted detector"),
        (None, {"scores": "a"}, "pass both `scores=` and `threshold=`"),
        (None, {"scores": "k", "threshold": 1}, "`scores` must be numbers"),
        (None, {"scores": "no", "threshold": 1}, "`scores` must be numbers"),
        (None, {"scores": [1, 2], "threshold": 1}, "must be the name of a column"),
    ],
)
def test_who_cannot_say(detector, more, words, frame):
    with pytest.raises(PyodExplainError, match=words):
        read(frame, 333, detector, **more)


def test_labels_with_gaps_are_refused():
    with pytest.raises(PyodExplainError, match="which has none in 2 of"):
        read(pd.DataFrame({"a": range(4), "y": [0, None, 1, None]}), 2)


def test_too_many_outliers_are_refused_while_reading(frame, monkeypatch):
    monkeypatch.setattr("pyod_explain.beyond_memory.population.MAX_NON_NORMAL", 1_000)
    many = frame.assign(y=np.tile([0, 1], N // 2))
    with pytest.raises(PyodExplainError, match=r"at most 1,000, got 2,500 of the first 5,000 rows"):
        read(many, 500)
    assert (read(many, 500, sample=3_000).outliers.labels == 1).sum() == N // 2


def test_chunks_may_be_read_in_any_order_and_by_anyone(frame):
    source = as_source([frame.iloc[i : i + 500] for i in range(0, N, 500)])
    who = labeler("y", source)
    kernel = pickle.loads(pickle.dumps(SamplingKernel(who, tuple(source.columns), 600, 0)))
    parts = [kernel(chunk) for chunk in source.chunks(source.columns, labels=True, rows=70)]
    parts = [parts[i] for i in np.random.default_rng(0).permutation(len(parts))]
    while len(parts) > 1:  # two by two, as an engine would
        parts = [sum(parts[i + 1 : i + 2], parts[i]) for i in range(0, len(parts), 2)]
    found, expected = build_population(parts[0], source, who), read(frame, 500)
    assert found.outliers.source_rows.tolist() == expected.outliers.source_rows.tolist()
    assert found.outliers.labels.tolist() == expected.outliers.labels.tolist()
    assert found.table["a"].values.tolist() == expected.table["a"].values.tolist()
    assert found.non_normal.batch.equals(expected.non_normal.batch)
    assert (found.n_rows, found.n_normals, found.rows_per_sample) == (
        expected.n_rows,
        expected.n_normals,
        expected.rows_per_sample,
    )


def test_infinite_cells_are_refused_while_reading_whoever_has_them(frame):
    with pytest.raises(PyodExplainError, match="Column 'a' of `X` must be finite, got 1 infinite value"):
        read(frame.assign(a=frame["a"].where(np.arange(N) != 4_321, np.inf)), 333, sample=10)
    far = frame.assign(when=pd.Timestamp("2020-01-01").as_unit("s")).astype({"when": "datetime64[s]"})
    far.loc[17, "when"] = pd.Timestamp("9999-12-31").as_unit("s")
    with pytest.raises(PyodExplainError, match="between the years 1678 and 2262"):
        read(far, 333, sample=10)


def test_rows_that_fit_are_read_as_a_whole(frame):
    source = as_source([frame.iloc[:10], frame.iloc[10:]])
    assert read_into_memory(source, N - 1) is None
    whole = read_into_memory(source, N)
    assert whole.table.index.tolist() == frame.index.tolist()
    pd.testing.assert_frame_equal(whole.frame, frame, check_dtype=False)
    once = as_source(iter([frame.iloc[:10], frame.iloc[10:]]))
    assert read_into_memory(once, N).table.n_rows == N


def test_what_can_be_read_once_is_refused_as_soon_as_it_is_too_long(frame):
    given = []

    def chunks():
        for i in range(1_000):
            given.append(i)
            yield pd.concat([frame] * 20)  # more than a chunk

    with pytest.raises(PyodExplainError, match=r"can be read more than once, got the generator of chunks"):
        read_into_memory(as_source(chunks()), 150_000)
    assert len(given) < 5
    reader = pa.Table.from_pandas(frame).to_reader(max_chunksize=100)
    with pytest.raises(PyodExplainError, match="got the RecordBatchReader"):
        read_into_memory(as_source(reader), 100)


def test_nothing_to_read():
    with pytest.raises(PyodExplainError, match=r"got 0 sample\(s\)"):
        read_into_memory(as_source([pd.DataFrame({"a": []})]), 100)


def test_wide_tables_have_smaller_samples():
    assert default_sample(10) > default_sample(1_000) >= 1_000


@pytest.mark.parametrize("shrunk", [1.0, 0.2])
def test_rows_whose_lots_are_too_high_are_never_kept_and_never_missed(shrunk, frame, tmp_path, monkeypatch):
    path = tmp_path / "rows.parquet"
    frame.to_parquet(path)
    source = as_source(path)
    expected = read(frame, 333, sample=300)
    seen = []

    def highest(n_rows, sample):
        seen.append(int(shrunk * usual(n_rows, sample)))
        return seen[-1]

    usual = population._key_limit
    monkeypatch.setattr(population, "MAX_NON_NORMAL", 400)
    monkeypatch.setattr(population, "_key_limit", highest)  # a fifth leaves too few: all rows are read again
    found = read_population(source, labeler("y", source), sample=300, seed=0)
    assert 0 < seen[0] < 2**63
    assert found.outliers.source_rows.tolist() == expected.outliers.source_rows.tolist()
    assert found.rows_per_sample == expected.rows_per_sample


def test_a_bound_on_lots_leaves_enough_rows():
    for n_rows, sample in ((10**6, 1_000), (10**7, 310_000), (500_000, 1)):
        share = population._key_limit(n_rows, sample) / 2**64
        fewest = n_rows - population.MAX_NON_NORMAL
        assert share == 1.0 or share * fewest >= sample + 10 * np.sqrt(sample)


@pytest.mark.parametrize("where", ["Dask", "Spark"])
def test_too_many_outliers_are_our_error_wherever_they_are_added_up(where, monkeypatch):
    """An error that is raised in a task of Spark would be tried again, and come back as Spark's own."""
    monkeypatch.setattr("pyod_explain.beyond_memory.population.MAX_NON_NORMAL", 5)
    source = as_source([pd.DataFrame({"a": range(4), "y": [1] * 4})])
    [chunk] = source.chunks(["a", "y"], labels=True)
    total = SamplingKernel(labeler("y", source), ("a",), 3, 0)(chunk), 4
    if where == "Dask":
        added = dask._add([total, total])
    else:
        rows = [spark._as_row((total, {i: 4})) for i in range(2)]
        [row] = spark.add_partial_sums(rows)
        added, _ = pickle.loads(row.column(0)[0].as_py())
    with pytest.raises(PyodExplainError, match="few enough rows to be kept in memory, at most 5, got 8"):
        raise_failure(added)


def test_long_texts_make_the_default_sample_smaller(tmp_path):
    long = pd.DataFrame({"a": range(300), "t": [f"{i}" + "x" * 5_000 for i in range(300)]})
    short = long.assign(t=long.t.str[:3])
    long.to_parquet(tmp_path / "long.parquet")
    encoded = pa.table({"a": long.a, "t": pa.array(long.t).dictionary_encode()})
    lazy = pl.from_pandas(long).lazy()
    for held in ([long], [long.iloc[:0], long], lambda: iter([long]), tmp_path / "long.parquet", lazy, [encoded]):
        source = as_source(held)
        assert source.long_bytes == pytest.approx(5_000, rel=0.01)
        assert source.long_bytes == source.long_bytes
    assert as_source([short]).long_bytes == 0
    assert as_source([short[["a"]]]).long_bytes == 0
    assert as_source([short.iloc[:0]]).long_bytes == 0
    assert as_source(iter([long])).long_bytes == 0  # of what is read once nobody knows
    assert default_sample(2, 5_000) < default_sample(2) / 10


def test_a_function_is_not_called_again_to_look_at_its_texts():
    calls = []

    def chunks():
        calls.append(1)
        return iter([pd.DataFrame({"t": ["text"] * 9})])

    source = as_source(chunks)
    _ = source.columns
    assert source.long_bytes == 0
    assert len(calls) == 1
