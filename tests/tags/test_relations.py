"""Relations: what a user asks for, the screen, and conditions on them in rules."""

import itertools

import numpy as np
import pandas as pd
import pytest
from exactly import COMPARE, related
from hypothesis import given, settings
from hypothesis import strategies as st
from tag_tables import grouped

from pyod_explain import Condition, Relation, Tag, explain
from pyod_explain.exceptions import ParameterError
from pyod_explain.input import as_table
from pyod_explain.tags import Itemsets, gain
from pyod_explain.tags.relations import RelationScreen, read_relations, screen_relations

FRAME = pd.DataFrame({"price": [9.0, 8.0, 7.0], "quantity": [1, 0, 3], "age": [5, 6, 9], "city": list("abc")})

NUMBERS = ["age", "price", "quantity"]


def asked(relations, frame=FRAME, names=NUMBERS):
    return [str(one) for one in read_relations(relations, as_table(frame), names)]


def opened(**columns):
    """Give the relations that are open unasked, as text; all of them whatever the order of columns and rows."""
    frame = pd.DataFrame(columns)
    found = asked(True, frame, list(frame))
    assert asked(True, frame.iloc[::-1, ::-1], list(frame)[::-1]) == found
    return found


RNG = np.random.default_rng(0)
INLET = RNG.normal(60, 6, 400)
NORMAL = RNG.normal(size=(2, 400))
BYTES = np.exp(RNG.normal(4, 2, 400))


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"x0": np.exp(NORMAL[0]), "x1": np.exp(NORMAL[1]) * 2}, "x0 + x1, x0 x x1, x1 - x0, x1 / x0"),
        # One unit: by range, and by the last word of their names (in kelvin far from 0, so without multiples).
        ({"in": INLET, "out": INLET + 9 + NORMAL[0]}, "in + out, in x out, out - in, out / in"),
        ({"air heat [K]": 300 + 2 * NORMAL[0], "ovenHeat": 900 + 50 * NORMAL[1]}, "ovenHeat - air heat [K]"),
        ({"a_bytes": BYTES, "b_bytes": BYTES * 1000}, "a_bytes x b_bytes, b_bytes - a_bytes, b_bytes / a_bytes"),
        # Not one: far apart, of other sizes, or named differently without moving together.
        ({"year": 1970 + RNG.integers(0, 13, 400), "mass": 3000 + 800 * NORMAL[0]}, ""),
        ({"lat": 40.7 + 0.1 * NORMAL[0], "lon": -74 + 0.1 * NORMAL[1]}, ""),
        ({"src_bytes": BYTES, "srv_count": RNG.integers(1, 9, 400)}, "src_bytes / srv_count, src_bytes x srv_count"),
        ({"age": RNG.integers(17, 90, 400), "hours": RNG.integers(5, 70, 400)}, "age / hours, age x hours"),
        # Without a word that tells what they measure, the range alone counts.
        ({"V1": NORMAL[0], "V2": 1.1 * NORMAL[1] + 0.1}, "V1 + V2, V2 - V1"),
        ({"mean_1": NORMAL[0], "max_2": 30 * NORMAL[1]}, ""),
        # A divisor has one sign and is hardly ever 0; so has a factor of a product.
        ({"balance": 50 * NORMAL[0] + 9, "age": RNG.integers(17, 90, 400)}, "age x balance, balance / age"),
        ({"errors": RNG.integers(0, 4, 400), "x": 100 + BYTES}, "errors / x, errors x x"),
        ({"gain": RNG.integers(0, 3, 400), "loss": RNG.integers(0, 9, 400)}, "gain x loss"),
    ],
    ids=lambda one: "" if isinstance(one, str) else " ".join(one),
)  # fmt: skip
def test_open_are_the_relations_that_a_person_would_say(columns, expected):
    assert ", ".join(opened(**columns)) == expected
    assert asked(False) == []


def test_what_the_user_lists_is_looked_at_whatever_it_is():
    X = pd.DataFrame({"year": 1970 + RNG.integers(0, 13, 400), "mass": 3000 + 9 * NORMAL[0]})
    y = (X["mass"] / X["year"] > 1.528).astype(int)
    [rule] = explain(y, X, relations=[("mass", "year")]).rules
    assert [str(c.column) for c in rule.tag.conditions] == ["mass / year"]
    assert not any(len(c.columns) > 1 for rule in explain(y, X).rules for c in rule.tag.conditions)


def test_a_list_may_have_pairs_triples_and_relations():
    pairs = [("quantity", "price"), ["price", "/", "age"], Relation("age", "-", "price"), ("age", "-", "price")]
    assert asked(pairs) == [
        "age - price", "price + quantity", "price / age", "price x quantity", "quantity - price", "quantity / price",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("relations", "wrong"),
    [
        ("price", "relations"), (["price"], "relations"), ([("price", "age", "city", "quantity")], "relations"),
        ([("price", 3)], "relations"), (3, "relations"), ([("price", "cost")], "relations"),
        ([("price", "city")], "relations"), ([("price", "%", "age")], "op"),
    ],
)  # fmt: skip
def test_what_cannot_be_related_is_refused(relations, wrong):
    with pytest.raises(ParameterError, match=f"^`{wrong}`"):
        explain([0, 0, 1], FRAME, relations=relations)


CELLS = st.one_of(st.none(), st.integers(-4, 4), st.sampled_from([0.1, 0.2, 0.3, 1e200, 1e-200, 2.5]))

LIMITS = st.one_of(st.integers(-4, 9), st.sampled_from([0.1, 0.30000000000000004, 0.3, 1.5]))


@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12),
    st.sampled_from("-/*+"),
    st.sampled_from(list(COMPARE)),
    LIMITS,
)
def test_a_tag_covers_the_rows_whose_numbers_say_so(cells, op, comparison, limit):
    X = pd.DataFrame(cells, columns=["a", "b"], dtype=object)
    condition = Condition(Relation("a", op, "b"), comparison, limit)
    values = [related(op, a, b) for a, b in cells]
    expected = [v is not None and COMPARE[comparison](v, limit) for v in values]
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
    assert found.summary.bits < 0.75 * without.summary.bits
    assert any(note.startswith("Of 60 relations of two columns, ") for note in found.notes)
    assert rule.significant


SCREEN_CELLS = st.one_of(st.none(), st.integers(-3, 4))


@st.composite
def looks(draw):
    """A small table of three columns, of which the screen looks at all rows: everything can be counted by hand."""
    n_normals, n_outliers = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    n = n_normals + n_outliers
    rows = draw(st.lists(st.tuples(*[SCREEN_CELLS] * 3), min_size=n, max_size=n))
    table = as_table(pd.DataFrame(rows, columns=list("abc"), dtype="float64"))
    members = np.array(draw(st.lists(st.booleans(), min_size=n_outliers, max_size=n_outliers)))
    return table, grouped([0] * n_normals + [1] * n_outliers), n_normals, np.flatnonzero(members) + n_normals


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
@given(looks(), st.sampled_from("-/*+"))
def test_the_best_threshold_of_a_relation_is_that_of_all_thresholds(made, op):
    table, groups, n_normals, rows = made
    relation = Relation("a", op, "b")
    screen = RelationScreen(table, groups, [Relation("b", "-", "c"), relation])
    column = table[relation]
    found, named = screen._threshold(1, screen._cells(rows))
    assert found == pytest.approx(best(thresholds(column, n_normals, rows), len(rows), n_normals), abs=1e-9)
    if found > 0:
        met = [set(np.flatnonzero(inside)) for normal, inside in thresholds(column, n_normals, rows)
               if best([(normal, inside)], len(rows), n_normals) == pytest.approx(found, abs=1e-9)]  # fmt: skip
        assert set(np.flatnonzero(named)) in met


@settings(max_examples=60, deadline=None)
@given(looks())
def test_two_cuts_save_what_the_best_pair_of_all_thresholds_saves(made):
    table, groups, n_normals, rows = made
    screen = RelationScreen(table, groups, [Relation("a", "-", "b")])
    found, covered = screen._by_two_cuts(0, screen._cells(rows))
    one, two = (list(thresholds(table[name], n_normals, rows)) for name in "ab")
    pairs = [(a[0] & b[0], a[1] & b[1]) for a in one for b in two]
    assert found == pytest.approx(best(pairs, len(rows), n_normals), abs=1e-9)
    assert not found or any(np.array_equal(covered, inside) for _, inside in pairs)


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


def machines(seed=0, n=10_000):
    """Failures of four kinds: heat (100 rows; a difference and the speed), power and strain (products), and wear."""
    rng = np.random.default_rng(seed)
    air, torque, wear = rng.normal(300, 2, 3 * n), rng.normal(40, 10, 3 * n).clip(4), rng.integers(0, 250, 3 * n)
    process = air + 10 + rng.normal(0, 1, 3 * n)
    speed = (rng.normal(60_000, 10_000, 3 * n) / torque).clip(1160, 2900)
    X = pd.DataFrame({"air": air, "process": process, "speed": speed, "torque": torque, "tool wear": wear})
    X = X.rename(columns=lambda name: f"{name} temperature" if name in ("air", "process") else name)
    heat, power, strain = (process - air < 8.6) & (speed < 1380), speed * torque > 82_000, wear * torque > 12_000
    kind = np.select([heat, power, strain, wear > 240], [1, 2, 3, 4], 0)
    sizes = {1: 100, 2: 300, 3: 300, 4: 300, 0: n - 1000}
    rows = np.sort(np.concatenate([np.flatnonzero(kind == k)[:size] for k, size in sizes.items()]))
    return X.iloc[rows].reset_index(drop=True), kind[rows]


def test_the_cause_of_one_kind_of_outliers_is_kept_where_several_kinds_are_mixed():
    X, kind = machines()
    table, groups = as_table(X), grouped((kind > 0).astype(int))
    relations = read_relations(True, table, list(X))
    screen = RelationScreen(table, groups, relations)
    heat = Relation("process temperature", "-", "air temperature")
    power, strain = Relation("speed", "*", "torque"), Relation("tool wear", "*", "torque")
    assert {heat, power, strain} <= set(screen.best())
    assert screen.best(kind == 1)[0] == heat
    assert {power, strain} <= set(screen.best(kind > 1))
    assert heat not in screen.best(kind > 1)
    left = (kind == 1) | ((kind > 1) & (np.arange(len(X)) % 4 == 0))  # what a first description might leave
    assert heat in screen.best(left)
    alone = grouped(np.where(left, 1, np.where(kind > 0, -1, 0)))
    assert set(screen.best(left)) == set(screen_relations(table, alone, relations))
    order = np.random.default_rng(1).permutation(len(X))
    other = RelationScreen(as_table(X.iloc[order, ::-1]), grouped((kind[order] > 0).astype(int)), relations)
    assert other.best(left[order]) == screen.best(left)


def test_noise_keeps_hardly_any_relation():
    with_a_relation = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(np.exp(rng.normal(3, 0.5, (1_500, 10)))).rename(columns=lambda i: f"c{i}")
        y = np.zeros(len(X), dtype=int)
        y[rng.choice(len(X), 75, replace=False)] = 1
        with_a_relation += bool(kept(as_table(X), grouped(y)))
    assert with_a_relation <= 1


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
    assert Itemsets(relations=relations[:3])._relations(as_table(X), grouped(y), []) == relations[:3]  # few: all kept
