import itertools

import numpy as np
import pytest

from pyod_explain import MDL, Condition, Coverage, Tag
from pyod_explain.description_length import mdl_of_group
from pyod_explain.kept import best_forced, homes, with_more

A, B, C = (Condition(name, ">=", 1) for name in "abc")


def random_coverage(seed, n_groups=1, n_tags=7):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.zeros(80, dtype=np.int64), np.repeat(np.arange(1, n_groups + 1), 12)])
    return Coverage.from_dense(rng.uniform(size=(len(y), n_tags)) < np.where(y[:, None] > 0, 0.45, 0.15), y)


def test_a_tag_belongs_to_the_group_that_has_most_of_it_the_first_of_equals():
    y = [0, 0, 1, 1, 1, 1, 2, 2]
    T = np.array([[1, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 0, 0]])
    assert homes(Coverage.from_dense(T, y), [0, 1, 2]) == [[2], [0, 1]]  # tag 2: half of both
    assert homes(Coverage.from_dense(T, y), []) == [[], []]


@pytest.mark.parametrize("seed", range(12))
def test_the_forced_tag_is_the_one_with_the_fewest_bits_of_the_whole_description(seed):
    coverage = random_coverage(seed)
    explainer = MDL(min_lift=0.0)
    free = explainer.select(coverage)
    candidates = [j for j in range(coverage.n_tags) if j not in free.tags[0]]
    best = best_forced(
        coverage, free.tags, candidates, min_lift=0.0, select=lambda j: explainer.select_with(coverage, [[j]])
    )
    bits = {
        j: min(
            mdl_of_group(coverage, 0, [j, *rest])
            for n in range(coverage.n_tags)
            for rest in itertools.combinations([i for i in range(coverage.n_tags) if i != j], n)
        )
        for j in candidates
    }
    assert bits[best] == pytest.approx(min(bits.values()))


def test_tags_that_are_no_more_frequent_in_the_group_serve_only_if_there_are_no_others():
    y = np.repeat([0, 1], [90, 10])
    row = np.arange(100)
    T = np.column_stack([row < 88, row % 2 == 1, row >= 95])  # the first one read backwards is short
    coverage, explainer = Coverage.from_dense(T, y), MDL()

    def forced(candidates):
        return best_forced(
            coverage, [[]], candidates, min_lift=1.0, select=lambda j: explainer.select_with(coverage, [[j]])
        )

    assert forced([0, 2]) == 2
    assert forced([0]) == 0


def test_rules_get_one_more_condition_where_there_is_room():
    rules = [Tag.of(A), Tag.of(A, B)]
    extra = [Tag.of(C), Tag.of(B, C)]
    assert list(with_more(rules, extra, 2)) == [Tag.of(A, C)]
    assert list(with_more(rules, extra, 3)) == [Tag.of(A, C), Tag.of(A, B, C)]
