"""`Sample`: some rows of a stream, drawn evenly, that do not depend on how the rows come in chunks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._progress import Step, silent
from pyod_explain._validate import check_int
from pyod_explain.beyond_memory.engines import Engine, LocalEngine
from pyod_explain.beyond_memory.labels import ChunkLabeler
from pyod_explain.beyond_memory.source import Chunk, Source, without_dictionaries
from pyod_explain.exceptions import ParameterError, PyodExplainError
from pyod_explain.input import HASH_MULTIPLIER, Outliers, Table, arrow_table, check_cells, frame_from_arrow, pyarrow

MAX_KEY = 2**64 - 1  # the highest there is
MIXER_1, MIXER_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def hash_keys(rows: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """Give each row of a stream its key, by its number and the seed: the lowest are drawn.

    The mixer of splitmix64, one to one on 64 bits, so that no two rows draw the same key.

    >>> hash_keys(np.array([0, 1]), 0).tolist() == hash_keys(np.arange(2), 0).tolist()
    True
    """
    with np.errstate(over="ignore"):
        keys = (rows.astype(np.uint64) + np.uint64(1)) * HASH_MULTIPLIER + np.uint64(seed % 2**64) * MIXER_2
        keys = (keys ^ (keys >> np.uint64(30))) * MIXER_1
        keys = (keys ^ (keys >> np.uint64(27))) * MIXER_2
    return np.asarray(keys ^ (keys >> np.uint64(31)))


class RowBuffer:
    """Rows of a stream that are kept: their cells, numbers, labels and whatever else there is a number of for each."""

    def __init__(self) -> None:
        self._batches: list[Any] = []
        self._index: list[pd.Index[Any]] = []
        self._others: list[tuple[NDArray[Any], ...]] = []
        self.n_rows = 0

    def add(self, chunk: Chunk, rows: NDArray[np.intp], *others: NDArray[Any]) -> None:
        """Keep these rows of a chunk, and what is told of each."""
        if not len(rows):
            return
        # Each chunk has a dictionary of its own, which may be larger than what is kept.
        self._batches.append(without_dictionaries(chunk.batch.take(pyarrow().array(rows))))
        self._index.append(pd.Index(rows + chunk.start) if chunk.index is None else chunk.index[rows])
        self._others.append((rows.astype(np.int64) + chunk.start, *others))
        self.n_rows += len(rows)

    def take(self, rows: NDArray[np.intp]) -> RowBuffer:
        """Keep some of these rows only."""
        taken = RowBuffer()
        cells, index, others = self.together()
        if cells is not None and len(rows):
            taken._batches = [cells.take(pyarrow().array(rows))]
            taken._index = [index[rows]]
            taken._others = [tuple(one[rows] for one in others)]
            taken.n_rows = len(rows)
        return taken

    def __add__(self, other: RowBuffer) -> RowBuffer:
        """Keep the rows of both."""
        both = RowBuffer()
        both._batches = [*self._batches, *other._batches]
        both._index = [*self._index, *other._index]
        both._others = [*self._others, *other._others]
        both.n_rows = self.n_rows + other.n_rows
        return both

    def in_order(self) -> RowBuffer:
        """Give the rows in the order of their numbers."""
        return self.take(np.argsort(self.together()[2][0], kind="stable")) if self.n_rows else self

    def together(self) -> tuple[Any, pd.Index[Any], tuple[NDArray[Any], ...]]:
        """Give the cells as one Arrow table (None if there are no rows), the labels, and what is told of each row."""
        if not self._batches:
            return None, pd.Index([]), ()
        pa = pyarrow()
        tables = [one if isinstance(one, pa.Table) else pa.Table.from_batches([one]) for one in self._batches]
        try:
            plain = [one.replace_schema_metadata(None) for one in tables]
            cells = pa.concat_tables(plain, promote_options="permissive")
        except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
            raise PyodExplainError(
                f"All chunks of `X` must have one type for each column, got several that do not go together: {error}",
                hint="give the column the same type in every chunk.",
            ) from error
        index = self._index[0] if len(self._index) == 1 else self._index[0].append(self._index[1:])
        others = tuple(np.concatenate(parts) for parts in zip(*self._others, strict=True))
        self._batches, self._index, self._others = [cells.combine_chunks()], [index], [others]
        return self._batches[0], index, others


class Sample:
    """The rows with the lowest keys among all that were offered.

    Parameters
    ----------
    most : how many at most.
    seed : of the keys.
    highest : key above which no row is kept.
    """

    def __init__(self, most: int, seed: int, highest: int = MAX_KEY) -> None:
        self.most, self.seed = most, seed
        self.n_offered = 0
        self._kept = RowBuffer()
        self._limit = np.uint64(highest)  # no key above it can be among the lowest any more

    @property
    def rows_per_sample(self) -> int:
        """How many rows each one in the sample stands for: the first power of two that leaves few enough."""
        rows_per_sample = 1
        while self.n_offered // rows_per_sample > self.most:
            rows_per_sample *= 2
        return rows_per_sample

    @property
    def is_short(self) -> bool:
        """True if rows are missing that should be in the sample, because too few keys were looked at."""
        return self._kept.n_rows < self.n_offered // self.rows_per_sample

    def offer(self, chunk: Chunk, rows: NDArray[np.intp], *others: NDArray[Any]) -> None:
        """Draw among some rows of a chunk, too."""
        self.n_offered += len(rows)
        keys = hash_keys(rows.astype(np.int64) + chunk.start, self.seed)
        low = keys <= self._limit
        self._kept.add(chunk, rows[low], keys[low], *(one[low] for one in others))
        self._cut()

    def __add__(self, other: Sample) -> Sample:
        """Draw among the rows of both."""
        both = Sample(self.most, self.seed)
        both.n_offered = self.n_offered + other.n_offered
        both._limit = min(self._limit, other._limit)
        both._kept = self._kept + other._kept
        both._cut()
        return both

    def _cut(self) -> None:
        if self._kept.n_rows > 2 * self.most:
            self._kept = self.lowest(self.most)
            self._limit = self._kept.together()[2][1].max()

    def lowest(self, n_rows: int) -> RowBuffer:
        """Give so many of the rows, those with the lowest keys, in the order of the stream."""
        if n_rows >= self._kept.n_rows:
            return self._kept
        keys = self._kept.together()[2][1]
        return self._kept.take(np.sort(np.argpartition(keys, n_rows)[:n_rows]) if n_rows else np.empty(0, np.intp))


SAMPLE_BYTES = 2**28  # bytes that the kept rows and the bits of the rules on them may take
BYTES_PER_CELL = 16  # bytes of a cell while it is searched
BYTES_PER_ROW = 640  # bytes of a row in the bits of 5,000 rules
MIN_SAMPLE = 1_000  # rows of a sample, however many columns there are
MAX_NON_NORMAL = 400_000  # rows that are not normal, beyond which they are refused, unless the sample may be larger


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
    return max(int(SAMPLE_BYTES // (BYTES_PER_CELL * n_columns + BYTES_PER_ROW + 2 * long_bytes)), MIN_SAMPLE)


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
    outliers : which of these are outliers; `source_rows` has their numbers in the source.
    n_rows, n_normals : how many rows there are in all, and how many of them are normal.
    rows_per_sample : how many normal rows each one in the sample stands for; 1 where all of them were kept.
    non_normal : the rows that are not normal, as one chunk.
    sample : how many normal rows might be kept.
    """

    source: Source
    table: Table
    outliers: Outliers
    n_rows: int
    n_normals: int
    rows_per_sample: int
    non_normal: Chunk | None
    sample: int

    @property
    def n_sampled(self) -> int:
        """Number of normal rows in the sample."""
        return int((self.outliers.labels == 0).sum())

    @property
    def row_counts(self) -> NDArray[np.int64]:
        """How many rows each of the kept ones stands for while rules are looked for."""
        return np.where(self.outliers.labels == 0, self.rows_per_sample, 1)


