"""Relations: what a user asks for, the screen, and conditions on them in rules."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tag_tables import grouped

from pyod_explain import Condition, Coverage, Relation, Tag, explain
from pyod_explain.description_length import tag_bits
from pyod_explain.exceptions import ParameterError
from pyod_explain.input import as_table
from pyod_explain.tags import gain
from pyod_explain.tags.relations import Sample, read_relations, screen_relations

FRAME = pd.DataFrame({"price": [9.0, 8.0, 7.0], "quantity": [1, 0, 3], "age": [5, 6, 9], "city": list("abc")})

NUMBERS = ["age", "price", "quantity"]


def asked(relations, frame=FRAME, names=NUMBERS):
    return [str(one) for one in read_relations(relations, as_table(frame), names)]


def test_all_pairs_have_four_relations_each_and_no_mirror_images():
    found = asked(True)
    assert len(found) == 3 * 4
    assert "price - quantity" in found  # what is larger comes first
    assert "quantity / price" in found  # and not by quantity, which is 0 once
    assert asked(True, FRAME[FRAME.columns[::-1]], NUMBERS[::-1]) == found
    assert asked(False) == []


def test_a_list_may_have_pairs_triples_and_relations():
    pairs = [("quantity", "price"), ["price", "/", "age"], Relation("age", "-", "price"), ("age", "-", "price")]
    assert asked(pairs) == [
        "age - price", "price + quantity", "price / age", "price x quantity", "quantity - price", "quantity / price",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("relations", "wrong"),
    [
        ("price", "relations"),
        (["price"], "relations"),
        ([("price", "age", "city", "quantity")], "relations"),
        ([("price", 3)], "relations"),
        (3, "relations"),
        ([("price", "cost")], "relations"),
        ([("price", "city")], "relations"),
        ([("price", "%", "age")], "op"),
    ],
)
def test_what_cannot_be_related_is_refused(relations, wrong):
    with pytest.raises(ParameterError) as caught:
        explain([0, 0, 1], FRAME, relations=relations)
    assert caught.value.argument == wrong


CELLS = st.one_of(st.none(), st.integers(-4, 4), st.sampled_from([0.1, 0.2, 0.3, 1e200, 1e-200, 2.5]))

LIMITS = st.one_of(st.integers(-4, 9), st.sampled_from([0.1, 0.30000000000000004, 0.3, 1.5]))


def value(op, a, b):
    if a is None or b is None or 1e-200 in (a, b) or 1e200 in (a, b) or (op == "/" and b == 0):
        return None
    return {"-": float(a) - float(b), "*": float(a) * float(b), "+": float(a) + float(b)}.get(op, a / b if b else None)


MEETS = {
    "<": lambda v, t: v < t, "<=": lambda v, t: v <= t, ">": lambda v, t: v > t, ">=": lambda v, t: v >= t,
    "==": lambda v, t: v == t, "!=": lambda v, t: v != t,
}  # fmt: skip


@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12),
    st.sampled_from("-/*+"),
    st.sampled_from(list(MEETS)),
    LIMITS,
)
def test_a_tag_covers_the_rows_whose_numbers_say_so(cells, op, comparison, limit):
    X = pd.DataFrame(cells, columns=["a", "b"], dtype=object)
    condition = Condition(Relation("a", op, "b"), comparison, limit)
    values = [value(op, a, b) for a, b in cells]
    expected = [v is not None and MEETS[comparison](v, limit) for v in values]
    assert Tag.of(condition).covers(X).tolist() == expected
    assert Tag.of(~condition).covers(X).tolist() == [
        v is not None and not holds for v, holds in zip(values, expected, strict=True)
    ]
    gone = Condition(condition.column, "missing")
    assert Tag.of(gone).covers(X).tolist() == [v is None for v in values]


def planted(seed=0, n=1500, n_columns=6):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(np.exp(rng.normal(3, 0.4, (n, n_columns))).round(2), columns=[f"c{i}" for i in range(n_columns)])
    return X.assign(kind=rng.choice(list("xyz"), n))


CAUSES = {
    "c1 - c2 >= 30": lambda X: X["c1"] - X["c2"] >= 30,
    "c1 / c2 >= 3": lambda X: X["c1"] / X["c2"] >= 3,
    "c1 x c2 >= 1200": lambda X: X["c1"] * X["c2"] >= 1200,
    "c1 + c2 >= 70": lambda X: X["c1"] + X["c2"] >= 70,
}


@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("groups", [1, "auto"])
def test_a_planted_cause_is_found_and_its_limit_is_nearly_exact(cause, groups):
    X = planted()
    X = X.assign(c1=X["c1"] * 1.1)  # so that c1 is the larger one, and stands in front
    y = CAUSES[cause](X).astype(int)
    found, without = (explain(y, X, groups=groups, relations=relations) for relations in (True, False))
    [rule] = found.rules
    [condition] = rule.tag.conditions
    subject, _, limit = cause.partition(" >= ")
    assert str(condition.column) == subject
    assert condition.value == pytest.approx(float(limit), rel=0.02)
    assert (rule.n_outliers, rule.n_normals) == (int(y.sum()), 0)
    assert found.summary.bits < without.summary.bits / 2
    assert rule.significant


def test_the_order_of_rows_and_columns_is_irrelevant():
    X = planted(2, 9000, 8)  # more rows than are looked at
    y = (X["c1"] / X["c5"] >= 2.9).astype(int).to_numpy()
    order = np.random.default_rng(1).permutation(len(X))
    first = explain(y, X, groups=2, relations=True)
    other = explain(y[order], X.iloc[order][X.columns[::-1]], groups=2, relations=True)
    assert [rule.text for rule in first.rules] == [rule.text for rule in other.rules]
    assert first.summary.n_items == other.summary.n_items
    assert first.summary.notes == other.summary.notes


@pytest.mark.parametrize("n_columns", [3, 6, 20])
def test_who_uses_a_relation_pays_for_all_that_were_looked_at(n_columns):
    X = planted(n_columns=n_columns)
    y = (X["c1"] - X["c2"] >= 30).astype(int)
    summary = explain(y, X, groups=1, relations=True).summary
    looked_at = n_columns * (n_columns - 1) // 2 * 4
    coverage = Coverage.from_tags(as_table(X), [summary.rules[0].tag], grouped(y), n_items=summary.n_items)
    assert coverage.lengths.tolist() == [2]
    cuts = 12  # about so many thresholds a column
    assert float(tag_bits(coverage)[0]) > np.log2(looked_at * cuts)
    assert any(note.startswith(f"Of {looked_at} relations of two columns, ") for note in summary.notes)


def test_random_labels_are_not_explained_by_one_of_many_relations():
    X = planted(5, 600, 20)
    said = 0
    for seed in range(4):
        y = np.zeros(600, dtype=int)
        y[np.random.default_rng(seed).choice(600, 30, replace=False)] = 1
        said += explain(y, X, groups=1, relations=True).summary.explains
    assert said == 0


SCREEN_CELLS = st.one_of(st.none(), st.integers(-3, 4))


@st.composite
def looks(draw):
    """A small look at three columns: all rows of it, so that everything can be counted by hand."""
    n_normals, n_outliers = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    n = n_normals + n_outliers
    rows = draw(st.lists(st.tuples(*[SCREEN_CELLS] * 3), min_size=n, max_size=n))
    table = as_table(pd.DataFrame(rows, columns=list("abc"), dtype="float64"))
    order = np.arange(n_normals), {1: np.arange(n_normals, n_normals + n_outliers)}
    return table, Sample.at(table, order, 100, 100), n_normals


def thresholds(column, n_normals, rows):
    """Which normals and which of these outliers meet each threshold of a column, from below and from above."""
    values = {float(v) for v, gone in zip(column.values, column.missing, strict=True) if not gone}
    for v, side in itertools.product(sorted(values), (-1, 1)):
        meets = ~column.missing & (column.values * side >= v * side)
        yield meets[:n_normals], meets[rows]


def best(pairs, size, n_normals):
    """Most bits that one of the sets tells, among those that are more frequent in the group."""
    told = [0.0]
    for normal, inside in pairs:
        a, b = int(inside.sum()), int(normal.sum())
        if a * n_normals > b * size:
            told.append(float(gain(a, b, size, n_normals)))
    return max(told)


@settings(max_examples=60, deadline=None)
@given(looks(), st.sampled_from("-/*+"), st.randoms(use_true_random=False))
def test_the_best_threshold_of_a_relation_is_that_of_all_thresholds(made, op, random):
    table, look, n_normals = made
    relation = Relation("a", op, "b")
    members = np.array([random.random() < 0.7 for _ in look.numbers])
    if not members.any():
        return
    rows = np.flatnonzero(members) + n_normals
    column = table[relation]
    standing = look.rank([Relation("b", "-", "c"), relation])
    found = float(standing.gains(members)[1])
    assert found == pytest.approx(best(thresholds(column, n_normals, rows), members.sum(), n_normals), abs=1e-9)
    if found > 0:
        named = standing.named(1, members)
        met = [set(np.flatnonzero(inside)) for normal, inside in thresholds(column, n_normals, rows)
               if best([(normal, inside)], members.sum(), n_normals) == pytest.approx(found, abs=1e-9)]  # fmt: skip
        assert set(np.flatnonzero(named[members])) in met


@settings(max_examples=60, deadline=None)
@given(looks())
def test_two_cuts_are_those_of_a_grid_and_never_better_than_all(made):
    table, look, n_normals = made
    members = np.ones(len(look.numbers), dtype=bool)
    rows = np.arange(n_normals, table.n_rows)
    one, two = (list(thresholds(table[name], n_normals, rows)) for name in "ab")
    pairs = [(a[0] & b[0], a[1] & b[1]) for a in one for b in two]
    found = look.by_two_cuts(Relation("a", "-", "b"), members)
    assert found <= best([*one, *two, *pairs], len(rows), n_normals) + 1e-9
    assert found >= best([*one, *two], len(rows), n_normals) - 1e-9


def table_of(n, n_columns, cause, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(np.exp(rng.normal(3, 0.4, (n, n_columns))), columns=[f"c{i:02d}" for i in range(n_columns)])
    return as_table(X), grouped(cause(X).astype(int).to_numpy())


def kept(table, groups):
    return [str(one) for one in screen_relations(table, groups, read_relations(True, table, list(table.columns)))]


@pytest.mark.parametrize(
    ("cause", "relation"),
    [
        (lambda X: X["c03"] - X["c17"] > 30, {"c03 - c17", "c17 - c03"}),
        (lambda X: X["c03"] / X["c17"] > 3, {"c03 / c17", "c17 / c03"}),
        (lambda X: X["c03"] * X["c17"] > 1200, {"c03 x c17"}),
        (lambda X: X["c03"] + X["c17"] < 20, {"c03 + c17"}),
    ],
)
def test_a_cause_is_kept_among_thousands(cause, relation):
    assert relation & set(kept(*table_of(8_000, 40, cause)))


def test_what_one_column_or_a_threshold_on_each_says_is_not_kept():
    assert kept(*table_of(3_000, 20, lambda X: X["c03"] > 40)) == []
    assert kept(*table_of(3_000, 20, lambda X: (X["c03"] > 30) & (X["c17"] > 30))) == []


@pytest.mark.parametrize("y", [[0, 0, 0], [1, 1, 1], [0, 1, 2], [0, -1, 1]])
def test_few_rows_and_rows_that_are_neither_are_no_trouble(y):
    X = pd.DataFrame(
        {"a": [1.0, 2.0, 3.0], "b": [3.0, np.nan, 1.0], "c": [5.0, 6.0, 0.0], "d": [np.nan, np.nan, 1e200]}
    )
    relations = read_relations([(a, b) for a, b in itertools.combinations("abcd", 2)], as_table(X), [])
    assert screen_relations(as_table(X), grouped(y), relations) == []
    assert screen_relations(as_table(X), grouped(y), relations[:3]) == relations[:3]  # few: all are kept
