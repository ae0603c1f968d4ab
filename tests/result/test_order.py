"""Rules are told by what each adds to those above it, whoever chose them."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, Coverage, Tag
from pyod_explain.result import by_marginal_coverage

N_ROWS, OUTLIERS = 12, {0, 1, 2, 3, 4}
rows = st.frozensets(st.integers(0, N_ROWS - 1), max_size=8)


def named(i: int) -> Tag:
    return Tag.of(*(Condition(f"c{i}", "==", value) for value in range(1 + i % 2)))


def slowly(tags: list[frozenset[int]]) -> list[tuple[int, int]]:
    """Try every order: the first of those whose steps add most outliers, then fewest normals, then are shorter."""

    def steps(order: tuple[int, ...]) -> list[tuple[int, int, int, str]]:
        told: frozenset[int] = frozenset()
        result = []
        for j in order:
            new = tags[j] - told
            result.append((-len(new & OUTLIERS), len(new - OUTLIERS), len(named(j)), str(named(j))))
            told |= tags[j]
        return result

    best = min(permutations(range(len(tags))), key=steps)
    return [(j, -step[0]) for j, step in zip(best, steps(best), strict=True)]


@settings(deadline=None)
@given(tags=st.lists(rows, max_size=5), data=st.data())
def test_each_rule_is_the_one_that_adds_most_to_those_above(tags: list[frozenset[int]], data: st.DataObject) -> None:
    coverage = Coverage.from_sets(tags, groups=[OUTLIERS], n_rows=N_ROWS)
    chosen = data.draw(st.permutations(range(len(tags))))
    assert by_marginal_coverage(coverage, 0, chosen, [named(j) for j in range(len(tags))]) == slowly(tags)


def test_outliers_of_other_groups_do_not_count() -> None:
    coverage = Coverage.from_sets([{0, 5, 6, 7}, {1, 2}], groups=[{0, 1, 2}, {5, 6, 7}], n_rows=N_ROWS)
    tags = [named(0), named(1)]
    assert by_marginal_coverage(coverage, 0, (0, 1), tags) == [(1, 2), (0, 1)]
    assert by_marginal_coverage(coverage, 1, (1, 0), tags) == [(0, 3), (1, 0)]
