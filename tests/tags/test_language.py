"""A language that does not depend on the labels: every rule has its price, and no rule is cheaper than it may be."""

import itertools

import numpy as np
import pandas as pd
import pytest

from pyod_explain import Condition, DatePart, Relation, Tag
from pyod_explain.input import as_table
from pyod_explain.tags import Language, log_star


def test_the_bits_of_all_short_rules_fit_into_one_code():
    """Kraft: the shares 2**-bits of all conditions on a small table add up to at most 1."""
    X = pd.DataFrame({"x": [1.0, 2, 3, 4, np.nan], "c": list("aabcd"), "b": [True, False, True, True, False]})
    language = Language(as_table(X))
    said = [Condition("x", op, t) for op in ("<", ">=") for t in (0.5, 1.5, 2.5, 3.5, 4.5)]
    said += [Condition("x", "between", pair) for pair in itertools.combinations((0.5, 1.5, 2.5, 3.5, 4.5), 2)]
    said += [Condition(name, op) for name in X for op in ("missing", "present")]
    for op in ("==", "!="):
        said += [Condition("x", op, v) for v in (1, 2, 3, 4)]
        said += [Condition("c", op, v) for v in "abcd"]
    said += [Condition("b", "==", True), Condition("b", "==", False)]
    for op in ("in", "not in"):
        said += [Condition("c", op, v) for k in (1, 2, 3, 4) for v in itertools.combinations("abcd", k)]
        said += [Condition("x", op, v) for k in (1, 2, 3, 4) for v in itertools.combinations((1, 2, 3, 4), k)]
    assert 0.3 < sum(2 ** -language.condition_bits(one) for one in said) <= 1
    pair = Tag.of(Condition("x", "<", 1.5), Condition("c", "==", "a"))
    parts = sum(language.condition_bits(one) for one in pair.conditions)
    assert language.rule_bits(pair) == pytest.approx(parts + float(log_star(2)) - 1)


def test_what_is_said_of_the_lowest_value_costs_no_more_than_the_threshold_that_says_the_same():
    language = Language(as_table(pd.DataFrame({"fee": [0.0] * 50 + list(range(1, 51))})))
    assert language.condition_bits(Condition("fee", "==", 0)) == language.condition_bits(Condition("fee", "<=", 0))
    assert language.condition_bits(Condition("fee", "==", 50)) == language.condition_bits(Condition("fee", ">=", 50))
    assert language.condition_bits(Condition("fee", "==", 7)) > language.condition_bits(Condition("fee", "<=", 7))


def all_lists(values):
    return [some for k in range(1, len(values) + 1) for some in itertools.combinations(values, k)]


def test_relations_fit_into_the_same_code_and_make_nothing_else_longer():
    """Kraft: all conditions on single columns and on all relations of them, each set of rows by its shortest one."""
    X = pd.DataFrame({"x": [1.0, 2, 3, 5], "y": [4.0, 1, 2, np.nan], "z": [7.0, 7, 0, 2]})
    table = as_table(X)
    language = Language(table)
    pairs = list(itertools.permutations(X, 2))
    subjects = [*X, *dict.fromkeys(Relation(a, op, b) for a, b in pairs for op in "-/*+")]
    total = 0.0
    for subject in subjects:
        cells = np.unique(table[subject].values[~table[subject].missing])
        cuts = [-np.inf, *((cells[1:] + cells[:-1]) / 2), np.inf]
        said = [Condition(subject, op, t) for op in ("<", ">=") for t in cuts]
        said += [Condition(subject, "between", pair) for pair in itertools.combinations(cuts, 2)]
        said += [Condition(subject, op, v) for op in ("==", "!=") for v in cells]
        said += [Condition(subject, op, v) for op in ("in", "not in") for v in all_lists(cells.tolist())]
        said += [Condition(subject, op) for op in ("missing", "present")]
        total += sum(2 ** -language.condition_bits(one) for one in said)
    assert 0.3 < total <= 1


def test_a_relation_costs_both_columns_and_which_operation():
    table = as_table(pd.DataFrame({name: range(i, i + 64) for i, name in enumerate("abcd")}))
    single, relation = (
        Language(table).condition_bits(Condition(one, ">=", 40)) for one in ("a", Relation("a", "+", "b"))
    )
    assert relation == pytest.approx(single + 2 + 2 + 4, abs=1)  # the other column, the operation, and that it is one


NAMES = [f"v{i}" for i in range(9)]
HOURS = pd.DataFrame({"t": pd.date_range("2024-01-01", periods=240, freq="h")})


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (
            {"c": NAMES + ["v0"] * 5},
            [Condition("c", op, v) for op in ("rare", "in", "not in") for v in all_lists(NAMES)],
        ),
        (HOURS, [Condition(DatePart("t", "hour"), op, hour) for op in ("<", ">=") for hour in range(25)]),
        ({"t": [{"a"}, {"b"}, {"a", "b"}, None]}, [Condition("t", "not in", ["a"]), Condition("t", "rare", ["a"])]),
    ],
    ids=["lists", "hours", "labels"],
)
def test_whatever_a_user_says_has_its_price(X, said):
    """Kraft again, for each set of rows that can be said: lists of the user's own, and parts of dates."""
    table = as_table(pd.DataFrame(X))
    language = Language(table)
    shortest = {}
    for one in said:
        rows = one.holds(table[one.column]).tobytes()
        shortest[rows] = min(language.condition_bits(one), shortest.get(rows, np.inf))
    places = 3 if "hour" in {getattr(one.column, "part", None) for one in said} else 1
    assert sum(2**-bits for bits in shortest.values()) <= 1 / places


@pytest.mark.parametrize("op", ["in", "not in"])
def test_values_that_a_column_lacks_say_nothing(op):
    """Else a long list of them would make any choice among the others cheap."""
    language = Language(as_table(pd.DataFrame({"c": NAMES * 2, "n": range(18)})))
    for name, own, others in (("c", NAMES[:4], map(str, range(60))), ("n", [2, 3, 5, 7], range(50, 99))):
        plain, padded = (Condition(name, op, one) for one in (own, [*own, *others]))
        assert language.condition_bits(padded) == language.condition_bits(plain)


def test_what_is_rare_follows_from_the_table():
    """The makers' own condition costs no list; a user's list of other common values does."""
    X = pd.DataFrame({"c": [f"common {i % 6}" for i in range(600)] + [f"rare {i}" for i in range(30)]})
    language = Language(as_table(X))
    common = [f"common {i}" for i in range(6)]
    free = language.condition_bits(Condition("c", "rare", common))
    assert free == language.condition_bits(Condition("c", "missing"))
    assert language.condition_bits(Condition("c", "rare", [*common, "rare 7"])) > free + 20
