"""A sample of rows that depends on what they are, not on where they stand."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain.input import as_table, sample_rows


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab")), min_size=1, max_size=30),
    st.integers(1, 12),
    st.integers(0, 5),
    st.randoms(use_true_random=False),
)
def test_the_same_rows_are_drawn_in_whatever_order_they_stand(cells, most, seed, random):
    frame = pd.DataFrame(cells, columns=["number", "letter"])
    order = list(range(len(frame)))
    random.shuffle(order)
    drawn = []
    for X in (frame, frame.iloc[order].reset_index(drop=True)):
        rows = sample_rows(as_table(X), np.arange(len(X)), most, seed)
        assert len(set(rows.tolist())) == len(rows) == min(most, len(X))
        assert rows.tolist() == sorted(rows.tolist())
        drawn.append(sorted(map(tuple, X.iloc[rows].to_numpy().tolist())))
    assert drawn[0] == drawn[1]


def test_only_the_rows_asked_for_are_drawn_and_another_seed_draws_others():
    table = as_table(pd.DataFrame({"a": np.arange(1000)}))
    rows = np.arange(500, 1000)
    first, second = (sample_rows(table, rows, 50, seed) for seed in (0, 1))
    assert set(first.tolist()) <= set(rows.tolist())
    assert first.tolist() != second.tolist()
