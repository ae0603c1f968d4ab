"""Spark maps the kernels: what it adds up is what this process counts, whoever dies on the way."""

import os
import shutil
import sys

import many_kinds
import numpy as np
import pyarrow as pa
import pytest
from pyod.models.iforest import IForest

import pyod_explain as pe
from pyod_explain import Condition, DatePart, PyodExplainError, Tag
from pyod_explain.beyond_memory import (
    ChunkLabeler,
    CountKernel,
    LocalEngine,
    SignatureKernel,
    as_source,
    choose_engine,
    population,
)
from pyod_explain.exceptions import FileError

sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed", exc_type=ImportError)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("java") is None and "JAVA_HOME" not in os.environ, reason="there is no Java"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

SAMPLE = 700
TAGS = (*many_kinds.TAGS, Tag.of(Condition(DatePart("seen", "hour"), "<", 12)))


@pytest.fixture(scope="module")
def spark():
    """Two threads of a Java process, which start Python workers; a task may fail four times."""
    settings = {
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # short work: compile little
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "Europe/Berlin",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))  # as workers need it
        builder = sql.SparkSession.builder.master("local[2, 4]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        context, java = session.sparkContext, session.sparkContext._gateway.proc
        yield session
        session.stop()
        type(context)._gateway = type(context)._jvm = None  # a worker may come back to this module
        # The Java process would live as long as this one.
        java.stdin.close()
        java.terminate()
        assert java.wait(20) is not None


@pytest.fixture(scope="module")
def table():
    """The rows as Spark has them: it knows no encoded texts."""
    whole = many_kinds.table()
    return whole.set_column(2, "shop", whole.column("shop").cast(pa.string()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return many_kinds.write(many_kinds.table(), tmp_path_factory.mktemp("rows"))


@pytest.fixture(scope="module")
def frame(spark, table):
    """Partitions of all sizes: empty ones, one of a single row, one without outliers."""
    lines = table.append_column("line", pa.array(np.arange(many_kinds.N)))
    chunks = [spark.createDataFrame(chunk).coalesce(1) for chunk in many_kinds.cut(lines) if chunk.num_rows]
    whole = chunks[0].where("line < 0")
    for chunk in chunks:
        whole = whole.union(chunk)
    return whole.drop("line")


@pytest.fixture(scope="module")
def sampled(table):
    return pe.explain("y", pe.LargeTable(table.to_batches(max_chunksize=500), sample=SAMPLE))


def test_the_workers_read_parquet_files_themselves(spark, folder):
    found = pe.explain("y", pe.LargeTable(folder, sample=SAMPLE, engine=spark))
    expected = pe.explain("y", pe.LargeTable(folder, sample=SAMPLE))
    assert many_kinds.said(found) == many_kinds.said(expected)
    assert found._origin.positions.tolist() == expected._origin.positions.tolist()


def test_a_frame_of_spark_is_explained_as_the_same_rows(frame, sampled, table):
    found = pe.explain("y", pe.LargeTable(frame, sample=SAMPLE))
    assert many_kinds.said(found) == many_kinds.said(sampled)
    assert found._origin.positions.tolist() == sampled._origin.positions.tolist()
    normal = table.column("y").to_numpy() == 0
    assert found.rules
    for rule in found.rules:
        assert rule.n_normals == int(rule.tag.covers(table)[normal].sum())


def test_what_fits_into_memory_is_read_as_a_whole(frame, table):
    assert pe.explain("y", frame) == pe.explain("y", table)


def test_sums_are_added_up_by_spark_where_there_are_many(spark, frame, folder, monkeypatch):
    monkeypatch.setattr("pyod_explain.beyond_memory.spark.MAX_SUMS_FETCHED", 3)
    source, kernel = as_source(folder), CountKernel(TAGS)
    found, n_rows = choose_engine(spark, source).total(kernel, source)
    assert n_rows == many_kinds.N
    assert found.tolist() == LocalEngine().total(kernel, source)[0].tolist()
    signed, n_rows = choose_engine(spark, as_source(frame)).total(SignatureKernel(TAGS), as_source(frame))
    expected, _ = LocalEngine().total(SignatureKernel(TAGS), source)
    assert n_rows == many_kinds.N
    assert signed.words.tolist() == expected.words.tolist()
    assert signed.counts.tolist() == expected.counts.tolist()


def test_rows_are_numbered_by_the_partitions_that_are_read(frame):
    source = as_source(frame)
    keep = keeps(source)
    source.__dict__["lengths"] = {0: 1_000, 1: 2_000}  # as Spark might part other columns of the same rows
    found, _ = choose_engine(None, source).total(keep, source)
    check_kept(found, LocalEngine().total(keep, source)[0])


def keeps(source):
    return population.SamplingKernel(ChunkLabeler("y", source, LocalEngine()), source, SAMPLE, 0)


def check_kept(found, expected):
    assert (found.n_rows, found.n_normals) == (expected.n_rows, expected.n_normals)
    for one, other in ((found.others, expected.others), (found.normals, expected.normals)):
        assert sorted(one[population.ROW].to_pylist()) == sorted(other[population.ROW].to_pylist())


def test_a_detector_predicts_where_the_rows_are(spark, table):
    numbers = pa.table({"price": table.column("price"), "new": table.column("new").cast(pa.int64())})
    detector = IForest(random_state=0, contamination=0.05).fit(numbers.to_pandas().to_numpy()[:700])
    frame = spark.createDataFrame(numbers).coalesce(1)
    found = pe.explain(detector, pe.LargeTable(frame, sample=SAMPLE))
    assert found == pe.explain(detector, pe.LargeTable(frame.toArrow().to_batches(), sample=SAMPLE))


def test_a_worker_that_is_killed_loses_nothing_and_counts_nothing_twice(spark, folder, frame, tmp_path):
    files, rows = as_source(folder), as_source(frame)
    kernel = CountKernel(TAGS)
    dies = many_kinds.DiesOnce(kernel, 1_500, tmp_path / "once")
    found, n_rows = choose_engine(spark, files).total(dies, files)
    assert dies.marker.exists()
    assert n_rows == many_kinds.N
    assert found.tolist() == LocalEngine().total(kernel, files)[0].tolist()
    keep = keeps(rows)
    dies = many_kinds.DiesOnce(keep, 1_500, tmp_path / "twice")
    found, _ = choose_engine(spark, rows).total(dies, rows)
    assert dies.marker.exists()
    check_kept(found, LocalEngine().total(keep, rows)[0])


def test_a_file_that_cannot_be_read_is_named(spark, table, tmp_path):
    source = as_source(many_kinds.write(table, tmp_path))
    path = many_kinds.spoil(tmp_path)
    with pytest.raises(FileError, match=str(path)):
        choose_engine(spark, source).total(CountKernel(TAGS), source)


def test_labels_in_an_order_are_refused(frame):
    with pytest.raises(PyodExplainError, match="whose rows have no order"):
        pe.explain([0, 1], frame)


def test_a_frame_that_changes_is_noticed(spark, frame):
    passes = []

    class Changing(type(as_source(frame))):
        def select(self, columns):
            passes.append(columns)
            chosen = super().select(columns)
            return chosen if len(passes) < 3 else chosen.union(chosen.limit(10))

    with pytest.raises(PyodExplainError, match=r"gave 3,000 rows at first and 3,010 later"):
        pe.explain("y", pe.LargeTable(Changing(frame), sample=SAMPLE), max_length=1, relations=False)
