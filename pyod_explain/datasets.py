"""Generated tables whose outliers have reasons that are known, because they were planted.

`make_pumps` has outliers that a detector finds. In `make_planted` each condition of a reason is common among the normal
rows, and only the conjunction separates the group: every column is drawn on its own; a row of group k gets cells that
satisfy reason k; wherever a row satisfies the reason of another group by chance, the cells of that reason are drawn
again.

>>> make_planted(n_rows=500, random_state=0).X.shape
(500, 10)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._arrays import IndexArray, IntArray
from pyod_explain._validate import check_int, check_number
from pyod_explain.exceptions import ParameterError
from pyod_explain.input import Column, Kind
from pyod_explain.tags import Condition, Tag

__all__ = ["Planted", "make_planted", "make_pumps"]

_OWNER = "make_planted"
_REFERENCE_ROWS = 4_000  # draws from which the cut points of the reasons are read
_MIN_SHARE, _MAX_SHARE = 0.08, 0.45  # of the rows that a category of a reason has
Draw = Callable[[np.random.Generator, int], NDArray[Any]]


@dataclass(frozen=True, eq=False, repr=False)
class Planted:
    """A table with planted outlier groups and the reason of each.

    Attributes
    ----------
    X : the features: floats and strings (with missing cells), integers and booleans (without).
    y : labels to hand to an explainer: 0 for normal rows, 1..K for the groups; noisy if noise was asked for.
    y_true : the labels before noise: row i has `reasons[k - 1]` exactly where `y_true[i] == k`.
    reasons : the true reason of each group, as a tag.

    Examples
    --------
    >>> from pyod_explain.datasets import make_planted
    >>> planted = make_planted(random_state=0)
    >>> planted
    Planted(2,000 rows x 10 columns, groups of 50, 50)
    >>> bool((planted.reasons[0].covers(planted.X) == (planted.y_true == 1)).all())
    True
    """

    X: pd.DataFrame
    y: IntArray
    y_true: IntArray
    reasons: tuple[Tag, ...]

    def __repr__(self) -> str:
        sizes = ", ".join(f"{size:,}" for size in np.bincount(self.y_true)[1:])
        return f"Planted({self.X.shape[0]:,} rows x {self.X.shape[1]} columns, groups of {sizes})"


def make_planted(
    n_rows: int = 2000,
    n_groups: int = 2,
    n_outliers: int | Sequence[int] | None = None,
    *,
    n_numeric: int = 6,
    n_categorical: int = 4,
    reason_length: int = 2,
    missing: float = 0.05,
    noise: float = 0.0,
    random_state: int = 0,
) -> Planted:
    """Make a table in which each group of outliers has one true reason, and no other row has it.

    Parameters
    ----------
    n_rows : rows of the table, outliers included.
    n_groups : number of groups of outliers.
    n_outliers : outliers in all groups together, shared out evenly (the first groups get one more where it does
        not divide); or a list with one number per group. None is 5 percent of the rows.
    n_numeric : columns of numbers; floats and integers take turns.
    n_categorical : columns of strings; every third is boolean.
    reason_length : conditions in each reason, 1 to 3, each on another column. No two reasons share a condition.
    missing : share of missing cells in each column of floats or strings; those of integers and booleans are
        complete. Above 0, "is missing" is a possible condition of a reason.
    noise : share of each group's labels in `y` that is wrong: that many of its outliers (rounded to the nearest
        whole number) are labelled 0, and as many normal rows, which satisfy no reason, get the group's label
        instead. Group sizes stay the same; `X`, `y_true` and `reasons` do not change with the noise.
    random_state : seed; the same arguments give the same table.

    Examples
    --------
    >>> data = make_planted(random_state=4)
    >>> data
    Planted(2,000 rows x 10 columns, groups of 50, 50)
    >>> print(data.reasons[0])
    age >= 70 and channel is 'shop'

    The reason covers its group and nothing else, though half of it is nothing special:

    >>> bool((data.reasons[0].covers(data.X) == (data.y == 1)).all())
    True
    >>> int((data.X["age"] >= 70).sum()), int((data.X["channel"] == "shop").sum())
    (273, 461)
    """
    n_rows = check_int(_OWNER, "n_rows", n_rows, low=2)
    n_groups = check_int(_OWNER, "n_groups", n_groups, low=1)
    sizes = _group_sizes(n_rows, n_groups, n_outliers)
    n_numeric = check_int(_OWNER, "n_numeric", n_numeric, low=0)
    n_categorical = check_int(_OWNER, "n_categorical", n_categorical, low=0)
    reason_length = check_int(_OWNER, "reason_length", reason_length, low=1, high=3)
    missing = check_number(_OWNER, "missing", missing, low=0, high=0.5)
    noise = check_number(_OWNER, "noise", noise, low=0, high=1, open_high=True)
    rng = np.random.default_rng(check_int(_OWNER, "random_state", random_state, low=0))

    sources = _make_sources(n_numeric, n_categorical, missing)
    reasons = _choose_reasons(sources, n_groups, reason_length, rng)
    y_true = rng.permutation(np.repeat(np.arange(n_groups + 1), [n_rows - sum(sizes), *sizes]))
    columns = _plant(sources, reasons, y_true, rng)
    X = pd.DataFrame({name: _cells_of(column) for name, column in columns.items()})
    return Planted(X, _with_noise(y_true, noise, rng), y_true, tuple(Tag.of(*reason) for reason in reasons))


def make_pumps(random_state: int = 0) -> Planted:
    """Make a week of readings of four pumps, generated, with three faults that a detector finds.

    A valve does not close (30 readings): water flows while a pump is idle. For two hours the voltage jumps (24). The
    cooling of P3 fails (24): it gets as hot as only P1 may be, which pumps hot water.

    Parameters
    ----------
    random_state : seed; the same seed gives the same table.

    Examples
    --------
    >>> pumps = make_pumps()
    >>> pumps
    Planted(2,016 rows x 6 columns, groups of 30, 24, 24)
    >>> for reason in pumps.reasons:
    ...     print(reason)
    flow >= 10 and mode is 'idle'
    2026-03-05 02:00:00 <= time <= 2026-03-05 03:55:00
    pump is 'P3' and temperature >= 70
    """
    rng = np.random.default_rng(check_int("make_pumps", "random_state", random_state, low=0))
    n, two_hours = 2016, (pd.Timestamp("2026-03-05 02:00"), pd.Timestamp("2026-03-05 03:55"))
    time = pd.Series(pd.date_range("2026-03-02", periods=n, freq="5min"))
    unstable = time.between(*two_hours)
    pump = rng.choice(["P1", "P2", "P3", "P4"], n)
    runs = rng.random(n) < 0.7
    flow = np.where(runs, 50, 1) * rng.uniform(0.9, 1.1, n)
    heat = np.where(runs, np.where(pump == "P1", 80, 45), 25) * rng.uniform(0.9, 1.1, n)
    volts = np.where(unstable, rng.choice([190, 210, 250, 270], n), 230) + rng.uniform(-4, 4, n)
    flow[rng.choice(np.flatnonzero(~runs & ~unstable), 30, replace=False)] = rng.uniform(12, 60, 30)
    heat[rng.choice(np.flatnonzero(runs & (pump == "P3") & ~unstable), 24, replace=False)] = rng.uniform(80, 110, 24)
    sensors = pd.DataFrame({"flow": flow, "temperature": heat, "voltage": volts}).round(1)
    X = pd.DataFrame({"time": time, "pump": pump, "mode": np.where(runs, "run", "idle"), **sensors})
    reasons = (
        Tag.of(Condition("mode", "==", "idle"), Condition("flow", ">=", 10)),
        Tag.of(Condition("time", "between", two_hours)),
        Tag.of(Condition("pump", "==", "P3"), Condition("temperature", ">=", 70)),
    )
    y = np.sum([number * reason.covers(X) for number, reason in enumerate(reasons, start=1)], axis=0)
    return Planted(X, y, y.copy(), reasons)


def _group_sizes(n_rows: int, n_groups: int, n_outliers: int | Sequence[int] | None) -> list[int]:
    if isinstance(n_outliers, Sequence | np.ndarray) and not isinstance(n_outliers, str | bytes):
        if len(n_outliers) != n_groups:
            raise ParameterError("n_outliers", f"a number, or {n_groups} of them", got=list(n_outliers), owner=_OWNER)
        sizes = [check_int(_OWNER, "n_outliers", size, low=1) for size in n_outliers]
    else:
        total = max(n_groups, n_rows // 20) if n_outliers is None else n_outliers
        total = check_int(_OWNER, "n_outliers", total, low=n_groups)
        sizes = [total // n_groups + (group < total % n_groups) for group in range(n_groups)]
    if sum(sizes) >= n_rows:
        raise ParameterError("n_outliers", f"fewer than the {n_rows:,} rows", got=sum(sizes), owner=_OWNER)
    return sizes


def _plant(
    sources: list[_Source], reasons: list[list[Condition]], groups: IntArray, rng: np.random.Generator
) -> dict[str, Column]:
    """Draw the cells, then again those of every reason that holds where it should not, until none does.

    Drawing again only what is violated ends fast (it is the algorithm of Moser and Tardos for the local lemma) and
    touches no other column.
    """
    columns = {source.name: source.cells(len(groups), rng) for source in sources}
    by_name = {source.name: source for source in sources}
    for group, reason in enumerate(reasons, start=1):
        rows = np.flatnonzero(groups == group)
        for condition in reason:
            [name] = condition.columns
            _put(columns[name], rows, by_name[name].cells_where(condition, len(rows), rng))
    suspects = np.arange(len(groups))
    while len(suspects):
        changed = []
        for group, reason in enumerate(reasons, start=1):
            rows = suspects[groups[suspects] != group]
            for condition in reason:
                [name] = condition.columns
                rows = rows[condition.holds(columns[name].take(rows))]
            # A row of another group never shares a column with a reason that it satisfies: conditions on one
            # column exclude each other. So all cells of the reason are free to be drawn again.
            for condition in reason:
                [name] = condition.columns
                _put(columns[name], rows, by_name[name].cells(len(rows), rng))
            changed.append(rows)
        suspects = np.unique(np.concatenate(changed))
    return columns


def _put(column: Column, rows: IndexArray, cells: Column) -> None:
    column.values[rows], column.missing[rows] = cells.values, cells.missing


def _cells_of(column: Column) -> NDArray[Any]:
    if column.kind == "number":
        return column.values
    if column.kind == "boolean":
        return np.asarray(column.values == 1)
    # code -1 is the last: missing
    return np.asarray(np.array([*column.categories, np.nan], dtype=object)[column.values])


def _with_noise(y_true: IntArray, noise: float, rng: np.random.Generator) -> IntArray:
    """Give the label of some outliers of each group to as many normal rows."""
    y = y_true.copy()
    normals = rng.permutation(np.flatnonzero(y_true == 0))
    used = 0
    for group in range(1, int(y_true.max()) + 1):
        rows = np.flatnonzero(y_true == group)
        wrong = round(noise * len(rows))
        if used + wrong > len(normals):
            raise ParameterError("noise", f"less: there are {len(normals):,} normal rows", got=noise, owner=_OWNER)
        y[rng.permutation(rows)[:wrong]] = 0
        y[normals[used : used + wrong]] = group
        used += wrong
    return y


def _choose_reasons(
    sources: list[_Source], n_groups: int, length: int, rng: np.random.Generator
) -> list[list[Condition]]:
    """Take columns in turn, a numeric and a categorical one, and from each a condition that no reason has yet.

    Conditions on one column exclude each other and a condition is used once, so no reason implies another.
    """
    numeric, categorical = ([s for s in sources if bool(s.categories) is kind] for kind in (False, True))
    for kind in (numeric, categorical):
        rng.shuffle(kind)
    turns = [s for s in chain.from_iterable(zip_longest(numeric, categorical)) if s is not None]
    unused = {source.name: _possible_conditions(source, rng) for source in turns}
    reasons: list[list[Condition]] = []
    for _ in range(n_groups):
        chosen = [source for source in turns if unused[source.name]][:length]
        if len(chosen) < length:
            most = f"at most {len(reasons)}, as {len(sources)} columns allow no more reasons of {length} conditions"
            raise ParameterError("n_groups", most, got=n_groups, hint="Raise `n_numeric`.", owner=_OWNER)
        reasons.append([])
        for source in chosen:
            reasons[-1].append(_next_condition(unused[source.name], reasons[-1]))
        turns = [source for source in turns if source not in chosen] + chosen
    return reasons


def _next_condition(unused: list[Condition], reason: list[Condition]) -> Condition:
    """Take the next condition of a column; where there is a choice, a reason has no more than one missing cell."""
    has_missing = any(condition.op == "missing" for condition in reason)
    return unused.pop(next((i for i, one in enumerate(unused) if not (has_missing and one.op == "missing")), 0))


def _possible_conditions(source: _Source, rng: np.random.Generator) -> list[Condition]:
    sample = source.cells(_REFERENCE_ROWS, rng)
    if source.categories:
        shares = np.bincount(sample.values[~sample.missing], minlength=len(source.categories)) / _REFERENCE_ROWS
        pairs = zip(source.categories, shares, strict=True)
        found = [Condition(source.name, "==", value) for value, share in pairs if _MIN_SHARE < share < _MAX_SHARE]
    else:
        found = _numeric_conditions(source.name, sample.values[~sample.missing], rng)
    if source.missing:
        found.append(Condition(source.name, "missing"))
    return [found[i] for i in rng.permutation(len(found))]


def _numeric_conditions(name: str, sample: NDArray[Any], rng: np.random.Generator) -> list[Condition]:
    """Offer both tails and an interval between them, each with some 10 to 20 percent of the values."""
    share = rng.uniform(0.1, 0.2, 3)
    start = rng.uniform(0.35, 0.5)
    high = _readable(sample, 1 - share[0], np.inf, share[0])
    low = _readable(sample, -np.inf, share[1], share[1])
    middle = _readable(sample, start, start + share[2], share[2])
    found = []
    if high is not None:
        found.append(Condition(name, ">=", high[0]))
    if low is not None:
        found.append(Condition(name, "<=", low[1]))
    if middle is not None and high is not None and low is not None and low[1] < middle[0] < middle[1] < high[0]:
        found.append(Condition(name, "between", middle))
    return found


def _readable(sample: NDArray[Any], low: float, high: float, share: float) -> tuple[float, float] | None:
    """Round the ends of a range of quantiles as far as it keeps about its share of the sample."""
    ends = [float(np.quantile(sample, q, method="nearest")) if np.isfinite(q) else q for q in (low, high)]
    for digits in range(1, 6):
        left, right = (_round(end, digits) for end in ends)
        if 0.7 * share <= float(((sample >= left) & (sample <= right)).mean()) <= 1.4 * share:
            return left, right
    return None  # too few distinct values for a range of this share


def _round(value: float, digits: int) -> float:
    """Round to significant digits; whole numbers come back as int, so that they print as 950 and not 950.0."""
    rounded = float(f"{value:.{digits}g}")  # an infinite one stays so
    return int(rounded) if rounded.is_integer() else rounded


@dataclass(frozen=True)
class _Source:
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


def _make_sources(n_numeric: int, n_categorical: int, missing: float) -> list[_Source]:
    """List the columns in order; past the last name they start again as amount_2, age_2, ..."""
    sources = []
    for i in range(n_numeric):
        name, draw = _NUMERIC[i % len(_NUMERIC)]
        sources.append(_Source(_numbered(name, i // len(_NUMERIC)), draw, missing if i % 2 == 0 else 0.0))
    for i in range(n_categorical):
        name, shares = _CATEGORICAL[i % len(_CATEGORICAL)]
        name, gaps = _numbered(name, i // len(_CATEGORICAL)), 0.0 if False in shares else missing
        sources.append(_Source(name, _codes(tuple(shares.values())), gaps, tuple(shares)))
    return sources


def _numbered(name: str, round_: int) -> str:
    return name if round_ == 0 else f"{name}_{round_ + 1}"
