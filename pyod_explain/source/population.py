"""`Population`: rows beyond memory, of which all outliers and an even sample of the normals are kept.

One pass finds the outliers and draws the sample. Whoever looks for rules works on what is kept; what holds of all rows
is counted by reading them again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._progress import Step, silent
from pyod_explain._validate import check_int
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Outliers, Table
from pyod_explain.source.arrow_column import arrow_table, check_cells
from pyod_explain.source.engine import Engine, InProcess
from pyod_explain.source.judge import Judge
from pyod_explain.source.sample import EVERY_LOT, Kept, Sample
from pyod_explain.source.source import Chunk, Source
from pyod_explain.source.whole_numbers import frame_with_all_digits

__all__ = [
    "MEMORY",
    "KeepRows",
    "Population",
    "Read",
    "Whole",
    "default_sample",
    "draw_rows",
    "put_together",
    "read_population",
    "read_whole",
]

MEMORY = 2**28  # bytes that the kept rows and the bits of the rules on them may take
CELL = 16  # bytes of a cell while it is searched
BITS = 640  # bytes of a row in the bits of 5,000 rules
FEWEST = 1_000  # rows of a sample, however many columns there are
MOST_APART = 400_000  # rows that are not normal, beyond which they are refused, unless the sample may be larger


def default_sample(n_columns: int, long_bytes: float = 0.0) -> int:
    """Give the number of rows that fit into 256 MB, with their bits in 5,000 rules.

    Parameters
    ----------
    n_columns : number of columns, of 16 bytes a cell.
    long_bytes : what longer texts take beyond that, in a row; twice, since more rows are held while some are drawn.

    Examples
    --------
    >>> default_sample(14), default_sample(100), default_sample(14, 9_000)
    (310689, 119837, 14230)
    """
    return max(int(MEMORY // (CELL * n_columns + BITS + 2 * long_bytes)), FEWEST)


@dataclass(frozen=True, eq=False)
class Whole:
    """All rows of a source that fits into memory.

    Attributes
    ----------
    table : the rows.
    frame : the same for detectors, which take frames.
    """

    table: Table
    frame: pd.DataFrame

    def as_fitted(self, detector: Any) -> pd.DataFrame:
        """Give the columns that a detector was fitted on, where it knows their names: as for rows beyond memory."""
        names = [str(name) for name in getattr(detector, "feature_names_in_", self.frame.columns)]
        return self.frame[names] if set(names) <= set(self.frame.columns) else self.frame


@dataclass(frozen=True, eq=False)
class Population:
    """Rows beyond memory: what is kept of them, and how many there are.

    Attributes
    ----------
    source : where they can be read again.
    table : the kept rows in the order of the source: all that are not normal, and a sample of those that are.
    outliers : which of these are outliers; `lines` has their numbers in the source.
    n_rows, n_normals : how many rows there are in all, and how many of them are normal.
    times : how many normal rows each one in the sample stands for; 1 where all of them were kept.
    apart : the rows that are not normal, as one chunk.
    sample : how many normal rows might be kept.
    """

    source: Source
    table: Table
    outliers: Outliers
    n_rows: int
    n_normals: int
    times: int
    apart: Chunk | None
    sample: int

    @property
    def n_sampled(self) -> int:
        """Number of normal rows in the sample."""
        return int((self.outliers.labels == 0).sum())

    @property
    def copies(self) -> NDArray[np.int64]:
        """How many rows each of the kept ones stands for while rules are looked for."""
        return np.where(self.outliers.labels == 0, self.times, 1)


def read_whole(source: Source, most: int) -> Whole | None:
    """Read all rows, if there are at most so many; None if there are more.

    Parameters
    ----------
    source : the rows.
    most : how many are read at most; of a source that can be read only once more are an error.
    """
    known = source.n_rows
    if known is not None and known > most and source.repeatable:
        return None
    kept = Kept()
    for chunk in source.chunks(source.columns, labels=True):
        if kept.n_rows + chunk.n_rows > most:
            if source.repeatable:
                return None
            raise PyodExplainError(
                f"`X` must be something that can be read more than once, got {source.name}, which cannot, and which "
                f"has more than the {most:,} rows that are read into memory as a whole.\nHint: pass a function that "
                "makes a new iterator, or write parquet files and pass their folder; or allow more rows in memory, "
                "`sample=`."
            )
        kept.add(chunk, np.arange(chunk.n_rows))
    if not kept.n_rows:
        raise PyodExplainError(
            f"`X` must have rows and columns, got 0 sample(s) in {source.name} while a minimum of 1 is required.\n"
            "Hint: check the filter or query that produced it."
        )
    cells, index, (numbers, *_) = kept.together()
    own = not index.equals(pd.Index(numbers)) or bool(source.index_columns)
    cells = cells.select(source.columns)
    table = arrow_table(cells, source.columns, index if own else None)
    return Whole(table, frame_with_all_digits(cells).set_axis(table.index, axis=0))


def draw_rows(source: Source, most: int, seed: int, step: Step = silent) -> Table:
    """Draw rows of a source evenly, at most so many, whoever they are: to fit a detector on.

    Parameters
    ----------
    source : the rows.
    most : how many at most.
    seed : of the draw.
    step : told the progress.
    """
    drawn, n_rows, known = Sample(most, seed), 0, source.n_rows
    for chunk in source.chunks(source.columns):
        step("detector", min(n_rows / known, 1.0) if known else 0.0)
        drawn.offer(chunk, np.arange(chunk.n_rows))
        n_rows += chunk.n_rows
    cells, _, _ = drawn.lowest(most).together()
    return arrow_table(cells, source.columns)


def read_population(
    source: Source, judge: Judge, *, sample: int, seed: int, engine: Engine | None = None, step: Step = silent
) -> Population:
    """Read all rows once: keep those that are not normal, draw a sample of the others, and count.

    Parameters
    ----------
    source : the rows, which can be read again.
    judge : says which are outliers.
    sample : normal rows to keep at most. Each stands for the same number of rows, a power of two, so up to half as
        many may be kept.
    seed : of the sample, which depends on nothing else but the numbers of the rows: not on how they come in chunks.
    engine : maps the kernel that keeps rows; this process if None.
    step : told the progress.
    """
    keep = KeepRows(judge, tuple(source.columns), check_int("explain()", "sample", sample, low=1), seed)
    engine = InProcess(source.n_rows) if engine is None else engine
    known = source.n_rows
    highest = EVERY_LOT if known is None else _highest_lot(known, sample)
    read = _read(replace(keep, highest=highest), source, engine, step)
    if highest < EVERY_LOT and read.normals.is_short:
        read = _read(keep, source, engine, step)
    judge.check(read.n_rows)
    return put_together(read, source, judge)


def _read(keep: KeepRows, source: Source, engine: Engine, step: Step) -> Read:
    read, _ = engine.total(keep, source, lambda _, done: step("reading", done))
    nothing = Read(Kept(), Sample(keep.sample, keep.seed))
    return nothing if read is None else nothing + read  # adding checks that it is not too much, of one chunk too


def _highest_lot(n_rows: int, sample: int) -> int:
    """Give a lot above which no row can be needed, so that none is kept or sent: ten standard errors of the sample.

    How many rows are normal is not known yet, but more others than may be kept are refused.
    """
    fewest = n_rows - max(sample, MOST_APART)
    wanted = sample + 10 * math.sqrt(sample) + 50
    return EVERY_LOT if wanted >= fewest else int(wanted / fewest * EVERY_LOT)


@dataclass(frozen=True, eq=False)
class Read:
    """What is kept of some rows; that of others adds up, in any order.

    Attributes
    ----------
    apart : the rows that are not normal.
    normals : the sample of those that are.
    n_rows : how many rows there were.
    """

    apart: Kept
    normals: Sample
    n_rows: int = 0

    def __add__(self, other: Read) -> Read:
        both = Read(self.apart + other.apart, self.normals + other.normals, self.n_rows + other.n_rows)
        most = max(self.normals.most, MOST_APART)
        if both.apart.n_rows > most:
            raise _too_many(both.apart.n_rows, both.n_rows, most)
        return both


@dataclass(frozen=True, eq=False)
class KeepRows:
    """A kernel: keeps of a chunk, which knows the numbers and labels of its rows, what a population is made of.

    Attributes
    ----------
    judge : says which rows are outliers.
    columns : columns to keep.
    sample, seed : as for `read_population`.
    highest : lot above which no normal row is kept.
    """

    labels: ClassVar[bool] = True
    threads: ClassVar[bool] = False  # detectors need not bear it

    judge: Judge
    columns: tuple[str, ...]
    sample: int
    seed: int
    highest: int = EVERY_LOT

    def __call__(self, chunk: Chunk) -> Read:
        for name in self.columns:
            check_cells(name, chunk.batch.column(name))
        read = Read(Kept(), Sample(self.sample, self.seed, self.highest), chunk.n_rows)
        labels, numbers = self.judge.labels(chunk)
        groups = labels if numbers is None else numbers
        rows = np.flatnonzero(labels != 0)
        read.apart.add(chunk, rows, np.zeros(len(rows), np.uint64), labels[rows], groups[rows])
        rows = np.flatnonzero(labels == 0)
        read.normals.offer(chunk, rows, labels[rows], groups[rows])
        return read


def put_together(read: Read, source: Source, judge: Judge) -> Population:
    """Make a population of what was kept of all rows.

    Parameters
    ----------
    read : what was kept.
    source : where the rows can be read again.
    judge : who said which are outliers.
    """
    normals, times = read.normals, read.normals.times
    kept = (read.apart + normals.lowest(normals.n_offered // times)).in_order()
    cells, index, (lines, _, labels, groups) = kept.together()
    own = bool(source.index_columns) or not index.equals(pd.Index(lines))
    named = bool((groups > 1).any())
    outliers = judge.outliers(labels, np.maximum(groups, 0) if named else None)
    others = read.apart.in_order().together()[0]
    return Population(
        source=source,
        table=replace(arrow_table(cells, source.columns, index), labelled=own),
        outliers=replace(outliers, lines=lines.astype(np.intp)),
        n_rows=read.n_rows,
        n_normals=normals.n_offered,
        times=times,
        apart=None if others is None else Chunk(_one_batch(others)),
        sample=normals.most,
    )


def _one_batch(cells: Any) -> Any:
    return cells.combine_chunks().to_batches()[0]


def _too_many(n_found: int, n_read: int, most: int) -> PyodExplainError:
    return PyodExplainError(
        f"`detector` must mark few enough rows to be kept in memory, at most {most:,}, got {n_found:,} of the first "
        f"{n_read:,} rows.\nHint: lower the detector's contamination, raise the threshold, or allow more rows in "
        "memory, `sample=`."
    )
