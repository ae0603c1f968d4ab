"""Aggregated tables: the row counts of each row, and how many of these are outliers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pyod_explain._arrays import FloatArray, IndexArray, IntArray
from pyod_explain.exceptions import Message, ParameterError, shown
from pyod_explain.input.alignment import named_column, one_per_row
from pyod_explain.input.labels import Outliers
from pyod_explain.input.table import Column, Table
from pyod_explain.input.values import EXACT_UP_TO, distinct, list_values, plain_value

MAX_SHUFFLED_ROWS = 100_000  # up to which a draw is that of repeated rows; beyond, its cost depends on the table rows
MAX_HYPERGEOMETRIC = 10**9  # instances that numpy draws exactly from; of more a draw hardly changes what is left


def _read_counts(counts: Any, X: Any, table: Table, argument: str = "counts") -> tuple[IntArray, str | None]:
    """Read how many rows each row of a table stands for, and the column that this was read from, if any.

    Parameters
    ----------
    counts : the name of a column, or one whole number of 0 or more for each row.
    X : what was detected on.
    table : the features.
    argument : as what they were passed, for messages.
    """
    name = counts if isinstance(counts, str) else None
    if name is not None:
        column = named_column(name, X, table, argument)
        if column.kind != "number" or column.missing.any():
            gaps = " with gaps" if column.missing.any() else ""
            raise _no_counts(argument, f"the column {name!r} of kind {column.kind!r}{gaps}")
        values = column.values
    else:
        values = one_per_row(counts, table.n_rows, table.labels, argument)
    if values.dtype.kind not in "iuf":
        raise _no_counts(argument, list_values(distinct(values)))
    wrong = np.flatnonzero(~((values >= 0) & (values <= EXACT_UP_TO) & (values == np.floor(values))))  # NaN among them
    if len(wrong):
        raise _no_counts(argument, f"{_row(table, int(wrong[0]))} with {plain_value(values[wrong[0]])}")
    if float(values.astype(np.float64).sum()) > EXACT_UP_TO:
        raise ParameterError(argument, "numbers that add up to at most 2**53", got_text=f"{float(values.sum()):g}")
    return values.astype(np.int64), name


@dataclass(frozen=True, eq=False)
class AggregatedRows:
    """The row counts of a table.

    Attributes
    ----------
    row_counts : how many rows each of them is; None where each is one.
    outlier_counts : how many of these are outliers; None where labels say that.
    columns : columns that this was read from, which are no features.
    source : who says which are outliers, for the report; None where labels do.
    """

    row_counts: IntArray | None = None
    outlier_counts: IntArray | None = None
    columns: tuple[str, ...] = ()
    source: str | None = None

    @property
    def labels(self) -> IntArray:
        """1 for the rows that have an outlier among their row_counts."""
        return np.zeros(0, np.int64) if self.outlier_counts is None else (self.outlier_counts > 0).astype(np.int64)

    def join(self, table: Table, outliers: Outliers) -> tuple[Table, Outliers]:
        """Put the row counts into the table, and how many are outliers beside the labels."""
        if self.row_counts is None:
            return table, outliers
        source = outliers.source if self.source is None else self.source
        columns = (*outliers.columns, *self.columns)
        joined = replace(outliers, outlier_counts=self.outlier_counts, columns=columns, source=source)
        return replace(table, row_counts=self.row_counts), joined


def read_row_counts(
    counts: Any, outlier_counts: Any, X: Any, table: Table, detector: Any, argument: str = "detector"
) -> AggregatedRows:
    """Read the row counts of a table, and how many of them are outliers.

    Parameters
    ----------
    counts, outlier_counts : as for `explain`.
    X : what was detected on.
    table : the features.
    detector : who else says which rows are outliers: nobody, where `outlier_counts` do.
    argument : what the user calls that, for messages.
    """
    if outlier_counts is not None and (counts is None or detector is not None):
        got = "no `counts`" if counts is None else f"`{argument}` too"
        meaning = "of the rows that each row stands for so many are outliers"
        requirement = f"given with `counts`, and in place of `{argument}`: {meaning}"
        hint = "explain(X=X, counts=..., outlier_counts=...)."
        raise ParameterError("outlier_counts", requirement, got_text=got, hint=hint)
    if counts is None:
        return AggregatedRows()
    row_counts, name = _read_counts(counts, X, table)
    columns = () if name is None else (name,)
    if not row_counts.any():
        raise ParameterError("counts", "above 0 for some row", got_text="only zeros")
    if outlier_counts is None:
        return AggregatedRows(row_counts, None, columns)
    marked, other = _read_counts(outlier_counts, X, table, "outlier_counts")
    more = np.flatnonzero(marked > row_counts)
    if len(more):
        i = int(more[0])
        got = f"{marked[i]:,} outliers of {row_counts[i]:,} in {_row(table, i)}"
        hint = "pass the smaller of the two where a row may have more."
        raise ParameterError("outlier_counts", Message("at most {arg_counts} in each row"), got_text=got, hint=hint)
    if other is None:
        return AggregatedRows(row_counts, marked, columns, "The labelling")
    return AggregatedRows(row_counts, marked, (*columns, other), f"Column {other!r}")


@dataclass(frozen=True, eq=False)
class SplitTable:
    """An aggregated table as lines that are each either normal or outliers.

    Attributes
    ----------
    table : the lines, with their row counts; a row that counts outliers and normals is two of them.
    outliers : which lines are outliers.
    rows : which row of the table each line came from.
    """

    table: Table
    outliers: Outliers
    rows: IndexArray

    def spread(self, values: Any, table: Table, argument: str) -> Any:
        """Give what the user gave for each row of the table line by line, and anything else as it is."""
        is_single = isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__")
        if is_single or len(values) != table.n_rows:
            return values
        return one_per_row(values, table.n_rows, table.labels, argument)[self.rows]


def split_mixed_rows(table: Table, outliers: Outliers) -> SplitTable:
    """Split rows that count outliers and normals into two lines each; leave out rows that count 0.

    Parameters
    ----------
    table : has the row_counts.
    outliers : which rows are outliers, and how many of their row_counts where that is known.

    Examples
    --------
    >>> from pyod_explain.input import as_table
    >>> table = replace(as_table([[0.5], [1.5], [2.5]]), row_counts=np.array([4, 0, 3]))
    >>> outliers = Outliers(np.array([1, 0, 0]), "Column 'bad'", outlier_counts=np.array([1, 0, 0]))
    >>> lines = split_mixed_rows(table, outliers)
    >>> lines.rows.tolist(), lines.table.row_counts.tolist(), lines.outliers.labels.tolist()
    ([0, 0, 2], [3, 1, 3], [0, 1, 0])
    """
    row_counts = table.row_counts if table.row_counts is not None else np.ones(table.n_rows, dtype=np.int64)
    marked = outliers.outlier_counts
    marked = np.where(outliers.labels == 1, row_counts, 0) if marked is None else marked
    # The normal part of a row stands before its outliers: lines are in the order of the rows.
    pairs = np.stack([row_counts - marked, marked], axis=1)
    rows, part = np.nonzero(pairs)
    labels = np.where(part == 1, 1, np.minimum(outliers.labels[rows], 0))
    scores = None if outliers.scores is None else outliers.scores[rows]
    numbers = None if outliers.numbers is None else outliers.numbers[rows]
    notes = (*outliers.notes, _total_note(row_counts))
    found = replace(outliers, labels=labels, numbers=numbers, scores=scores, outlier_counts=None, notes=notes)
    found = replace(found, source_rows=rows, n_lines=table.n_rows)
    taken = table.take(rows)
    columns = {name: _drop_absent_categories(column) for name, column in taken.columns.items()}
    return SplitTable(replace(taken, columns=columns, row_counts=pairs[rows, part]), found, rows)


def _drop_absent_categories(column: Column) -> Column:
    """Drop the categories that occur only in rows that count 0."""
    present = np.unique(column.values[~column.missing])
    if column.kind != "category" or len(present) == len(column.categories):
        return column
    codes = np.where(column.missing, -1, np.searchsorted(present, column.values)).astype(np.int32)
    return replace(column, values=codes, categories=tuple(column.categories[i] for i in present))


def _total_note(row_counts: IntArray) -> str:
    empty = int((row_counts == 0).sum())
    verbs = "stands for none and was" if empty == 1 else "stand for none and were"
    left_out = f", of which {empty:,} {verbs} left out" if empty else ""
    lines = f"{len(row_counts):,} lines of the table{left_out}"
    return f"All figures count {int(row_counts.sum()):,} rows, which are {lines}."


def _row(table: Table, i: int) -> str:
    return f"row {shown(plain_value(table.index[i]))}"


def _no_counts(argument: str, got: str) -> ParameterError:
    requirement = Message("whole numbers of 0 or more, one for each row, or a column of {arg_X} that holds them")
    return ParameterError(argument, requirement, got_text=got)


QUARTILES = (0.25, 0.5, 0.75)
MAX_REPEATED_ROWS = 100_000  # numbers, up to which row_counts are written out: the result is the same to the last digit
QUARTILE_DISTANCE = 1.349  # of a normal distribution, in standard deviations


def robust_scale(numbers: FloatArray, row_counts: IntArray | None = None) -> tuple[float, float]:
    """Give the median, and by the quartiles what would be the standard deviation of normally distributed numbers.

    Where the quartiles are equal it is the standard deviation itself, and 1 where all numbers are.

    Parameters
    ----------
    numbers : at least one, none missing, and no two so far apart that their difference is infinite.
    row_counts : how often each of them counts; once if None.

    Examples
    --------
    >>> robust_scale(np.array([0.0, 0.0, 0.0, 0.0, 1000.0])), robust_scale(np.array([7.0, 7.0]))
    ((0.0, 400.0), (7.0, 1.0))
    """
    if row_counts is not None and row_counts.sum() <= MAX_REPEATED_ROWS:
        numbers, row_counts = np.repeat(numbers, row_counts), None
    if row_counts is None:
        low, middle, high = np.quantile(numbers, QUARTILES)
        # Sorted, for a sum of floats depends on their order.
        scale = float(high - low) / QUARTILE_DISTANCE or _deviation(np.sort(numbers)) or 1.0
        return float(middle), scale
    order = np.argsort(numbers, kind="stable")
    ordered, ends = numbers[order], np.cumsum(row_counts[order])
    low, middle, high = (_quantile(ordered, ends, q) for q in QUARTILES)
    scale = (high - low) / QUARTILE_DISTANCE or _deviation(ordered, row_counts[order]) or 1.0
    return middle, scale


def _quantile(ordered: FloatArray, ends: IntArray, q: float) -> float:
    """Give what `np.quantile` gives for numbers that are repeated, up to so many in all after each."""
    place = q * (int(ends[-1]) - 1)
    below = int(place)
    at = np.searchsorted(ends, [below, min(below + 1, int(ends[-1]) - 1)], side="right")
    return float(np.quantile(ordered[at], place - below))


def _deviation(ordered: FloatArray, row_counts: IntArray | None = None) -> float:
    """Give the standard deviation; 0 where all are equal, though their mean may be another number by its last digit."""
    if ordered[0] == ordered[-1]:
        return 0.0
    if row_counts is None:
        return float(np.std(ordered))
    middle = np.average(ordered, weights=row_counts)
    return float(np.sqrt(np.average((ordered - middle) ** 2, weights=row_counts)))


def draw_rows(row_counts: IntArray, n_drawn: int, random: np.random.Generator) -> IntArray:
    """Draw instances without replacement, and count those of each row.

    Parameters
    ----------
    row_counts : how many instances each row stands for.
    n_drawn : how many to draw.
    random : the generator.

    Examples
    --------
    >>> drawn = draw_rows(np.array([1, 0, 5]), 4, np.random.default_rng(0))
    >>> int(drawn.sum()), bool((drawn <= [1, 0, 5]).all())
    (4, True)
    """
    total = int(row_counts.sum())
    if total > MAX_SHUFFLED_ROWS:
        return _draw_of_many(row_counts, n_drawn, random)
    drawn = random.choice(total, size=n_drawn, replace=False)
    return np.bincount(np.repeat(np.arange(len(row_counts)), row_counts)[drawn], minlength=len(row_counts))


def random_partition(row_counts: IntArray, sizes: IntArray, random: np.random.Generator) -> IntArray:
    """Split all instances at random into parts of these sizes: counts by part (row) and row of the table (column).

    Parameters
    ----------
    row_counts : how many instances each row stands for.
    sizes : the size of each part; they add up to all instances.
    random : the generator.

    Examples
    --------
    >>> random_partition(np.array([3, 2]), np.array([4, 1]), np.random.default_rng(0)).sum(axis=0).tolist()
    [3, 2]
    """
    if row_counts.sum() > MAX_SHUFFLED_ROWS:
        return _partition_many(row_counts, sizes, random)
    part = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return _count_by_part(part, np.repeat(np.arange(len(row_counts)), row_counts), len(sizes), len(row_counts))


def partition_in_turn(row_counts: IntArray, n_parts: int, first: int, random: np.random.Generator) -> IntArray:
    """Shuffle all instances and give them to the parts in turn: counts by part (row) and row of the table (column).

    Parameters
    ----------
    row_counts : how many instances each row stands for.
    n_parts : number of parts.
    first : the part (0-based) that gets the first instance.
    random : the generator.

    Examples
    --------
    >>> partition_in_turn(np.array([3, 2]), 2, 1, np.random.default_rng(0)).sum(axis=1).tolist()
    [2, 3]
    """
    total = int(row_counts.sum())
    if total > MAX_SHUFFLED_ROWS:
        turns = (np.arange(n_parts) - first) % n_parts
        return _partition_many(row_counts, (total - turns + n_parts - 1) // n_parts, random)
    row = random.permutation(np.repeat(np.arange(len(row_counts)), row_counts))
    return _count_by_part((first + np.arange(total)) % n_parts, row, n_parts, len(row_counts))


def _count_by_part(part: IndexArray, row: IndexArray, n_parts: int, n_rows: int) -> IntArray:
    """Count the instances of each part and row."""
    return np.bincount(part * n_rows + row, minlength=n_parts * n_rows).reshape(n_parts, n_rows)


def _partition_many(row_counts: IntArray, sizes: IntArray, random: np.random.Generator) -> IntArray:
    left = row_counts.copy()
    parts = np.zeros((len(sizes), len(row_counts)), dtype=np.int64)
    for i, size in enumerate(sizes[:-1].tolist()):
        parts[i] = _draw_of_many(left, size, random)
        left -= parts[i]
    parts[-1] = left
    return parts


def _draw_of_many(row_counts: IntArray, n_drawn: int, random: np.random.Generator) -> IntArray:
    """Draw row by row: how many of its instances are among those still to be drawn from all that are left."""
    drawn = np.zeros(len(row_counts), dtype=np.int64)
    left, wanted = int(row_counts.sum()), n_drawn
    for i, count in enumerate(row_counts.tolist()):
        if not wanted:
            break
        if left <= MAX_HYPERGEOMETRIC:
            drawn[i] = random.hypergeometric(count, left - count, wanted)
        else:
            drawn[i] = min(max(int(random.binomial(wanted, count / left)), wanted - (left - count)), count)
        left, wanted = left - count, wanted - int(drawn[i])
    return drawn
