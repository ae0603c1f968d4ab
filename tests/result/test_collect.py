"""Every count that a report prints is what the rule covers."""

import numpy as np
from by_hand import explanations
from hypothesis import given, settings

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