def read_into_memory(source: Source, most: int) -> Whole | None:
    """Read all rows, if there are at most so many; None if there are more.

    Parameters
    ----------
    source : the rows.
    most : how many are read at most; of a source that can be read only once more are an error.
    """
    known = source.n_rows
    if known is not None and known > most and source.repeatable:
        return None
    kept = RowBuffer()
    for chunk in source.chunks(source.columns, labels=True):
        if kept.n_rows + chunk.n_rows > most:
            if source.repeatable:
                return None
            raise PyodExplainError(
                f"`X` must be something that can be read more than once, got {source.name}, which cannot, and which "
                f"has more than the {most:,} rows that are read into memory as a whole.",
                hint="pass a function that makes a new iterator, or write parquet files and pass their folder; or "
                "allow more rows in memory, LargeTable(X, sample=...).",
            )
        kept.add(chunk, np.arange(chunk.n_rows))
    if not kept.n_rows:
        raise PyodExplainError(
            f"`X` must have rows and columns, got 0 sample(s) in {source.name} while a minimum of 1 is required.",
            hint="check the filter or query that produced it.",
        )
    cells, index, (numbers, *_) = kept.together()
    own = not index.equals(pd.Index(numbers)) or bool(source.index_columns)
    cells = cells.select(source.columns)
    table = arrow_table(cells, source.columns, index if own else None)
    return Whole(table, frame_from_arrow(cells).set_axis(table.index, axis=0))


def draw_sample(source: Source, most: int, seed: int, step: Step = silent) -> Table:
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
    source: Source, labeler: ChunkLabeler, *, sample: int, seed: int, engine: Engine | None = None, step: Step = silent
) -> Population:
    """Read all rows once: keep those that are not normal, draw a sample of the others, and count.

    Parameters
    ----------
    source : the rows, which can be read again.
    labeler : says which are outliers.
    sample : normal rows to keep at most. Each stands for the same number of rows, a power of two, so up to half as
        many may be kept.
    seed : of the sample, which depends on nothing else but the numbers of the rows: not on how they come in chunks.
    engine : maps the kernel that keeps rows; this process if None.
    step : told the progress.
    """
    keep = SamplingKernel(labeler, tuple(source.columns), check_int("explain()", "sample", sample, low=1), seed)
    engine = LocalEngine(source.n_rows) if engine is None else engine
    known = source.n_rows
    highest = MAX_KEY if known is None else _key_limit(known, sample)
    read = _read(replace(keep, highest=highest), source, engine, step)
    if highest < MAX_KEY and read.normals.is_short:
        read = _read(keep, source, engine, step)
    labeler.check_length(read.n_rows)
    return build_population(read, source, labeler)


