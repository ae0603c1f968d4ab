"""Dask maps the kernels: what it adds up is what this process counts, whoever dies on the way."""

import itertools

import many_kinds
import pandas as pd
import pytest
from pyod.models.iforest import IForest

import pyod_explain as pe
from pyod_explain import Condition, PyodExplainError, Tag
from pyod_explain.beyond_memory import CountKernel, LocalEngine, SignatureKernel, as_source, choose_engine, files
from pyod_explain.exceptions import FileError

dask = pytest.importorskip("dask", reason="Dask is not installed")
distributed = pytest.importorskip("distributed", reason="Dask's distributed is not installed")
dd = pytest.importorskip("dask.dataframe", reason="Dask's DataFrame is not installed")
psutil = pytest.importorskip("psutil")

SAMPLE = 700
TAGS = (*many_kinds.TAGS, Tag.of(Condition("seen", ">=", pd.Timestamp("2023-11-20", tz="Europe/Berlin"))))


@pytest.fixture(scope="module")
def client():
    """Two processes of one thread each."""
    before = {one.pid for one in psutil.Process().children(recursive=True)}
    quiet = dask.config.set({"distributed.logging.distributed": "error"})
    with (
        quiet,
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs="CRITICAL"
        ) as cluster,
        distributed.Client(cluster) as one,
    ):
        yield one
    left = [one for one in psutil.Process().children(recursive=True) if one.pid not in before]
    left = [one for one in left if "resource_tracker" not in " ".join(one.cmdline())]  # Python's own, one a process
    assert not psutil.wait_procs(left, timeout=10)[1]


@pytest.fixture(scope="module")
def table():
    return many_kinds.table()


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    return many_kinds.write(table, tmp_path_factory.mktemp("rows"))


@pytest.fixture(scope="module")
def frames(table):
    """The chunks as pandas has them, whose labels are those of one frame."""
    whole, ends = table.to_pandas(), itertools.accumulate(many_kinds.SIZES, initial=0)
    return [whole.iloc[start:end] for start, end in itertools.pairwise(ends)]


@pytest.fixture(scope="module")
def lazy(frames):
    return lazily(frames)


def lazily(frames):
    """Give frames as partitions, whatever their sizes; Dask would make texts of decimals and dates."""
    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_map(lambda i: frames[i], range(len(frames)), meta=frames[0].iloc[:0])


@pytest.fixture(scope="module")
def sampled(folder):
    return pe.explain("y", pe.LargeTable(folder, sample=SAMPLE))


def test_the_workers_read_parquet_files_themselves(client, folder, sampled):
    stages = []
    found = pe.explain(
        "y", pe.LargeTable(folder, sample=SAMPLE, engine=client), progress=lambda *one: stages.append(one)
    )
    assert many_kinds.said(found) == many_kinds.said(sampled)
    assert found._origin.positions.tolist() == sampled._origin.positions.tolist()
    assert ("counting", 1.0) in stages
    assert any("sample" in note for note in found.notes)


def test_a_frame_of_dask_is_explained_as_the_same_rows(client, lazy, frames, table):
    expected = pe.explain("y", pe.LargeTable(frames, sample=SAMPLE))
    found = pe.explain("y", pe.LargeTable(lazy, sample=SAMPLE))
    assert many_kinds.said(found) == many_kinds.said(expected)
    assert found._origin.positions.tolist() == expected._origin.positions.tolist()
    for rule in found.rules:
        assert rule.n_normals == int(rule.tag.covers(table)[table.column("y").to_numpy() == 0].sum())


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_without_a_cluster_dask_does_it_here(scheduler, lazy, frames):
    with dask.config.set(scheduler=scheduler):
        whole = pe.explain("y", lazy)
        found = pe.explain("y", pe.LargeTable(lazy, sample=SAMPLE))
    assert whole == pe.explain("y", pd.concat(frames))
    assert found == pe.explain("y", pe.LargeTable(frames, sample=SAMPLE))


def test_a_detector_predicts_where_the_rows_are(client, frames):
    numbers = [frame[["price"]].assign(hour=frame["hour"].fillna(0).astype(float)) for frame in frames]
    detector = IForest(random_state=0, contamination=0.05).fit(numbers[0].to_numpy())
    found = pe.explain(detector, pe.LargeTable(lazily(numbers), sample=SAMPLE))
    assert found == pe.explain(detector, pe.LargeTable(numbers, sample=SAMPLE))
    assert detector.explanation_ is not None


@pytest.mark.parametrize("which", [CountKernel, SignatureKernel])
def test_files_in_pieces_count_as_whole_ones(which, client, folder, monkeypatch):
    monkeypatch.setattr(files, "ROWS_PER_TASK", 400)  # a piece for each row group of 300
    source, kernel = as_source(folder), which(TAGS)
    assert len(source.parts([])) > len(many_kinds.SIZES)
    found, n_rows = choose_engine(client, source).total(kernel, source)
    expected, n_expected = LocalEngine().total(kernel, source)
    assert n_rows == n_expected == many_kinds.N
    if which is CountKernel:
        assert found.tolist() == expected.tolist()
    else:
        assert found.words.tolist() == expected.words.tolist()
        assert found.counts.tolist() == expected.counts.tolist()


def test_a_worker_that_is_killed_loses_nothing_and_counts_nothing_twice(client, folder, tmp_path):
    source, kernel = as_source(folder), CountKernel(TAGS)
    dies = many_kinds.DiesOnce(kernel, 1_500, tmp_path / "died")
    found, n_rows = choose_engine(client, source).total(dies, source)
    assert dies.marker.exists()
    assert n_rows == many_kinds.N
    assert found.tolist() == LocalEngine().total(kernel, source)[0].tolist()


@pytest.mark.usefixtures("client")
def test_a_client_that_is_not_the_default_one_is_enough(frames, lazy):
    how = {"processes": False, "n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.Client(**how, set_as_default=False) as other:
        held = other.persist(lazy)
        assert pe.explain("y", pe.LargeTable(held, sample=SAMPLE, engine=other)) == pe.explain(
            "y", pe.LargeTable(frames, sample=SAMPLE)
        )
        assert pe.explain("y", pe.LargeTable(held, engine=other)) == pe.explain("y", frames)


def test_a_file_that_cannot_be_read_is_named(client, table, tmp_path):
    source = as_source(many_kinds.write(table, tmp_path))
    path = many_kinds.spoil(tmp_path)
    with pytest.raises(FileError, match=str(path)):
        choose_engine(client, source).total(CountKernel(TAGS), source)


def test_rows_are_scanned(client, lazy, frames, sampled):
    whole = pd.concat(frames)
    found = sampled.scan(lazy).read_all()
    assert [name for name in found.column_names if name in [*whole.columns, "group", "rule", "text"]][-3:] == [
        "group", "rule", "text"
    ]  # fmt: skip
    assert found["group"].to_pylist() == sampled.predict(whole).tolist()
    assert found["rule"].to_pylist() == sampled.scan(frames).read_all()["rule"].to_pylist()
    with pytest.raises(PyodExplainError, match="lacks the columns"):
        sampled.scan(lazy[["city"]])


@pytest.mark.parametrize("X", [pd.DataFrame({"a": [1, 2], "y": [0, 1]}), [pd.DataFrame({"a": [1, 2], "y": [0, 1]})]])
def test_rows_that_workers_cannot_read_are_refused(X, client):
    with pytest.raises(PyodExplainError, match=r"`engine` of LargeTable must be None for rows that its"):
        pe.explain("y", pe.LargeTable(X, engine=client))
