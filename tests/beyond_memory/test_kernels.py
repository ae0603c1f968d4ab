"""The kernels count on chunks what `predict` says of the whole table in memory, whatever the types and the cuts."""

import datetime as dt
import threading
from collections import Counter
from decimal import Decimal

import arrow_cells
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, DatePart, Tag
from pyod_explain.beyond_memory import Chunk, CountKernel, LocalEngine, SignatureKernel, as_source, engines
from pyod_explain.beyond_memory import source as sources
from pyod_explain.bits import unpack
from pyod_explain.input import as_table
from pyod_explain.tags import Relation

COLUMNS = arrow_cells.columns()
BOUNDS = [0, 1, 2.5, 3, -7.25, 0.1, 2**53 + 1, 10**30, -(10**30), float("inf"), Decimal("1.1"), np.float32(0.1), True]
TIMES = [pd.Timestamp(10**9, unit="s"), dt.date(2020, 1, 1), pd.Timestamp(10**9, unit="ns"), dt.timedelta(seconds=5)]
VALUES = [*BOUNDS, *TIMES, "a", "b", "never seen", "", b"a", dt.time(1), float("nan"), Decimal("3.33"), complex(1)]


def conditions_on(name):
    """Give conditions of every form with values of every type, those that do not suit the column too."""
    for op in ("<", "<=", ">", ">="):
        yield from (Condition(name, op, value) for value in [*BOUNDS, *TIMES, "a"])
    for op in ("==", "!="):
        yield from (Condition(name, op, value) for value in VALUES)
    for op in ("in", "not in", "rare"):
        yield from (Condition(name, op, values) for values in (["a", "never seen"], [1, 3, 0.1], TIMES[:2], []))
    yield from (Condition(name, "between", ends) for ends in ((0, 3), (2.5, 2**53), (dt.date(1970, 1, 2), TIMES[0])))
    yield from (Condition(name, op) for op in ("missing", "present"))
    yield from (Condition(DatePart(name, "hour"), "<", 12), Condition(DatePart(name, "weekday"), "==", 3))


@pytest.mark.parametrize("name", COLUMNS)
def test_conditions_on_every_type_count_as_in_memory(name):
    cells = COLUMNS[name]
    table = as_table(pa.table({"x": cells}))
    tags = tuple(Tag.of(one) for one in conditions_on("x"))
    expected = [int(tag.covers(table).sum()) for tag in tags]
    for rows in (1, 2, 64):
        source = as_source([pa.record_batch({"x": cells.slice(i, 3)}) for i in range(0, len(cells), 3)])
        chunks = source.chunks(["x"], rows=rows)
        kernel = CountKernel(tags)
        assert sum(kernel(chunk) for chunk in chunks).tolist() == expected


@st.composite
def tables(draw):
    n_rows = draw(st.integers(1, 90))
    cell = {
        "f": st.one_of(st.none(), st.sampled_from([float("nan"), -1.0, 0.0, 0.5, 2.0])),
        "g": st.one_of(st.none(), st.sampled_from([0.0, 0.25, 1e200, -3.0])),
        "i": st.one_of(st.none(), st.integers(-2, 2)),
        "s": st.one_of(st.none(), st.sampled_from(["a", "b", "c"])),
    }
    cells = {name: draw(st.lists(one, min_size=n_rows, max_size=n_rows)) for name, one in cell.items()}
    types = {"f": pa.float64(), "g": pa.float64(), "i": pa.int32(), "s": pa.string()}
    return pa.table({name: pa.array(cells[name], types[name]) for name in cells})


SIMPLE = [
    *(Condition("f", op, value) for op in ("<", ">=") for value in (0.0, 0.5)),
    *(Condition("i", op, value) for op in ("<=", "!=") for value in (-1, 0, 1)),
    *(Condition("s", op, value) for op in ("==", "!=") for value in ("a", "b", "q")),
    *(Condition(name, "missing") for name in "fis"),
    Condition(Relation("f", "-", "i"), ">", 0.5),
    Condition(Relation("f", "/", "g"), "<", 2),
    Condition(Relation("g", "*", "i"), "missing"),
    Condition("s", "in", ["a", "c"]),
]
TAGS = st.lists(st.builds(Tag, st.frozensets(st.sampled_from(SIMPLE), min_size=1, max_size=3)), min_size=1, max_size=70)


