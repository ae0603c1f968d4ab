"""Spark DataFrames as a `Source`: each partition is counted where it is; nothing of Spark but its DataFrame is used."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from pyod_explain._progress import Step, silent
from pyod_explain._validate import optional
from pyod_explain.beyond_memory.engines import Kernel, Total, count_chunk, sum_totals
from pyod_explain.beyond_memory.source import Partition, Source
from pyod_explain.beyond_memory.streams import ChunkedSource
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import pyarrow

N_FIRST_ROWS = 4_096  # rows that tell how long texts are


class SparkSource(Source):
    """A DataFrame of Spark 4. Its rows have no order: they are numbered by partition, and as they come in each.

    Parameters
    ----------
    frame : the frame. It is computed anew in each pass, for the columns that are needed, unless it was cached.
    """

    ordered = False

    def __init__(self, frame: Any) -> None:
        self.frame, self.name = frame, "the Spark DataFrame"

    def read_schema(self) -> Any:
        return self._in_its_zone(self.frame.limit(0).toArrow()).schema

    @cached_property
    def lengths(self) -> dict[int, int]:
        """Number of rows in each partition that has some, as Spark itself counts them."""
        functions = optional("pyspark.sql.functions", "to read Spark DataFrames", extra="spark")
        by_partition = self.frame.groupBy(functions.spark_partition_id().alias("partition")).count()
        return {int(row[0]): int(row[1]) for row in by_partition.collect()}

    @cached_property
    def n_rows(self) -> int:
        return sum(self.lengths.values())

    def select(self, columns: list[str]) -> Any:
        """Give the frame with these columns alone."""
        return self.frame.select(*("`" + name.replace("`", "``") + "`" for name in columns))

    def first(self) -> Any:
        return self.select(self.columns).limit(N_FIRST_ROWS).toArrow()

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Give the rows here: for a frame that fits into memory."""
        yield from self._in_its_zone(self.select(columns).toArrow()).to_batches()

    def _in_its_zone(self, table: Any) -> Any:
        """Give moments in the zone of the session, as workers see them: what comes here is in UTC."""
        pa = pyarrow()
        zone = self.frame.sparkSession.conf.get("spark.sql.session.timeZone")
        zoned = {"timestamp[us, tz=UTC]": pa.timestamp("us", zone)}
        return table.cast(pa.schema([(one.name, zoned.get(str(one.type), one.type)) for one in table.schema]))


MAX_SUMS_FETCHED = 32  # sums that come back here as they are; more are added up by Spark first
MAX_READINGS = 3  # readings in which the partitions of a frame must turn out the same twice in a row
RESULT_SCHEMA = "total binary"  # the one column that tasks give
Mapped = Callable[[Iterable[Any]], Iterator[Any]]


class SparkEngine:
    """The workers of a Spark session.

    Parameters
    ----------
    session : the session.
    """

    def __init__(self, session: Any) -> None:
        self.session = session

    def total(self, kernel: Kernel[Any], source: Source, step: Step = silent) -> Total:
        """Give the sum, and the number of rows; the sum is None of no rows."""
        step("counting", 0.0)
        if isinstance(source, SparkSource):
            return self._of_frame(kernel, source)
        parts = source.parts(list(kernel.columns)) or []
        if not parts:
            return None, 0
        # A row for each part, and a task for each row.
        rows = [(i, pickle.dumps(part)) for i, part in enumerate(parts)]
        frame = self.session.createDataFrame(rows, "number long, part binary").coalesce(1).repartition(len(rows))
        mapped = frame.mapInArrow(CountParts(kernel), RESULT_SCHEMA)
        return sum_totals(total for total, _ in _collected(mapped, len(parts)))

    def _of_frame(self, kernel: Kernel[Any], source: SparkSource) -> Total:
        lengths = source.lengths
        frame = source.select(list(kernel.columns))
        for _ in range(MAX_READINGS):
            ordered = dict(sorted(lengths.items()))
            starts = dict(zip(ordered, accumulate(ordered.values(), initial=0), strict=False))
            sums = _collected(frame.mapInArrow(CountRows(kernel, starts), RESULT_SCHEMA), len(lengths))
            found = {number: n_rows for _, seen in sums for number, n_rows in seen.items()}
            if not kernel.asks_detector or found == lengths:
                return sum_totals(one for one, _ in sums)
            lengths = found  # of these columns Spark makes other partitions: the rows are numbered by these
        raise source.changed("had other partitions each time")


PartialSum = tuple[Total, dict[int, int]]  # a sum, and how many rows each partition had


def _collected(mapped: Any, n_tasks: int) -> list[PartialSum]:
    """Bring the sums here; of many tasks Spark adds them up first, so that few arrive."""
    if n_tasks > MAX_SUMS_FETCHED:
        mapped = mapped.repartition(math.isqrt(n_tasks)).mapInArrow(add_partial_sums, RESULT_SCHEMA)
    return _unpickled(row[0] for row in mapped.collect())


@dataclass(frozen=True, eq=False)
class CountRows:
    """Counts the rows of a partition, which come in small batches, in chunks as large as anywhere.

    Attributes
    ----------
    kernel : counts a chunk.
    starts : how many rows stand before each partition.
    """

    kernel: Kernel[Any]
    starts: dict[int, int]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        number = optional("pyspark", "to count on Spark", extra="spark").TaskContext.get().partitionId()
        parts = [Partition(ChunkedSource(batches), self.starts.get(number, 0))]
        yield _as_row(lambda: _count(self.kernel, parts, number))


@dataclass(frozen=True, eq=False)
class CountParts:
    """Counts parts of files, which come as bytes and are read here.

    Attributes
    ----------
    kernel : counts a chunk.
    """

    kernel: Kernel[Any]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        parts = (pickle.loads(one) for batch in batches for one in batch.column(1).to_pylist())  # noqa: S301 - our own
        yield _as_row(lambda: _count(self.kernel, parts))


def _count(kernel: Kernel[Any], parts: Iterable[Partition], number: int = -1) -> PartialSum:
    """Count parts of files, or the partition of this number."""
    total = sum_totals(
        count_chunk(kernel, chunk) for one in parts for chunk in one.held.chunks(kernel.columns, start=one.start)
    )
    return total, {number: total[1]} if total[1] else {}


def add_partial_sums(batches: Iterable[Any]) -> Iterator[Any]:
    """Add up what several tasks gave."""

    def add() -> PartialSum:
        sums = _unpickled(one for batch in batches for one in batch.column(0).to_pylist())
        return sum_totals(total for total, _ in sums), {number: n for _, seen in sums for number, n in seen.items()}

    yield _as_row(add)


def _unpickled(cells: Iterable[bytes]) -> list[PartialSum]:
    """Give the sums that tasks gave, or raise the error that one of them met."""
    found = [pickle.loads(one) for one in cells]  # noqa: S301 - our own
    for one in found:
        if isinstance(one, PyodExplainError):
            raise one
    return found


def _as_row(count: Callable[[], PartialSum]) -> Any:
    """Give a sum as a row; an error of ours in its place, since Spark would raise one of its own."""
    pa = pyarrow()
    try:
        found: PartialSum | PyodExplainError = count()
    except PyodExplainError as error:
        found = error
    return pa.RecordBatch.from_arrays([pa.array([pickle.dumps(found)], pa.binary())], names=["total"])
