"""Groups by reasons: the rules of one description deal the outliers out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain import Condition, Coverage, Explanation, Selection, Tag, explain
from pyod_explain.export import to_findings
from pyod_explain.groups import all_together, split_by_reasons
from pyod_explain.input import as_table, read_labels


def split(X, y, rules, copies=None):
    """Split the outliers of a table by these rules."""
    table = as_table(X)
    if copies is not None:
        table = type(table)(table.columns, table.index, table.labelled, row_counts=np.array(copies))
    groups = all_together(read_labels(y, len(y)))
    coverage = Coverage.from_tags(table, rules, groups)
    selection = Selection(
        tags=(tuple(range(len(rules))),), objective=0.0, status="heuristic", method="own", solver="own"
    )
    return coverage, *split_by_reasons(groups, coverage, selection)


def yes(*names):
    return Tag(frozenset(Condition(name, "==", 1) for name in names))


@st.composite
def tables(draw):
    """Rows of five yes or no columns, some outliers, some rules that cover an outlier each, and copies or none."""
    n = draw(st.integers(4, 18))
    bits = draw(st.lists(st.lists(st.integers(0, 1), min_size=5, max_size=5), min_size=n, max_size=n))
    X = pd.DataFrame(bits, columns=list("abcde"))
    y = [1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2)), 0]
    rule = st.lists(st.sampled_from("abcde"), min_size=1, max_size=2, unique=True).map(lambda names: yes(*names))
    rules = draw(st.lists(rule, max_size=6, unique=True))
    members = X[np.array(y) == 1]
    rules = [rule for rule in rules if rule.covers(as_table(members)).any()]  # as all that are chosen for a reason
    copies = draw(st.none() | st.lists(st.integers(1, 4), min_size=n, max_size=n))
    return X, y, rules, copies


def kinds_of(covers, sizes):
    """Put a rule with the earlier kind that is most alike, if both share a third of what either covers."""
    kinds, unions = {}, []
    weight = lambda rows: sum(sizes[row] for row in rows)  # noqa: E731
    for i in sorted(range(len(covers)), key=lambda i: -weight(covers[i])):
        shared = [weight(covers[i] & union) / weight(covers[i] | union) for union in unions]
        best = shared.index(max(shared)) if shared else None
        if best is not None and shared[best] >= 1 / 3:
            unions[best] |= covers[i]
            kinds[i] = best
        else:
            kinds[i] = len(unions)
            unions.append(set(covers[i]))
    return kinds


@given(tables())
def test_outliers_and_rules_are_dealt_out_as_the_slow_reading_says(drawn):
    X, y, rules, copies = drawn
    _, groups, coverage, selection = split(X, y, rules, copies)
    sizes = copies or [1] * len(y)
    members = {row for row, one in enumerate(y) if one}
    # Every outlier is in one group, every rule in one, and groups are numbered by size, what no rule covers last.
    assert {row for row in range(len(y)) if groups.numbers[row] > 0} == members
    assert set(groups.numbers[sorted(members)].tolist()) == set(range(1, groups.n_groups + 1))
    assert sorted(j for one in selection.tags for j in one) == list(range(len(rules)))
    assert len(selection.tags) == groups.n_groups == coverage.n_groups
    by_size = [sum(sizes[row] for row in members if groups.numbers[row] == k + 1) for k in range(groups.n_groups)]
    assert by_size == coverage.group_sizes.tolist()
    if not rules:
        assert (groups.n_groups, groups.rest) == (1, False)
        return
    all_rows = [set(np.flatnonzero(rule.covers(as_table(X))).tolist()) for rule in rules]
    covers = [rows & members for rows in all_rows]
    group_of = {j: k + 1 for k, one in enumerate(selection.tags) for j in one}
    weight = lambda rows: sum(sizes[row] for row in rows)  # noqa: E731
    purity = [(weight(covers[j]) / weight(all_rows[j]), weight(covers[j]), -j) for j in range(len(rules))]
    uncovered = members - set().union(*covers)
    assert {row for row in members if groups.rest and groups.numbers[row] == groups.n_groups} == uncovered
    assert groups.rest == bool(uncovered) == (groups.names[-1] == "no common reason") == (not selection.tags[-1])
    with_reason = by_size[: len(by_size) - groups.rest]
    assert with_reason == sorted(with_reason, reverse=True)
    for row in members - uncovered:
        having = [j for j in range(len(rules)) if row in covers[j]]
        assert groups.numbers[row] == group_of[max(having, key=lambda j: purity[j])]
    kinds = kinds_of(covers, sizes)
    for i in kinds:
        for j in kinds:
            if kinds[i] == kinds[j]:
                assert group_of[i] == group_of[j]


@given(tables())
def test_the_coverage_is_that_of_the_same_rules_and_the_new_groups(drawn):
    X, y, rules, copies = drawn
    before, groups, coverage, selection = split(X, y, rules, copies)
    assert coverage.normal_counts.tolist() == before.normal_counts.tolist()
    assert coverage.outlier_counts.tolist() == before.outlier_counts.tolist()
    union = {j for one in selection.tags for j in one}
    assert coverage.count_outliers(coverage.outliers_with(union)) == before.count_outliers(before.outliers_with(union))
    assert groups.made  # so that p-values count all outliers


def test_rules_that_cover_much_the_same_outliers_stand_together():
    X = pd.DataFrame({"a": [1] * 9 + [0] * 11, "b": [0] * 4 + [1] * 8 + [0] * 8, "c": [0] * 14 + [1] * 3 + [0] * 3})
    _, groups, _, selection = split(X, [1] * 17 + [0] * 3, [yes("a"), yes("b"), yes("c")])
    assert selection.tags == ((0, 1), (2,), ())  # a and b share 5 of 12
    assert np.bincount(groups.numbers).tolist() == [3, 12, 3, 2]


def test_a_narrow_rule_within_a_wide_one_is_a_reason_of_its_own():
    """The wide one covers two kinds of 3 and 9, of which the narrow one tells the first."""
    X = pd.DataFrame({"wide": [1] * 12 + [1] + [0] * 7, "narrow": [1] * 3 + [0] * 17})
    _, groups, _, selection = split(X, [1] * 12 + [0] * 8, [yes("wide"), yes("narrow")])
    assert selection.tags == ((0,), (1,))
    assert np.bincount(groups.numbers).tolist() == [8, 9, 3]


def test_one_rule_is_one_reason_and_none_leaves_all_as_they_were():
    X = pd.DataFrame({"a": [1, 1, 0, 0]})
    assert split(X, [1, 1, 0, 0], [yes("a")])[1].how == "one reason"
    assert split(X, [1, 1, 1, 0], [yes("a")])[1].names == ("1", "no common reason")
    _, groups, _, selection = split(X, [1, 1, 0, 0], [])
    assert groups.n_groups == 1
    assert selection.tags == ((),)


def test_a_rule_of_no_outlier_is_no_error():
    """No explainer of ours chooses one; one of the user's own may."""
    X = pd.DataFrame({"a": [1, 1, 0, 0, 0, 0], "b": [0, 0, 1, 1, 0, 0], "c": [0, 0, 0, 0, 1, 0]})
    _, groups, _, selection = split(X, [1, 1, 1, 1, 0, 0], [yes("a"), yes("b"), yes("c")])
    assert groups.n_groups == 2
    assert sorted(j for one in selection.tags for j in one) == [0, 1, 2]
    _, groups, _, selection = split(X, [0, 0, 0, 0, 0, 1], [yes("a"), yes("b")])
    assert selection.tags == ((0, 1),)