def cut(table, sizes):
    """Cut a table into batches of these sizes, again and again."""
    at, batches = 0, []
    while at < table.num_rows:
        for size in sizes:
            batches += table.slice(at, size).combine_chunks().to_batches() if at < table.num_rows else []
            at += size
    return batches


@settings(max_examples=60, deadline=None)
@given(tables(), TAGS, st.lists(st.integers(1, 40), min_size=1, max_size=4), st.sampled_from([1, 7, 64, 1000]))
def test_counts_and_signatures_are_those_of_the_table(table, tags, sizes, rows):
    tags = tuple(dict.fromkeys(tags))
    covers = np.array([tag.covers(table) for tag in tags])

    class Regular(type(as_source([pa.record_batch({"a": [1]})]))):
        def chunks(self, columns, rows=rows):
            return super().chunks(columns, rows=rows)

    source = Regular(cut(table, sizes))
    counts, n_rows = LocalEngine().total(CountKernel(tags), source)
    assert n_rows == table.num_rows
    assert counts.tolist() == covers.sum(axis=1).tolist()
    signatures, _ = LocalEngine().total(SignatureKernel(tags), source)
    by_hand = Counter(tuple(row) for row in covers.T.tolist())
    told = {
        tuple(row): n
        for row, n in zip(unpack(signatures.words, len(tags)).tolist(), signatures.counts.tolist(), strict=True)
    }
    assert told == by_hand
    assert unpack(signatures.bits(), len(signatures.counts)).T.tolist() == unpack(signatures.words, len(tags)).tolist()


@settings(max_examples=60, deadline=None)
@given(tables(), TAGS, st.integers(1, 12), st.randoms())
def test_too_many_signatures_tell_fewer_tags_and_stay_exact(table, tags, limit, random):
    tags = tuple(dict.fromkeys(tags))
    covers = np.array([tag.covers(table) for tag in tags]).T
    kernel = SignatureKernel(tags, n_required=1, limit=limit)
    parts = [kernel(Chunk(batch)) for batch in cut(table, [5])]
    random.shuffle(parts)
    whole = parts[0]
    for one in parts[1:]:
        whole = whole + one
    sizes = [len(tags)]
    while sizes[-1] > 1:
        sizes.append(max(sizes[-1] // 2, 1))
    fitting = [n for n in sizes if len({tuple(row[:n]) for row in covers.tolist()}) <= limit]
    assert whole.overflowed == (not fitting)
    if fitting:  # the most that can be told, in whatever order the chunks came
        assert whole.n_tags == fitting[0]
        by_hand = Counter(tuple(row[: fitting[0]]) for row in covers.tolist())
        rows = unpack(whole.words, whole.n_tags).tolist()
        assert {tuple(row): n for row, n in zip(rows, whole.counts.tolist(), strict=True)} == by_hand


class Slow(CountKernel):
    """Counts a chunk once two threads have come to count one."""

    def __init__(self, tags):
        super().__init__(tags)
        object.__setattr__(self, "both", threading.Barrier(2, timeout=20))

    def __call__(self, chunk):
        self.both.wait()
        return super().__call__(chunk)


def ten_batches(opened):
    for i in range(10):
        opened.append(i)
        yield pa.record_batch({"a": np.arange(sources.ROWS_PER_CHUNK) + i})


def test_chunks_are_counted_two_at_a_time_and_few_are_read_ahead(monkeypatch):
    monkeypatch.setattr(engines, "cpu_count", lambda: 2)
    opened, counted, ahead = [], [], []
    kernel = Slow((Tag.of(Condition("a", ">=", sources.ROWS_PER_CHUNK)),))

    def show(_stage, _done):
        counted.append(1)
        ahead.append(len(opened) - len(counted))

    source = as_source(lambda: ten_batches(opened))
    counts, n_rows = LocalEngine().total(kernel, source, show)
    assert (counts.tolist(), n_rows) == ([sum(range(10))], 10 * sources.ROWS_PER_CHUNK)
    assert max(ahead) <= 5


@pytest.mark.parametrize("error", [ValueError("the tenth"), KeyboardInterrupt()])
def test_an_error_among_the_threads_ends_them(monkeypatch, error):
    monkeypatch.setattr(engines, "cpu_count", lambda: 2)
    before = threading.active_count()

    def batches():
        yield from ten_batches([])
        raise error

    with pytest.raises(type(error)):
        LocalEngine().total(CountKernel((Tag.of(Condition("a", ">=", 1)),)), as_source(batches))
    assert threading.active_count() == before
