"""`Population`: all outliers of rows beyond memory, and a sample of the others that does not depend on the chunks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray, IntArray
from pyod_explain._progress import Step, silent
from pyod_explain.beyond_memory.engines import Engine
from pyod_explain.beyond_memory.labels import ChunkLabeler
from pyod_explain.beyond_memory.source import Chunk, Source, without_dictionaries
from pyod_explain.exceptions import ParameterError, PyodExplainError
from pyod_explain.input import Outliers, Table, arrow_table, check_cells, frame_from_arrow, pyarrow
from pyod_explain.input.values import HASH_MULTIPLIER

MAX_KEY = 2**64 - 1  # the highest there is
MIXER_1, MIXER_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SAMPLE_BYTES = 2**28  # bytes that the kept rows and the bits of the rules on them may take
BYTES_PER_CELL = 16  # bytes of a cell while it is searched
BYTES_PER_ROW = 640  # bytes of a row in the bits of 5,000 rules
MIN_SAMPLE = 1_000  # rows of a sample, however many columns there are
MAX_NON_NORMAL = 400_000  # rows that are not normal, beyond which they are refused, unless the sample may be larger
ROW, KEY, LABEL, GROUP = (f"pyod_explain {name}" for name in ("row", "key", "label", "group"))  # added columns


def hash_keys(rows: IntArray, seed: int) -> NDArray[np.uint64]:
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


def _keep(chunk: Chunk, which: BoolArray, **columns: NDArray[Any]) -> Any:
    """Give some rows of a chunk as an Arrow table, with columns that tell more of each row."""
    pa = pyarrow()
    # Each chunk has a dictionary of its own, which may be larger than what is kept.
    batch = without_dictionaries(chunk.batch.filter(pa.array(which)))
    found = pa.Table.from_batches([batch]).append_column(ROW, pa.array(np.flatnonzero(which) + chunk.start))
    for name, values in columns.items():
        found = found.append_column(name, pa.array(values[which]))
    return found


def _join(tables: Sequence[Any]) -> Any:
    pa = pyarrow()
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
        rule = "must have one type for each column, got several that do not go together"
        hint = "give the column the same type in every chunk."
        raise PyodExplainError(f"All chunks of `X` {rule}: {error}", hint=hint) from error


def _lowest(rows: Any, n_rows: int) -> Any:
    """Give so many of the rows, those with the lowest keys."""
    if rows.num_rows <= n_rows:
        return rows
    keys = rows.column(KEY).to_numpy()
    return rows.combine_chunks().take(pyarrow().array(np.argpartition(keys, n_rows)[:n_rows]))


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
    engine : counts them.
    """

    source: Source
    table: Table
    outliers: Outliers
    n_rows: int
    n_normals: int
    rows_per_sample: int
    non_normal: Chunk | None
    sample: int
    engine: Engine

    @property
    def n_sampled(self) -> int:
        """Number of normal rows in the sample."""
        return int((self.outliers.labels == 0).sum())

    @property
    def row_counts(self) -> IntArray:
        """How many rows each of the kept ones stands for while rules are looked for."""
        return np.where(self.outliers.labels == 0, self.rows_per_sample, 1)


def read_into_memory(source: Source, most: int) -> tuple[Table, pd.DataFrame] | None:
    """Read all rows, if there are at most so many, as a table and as the frame that detectors take; None if more.

    Parameters
    ----------
    source : the rows.
    most : how many are read at most; of a source that can be read only once more are an error.
    """
    if source.repeatable and (source.n_rows or 0) > most:
        return None
    kept, n_rows = [], 0
    for chunk in source.chunks([*source.columns, *source.index_columns]):
        n_rows += chunk.n_rows
        if n_rows > most and source.repeatable:
            return None
        if n_rows > most:
            got = f"{source.name}, which cannot, and which has more than the {most:,} rows"
            rule = f"something that can be read more than once, got {got} that are read into memory as a whole"
            ways = "pass a function that makes a new iterator, or write parquet files and pass their folder"
            hint = f"{ways}; or allow more rows in memory, LargeTable(X, sample=...)."
            raise PyodExplainError(f"`X` must be {rule}.", hint=hint)
        kept.append(_keep(chunk, np.ones(chunk.n_rows, dtype=bool)))
    if not kept:
        got = f"0 sample(s) in {source.name} while a minimum of 1 is required"
        hint = "check the filter or query that produced it."
        raise PyodExplainError(f"`X` must have rows and columns, got {got}.", hint=hint)
    rows = _join(kept)
    table = arrow_table(rows, source.columns, source.row_labels(rows, np.arange(n_rows)))
    return table, frame_from_arrow(rows.select(source.columns)).set_axis(table.index, axis=0)


def draw_sample(source: Source, most: int, seed: int, step: Step = silent) -> Table:
    """Draw rows of a source evenly, at most so many, whoever they are: to fit a detector on.

    Parameters
    ----------
    source : the rows.
    most : how many at most.
    seed : of the draw.
    step : called with the progress.
    """
    drawn: Any = None
    known = source.n_rows
    for chunk in source.chunks(source.columns):
        step("detector", min(chunk.start / known, 1.0) if known else 0.0)
        keys = hash_keys(np.arange(chunk.start, chunk.start + chunk.n_rows), seed)
        rows = _keep(chunk, np.ones(chunk.n_rows, dtype=bool), **{KEY: keys})
        drawn = _lowest(rows if drawn is None else _join([drawn, rows]), most)
    return arrow_table(drawn.sort_by(ROW), source.columns)


def read_population(
    source: Source, labeler: ChunkLabeler, *, sample: int, seed: int, engine: Engine, step: Step = silent
) -> Population:
    """Read all rows once: keep those that are not normal, draw a sample of the others, and count.

    Parameters
    ----------
    source : the rows, which can be read again.
    labeler : says which are outliers.
    sample : normal rows to keep at most. Each stands for the same number of rows, a power of two, so up to half as
        many may be kept.
    seed : of the sample, which depends on nothing else but the numbers of the rows: not on how they come in chunks.
    engine : maps the kernel that keeps rows.
    step : called with the progress.
    """
    keep = SamplingKernel(labeler, source, sample, seed, _key_limit(source.n_rows, sample))
    read, n_rows = engine.total(keep, source, lambda _, done: step("reading", done))
    if read is None:
        raise source.changed("gave none later")
    labeler.check_length(n_rows)
    rows_per_sample = 1
    while read.n_normals // rows_per_sample > sample:
        rows_per_sample *= 2
    kept = _join([read.others, _lowest(read.normals, read.n_normals // rows_per_sample)]).sort_by(ROW)
    numbers, labels, groups = (kept.column(name).to_numpy() for name in (ROW, LABEL, GROUP))
    own = source.row_labels(kept, numbers)
    table = arrow_table(kept, source.columns, pd.Index(numbers) if own is None else own)
    outliers = labeler.reader.outliers(labels, np.maximum(groups, 0) if (groups > 1).any() else None)
    others = read.others.sort_by(ROW).select(source.columns).combine_chunks().to_batches()
    table = replace(table, labelled=own is not None)
    outliers = replace(outliers, source_rows=numbers.astype(np.intp))
    non_normal = Chunk(others[0]) if read.others.num_rows else None
    return Population(source, table, outliers, n_rows, read.n_normals, rows_per_sample, non_normal, sample, engine)


def _key_limit(n_rows: int | None, sample: int) -> int:
    """Give a key above which no row can be needed, so that none is kept or sent: ten standard errors of the sample.

    How many rows are normal is not known yet, but more others than may be kept are refused.
    """
    fewest = 0 if n_rows is None else n_rows - max(sample, MAX_NON_NORMAL)
    wanted = sample + 10 * math.sqrt(sample) + 50
    return MAX_KEY if wanted >= fewest else int(wanted / fewest * MAX_KEY)


@dataclass(frozen=True, eq=False)
class SampledRows:
    """What is kept of some rows; that of others adds up, in any order.

    Attributes
    ----------
    others : the rows that are not normal, an Arrow table.
    normals : the sample of those that are.
    n_normals, n_rows : how many normal rows there were, and how many in all.
    sample : how many normal rows are needed.
    """

    others: Any
    normals: Any
    n_normals: int
    n_rows: int
    sample: int

    def __post_init__(self) -> None:
        most = max(self.sample, MAX_NON_NORMAL)
        if self.others.num_rows > most:
            requirement = f"one that marks few enough rows to be kept in memory, at most {most:,}"
            got = f"{self.others.num_rows:,} of the first {self.n_rows:,} rows"
            more = "allow more rows in memory, LargeTable(X, sample=...)."
            hint = f"lower the detector's contamination, raise the threshold, or {more}"
            raise ParameterError("detector", requirement, got_text=got, hint=hint)

    def __add__(self, other: SampledRows) -> SampledRows:
        others, normals = _join([self.others, other.others]), _join([self.normals, other.normals])
        if normals.num_rows > 2 * self.sample:  # not each time, since it takes a while
            normals = _lowest(normals, self.sample)
        n_normals, n_rows = self.n_normals + other.n_normals, self.n_rows + other.n_rows
        return SampledRows(others, normals, n_normals, n_rows, self.sample)


class SamplingKernel:
    """A kernel: keeps of a chunk what a population is made of.

    Parameters
    ----------
    labeler : says which rows are outliers.
    source : the rows.
    sample, seed : as for `read_population`.
    highest : key above which no normal row is kept.
    """

    asks_detector: ClassVar[bool] = True

    def __init__(self, labeler: ChunkLabeler, source: Source, sample: int, seed: int, highest: int = MAX_KEY) -> None:
        self.labeler, self.sample, self.seed, self.highest = labeler, sample, seed, highest
        self.features = source.columns
        self.columns = [*source.columns, *source.index_columns]

    def __call__(self, chunk: Chunk) -> SampledRows:
        for name in self.features:
            check_cells(name, chunk.batch.column(name))
        found = self.labeler.read(chunk)
        keys = hash_keys(np.arange(chunk.start, chunk.start + chunk.n_rows), self.seed)
        groups = found.labels if found.numbers is None else found.numbers
        columns = {KEY: keys, LABEL: found.labels, GROUP: groups}
        normal = found.labels == 0
        others = _keep(chunk, ~normal, **columns)
        normals = _keep(chunk, normal & (keys <= np.uint64(self.highest)), **columns)
        return SampledRows(others, normals, int(normal.sum()), chunk.n_rows, self.sample)