# --- through explain() ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def causes():
    """Three causes, and outliers that nothing tells."""
    rng = np.random.default_rng(0)
    n = 1_500
    X = pd.DataFrame(
        {
            "amount": rng.gamma(2, 20, n).round(2),
            "hours": rng.normal(40, 5, n).round(1),
            "channel": rng.choice(["web", "shop", "phone"], n),
        },
        index=[f"r{i}" for i in range(n)],
    )
    X.iloc[:40, 0] += 400
    X.iloc[40:65, 1] -= 35
    X.iloc[65:80, 2] = "telex"
    return X, np.repeat([1, 0], [85, n - 85])


def test_it_says_the_same_of_the_rows_as_one_group_does(causes):
    X, y = causes
    by_reasons, together = explain(y, X), explain(y, X, groups=1)
    assert len(by_reasons.summary.reasons) == 3
    said = [{rule.tag for group in e.groups for rule in group.rules} for e in (by_reasons, together)]
    assert said[0] == said[1]
    assert ((by_reasons.predict(X) > 0) == (together.predict(X) > 0)).all()
    assert "by reasons" in by_reasons.summary.grouping


def test_labels_that_are_group_numbers_are_kept_as_given(causes):
    X, y = causes
    numbers = y.copy()
    numbers[40:] *= 2
    e = explain(numbers, X)
    assert [group.size for group in e.groups] == [40, 45]
    assert [set(group.rows) for group in e.groups] == [set(X.index[:40]), set(X.index[40:85])]


