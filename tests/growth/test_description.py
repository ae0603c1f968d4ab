"""A description that grows: rules are added and grown anew, and what is minimised only falls."""

import numpy as np

from pyod_explain import MDL, WCCM, Condition, Coverage, Tag
from pyod_explain.growth import Description, Pool
from pyod_explain.growth.grow import MAX_RULES_PER_GROUP


def pool_of(coverage):
    """The tags of a coverage as conditions on as many columns."""
    extra = np.zeros(coverage.n_tags) if coverage.extra_bits is None else coverage.extra_bits
    return Pool(
        tuple(Condition(f"c{j}", "==", 1) for j in range(coverage.n_tags)),
        np.arange(coverage.n_tags),
        coverage.outlier_bits,
        coverage.normal_bits,
        np.minimum(coverage.lengths, 2),  # a relation counts as two
        extra,
    )


def grown(coverage, explainer, max_length=2):
    pool = pool_of(coverage)
    empty = [[] for _ in range(coverage.n_groups)]
    description = Description(
        lambda _: pool, coverage.take([]), empty, explainer.marginal_objective, max_length=max_length, min_lift=1.0
    )
    return description, description.grow()


def test_a_wide_rule_that_was_there_gives_way_to_two_narrow_ones():
    """None of the narrow ones would be added to it; without it both are."""
    T = np.zeros((5_000, 3), dtype=bool)
    T[:60, 0] = T[:30, 1] = T[30:60, 2] = True
    T[60:500, 0] = True
    coverage = Coverage.from_dense(T, np.repeat([1, 0], [60, 4_940]))
    pool = pool_of(coverage)
    description = Description(
        lambda _: pool, coverage.take([0]), [[0]], MDL().marginal_objective, max_length=1, min_lift=1.0
    )
    tags = description.grow()
    assert set(tags) == {Tag.of(Condition("c1", "==", 1)), Tag.of(Condition("c2", "==", 1))}
    kept = description._chosen[0]
    assert description._coverage.normals_with(kept).sum() == 0
    assert description._coverage.outlier_mask(description._coverage.outliers_with(kept), 0).all()


def test_rules_of_a_group_are_bounded():
    n = MAX_RULES_PER_GROUP + 20
    T = np.repeat(np.eye(n, dtype=bool), 40, axis=0)
    T = np.concatenate([T, np.zeros((20_000, n), dtype=bool)])
    coverage = Coverage.from_dense(T, np.repeat([1, 0], [40 * n, 20_000]))
    description, _ = grown(coverage, WCCM())
    assert len(description._chosen[0]) == MAX_RULES_PER_GROUP
