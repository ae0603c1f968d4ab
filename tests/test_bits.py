"""Packed bits: what is counted, weighed, joined and told apart is what numpy finds on booleans."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain import bits

booleans = st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=70)


@given(booleans)
def test_unpack_undoes_pack(rows):
    dense = np.array(rows).T
    assert (bits.unpack(bits.pack(dense), dense.shape[1]) == dense).all()


@pytest.mark.parametrize("n_bits", [0, 1, 63, 64, 65, 70_000])
def test_counting_agrees_with_numpy_also_past_sixteen_bits(n_bits):
    dense = np.random.default_rng(0).random((3, n_bits)) < 0.97
    assert bits.count_bits(bits.pack(dense)).tolist() == dense.sum(axis=1).tolist()


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 2**32 - 1))
def test_distinct_rows_are_those_of_numpy_in_the_order_of_their_bytes(n_rows, width, seed):
    packed = np.random.default_rng(seed).integers(0, 2, size=(n_rows, width), dtype=np.uint8)
    first, which = bits.unique_rows(packed)
    texts = [row.tobytes() for row in packed]
    assert [texts[i] for i in first] == sorted(set(texts))
    assert [texts[first[i]] for i in which] == texts
    assert all(texts.index(texts[i]) == i for i in first)


def test_rows_of_one_word_have_the_order_of_their_bytes_too():
    words = np.array([[256], [1], [2**63], [256]], dtype=np.uint64)
    first, which = bits.unique_rows(words)
    assert [words[i].astype("<u8").tobytes() for i in first] == sorted({row.astype("<u8").tobytes() for row in words})
    assert words[first[which]].tolist() == words.tolist()


@pytest.mark.parametrize("n_bits", [1, 64, 70_000])
def test_conjunctions_and_unions_are_those_of_booleans(n_bits):
    rng = np.random.default_rng(0)
    dense, members = rng.random((5, n_bits)) < 0.7, rng.integers(0, 5, size=(100, 3))
    assert (bits.unpack(bits.conjunctions(bits.pack(dense), members), n_bits) == dense[members].all(axis=1)).all()
    assert (bits.unpack(bits.union(bits.pack(dense), [1, 4]), n_bits) == dense[[1, 4]].any(axis=0)).all()
    assert not bits.union(bits.pack(dense), []).any()


@given(st.lists(st.integers(0, 200), max_size=6))
def test_each_group_starts_at_a_word_of_its_own(sizes):
    starts = np.cumsum([0, *(-(-size // 64) * 64 for size in sizes)])
    expected = [int(start) + i for start, size in zip(starts, sizes, strict=False) for i in range(size)]
    assert bits.aligned(sizes).tolist() == expected


@given(st.data())
def test_a_tally_counts_each_marked_line_as_often_as_it_stands_for(data):
    n_lines = data.draw(st.integers(0, 150))
    largest = data.draw(st.sampled_from([1, 3, 1000, 2**50]))
    copies = np.array(data.draw(st.lists(st.integers(0, largest), min_size=n_lines, max_size=n_lines)), dtype=np.int64)
    rng = np.random.default_rng(n_lines)
    dense = rng.uniform(size=(data.draw(st.integers(0, 5)), n_lines)) < 0.5
    assert bits.count_rows(bits.pack(dense), bits.bit_planes(copies)).tolist() == [
        sum(copies[row].tolist()) for row in dense
    ]
    assert bits.count_rows(bits.pack(dense)).tolist() == dense.sum(axis=1).tolist()
