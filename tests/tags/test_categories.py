"""Items of columns without an order: is, is not, is one of, is rare."""

from __future__ import annotations

import numpy as np
import pandas as pd
from tag_tables import every_condition, texts, two_piece_table


def test_values_of_like_lift_are_joined_and_at_most_five_are_named() -> None:
    frame, y = two_piece_table(c=(list("abcdefghij") * 60, list("abc") * 20))
    items = every_condition(frame, y)
    assert "c is one of 'a', 'b', 'c'" in texts(items)
    assert all(len(c.value) <= 5 for c in items.conditions if c.op in ("in", "not in"))


def test_the_value_that_outliers_avoid_is_said() -> None:
    frame, y = two_piece_table(c=(["usual"] * 900 + list("abcde") * 20, list("abcde") * 8))
    assert "c is not 'usual'" in texts(every_condition(frame, y))


def test_rare_values_together_are_a_reason() -> None:
    frame, y = two_piece_table(host=(list("abcdefgh") * 100, [f"host-{i}" for i in range(40)]))
    assert "host is a rare value (none of the 8 common ones)" in texts(every_condition(frame, y))


def test_few_common_values_are_named_instead() -> None:
    frame, y = two_piece_table(host=(["www"] * 500 + ["mail"] * 400, [f"host-{i}" for i in range(40)]))
    assert "host is none of 'mail', 'www'" in texts(every_condition(frame, y))


def test_many_distinct_values_are_bounded_and_the_bound_is_said() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": rng.permutation(100_000).astype(str)})
    items = every_condition(frame, np.arange(100_000) < 500)
    assert len(items.conditions) < 400
    assert "100,000 distinct values" in items.notes[0]
