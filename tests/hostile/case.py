"""`Case`: one odd input, and what must come of it; and the usual table that odd things are put into."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

N, K = 60, 6  # rows, and outliers: the last ones
Y = np.array([0] * (N - K) + [1] * K)


@dataclass
class Case:
    """One odd input: what to pass, and what must come of it.

    `refused` is the argument that the error must name, or None if an explanation must come out. `labels` are the true
    labels of the rows, by which the counts are checked (-1: neither).
    """

    name: str
    make: Callable[[], dict[str, Any]]
    refused: str | None = None
    labels: Any = field(default_factory=lambda: Y)


def table(**columns: Any) -> pd.DataFrame:
    """Make the usual table: a number that tells the outliers, a category, and further columns."""
    rng = np.random.default_rng(0)
    amount = rng.normal(50, 5, N).round(2)
    amount[Y == 1] += 100
    return pd.DataFrame({"amount": amount, "kind": np.where(np.arange(N) % 3, "a", "b"), **columns})


def values() -> np.ndarray:
    return table()[["amount"]].assign(other=np.arange(N) % 5).to_numpy(dtype=float)


class Thing:
    """An object that hashes and compares by identity, and prints with its address."""


ZONE = "Europe/Berlin"
SUMMER = pd.date_range("2024-03-30 12:00", periods=N, freq="h", tz=ZONE)
HTML = "<script>alert('x')</script>&amp;"
SQL = "'; DROP TABLE users; --"


def split(normal: Any, outlier: Any) -> list[Any]:
    """List one value for every normal row and another for every outlier."""
    return [normal] * (N - K) + [outlier] * K
