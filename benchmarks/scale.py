"""Rows beyond memory: what counting them costs beside a bare numpy kernel, and how time and memory grow with the rows.

All figures are ratios of the same run, on files that are written to a temporary folder and removed:

    python benchmarks/scale.py                 # 1, 3 and 10 million rows: some minutes, 1 GB of disk
    python benchmarks/scale.py --rows 300000   # one size, in a hurry
    python benchmarks/scale.py --rows 3000000 --steps bare --engines   # Dask and Spark beside the bare kernel

Each step runs in a process of its own, so that peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from harness.processes import run_alone
from harness.timing import peak_memory

MILLION = 1_000_000
PART = 500_000  # rows a file
N_TAGS = 2_000
KINDS = [f"kind {i}" for i in range(12)]


def part(random, n_rows):
    """Some rows of 14 columns; one in two thousand is an outlier of one of two kinds."""
    columns = {f"x{i}": random.normal(size=n_rows) for i in range(7)}
    columns["price"] = random.gamma(2.0, 30.0, n_rows).astype(np.float32)
    columns["count"] = random.poisson(20, n_rows)
    columns["hour"] = random.integers(0, 24, n_rows).astype(np.int8)
    kind, shop = random.integers(0, 12, n_rows), random.integers(0, 40, n_rows)
    odd = random.random(n_rows) < 0.0005
    one, two = odd & (random.random(n_rows) < 0.6), odd
    two = two & ~one
    columns["x0"][one] = random.normal(5, 0.5, one.sum())
    kind[one] = 3
    columns["price"][two] = random.normal(800, 50, two.sum())
    columns["hour"][two] = 3
    gaps = random.random(n_rows) < 0.02
    return pa.table(
        {
            **{name: pa.array(cells, mask=gaps if name == "x6" else None) for name, cells in columns.items()},
            "kind": pa.DictionaryArray.from_arrays(kind.astype(np.int8), KINDS),
            "shop": pa.DictionaryArray.from_arrays(shop.astype(np.int8), [f"shop {i}" for i in range(40)]),
            "paid": random.random(n_rows) < 0.8,
            "seen": pa.array(random.integers(1_600_000_000, 1_700_000_000, n_rows), pa.int64()).cast(pa.timestamp("s")),
            "y": odd.astype(np.int8),
        }
    )


def write(folder, n_rows):
    """Write the rows, a file at a time."""
    random = np.random.default_rng(0)
    for i, start in enumerate(range(0, n_rows, PART)):
        pq.write_table(part(random, min(PART, n_rows - start)), folder / f"{i:03}.parquet", row_group_size=65_536)


def some_tags():
    """Two thousand tags of one to three conditions, of the columns without times."""
    from pyod_explain import Condition, Tag

    random = np.random.default_rng(1)
    conditions = [Condition(f"x{i}", op, float(edge)) for i in range(7) for op in (">=", "<") for edge in EDGES]
    conditions += [Condition("price", ">=", float(edge)) for edge in (10, 50, 100, 200, 400)]
    conditions += [Condition("hour", "<", edge) for edge in (3, 6, 12, 18)]
    conditions += [Condition("count", ">", edge) for edge in (10, 20, 30)]
    conditions += [Condition("kind", "==", kind) for kind in KINDS]
    found = {}
    while len(found) < N_TAGS:
        chosen = random.choice(len(conditions), random.integers(1, 4), replace=False)
        found[Tag.of(*(conditions[i] for i in chosen))] = None
    return tuple(found)


EDGES = np.linspace(-3, 3, 13)
BARE = {">=": np.greater_equal, "<": np.less, ">": np.greater, "==": np.equal}


def bare(folder):
    """Count the tags with numpy alone, on the same chunks, knowing of each column what it holds."""
    from pyod_explain.beyond_memory import as_source

    tags = some_tags()
    conditions = list({c: None for tag in tags for c in tag.sorted})
    place = {c: i for i, c in enumerate(conditions)}
    members = np.array([[*(place[c] for c in t.sorted), *[len(place)] * (3 - len(t))] for t in tags])
    names = list(dict.fromkeys(c.column for c in conditions))
    counts = np.zeros(len(tags), dtype=np.int64)
    for chunk in as_source(folder).chunks(names):
        rows = np.zeros((len(conditions) + 1, 8 * -(-chunk.n_rows // 64)), dtype=np.uint8)
        used = -(-chunk.n_rows // 8)
        cells = {}
        for name in names:
            column = chunk.batch.column(name)
            if name == "kind":
                codes = {text: i for i, text in enumerate(column.dictionary.to_pylist())}
                column = column.indices
            cells[name] = column.to_numpy(zero_copy_only=False)
        for i, one in enumerate(conditions):
            value = codes.get(one.value, -1) if one.column == "kind" else one.value
            rows[i, :used] = np.packbits(BARE[one.op](cells[one.column], value), bitorder="little")
        rows[-1, :used] = np.packbits(np.ones(chunk.n_rows, dtype=bool), bitorder="little")
        words = rows.view(np.uint64)
        for start in range(0, len(tags), 32):
            block = members[start : start + 32]
            both = words[block[:, 0]] & words[block[:, 1]] & words[block[:, 2]]
            counts[start : start + 32] += np.bitwise_count(both).sum(axis=1, dtype=np.int64)
    return counts


def kernel(folder):
    """Count the tags as the package does."""
    from pyod_explain.beyond_memory import CountKernel, LocalEngine, as_source

    return LocalEngine().total(CountKernel(some_tags()), as_source(folder))[0]


def reading(folder):
    """Read the columns that a detector needs, and predict with IForest: what explaining is compared with."""
    from pyod_explain.beyond_memory import as_source

    detector, names = forest(folder)
    found = 0
    for chunk in as_source(folder).chunks(names):
        found += int(detector.predict(np.nan_to_num(chunk.batch.to_pandas().to_numpy(dtype=float))).sum())
    return found


def forest(folder):
    from pyod.models.iforest import IForest

    from pyod_explain.beyond_memory import as_source

    source = as_source(folder)
    names = [name for name in source.columns if name.startswith("x") or name in ("price", "count", "hour")]
    first = next(iter(source.chunks(names))).batch.to_pandas().to_numpy(dtype=float)
    return IForest(random_state=0, contamination=0.001).fit(np.nan_to_num(first)), names


class Filled:
    """A step that fills gaps, as IForest needs it."""

    def __init__(self, names):
        self.feature_names_in_ = np.array(names, dtype=object)

    def transform(self, frame):
        return np.nan_to_num(frame.to_numpy(dtype=float))


def explain_detector(folder):
    """Predict with IForest and explain."""
    from sklearn.pipeline import Pipeline

    import pyod_explain as pe
    from pyod_explain.beyond_memory import SelectedSource, as_source

    detector, names = forest(folder)
    pipeline = Pipeline([("fill", Filled(names)), ("detector", detector)])
    source = as_source(folder)
    found = pe.explain(pipeline, SelectedSource(source, set(source.columns) - {"y"}))
    return {
        "timings": dict(found.summary.timings),
        "rules": len(found.rules),
        "rows": found.n_rows,
        "gain": found.share_saved,
    }


def explain_labels(folder):
    """Explain labels in a column."""
    import pyod_explain as pe

    found = pe.explain("y", folder)
    return {
        "timings": dict(found.summary.timings),
        "rules": len(found.rules),
        "rows": found.n_rows,
        "gain": found.share_saved,
    }


def counted(engine, source):
    """Count the tags on an engine, whose workers have all counted before: the counts, and the seconds."""
    from pyod_explain._progress import silent
    from pyod_explain.beyond_memory import CountKernel

    kernel = CountKernel(some_tags())
    engine.total(kernel, source, silent)
    begun = time.perf_counter()
    found, _ = engine.total(kernel, source, silent)
    return {"counts": found.tolist(), "seconds": time.perf_counter() - begun}


def bare_again(folder):
    """The bare kernel in a process that has counted before, as the workers of the engines have."""
    bare(folder)
    begun = time.perf_counter()
    found = bare(folder)
    return {"counts": found.tolist(), "seconds": time.perf_counter() - begun}


def dask_files(folder):
    """Two processes of Dask, of one thread each, read the files themselves."""
    import distributed

    from pyod_explain.beyond_memory import as_source, choose_engine

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        source = as_source(folder)
        return counted(choose_engine(client, source), source)


def spark_session():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    return SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()


def spark_files(folder):
    """Two workers of Spark read the files themselves."""
    from pyod_explain.beyond_memory import as_source, choose_engine

    spark, source = spark_session(), as_source(folder)
    found = counted(choose_engine(spark, source), source)
    spark.stop()
    return found


def spark_frame(folder):
    """Spark reads the files, and hands its rows to two Python workers."""
    from pyod_explain.beyond_memory import as_source, choose_engine

    spark = spark_session()
    source = as_source(spark.read.parquet(str(folder)))
    assert source.n_rows  # not part of what is compared: each explanation counts them once
    found = counted(choose_engine(spark, source), source)
    spark.stop()
    return found


ENGINES = {"bare_again": bare_again, "dask_files": dask_files, "spark_files": spark_files, "spark_frame": spark_frame}
STEPS = {
    "bare": bare,
    "kernel": kernel,
    "reading": reading,
    "explain_detector": explain_detector,
    "explain_labels": explain_labels,
}
ALL = {**STEPS, **ENGINES}


def run(step, folder):
    """Run a step in a process of its own: what it gave, and what it cost."""
    return run_alone(__file__, "--step", step, "--folder", str(folder))


def measure(step, folder):
    """Run a step here, and print what it cost as JSON."""
    import pyod_explain  # noqa: F401 - not part of what is measured

    begun, before = time.perf_counter(), time.process_time()
    found = ALL[step](folder)
    cost = {"wall": time.perf_counter() - begun, "cpu": time.process_time() - before}
    cost["peak"] = peak_memory() / 2**20
    cost["found"] = found.tolist() if isinstance(found, np.ndarray) else found
    if step in ENGINES:  # the start of the cluster is not what is measured
        cost["found"], cost["wall"] = found["counts"], found["seconds"]
    print(json.dumps(cost))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="*", default=[MILLION, 3 * MILLION, 10 * MILLION])
    parser.add_argument("--steps", nargs="*", choices=STEPS, default=list(STEPS))
    parser.add_argument("--engines", action="store_true", help="count on Dask and Spark, too")
    parser.add_argument("--step", choices=ALL, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        measure(options.step, options.folder)
        return
    found = {}
    for n_rows in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), n_rows)
            for step in [*options.steps, *(ENGINES if options.engines else [])]:
                found[step, n_rows] = one = run(step, folder)
                said = "" if step in ("bare", "kernel", *ENGINES) else one["found"]
                print(f"{n_rows:>11,} rows  {step:<17} {one['wall']:7.1f} s  {one['cpu']:7.1f} s CPU  "
                      f"{one['peak']:6.0f} MB  {said}", flush=True)  # fmt: skip
        report(found, n_rows, options.rows[0])


def report(found, n_rows, first):
    """Print the ratios that are promised."""
    one = {step: cost for (step, rows), cost in found.items() if rows == n_rows}
    if {"bare", "kernel"} <= one.keys():
        assert one["bare"]["found"] == one["kernel"]["found"]
        print(f"  counting, CPU beside bare numpy: {one['kernel']['cpu'] / one['bare']['cpu']:.2f}")
    for engine in ENGINES:
        if engine in one:
            assert one["bare_again"]["found"] == one[engine]["found"]
            print(f"  {engine}, wall beside bare numpy: {one[engine]['wall'] / one['bare_again']['wall']:.2f}")
    if {"reading", "explain_detector"} <= one.keys():
        ratios = [one["explain_detector"][what] / one["reading"][what] for what in ("wall", "cpu")]
        print(f"  explain beside reading and predicting: {ratios[0]:.2f} (CPU {ratios[1]:.2f})")
    for step, cost in one.items():
        if n_rows != first:
            linear = cost["cpu"] / found[step, first]["cpu"] / (n_rows / first)
            print(
                f"  {step}: {linear:.2f} times linear (CPU), peak {cost['peak'] / found[step, first]['peak']:.2f} times"
            )


if __name__ == "__main__":
    main()
