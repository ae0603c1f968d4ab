"""`OnSpark`: Spark maps the kernel over the partitions of a DataFrame, or over a DataFrame of parts of files.

Only DataFrames and `mapInArrow` are used, no `sparkContext` and no RDD, which managed Spark does not offer. A task
gives one row of bytes; one that Spark repeats, because its worker died, gives it again, and only one of them counts.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pyod_explain._optional import optional
from pyod_explain._progress import Step
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.source import (
    ChunkedSource,
    Kernel,
    Part,
    Source,
    SparkSource,
    Total,
    add_there,
    add_up,
    attempt,
    checked,
    pyarrow,
)

__all__ = ["OnSpark"]

FEW = 32  # sums that come back here as they are; more are added up by Spark first
TIMES = 3  # readings in which the partitions of a frame must turn out the same twice in a row
BYTES = "said binary"  # the one column that tasks give
Mapped = Callable[[Iterable[Any]], Iterator[Any]]


class OnSpark:
    """The workers of a Spark session.

    Parameters
    ----------
    session : the session.
    """

    def __init__(self, session: Any) -> None:
        self.session = session

    def total(self, kernel: Kernel[Any], source: Source, step: Step) -> Total:
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
        mapped = frame.mapInArrow(CountParts(kernel), BYTES)
        return checked(add_up(total for total, _ in _collected(mapped, len(parts))))

    def _of_frame(self, kernel: Kernel[Any], source: SparkSource) -> Total:
        lengths = source.lengths
        frame = source.select(list(kernel.columns))
        for _ in range(TIMES):
            counted = frame.mapInArrow(CountRows(kernel, _starts(lengths)), BYTES)
            told = _collected(counted, len(lengths))
            total = checked(add_up(one for one, _ in told))
            found = {number: n_rows for _, seen in told for number, n_rows in seen.items()}
            if not kernel.labels or found == lengths:
                return total
            lengths = found  # of these columns Spark makes other partitions: the rows are numbered by these
        raise PyodExplainError(
            f"`X` must give the same rows each time it is read, but {source.name} had other partitions each time.\n"
            "Hint: cache() it, or write it to parquet files first, and explain these."
        )


def _starts(lengths: dict[int, int]) -> dict[int, int]:
    """Tell how many rows stand before each partition."""
    start, found = 0, {}
    for number in sorted(lengths):
        found[number] = start
        start += lengths[number]
    return found


Told = tuple[Total, dict[int, int]]  # a sum, and how many rows each partition had


def _collected(mapped: Any, n_tasks: int) -> list[Told]:
    """Bring the sums here; of many tasks Spark adds them up first, so that few arrive."""
    if n_tasks > FEW:
        mapped = mapped.repartition(math.isqrt(n_tasks)).mapInArrow(add_told, BYTES)
    return [pickle.loads(row[0]) for row in mapped.collect()]  # noqa: S301 - our own


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
        rows = iter(batches)
        first = next(rows, None)
        if first is None:
            yield _as_row(((None, 0), {}))
            return
        source = ChunkedSource(_and_the_rest(first, rows))
        part = Part(source, self.starts.get(number, 0))
        total = attempt(self.kernel, part.chunks(source, self.kernel.columns, labels=self.kernel.labels))
        yield _as_row((total, {number: total[1]} if total[1] else {}))


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
        yield _as_row((add_there(self._count(part) for part in parts), {}))

    def _count(self, part: Part) -> Total:
        return attempt(self.kernel, part.chunks(part.held, self.kernel.columns, labels=self.kernel.labels))


def add_told(batches: Iterable[Any]) -> Iterator[Any]:
    """Add up what several tasks gave."""
    said = (one for batch in batches for one in batch.column(0).to_pylist())
    told: list[Told] = [pickle.loads(one) for one in said]  # noqa: S301 - our own
    lengths = {number: n for _, seen in told for number, n in seen.items()}
    yield _as_row((add_there(total for total, _ in told), lengths))


def _as_row(told: Told) -> Any:
    pa = pyarrow()
    return pa.RecordBatch.from_arrays([pa.array([pickle.dumps(told)], pa.binary())], names=["said"])


def _and_the_rest(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest
