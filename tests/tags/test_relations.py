"""Relations as a user asks for them, and as conditions of tags."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_tables import grouped

from pyod_explain import Condition, Coverage, Itemsets, PyodExplainError, Relation, Tag, explain
from pyod_explain.checks import check_tag_maker
from pyod_explain.description_length import tag_bits
from pyod_explain.input import as_table
from pyod_explain.tags.relations import read_relations

FRAME = pd.DataFrame({"price": [9.0, 8.0, 7.0], "quantity": [1, 0, 3], "age": [5, 6, 9], "city": list("abc")})
NUMBERS = ["age", "price", "quantity"]


def asked(relations, frame=FRAME, names=NUMBERS):
    return [str(one) for one in read_relations(relations, as_table(frame), names)]


# --- what is asked for ------------------------------------------------------------------------------------------------


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


def test_a_function_gets_the_names_of_quantities_and_is_asked_once():
    seen = []

    def related(names):
        seen.append(names)
        return [(names[0], "/", names[1])]

    rng = np.random.default_rng(0)
    X = pd.DataFrame({"b": rng.normal(9, 1, 300), "a": rng.normal(9, 1, 300), "zip code": rng.integers(0, 9, 300)})
    X = X.assign(kind=rng.choice(list("xy"), 300), flag=rng.integers(0, 2, 300), c=X["a"] * 2)
    found = explain((X["a"] > 1.3 * X["b"]).astype(int), X, relations=related, groups="auto").validate(2)
    assert seen == [["a", "b", "c"]]  # no code, no text, no column of two values
    assert [rule.text for rule in found.rules] == ["a / b >= 1.3"]


@pytest.mark.parametrize(
    ("relations", "message"),
    [
        ("price", "True, False, a list of pairs"),
        (["price"], r"`relations` of explain\(\) must be .* got 'price'"),
        ([("price", "age", "city", "quantity")], 'must be "auto", True'),
        ([("price", 3)], 'must be "auto", True'),
        (3, "got 3"),
        (lambda _: 7, "got 7"),
        ([("price", "cost")], "must name columns of `X`, got 'cost'; it has 'age', 'city', 'price', 'quantity'"),
        ([("price", "city")], "must name columns of numbers, got 'city'"),
        ([("price", "%", "age")], "`op` of a Relation"),
    ],
)
def test_what_cannot_be_related_is_refused(relations, message):
    with pytest.raises(PyodExplainError, match=message):
        explain([0, 0, 1], FRAME, relations=relations)


def test_relations_beside_tags_that_cannot_have_any_are_refused():
    for tags in ("forest", Itemsets(), [Tag.of(Condition("price", ">", 8))]):
        with pytest.raises(PyodExplainError, match=r"Hint: tags=Itemsets\(relations=\.\.\.\)"):
            explain([0, 0, 1], FRAME, tags=tags, relations=True)
    both = explain([0, 0, 1] * 9, pd.concat([FRAME] * 9), tags=["forest", "itemsets"], relations=True)
    assert both.summary.n_outliers == 9


# --- as conditions ----------------------------------------------------------------------------------------------------

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


def test_a_condition_on_a_relation_reads_and_compares_as_any_other():
    condition = Condition(Relation("load", "*", "hours"), ">=", 12_000)
    assert str(condition) == "hours x load >= 12000"
    assert condition.columns == ("hours", "load")
    assert repr(Tag.of(condition)) == "Tag(hours * load >= 12000)"
    assert eval(repr(condition)) == condition  # noqa: S307 - our own
    assert condition != Condition("hours x load", ">=", 12_000)
    assert condition.sort_key != Condition("hours x load", ">=", 12_000).sort_key
    assert Tag.of(condition, Condition("load", ">", 3)).columns == ["hours", "load"]
    assert Condition(Relation("a", "-", "b"), ">=", 3).feature == Condition(Relation("a", "-", "b"), "<", 3)


@pytest.mark.parametrize("wrong", [{"op": "contains", "value": "x"}, {"op": ">", "value": 3, "part": "hour"}])
def test_a_relation_gives_numbers_and_neither_labels_nor_times(wrong):
    with pytest.raises(PyodExplainError, match="which gives numbers"):
        Condition(Relation("a", "-", "b"), **wrong)


def test_a_column_that_is_named_as_a_relation_reads_is_another_thing():
    X = pd.DataFrame({"a": [5.0, 1.0], "b": [1.0, 5.0], "a - b": [-9.0, 9.0]})
    relation, column = Condition(Relation("a", "-", "b"), ">", 0), Condition("a - b", ">", 0)
    assert Tag.of(relation).covers(X).tolist() == [True, False]
    assert Tag.of(column).covers(X).tolist() == [False, True]
    assert not Tag.of(relation, column).covers(X).any()


# --- in rules ---------------------------------------------------------------------------------------------------------


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


def test_two_causes_and_a_condition_beside_one_of_them():
    X = planted(1, 4000)
    y = ((X["c0"] * X["c3"] >= 1200) & (X["kind"] == "x")) | (X["c1"] - X["c2"] >= 32)
    found = explain(y.astype(int), X, groups=1, relations=True)
    texts = {str(condition.column) for rule in found.rules for condition in rule.tag.conditions}
    assert {"c0 x c3", "kind"} <= texts
    assert texts & {"c1 - c2", "c2 - c1"}
    assert found.summary.precision > 0.97
    assert found.summary.n_explained > 0.95 * y.sum()


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
    for seed in range(10):
        y = np.zeros(600, dtype=int)
        y[np.random.default_rng(seed).choice(600, 30, replace=False)] = 1
        said += explain(y, X, groups=1, relations=True).summary.explains
    assert said == 0


def test_rules_on_relations_need_only_the_columns_they_name():
    X = planted()
    y = (X["c1"] + X["c2"] >= 70).astype(int)
    found = explain(y, X, groups=1, relations=[("c1", "+", "c2")]).validate(3)
    assert found.predict(X[["c2", "c1"]]).tolist() == y.tolist()
    assert found.transform(X[["c2", "c1"]]).columns.tolist() == ["group 1: c1 + c2 >= 70"]
    with pytest.raises(PyodExplainError, match="'c2'"):
        found.predict(X[["c1"]])
    assert found.summary.validation.whole.recall > 0.9


@pytest.mark.parametrize("relations", [True, [("amount", "hour")], [("amount", "/", "hour")]])
def test_a_maker_with_relations_keeps_the_contract(relations):
    check_tag_maker(Itemsets(relations=relations), *_shop())


def _shop():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"amount": rng.integers(1, 50, 90).astype(float), "hour": rng.integers(0, 24, 90), "n": range(90)})
    X.loc[3, "amount"] = np.nan
    return X, ((X["amount"] > 5 * X["hour"]).astype(int) * (1 + X["n"] % 2)).to_numpy()
