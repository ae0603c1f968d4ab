"""Rows as points: numbers scaled by the whole table, flags for values and gaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from pyod_explain.groups import Points, embed, main_directions
from pyod_explain.input import as_table

ALL = np.arange(28)


def test_the_largest_numbers_do_not_overflow():
    huge = as_table(pd.DataFrame({"a": [-1.7e308, 1.7e308] * 14, "gone": [np.nan] * 28}))
    assert np.isfinite(embed(huge, ALL)).all()


def test_numbers_times_and_durations_are_scaled_alike():
    steps = np.arange(28) ** 2
    frame = pd.DataFrame({"number": steps, "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(steps, unit="h")})
    frame["how long"] = pd.to_timedelta(steps, unit="s")
    placed = embed(as_table(frame), ALL)
    np.testing.assert_allclose(placed[:, [1, 2]], placed[:, [0, 0]], atol=1e-9)
    assert np.abs(placed).max() < 3  # compressed, and the middle of the table is 0
    assert np.median(placed[:, 0]) == 0 or placed[13, 0] < 0 < placed[14, 0]


def test_values_and_gaps_have_a_place_each():
    frame = pd.DataFrame({"kind": ["a", "b", None, "b"], "size": [1.0, np.nan, 2.0, 3.0]})
    points = Points.of(as_table(frame), np.arange(4))
    assert points.flags.toarray().tolist() == [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]]
    assert points.numbers[1].tolist() == [0.0]  # a gap stands in the middle, and its flag says so


def test_points_of_no_column_are_points():
    nothing = as_table(pd.DataFrame({"labels": [["a"], ["b"], ["a", "c"]]}))
    assert embed(nothing, np.arange(3)).tolist() == [[0.0]] * 3


def test_copies_count_in_the_directions_as_repeated_rows_do():
    """Distances along the main directions are those of repeated rows, found among coordinates and among points."""
    random = np.random.default_rng(0)
    copies = random.integers(1, 6, 40)
    for n_values in (30, 700):
        codes = [random.integers(0, n_values, 40) for _ in range(30)]
        frame = pd.DataFrame({f"c{i}": one.astype(str) for i, one in enumerate(codes)} | {"n": random.normal(size=40)})
        ours = main_directions(replace(as_table(frame), row_counts=copies), np.arange(40))
        repeated = as_table(frame.loc[frame.index.repeat(copies)])
        theirs = main_directions(repeated, np.arange(copies.sum()))[np.cumsum(copies) - 1]
        apart = [np.linalg.norm(points[:, None] - points[None], axis=2) for points in (ours, theirs)]
        np.testing.assert_allclose(*apart, rtol=0.02, atol=0.02)