def _read(keep: SamplingKernel, source: Source, engine: Engine, step: Step) -> SampledRows:
    read, _ = engine.total(keep, source, lambda _, done: step("reading", done))
    nothing = SampledRows(RowBuffer(), Sample(keep.sample, keep.seed))
    return nothing if read is None else nothing + read  # adding checks that it is not too much, of one chunk too


def _key_limit(n_rows: int, sample: int) -> int:
    """Give a key above which no row can be needed, so that none is kept or sent: ten standard errors of the sample.

    How many rows are normal is not known yet, but more others than may be kept are refused.
    """
    fewest = n_rows - max(sample, MAX_NON_NORMAL)
    wanted = sample + 10 * math.sqrt(sample) + 50
    return MAX_KEY if wanted >= fewest else int(wanted / fewest * MAX_KEY)


@dataclass(frozen=True, eq=False)
class SampledRows:
    """What is kept of some rows; that of others adds up, in any order.

    Attributes
    ----------
    non_normal : the rows that are not normal.
    normals : the sample of those that are.
    n_rows : how many rows there were.
    """

    non_normal: RowBuffer
    normals: Sample
    n_rows: int = 0

    def __add__(self, other: SampledRows) -> SampledRows:
        both = SampledRows(self.non_normal + other.non_normal, self.normals + other.normals, self.n_rows + other.n_rows)
        most = max(self.normals.most, MAX_NON_NORMAL)
        if both.non_normal.n_rows > most:
            raise _too_many(both.non_normal.n_rows, both.n_rows, most)
        return both


@dataclass(frozen=True, eq=False)
class SamplingKernel:
    """A kernel: keeps of a chunk, which knows the numbers and labels of its rows, what a population is made of.

    Attributes
    ----------
    labeler : says which rows are outliers.
    columns : columns to keep.
    sample, seed : as for `read_population`.
    highest : key above which no normal row is kept.
    """

    labels: ClassVar[bool] = True
    threads: ClassVar[bool] = False  # detectors need not bear it

    labeler: ChunkLabeler
    columns: tuple[str, ...]
    sample: int
    seed: int
    highest: int = MAX_KEY

    def __call__(self, chunk: Chunk) -> SampledRows:
        for name in self.columns:
            check_cells(name, chunk.batch.column(name))
        read = SampledRows(RowBuffer(), Sample(self.sample, self.seed, self.highest), chunk.n_rows)
        found = self.labeler.read(chunk)
        labels, numbers = found.labels, found.numbers
        groups = labels if numbers is None else numbers
        rows = np.flatnonzero(labels != 0)
        read.non_normal.add(chunk, rows, np.zeros(len(rows), np.uint64), labels[rows], groups[rows])
        rows = np.flatnonzero(labels == 0)
        read.normals.offer(chunk, rows, labels[rows], groups[rows])
        return read


def build_population(read: SampledRows, source: Source, labeler: ChunkLabeler) -> Population:
    """Make a population of what was kept of all rows.

    Parameters
    ----------
    read : what was kept.
    source : where the rows can be read again.
    labeler : who said which are outliers.
    """
    normals, rows_per_sample = read.normals, read.normals.rows_per_sample
    kept = (read.non_normal + normals.lowest(normals.n_offered // rows_per_sample)).in_order()
    cells, index, (lines, _, labels, groups) = kept.together()
    own = bool(source.index_columns) or not index.equals(pd.Index(lines))
    named = bool((groups > 1).any())
    outliers = labeler.reader.outliers(labels, np.maximum(groups, 0) if named else None)
    others = read.non_normal.in_order().together()[0]
    return Population(
        source=source,
        table=replace(arrow_table(cells, source.columns, index), labelled=own),
        outliers=replace(outliers, source_rows=lines.astype(np.intp)),
        n_rows=read.n_rows,
        n_normals=normals.n_offered,
        rows_per_sample=rows_per_sample,
        non_normal=None if others is None else Chunk(_one_batch(others)),
        sample=normals.most,
    )


def _one_batch(cells: Any) -> Any:
    return cells.combine_chunks().to_batches()[0]


def _too_many(n_found: int, n_read: int, most: int) -> PyodExplainError:
    return ParameterError(
        "detector",
        f"one that marks few enough rows to be kept in memory, at most {most:,}",
        got_text=f"{n_found:,} of the first {n_read:,} rows",
        hint="lower the detector's contamination, raise the threshold, or allow more rows in memory, "
        "LargeTable(X, sample=...).",
    )
