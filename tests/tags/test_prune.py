"""Of conjunctions that say the same, one is kept."""

from __future__ import annotations

import numpy as np

from pyod_explain.tags.mining import Evidence, choose


def test_a_longer_tag_with_the_same_outliers_stays_only_if_it_is_purer() -> None:
    inside = np.ones((3, 2), dtype=bool)
    normal = np.array([[0b111], [0b011], [0b111]], dtype=np.uint64)
    evidence = Evidence(inside, normal, 8)
    sets = np.array([[0, 0], [1, 1], [2, 2], [0, 1], [0, 2]])
    chosen, _ = choose(sets, np.array([1, 1, 1, 2, 2]), evidence, n_items=3, min_lift=1.0, most=9)
    assert chosen.tolist() == [1]  # the purest single condition; neither pair covers fewer than its two normals
    normal[2] = 0b110
    chosen, _ = choose(
        np.array([[0, 0], [1, 1], [1, 2]]), np.array([1, 1, 2]), evidence, n_items=3, min_lift=1.0, most=9
    )
    assert chosen.tolist() == [1, 2]
