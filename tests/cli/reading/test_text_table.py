"""A table that is written in any common way is read as it was."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain.cli.reading import How, read_text

WORDS = st.sampled_from(["web", "shop", "Österreich", "a, b", 'say "no"', "x;y", "two words", "p|q", "it's", "ü"])
INTEGERS = st.integers(-10_000, 10_000)
FRACTIONS = st.integers(-100_000, 100_000).filter(lambda c: c % 100 and c % 1000).map(lambda c: c / 100)
KINDS = st.sampled_from([WORDS, INTEGERS, FRACTIONS])


@st.composite
def tables(draw):
    kinds = [WORDS, *draw(st.lists(KINDS, min_size=1, max_size=4))]
    n_rows = draw(st.integers(2, 8))
    columns = {}
    for k, kind in enumerate(kinds):
        columns[f"col {k}"] = draw(st.lists(kind, min_size=n_rows, max_size=n_rows))
    return columns


def written(columns, *, sep, decimal, gap, end, quoting):
    """Write it by hand: the reference."""
    file = io.StringIO()
    writer = csv.writer(file, delimiter=sep, lineterminator=end, quoting=quoting)
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        cells = [str(cell).replace(".", decimal) if isinstance(cell, float) else cell for cell in row]
        writer.writerow([gap if cell is None else cell for cell in cells])
    return file.getvalue()


@settings(max_examples=300)
@given(
    tables(),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([".", ","]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_what_is_written_is_read(columns, sep, decimal, encoding, end, quoting):
    text = written(columns, sep=sep, decimal=decimal, gap="", end=end, quoting=quoting)
    notes = []
    found = read_text(text.encode(encoding), "The file", How(), say=notes.append)
    assert found.columns.tolist() == list(columns)
    for name, values in columns.items():
        assert found[name].tolist() == values, notes


@pytest.mark.parametrize("gap", ["?", "-", "n/a", "unknown", "#DIV/0!"])
def test_gaps_of_numbers_are_found_at_the_beginning_and_at_the_end(gap):
    rng = np.random.default_rng(0)
    n = 5_000
    values = rng.normal(0, 10, n).round(2)
    for where in ([0, 7], [n - 1], list(range(0, n, 9))):
        cells = [gap if k in set(where) else str(value) for k, value in enumerate(values)]
        notes = []
        found = read_text(
            ("a,b\n" + "".join(f"{cell},x\n" for cell in cells)).encode(), "The file", How(), say=notes.append
        )
        assert np.flatnonzero(found["a"].isna()).tolist() == where
        assert found["a"].dropna().tolist() == np.delete(values, where).tolist()
        usual = gap == "n/a"  # pandas takes it for missing in any column
        assert notes == ([] if usual else [f"{gap!r} read as missing in column 'a'; --raw leaves the text"])


def test_a_word_among_row_names_is_put_back():
    lines = [f"r{k} {'?' if k == 3 else k} {k % 5}" for k in range(20_000)]
    lines[-1] = "r19999 late 4"
    found = read_text(("a b\n" + "\n".join(lines) + "\n").encode(), "The file", How())
    assert found.index[:4].tolist() == ["r0", "r1", "r2", "r3"]
    assert found["a"].tolist()[:5] == ["0", "1", "2", "?", "4"]
    assert found["b"].tolist()[:5] == [0, 1, 2, 3, 4]
    assert pd.api.types.is_integer_dtype(found["b"])
