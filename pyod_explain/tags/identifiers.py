"""Which columns name the rows instead of describing them: rules about these would only learn the outliers by heart.

Nobody's labels are looked at, only the columns and their names, so that leaving one out favours no explanation.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._arrays import FloatArray
from pyod_explain.exceptions import Message, ParameterError
from pyod_explain.input import Column, Table, name_list
from pyod_explain.input.values import short_name
from pyod_explain.tags.items import check_column_names
from pyod_explain.tags.value_counts import are_whole

ID_WORDS = frozenset({"id", "uuid", "guid", "key", "nbr"})
# A moment or a rank may count up and is still a fact. So may an amount, which is just not likely to.
TIME_WORDS = frozenset(
    {"time", "timestamp", "ts", "date", "datetime", "epoch", "year", "month", "week", "day", "days", "hour", "hours"}
    | {"minute", "minutes", "second", "seconds", "ms", "duration", "age", "when", "at"}
)
QUANTITY_WORDS = TIME_WORDS | frozenset(
    {"rank", "ranking", "score", "percentile", "amount", "price", "cost", "fee", "value", "income", "salary", "balance"}
    | {"total", "sum", "count", "counts", "n", "num", "quantity", "qty", "volume", "size", "length", "len", "width"}
    | {"height", "depth", "weight", "distance", "speed", "rate", "ratio", "level", "temperature", "pressure", "bytes"}
)
MIN_CELLS = 30  # cells below which the values do not show it
MIN_DISTINCT_TEXTS = 0.9  # share of the cells of a text that are distinct, from which on it names rows
MIN_DISTINCT_IDS = 0.5  # the same if its name says so: a shop's number in a table of its sales is a category
MIN_FILLED = 0.9  # share of the places from the lowest to the highest that numbers that count up take
MIN_EQUAL_STEPS = 0.8  # share of their steps that are equal
MIN_CELLS_EVEN = 300  # cells from which on evenly spread numbers differ visibly from a bell or a slope
KOLMOGOROV_LIMIT = 1.36  # Kolmogorov's limit: of evenly drawn numbers, 5 percent stray further
MIN_EXPECTED_TIES = 7.0  # pairs that should have been equal, were the numbers drawn: 0.1 percent of draws have none


def choose_identifiers(
    asked: Any, table: Table, *, spared: Collection[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the names of the columns to leave out of rules and groups, and notes on them.

    Parameters
    ----------
    asked : `"auto"`, to look for them, or the names of the columns that are identifiers.
    table : the features.
    spared : names of columns that the user names elsewhere: these are never left out.

    Examples
    --------
    >>> from pyod_explain.input.read import as_table
    >>> table = as_table(pd.DataFrame({"ticket": range(40), "pay": ["card", "cash"] * 20}))
    >>> choose_identifiers("auto", table)[0]
    ('ticket',)
    """
    if not (isinstance(asked, str) and asked == "auto"):
        return _as_asked(asked, table, spared), ()
    found = {name: why for name, why in find_identifiers(table).items() if name not in spared}
    if not found:
        return (), ()
    each = [f"{short_name(name)!r} ({why})" for name, why in list(found.items())[:6]]
    listed = ", ".join(each) + (f" and {len(found) - len(each):,} more" if len(found) > len(each) else "")
    if len(found) == len(table.columns):
        return (), (f"All columns look like identifiers: {listed}. They are used, as there are no others.",)
    note = "Left out of the rules, as identifiers of rows: {columns}. To use them: {arg_id_columns:[]}."
    return tuple(found), (Message(note, {"columns": listed}),)


