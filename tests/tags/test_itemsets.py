"""Itemsets reach the support and the lift; bounds are said."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tag_tables import grouped

from pyod_explain.input import as_table
from pyod_explain.tags import Itemsets, gain
from pyod_explain.tags.mining import ALGORITHMS


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_algorithm_does_not_change_the_tags(algorithm: str, shop: Any) -> None:
    table, groups = as_table(shop[0]), shop[1]
    assert Itemsets(algorithm=algorithm, max_items=15).make(table, groups) == Itemsets(max_items=15).make(table, groups)


def test_the_bound_keeps_the_most_telling_tags_says_so_and_covers_everybody(shop: Any, caplog: Any) -> None:
    table, groups = as_table(shop[0]), shop[1]
    everything = Itemsets(max_tags=10**6).make(table, groups)
    with caplog.at_level(logging.INFO, logger="pyod_explain"):
        few = Itemsets(max_tags=20).make(table, groups)
    assert len(few.tags) <= 40 < len(everything.tags)
    assert set(few.tags) <= set(everything.tags)
    assert any("max_tags=20" in note for note in few.notes)
    assert set(few.notes) <= {record.message for record in caplog.records}
    for group in (1, 2):
        members = groups.numbers == group

        def best(tags: Any, members: Any = members) -> float:
            normal = groups.numbers == 0
            masks = [tag.covers(table) for tag in tags]
            return max(
                float(gain(m[members].sum(), m[normal].sum(), members.sum(), normal.sum())) - 3 * len(tag)
                for m, tag in zip(masks, tags, strict=True)
            )

        assert best(few.tags) >= 0.95 * best(everything.tags)
        reached, reachable = (
            np.any([tag.covers(table)[members] for tag in made.tags], axis=0) for made in (few, everything)
        )
        assert (reached == reachable).all()


def test_every_tag_reaches_the_support_and_the_lift(shop: Any) -> None:
    frame, _ = shop
    groups = grouped((shop[1].numbers == 1).astype(int))
    for tag in Itemsets(min_support=0.3, min_lift=4.0).make(as_table(frame), groups).tags:
        covered = tag.covers(frame)
        share = covered[groups.numbers == 1].mean()
        assert share >= 0.3
        assert share > 4.0 * covered[groups.numbers == 0].mean()


def test_a_support_that_leaves_no_tags_is_said() -> None:
    rng = np.random.default_rng(0)
    table = as_table(pd.DataFrame({"a": rng.normal(size=200)}))
    made = Itemsets(min_support=0.9, min_lift=5.0).make(table, grouped([1, *[0] * 9] * 20))
    assert made.tags == ()
    (note,) = made.notes
    assert note.startswith(
        "All outliers: no condition holds for at least 90% of the group and more than 5 times as often"
    )
    assert note.endswith("(min_support, min_lift).")
    constant = as_table(pd.DataFrame({"a": [7] * 200}))
    (note,) = Itemsets(min_support=0.9).make(constant, grouped([1, *[0] * 9] * 20)).notes
    assert "90% of the group and more often than among normal rows" in note
