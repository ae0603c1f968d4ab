"""Spark DataFrames as a `Source`: each partition is counted where it is; nothing of Spark but its DataFrame is used."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from pyod_explain._optional import optional
from pyod_explain.source.arrow_column import pyarrow
from pyod_explain.source.source import FIRST, Source

__all__ = ["SparkSource"]


class SparkSource(Source):
    """A DataFrame of Spark 4. Its rows have no order: they are numbered by partition, and as they come in each.

    Parameters
    ----------
    frame : the frame. It is computed anew in each pass, for the columns that are needed, unless it was cached.
    """

    ordered = False

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.name = "the Spark DataFrame"

    @cached_property
    def schema(self) -> Any:
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

    def first(self, columns: list[str]) -> Any:
        """Give some rows."""
        return self.select(columns).limit(FIRST).toArrow()

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Give the rows here: for a frame that fits into memory."""
        yield from self._in_its_zone(self.select(columns).toArrow()).to_batches()

    def _in_its_zone(self, table: Any) -> Any:
        """Give moments in the zone of the session, as workers see them: what comes here is in UTC."""
        pa = pyarrow()
        zone = self.frame.sparkSession.conf.get("spark.sql.session.timeZone")
        zoned = {"timestamp[us, tz=UTC]": pa.timestamp("us", zone)}
        fields = [(one.name, zoned.get(str(one.type), one.type)) for one in table.schema]
        return table.cast(pa.schema(fields))