def find_identifiers(table: Table) -> Mapping[str, str]:
    """Tell which columns name the rows, by name and with the reason.

    Texts that are nearly all distinct; whole numbers that count up, or that are all distinct and evenly spread; and
    texts and whole numbers that are mostly distinct and whose name has the word id, uuid, guid, key or nbr. Never
    dates, numbers that are named as a moment, a rank or a quantity, and columns of fewer than 30 cells.
    """
    reasons = {name: _reason(column) for name, column in sorted(table.columns.items())}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def _as_asked(asked: Any, table: Table, spared: Collection[str]) -> tuple[str, ...]:
    check_column_names("explain()", "id_columns", asked, table)
    left_out = tuple(sorted(set(asked) - set(spared)))
    if table.columns and len(left_out) == len(table.columns):
        got = f"all of them: {name_list(list(left_out))}"
        raise ParameterError("id_columns", "some of the columns, not all", got_text=got, owner="explain()")
    return left_out


def _reason(column: Column) -> str | None:
    """Explain why a column names the rows; None if it does not."""
    if column.kind not in ("category", "number"):
        return None
    present = column.values[~column.missing]
    words = _words(column.name)
    if len(present) < MIN_CELLS or words & TIME_WORDS:
        return None
    if column.kind == "category":
        least = MIN_DISTINCT_IDS if words & ID_WORDS else MIN_DISTINCT_TEXTS
        is_time = isinstance(column.categories[0], dt.date | dt.time)
        return None if is_time else _distinct_enough(len(pd.unique(present)), len(present), least)
    if not are_whole(present):
        return None
    n_distinct = len(pd.unique(present))
    if n_distinct == len(present) and not words & QUANTITY_WORDS:
        ordered = _from_lowest(present)
        if _counts_up(ordered):
            return "it counts up"
        if _evenly_spread(ordered):
            return "all distinct, evenly spread"
    return _distinct_enough(n_distinct, len(present), MIN_DISTINCT_IDS) if words & ID_WORDS else None


def _distinct_enough(n_distinct: int, n_cells: int, least: float) -> str | None:
    if n_distinct < least * n_cells:
        return None
    return "all distinct" if n_distinct == n_cells else f"{n_distinct / n_cells:.0%} distinct"


def _words(name: str) -> set[str]:
    """Give the words of a name, in lower case: split at anything that is no letter or digit, or before a capital.

    >>> sorted(_words("customerID-hash")), sorted(_words("monkey_idle"))
    (['customer', 'hash', 'id'], ['idle', 'monkey'])
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return set(re.split(r"[\W_]+", spaced.lower()))


def _from_lowest(numbers: NDArray[Any]) -> FloatArray:
    """Give distinct numbers in order, as differences from the lowest: exact ones, as long as these are below 2**53."""
    ordered = np.sort(numbers)
    if ordered.dtype.kind == "i":  # whose differences may be too large for them
        ordered = ordered.astype(np.int64).view(np.uint64)
    return np.asarray((ordered - ordered[0]).astype(np.float64))


def _counts_up(ordered: FloatArray) -> bool:
    """Tell whether distinct numbers take nearly all places of a row of equal steps."""
    steps = np.diff(ordered)
    step = float(np.median(steps))
    if step <= 0 or (steps == step).mean() < MIN_EQUAL_STEPS:
        return False
    return bool(MIN_FILLED * ((ordered[-1] - ordered[0]) / step + 1) <= len(ordered))


def _evenly_spread(ordered: FloatArray) -> bool:
    """Tell whether distinct numbers stray from even steps no further than if drawn evenly (Kolmogorov and Smirnov).

    Of few numbers that says little; but numbers that were measured, and not given out, would repeat in a short range.
    """
    n, span = len(ordered), float(ordered[-1] - ordered[0])
    if not np.isfinite(span) or span <= 0 or (n < MIN_CELLS_EVEN and n * n / (2 * span) < MIN_EXPECTED_TIES):
        return False
    place = (ordered[1:-1] - ordered[0]) / span
    steps = np.arange(n - 1) / (n - 2)
    furthest = max(float(np.abs(place - steps[1:]).max()), float(np.abs(place - steps[:-1]).max()))
    return bool(furthest * np.sqrt(n - 2) <= KOLMOGOROV_LIMIT)