def test_what_no_rule_covers_is_told_apart_in_every_view(causes):
    X, y = causes
    e = explain(y, X)
    rest = e.summary.rest
    assert (rest.number, rest.title, rest.rules) == (4, "Group 4 (no common reason)", ())
    assert list(rest.rows) == e.unexplained == [f"r{i}" for i in range(80, 85)]
    assert all(group.n_explained == group.size for group in e.summary.reasons)
    assert repr(e) == "Explanation(80 of 85 outliers in 3 groups by 3 rules)"
    assert "as outliers, in 3 groups. 3 rules explain 80" in e.headline
    assert "5 outliers have no common reason.\nGroup 1" in e.headline
    assert "Group 4" not in e.headline
    for view in (str(e), e.to_markdown(rows=True).replace("\\", ""), e.to_html(rows=True, examples=2)):
        assert "Group 4 (no common reason): 5 outliers" in view
        assert "No rule covers them (rows r80, r81, r82, r83, r84)." in view
        assert "Left un" not in view
    assert "r80" not in e.to_markdown() + e.to_html()
    assert set(e.predict(X).tolist()) == {0, 1, 2, 3}
    assert set(e.to_frame().group) == {1, 2, 3}
    assert "THEN 4" not in e.to_sql("t")
    assert Explanation.from_json(e.to_json()) == e
    assert e.rename({4: "strange"}).groups[3].title == "Group 4 (strange)"


def test_a_row_without_a_common_reason_is_asked_about_all_rules(causes):
    X, y = causes
    e = explain(y, X)
    line = e.to_rows().loc["r82"]
    assert (line.group, line.explained, line.rules, line.nearest_group) == (4, False, None, 3)
    assert str(e.for_row("r82")).startswith(
        "Row 'r82' is an outlier of group 4, and no rule covers it.\nThe nearest rule, of group 3:\n"
    )
    assert e.counterfactual("r82").changes == ()
    assert to_findings(e)[-1]["narrative"].endswith("group 4, and no rule explains it.")


def test_rules_found_again_are_of_groups_with_a_reason(causes):
    X, y = causes
    held = explain(y, X).validate(3).summary.validation
    assert [one.n_outliers for one in held.groups] == [40, 25, 15, 0]
    assert (held.whole.n_outliers, held.whole.group_size) == (80, 85)


def test_only_rules_make_a_group_without_a_common_reason(causes):
    X, y = causes
    noise = explain(np.repeat([1, 0], [3, 97]), X.iloc[700:800, [1]])
    assert [group.rules for group in noise.groups] == [()]  # nothing was found: no reason to tell one group apart
    assert noise.groups[0].title == "Group 1"
    given = explain(y, X, groups=1)
    assert given.summary.rest is None
    assert "Left unexplained: 5 outliers (rows r80, r81" in str(given)
