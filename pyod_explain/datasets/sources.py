"""Columns of a made-up table: their names, and where their cells come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.input import Column, Kind
from pyod_explain.tags import Condition

__all__ = ["Source", "make_sources"]

Draw = Callable[[np.random.Generator, int], NDArray[Any]]


@dataclass(frozen=True)
class Source:
    """One column of the table to be: its name, how its cells are drawn, and how many of them are missing."""

    name: str
    draw: Draw  # numbers, or codes into `categories`
    missing: float = 0.0
    categories: tuple[str | bool, ...] = ()

    def cells(self, n: int, rng: np.random.Generator) -> Column:
        values = self.draw(rng, n)
        gone = rng.random(n) < self.missing
        if not self.categories:
            if self.missing:
                values[gone] = np.nan
            return Column(self.name, "number", values, gone)
        kind: Kind = "boolean" if self.categories == (False, True) else "category"
        values[gone] = -1
        return Column(self.name, kind, values, gone, self.categories)

    def cells_where(self, condition: Condition, n: int, rng: np.random.Generator) -> Column:
        """Draw until n cells satisfy the condition; any other than `missing` holds for a fair share of the draws."""
        if condition.op == "missing":
            return replace(self, missing=1.0).cells(n, rng)
        draws = max(4 * n, 256)
        found: list[Column] = []
        while sum(len(part.missing) for part in found) < n:
            column = self.cells(draws, rng)
            found.append(column.take(np.flatnonzero(condition.holds(column))))
        values, gone = (np.concatenate([getattr(part, name) for part in found])[:n] for name in ("values", "missing"))
        return Column(self.name, found[0].kind, values, gone, self.categories)


def _floats(draw: Draw, decimals: int) -> Draw:
    return lambda rng, n: np.round(draw(rng, n), decimals)


def _integers(draw: Draw) -> Draw:
    return lambda rng, n: np.floor(draw(rng, n)).astype(np.int64)


def _codes(shares: tuple[float, ...]) -> Draw:
    ends = np.cumsum(shares)[:-1]
    return lambda rng, n: np.searchsorted(ends, rng.random(n), side="right").astype(np.int32)


_NUMERIC: tuple[tuple[str, Draw], ...] = (
    ("amount", _floats(lambda rng, n: rng.gamma(2.0, 250.0, n), 2)),
    ("age", _integers(lambda rng, n: rng.triangular(18, 40, 95, n))),
    ("balance", _floats(lambda rng, n: rng.normal(1500.0, 2000.0, n), 2)),
    ("hour", _integers(lambda rng, n: rng.triangular(0, 14, 24, n))),
    ("duration", _floats(lambda rng, n: rng.exponential(120.0, n), 1)),
    ("items", _integers(lambda rng, n: 1 + rng.poisson(9.0, n))),
    ("distance", _floats(lambda rng, n: 30.0 * rng.weibull(1.5, n), 1)),
    ("visits", _integers(lambda rng, n: rng.gamma(1.5, 12.0, n))),
)
_CATEGORICAL: tuple[tuple[str, dict[str | bool, float]], ...] = (
    ("channel", {"web": 0.45, "shop": 0.25, "phone": 0.18, "mail": 0.12}),
    ("country", {"France": 0.22, "Spain": 0.18, "Italy": 0.16, "Poland": 0.14, "Norway": 0.12,
                 "Chile": 0.09, "Kenya": 0.05, "Japan": 0.04}),
    ("member", {False: 0.65, True: 0.35}),
    ("payment", {"card": 0.5, "cash": 0.25, "transfer": 0.15, "voucher": 0.1}),
    ("job", {"clerk": 0.2, "nurse": 0.2, "driver": 0.15, "teacher": 0.15, "cook": 0.12, "farmer": 0.1,
             "pilot": 0.08}),
    ("abroad", {False: 0.75, True: 0.25}),
)  # fmt: skip


def make_sources(n_numeric: int, n_categorical: int, missing: float) -> list[Source]:
    """List the columns in order; past the last name they start again as amount_2, age_2, ..."""
    sources = []
    for i in range(n_numeric):
        name, draw = _NUMERIC[i % len(_NUMERIC)]
        sources.append(Source(_numbered(name, i // len(_NUMERIC)), draw, missing if i % 2 == 0 else 0.0))
    for i in range(n_categorical):
        name, shares = _CATEGORICAL[i % len(_CATEGORICAL)]
        gaps = 0.0 if False in shares else missing
        sources.append(
            Source(_numbered(name, i // len(_CATEGORICAL)), _codes(tuple(shares.values())), gaps, tuple(shares))
        )
    return sources


def _numbered(name: str, round_: int) -> str:
    return name if round_ == 0 else f"{name}_{round_ + 1}"
