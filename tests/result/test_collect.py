"""From a search to a summary."""

from itertools import permutations

import numpy as np
import pandas as pd
from by_hand import explain_by, explanations
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, Tag

SOME = settings(max_examples=60, deadline=None)


@SOME
@given(explanations())
def test_every_count_is_what_the_rule_covers(made):
    frame, y, e = made
    y = np.asarray(y)
    table = e.to_frame()
    for rule, line in zip(e.rules, table.itertuples(), strict=True):
        covered = rule.tag.covers(frame)
        own, normal = int((covered & (y == rule.group)).sum()), int((covered & (y == 0)).sum())
        others = int((covered & (y > 0) & (y != rule.group)).sum())
        assert (rule.n_outliers, rule.n_normals, rule.n_others) == (own, normal, others)
        assert (line.outliers, line.normals, line.others) == (own, normal, others)
        assert line.precision == (own / covered.sum() if covered.any() else 0.0)
        assert line.recall == own / (y == rule.group).sum()
    for group in e.groups:
        above = np.zeros(len(y), dtype=bool)
        for rule in group.rules:
            new = rule.tag.covers(frame) & ~above & (y == group.number)
            assert rule.n_added == new.sum()
            assert rule.n_added == max(
                (other.tag.covers(frame) & ~above & (y == group.number)).sum() for other in group.rules
            )
            above |= new
    assert table["added"].tolist() == [rule.n_added for rule in e.rules]
    matches = e.matches(frame)
    groups = np.array([rule.group for rule in e.rules], dtype=int)
    for group in e.groups:
        own = matches[:, groups == group.number].any(axis=1)
        assert group.n_explained == (own & (y == group.number)).sum()
        assert group.n_normals == (own & (y == 0)).sum()
        assert group.n_others == (own & (y > 0) & (y != group.number)).sum()
        assert list(group.uncovered) == np.flatnonzero(~own & (y == group.number)).tolist()
    s = e.summary
    assert s.n_normals_matched == (matches.any(axis=1) & (y == 0)).sum()
    mine = np.array([matches[i, groups == y[i]].any() for i in range(len(y))])
    assert s.n_matched_by_other_group == (matches.any(axis=1) & (y > 0) & ~mine).sum()
    assert s.n_explained == (mine & (y > 0)).sum()


N_ROWS, OUTLIERS = 12, {0, 1, 2, 3, 4}
rows = st.frozensets(st.integers(0, N_ROWS - 1), max_size=8)


def named(i: int) -> Tag:
    longer = [Condition("x", "==", 0)] if i % 2 else []  # which holds for all rows
    return Tag.of(Condition(f"c{i}", "==", 1), *longer)


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


@given(tags=st.lists(rows, max_size=5))
def test_each_rule_is_the_one_that_adds_most_to_those_above(tags: list[frozenset[int]]) -> None:
    columns = {f"c{j}": [int(i in tag) for i in range(N_ROWS)] for j, tag in enumerate(tags)}
    frame = pd.DataFrame({"x": [0] * N_ROWS, **columns})
    e = explain_by([[named(j) for j in range(len(tags))]], frame, [int(i in OUTLIERS) for i in range(N_ROWS)])
    assert [(rule.tag, rule.n_added) for rule in e.rules] == [(named(j), added) for j, added in slowly(tags)]
