"""A table of all kinds of columns with planted outliers, in chunks of all sizes: what engines are compared on."""

import os
import signal
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pyod_explain import Condition, Tag

N = 3_000
SIZES = (700, 0, 1, 499, 800, 999, 1)  # rows of each chunk; the one of 800 has no outlier
TAGS = (
    Tag.of(Condition("load", ">=", 80)),
    Tag.of(Condition("hour", "<", 5), Condition("shop", "!=", "south")),
    Tag.of(Condition("shop", "==", "only at the end")),
    Tag.of(Condition("hour", "missing")),
    Tag.of(Condition("load", "missing"), Condition("paid", "<", 50)),
)


def table() -> pa.Table:
    """Give the rows: gaps of both sorts, a shop that only the last chunk knows, decimals, dates with a zone."""
    random = np.random.default_rng(3)
    y = (random.random(N) < 0.04).astype(np.int64)
    y[1_200:2_000] = 0
    odd = y == 1
    load = np.where(odd & (np.arange(N) % 2 == 0), random.normal(95, 3, N), random.normal(50, 10, N))
    load[random.random(N) < 0.02] = np.nan
    hour = np.where(odd & (np.arange(N) % 2 == 1), 3, random.integers(4, 24, N))
    shop = random.choice(["north", "south", "east"], N).astype(object)
    shop[random.random(N) < 0.03] = None
    shop[-40:] = "only at the end"
    cents = random.integers(0, 10_000, N)
    seconds = 1_700_000_000 + random.integers(0, 10**6, N)
    return pa.table(
        {
            "load": pa.array(load, mask=random.random(N) < 0.02),
            "hour": pa.array(hour.astype(np.int32), mask=random.random(N) < 0.03),
            "shop": pa.array(shop.tolist(), pa.string()).dictionary_encode(),
            "city": pa.array(random.choice(["a", "b", "c"], N).tolist()),
            "price": pa.array(random.gamma(2, 30, N).astype(np.float32)),
            "paid": pa.array([Decimal(int(one)) / 100 for one in cents], pa.decimal128(9, 2)),
            "seen": pa.array(seconds, pa.int64()).cast(pa.timestamp("s")).cast(pa.timestamp("us", "Europe/Berlin")),
            "day": pa.array((seconds // 86_400).astype(np.int32)).cast(pa.date32()),
            "new": pa.array((random.random(N) < 0.5).tolist()),
            "y": pa.array(y),
        }
    )


def cut(whole: pa.Table) -> list[pa.Table]:
    """Give the rows in chunks: some empty, some of one row, one without outliers."""
    starts = np.cumsum([0, *SIZES])
    return [whole.slice(start, size) for start, size in zip(starts.tolist(), SIZES, strict=False)]


def write(whole: pa.Table, folder: Path) -> Path:
    """Write a file for each chunk."""
    for i, chunk in enumerate(cut(whole)):
        pq.write_table(chunk, folder / f"{i}.parquet", row_group_size=300)
    return folder


def spoil(folder: Path) -> Path:
    """Damage the cells of a file, not its footer."""
    path = folder / "5.parquet"
    octets = bytearray(path.read_bytes())
    octets[4 : len(octets) // 2] = bytes(len(octets) // 2 - 4)
    path.write_bytes(octets)
    return path


def said(explanation: Any) -> dict[str, Any]:
    """Everything that is said, but for how long it took."""
    return {
        key: value for key, value in explanation.to_dict().items() if key not in ("timings", "versions", "provenance")
    }


class DiesOnce:
    """A kernel whose process is killed when it comes to a certain row, the first time that anybody does."""

    def __init__(self, kernel: Any, row: int, marker: Path) -> None:
        self.kernel, self.row, self.marker = kernel, row, marker
        self.columns, self.asks_detector = kernel.columns, kernel.asks_detector

    def __call__(self, chunk: Any) -> Any:
        if chunk.start <= self.row < chunk.start + chunk.n_rows:
            try:
                os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return self.kernel(chunk)
            os.kill(os.getpid(), signal.SIGKILL)
        return self.kernel(chunk)
