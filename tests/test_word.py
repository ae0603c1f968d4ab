import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import (
    Condition,
    Explanation,
    GivenTags,
    Itemsets,
    OutlierExplainer,
    PyodExplainError,
    Relation,
    Tag,
    explain,
)
from pyod_explain.word import read_word, said_of

pytestmark = pytest.mark.usefixtures("few_looks")

AGE = Tag.of(Condition("age", ">=", 65))
BOTH = Tag.of(Condition("amount", ">=", 500), Condition("kind", "==", "b"))
NOBODY = Tag.of(Condition("age", "<", 0))
COST = re.compile(r"makes the description ([\d,.]+) bits (longer|shorter)|would take ([\d,.]+) bits (less|more)")


def orders(seed=0, n=300):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "amount": rng.gamma(2.0, 50.0, n).round(1),
            "age": rng.integers(18, 90, n),
            "kind": rng.choice(list("abc"), n),
            "noise": rng.normal(size=n).round(2),
        }
    )
    y = np.zeros(n, dtype=int)
    odd = rng.choice(n, 30, replace=False)
    y[odd] = 1
    X.loc[odd[:20], "amount"] += 600
    X.loc[odd[20:], "kind"] = "z"
    return X, y


def tags_of(e):
    return [rule.tag for rule in e.rules]


def columns_of(e):
    return {name for tag in tags_of(e) for name in tag.columns}


def word_notes(e):
    return [note for note in e.summary.notes if note.startswith(("Kept", "Banned"))]


def cost_in(note):
    """Read what a note says that an entry costs."""
    found = COST.search(note)
    if found is None:
        assert note.endswith("costs nothing.")
        return 0.0
    amount, how = found.group(1) or found.group(3), found.group(2) or found.group(4)
    return float(amount.replace(",", "")) * (1 if how in ("longer", "less") else -1)


ENTRIES = st.sampled_from(["amount", "age", "kind", "noise", AGE, BOTH, NOBODY, Condition("kind", "!=", "a")])
GROUPS = st.sampled_from(["reasons", 1, 2, "auto"])


@settings(max_examples=12, deadline=None)
@given(
    st.lists(ENTRIES, max_size=2),
    st.lists(ENTRIES, max_size=2),
    GROUPS,
    st.sampled_from([0.0, 0.02, 0.3]),
    st.integers(0, 3),
)
def test_what_is_kept_is_said_and_what_is_banned_is_not_and_the_notes_tell_the_difference(
    keep, ban, groups, simplify, seed
):
    X, y = orders(seed, 150)
    how = {"groups": groups, "simplify": simplify}
    try:
        word = read_word(keep, ban)
    except PyodExplainError:
        with pytest.raises(PyodExplainError, match="contradict"):
            explain(y, X, keep=keep, ban=ban, **how)
        return
    e = explain(y, X, keep=keep, ban=ban, **how)
    assert set(word.kept) <= set(tags_of(e))
    assert set(word.kept_columns) <= columns_of(e)
    assert not word.banned & set(tags_of(e))
    assert not word.banned_columns & columns_of(e)
    entries = [*word.keep, *word.ban]
    notes = word_notes(e)
    assert len(notes) == len(entries)
    for entry, note in zip(entries, notes, strict=True):
        left = {"keep": [one for one in word.keep if one != entry], "ban": [one for one in word.ban if one != entry]}
        other = explain(y, X, **left, **how)
        assert cost_in(note) == pytest.approx(e.summary.objective - other.summary.objective, abs=0.5)


def test_nothing_changes_where_the_search_says_what_is_kept_anyway():
    X, y = orders()
    free = explain(y, X)
    e = explain(y, X, keep=["amount", *tags_of(free)], ban=[NOBODY])
    assert set(tags_of(e)) == set(tags_of(free))
    assert e.summary.objective == free.summary.objective
    assert [note.endswith("costs nothing.") for note in word_notes(e)] == [True] * (2 + len(free.rules))


@pytest.mark.parametrize("groups", ["reasons", 1, 2, "auto"])
def test_a_rule_is_kept_that_is_more_frequent_among_the_normals_or_that_nobody_meets(groups):
    X, y = orders()
    usual = Tag.of(Condition("amount", "<", 400))
    e = explain(y, X, keep=[usual, NOBODY], groups=groups)
    assert {usual, NOBODY} <= set(tags_of(e))
    [rule] = [rule for rule in e.rules if rule.tag == NOBODY]
    assert (rule.n_outliers, rule.n_normals) == (0, 0)
    only = explain(y, X, keep=[NOBODY, Tag.of(Condition("age", "<", -1))], ban=["amount", "kind"], groups=groups)
    assert NOBODY in tags_of(only)


def test_a_kept_rule_describes_the_group_that_it_is_most_frequent_in():
    X, y = orders()
    two = np.where(y == 1, 1 + (X["kind"] == "z"), 0)
    for number, tag in ((1, Tag.of(Condition("amount", ">=", 300))), (2, Tag.of(Condition("kind", "!=", "a")))):
        e = explain(two, X, keep=[tag])
        assert [rule.group for rule in e.rules if rule.tag == tag] == [number]


def test_a_kept_column_is_no_identifier_and_its_rule_is_the_best_that_was_tried():
    X, y = orders()
    X["order_id"] = np.random.default_rng(1).permutation(len(X)) + 7_000
    free = explain(y, X)
    assert "order_id" not in columns_of(free)
    e = explain(y, X, keep=["order_id"])
    assert "order_id" in columns_of(e)
    assert not any("left out" in note for note in e.summary.notes)
    by_hand = explain(y, X, keep=[tag for tag in tags_of(e) if "order_id" in tag.columns])
    assert e.summary.objective == pytest.approx(by_hand.summary.objective, abs=1.0)
    for cut in (7_100, 7_250, 7_400):
        other = explain(y, X, keep=[Condition("order_id", "<", cut)])
        assert e.summary.objective < other.summary.objective


@pytest.mark.parametrize("tags", ["auto", "itemsets", "forest", Itemsets(max_length=2)])
def test_every_kind_of_tags_can_speak_of_a_kept_column(tags):
    X, y = orders()
    e = explain(y, X, keep=["noise"], ban=["age"], tags=tags)
    assert "noise" in columns_of(e)
    assert "age" not in columns_of(e)


def test_own_tags_are_kept_and_banned_by_name_and_by_column():
    X, y = orders()
    own = pd.DataFrame({"dear": X["amount"] > 500, "odd": X["kind"] == "z", "young": X["age"] < 30})
    e = explain(y, X, tags=own, keep=["young"], ban=["odd"])
    assert columns_of(e) == {"dear", "young"}
    listed = [BOTH, AGE, Tag.of(Condition("amount", ">=", 500))]
    assert columns_of(explain(y, X, tags=listed, ban=["kind"])) == {"amount"}
    assert tags_of(explain(y, X, tags=GivenTags(listed), keep=[AGE], ban=["amount"])) == [AGE]
    with pytest.raises(PyodExplainError, match=r"`ban`.*must leave some of the tags"):
        explain(y, X, tags=[AGE], ban=["age"])
    with pytest.raises(PyodExplainError, match=r"`keep`.*got 'noise', of which there is no rule to choose from"):
        explain(y, X, tags=listed, keep=["noise"])


def test_a_column_of_which_nothing_can_be_said_cannot_be_kept():
    X, y = orders()
    with pytest.raises(PyodExplainError, match=r"`keep`.*must name columns that rules can be made of, got 'same'"):
        explain(y, X.assign(same=1.0), keep=["same"])


def test_a_ban_reaches_relations_and_leaves_groups_by_name():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(10, 20, (400, 3)), columns=["inlet", "outlet", "load"]).round(2)
    X["line"] = rng.choice(["one", "two"], 400)
    y = (X["outlet"] - X["inlet"] > 7).astype(int)
    assert explain(y, X, relations=True).rules[0].tag.columns == ["inlet", "outlet"]
    for relations in (
        True,
        [("outlet", "-", "inlet"), Relation("load", "+", "inlet")],
        lambda names: [tuple(names[:2])],
    ):
        e = explain(y, X, relations=relations, ban=["outlet"])
        assert "outlet" not in columns_of(e)
        assert "outlet" in word_notes(e)[0]
    maker = Itemsets(relations=[("outlet", "-", "inlet"), ("load", "inlet")], grow=True)
    assert "outlet" not in columns_of(explain(y, X, tags=maker, ban=["outlet"]))
    named = explain(y, X, groups="line", ban=["line", "load"])
    assert [group.name for group in named.groups] == ["one", "two"]
    assert not {"line", "load"} & columns_of(named)


@pytest.mark.parametrize("method", ["wccm", "bccm", "pdm", "dtdm"])
def test_all_methods_take_a_ban_and_mdl_alone_takes_what_is_kept(method):
    X, y = orders()
    free = explain(y, X, method=method, groups=1)
    banned = tags_of(free)[0]
    e = explain(y, X, method=method, groups=1, ban=[banned, "age"])
    assert banned not in tags_of(e)
    assert "age" not in columns_of(e)
    notes = word_notes(e)
    assert len(notes) == 2
    assert not any("bits" in note for note in notes)
    with pytest.raises(PyodExplainError, match=r'`keep` of explain\(\) must be None with method=.*method="mdl" takes'):
        explain(y, X, method=method, keep=["age"])


def test_a_ban_says_by_how_much_another_objective_would_be_smaller():
    X, y = orders()
    free = explain(y, X, method="wccm", weight=3.0, groups=1)
    e = explain(y, X, method="wccm", weight=3.0, groups=1, ban=["amount"])
    difference = e.summary.objective - free.summary.objective
    assert f"what is minimised would be {difference:.4g} less (a rule: amount" in word_notes(e)[0]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"keep": ["agee"]}, r"`keep` of explain\(\) must name columns of `X`, got 'agee'; it has 'amount'"),
        (
            {"keep": ["age >= 81"]},
            r"`keep` of explain\(\) must name columns of `X`, (.|\n)*a rule is no text but a Cond",
        ),
        ({"ban": [Condition("agee", ">", 1)]}, r"`ban` of explain\(\) must name columns of `X`, got 'agee'"),
        ({"keep": ["age"], "ban": ["age"]}, "must not contradict each other, got column 'age' kept, and banned too"),
        ({"keep": [AGE], "ban": [Condition("age", ">=", 65)]}, "got age >= 65 kept, and banned too"),
        ({"keep": [BOTH], "ban": ["kind"]}, "kept, and banned a column of it"),
        ({"ban": ["amount", "age", "kind", "noise"]}, "`ban`.*must leave a column to explain with, got all of them"),
        ({"ban": ["amount", "age", "noise"], "groups": "kind"}, "must leave a column to explain with"),
        ({"keep": "age"}, r"must be a list of names of columns, Tags and Conditions, got 'age'.\nHint: keep=\['age'\]"),
        ({"ban": AGE}, "`ban` of explain.*must be a list"),
        ({"ban": [3]}, "must be a list of names of columns, Tags and Conditions, got 3"),
        ({"keep": 3}, "`keep` of explain.*must be a list"),
        ({"keep": ["kind"], "groups": "kind"}, "which names the groups and would explain itself"),
        ({"keep": ["age", AGE], "max_tags": 1}, "must have at most `max_tags` entries, got 2 where max_tags=1"),
    ],
)
def test_what_makes_no_sense_is_refused(how, said):
    X, y = orders()
    with pytest.raises(PyodExplainError, match=said):
        explain(y, X, **how)


def test_max_tags_leaves_room_for_what_is_kept():
    X, y = orders()
    e = explain(y, X, keep=[AGE, "noise"], max_tags=2)
    assert len(e.rules) == 2
    assert AGE in tags_of(e)
    assert "noise" in columns_of(e)


def test_no_order_matters():
    X, y = orders()
    turn = np.random.default_rng(5).permutation(len(X))
    e = explain(y, X, keep=[AGE, "noise"], ban=["kind", BOTH])
    other = explain(y[turn], X.iloc[turn, ::-1], keep=["noise", AGE], ban=[BOTH, "kind"])
    assert set(tags_of(e)) == set(tags_of(other))
    assert sorted(word_notes(e)) == sorted(word_notes(other))


def test_the_word_holds_in_checks_files_and_estimators():
    X, y = orders()
    e = explain(y, X, keep=[AGE, "noise"], ban=["kind"], validate=3, control="placebo", n_draws=2)
    assert e.summary.validation is not None
    assert pickle.loads(pickle.dumps(e)) == e
    read = Explanation.from_json(e.to_json())
    assert read == e
    assert read.summary.parameters["ban"] == "['kind']"
    again = pickle.loads(pickle.dumps(e)).validate(3, X=X)
    assert again.summary.validation == e.summary.validation
    for note in word_notes(e):
        assert note in " ".join(str(e).split())
    fitted = OutlierExplainer(keep=[AGE, "noise"], ban=["kind"]).fit(X, y)
    assert fitted.explanation_.rules == explain(y, X, keep=[AGE, "noise"], ban=["kind"]).rules
    assert np.array_equal(fitted.transform(X)[:, tags_of(fitted.explanation_).index(AGE)], AGE.covers(X))


def test_rows_that_stand_for_many_say_the_same_as_the_rows_repeated():
    X, y = orders(n=100)
    X["times"] = np.random.default_rng(3).integers(1, 4, len(X))
    often = X.loc[np.repeat(X.index, X["times"])].reset_index(drop=True).drop(columns="times")
    e = explain(y, X, counts="times", keep=[AGE, "noise"], ban=["kind"])
    repeated = explain(np.repeat(y, X["times"]), often, keep=[AGE, "noise"], ban=["kind"])
    assert set(tags_of(e)) == set(tags_of(repeated))
    assert word_notes(e) == word_notes(repeated)


def test_a_random_generator_is_asked_once():
    X, y = orders()
    e = explain(y, X, ban=["amount"], random_state=np.random.RandomState(3))
    seed = int(e.summary.parameters["random_state"])
    assert word_notes(e) == word_notes(explain(y, X, ban=["amount"], random_state=seed))


def test_a_cost_that_cannot_be_told_is_not_told():
    X, y = orders()
    labels = X.assign(words=[["a"]] * len(X))
    e = explain(y, labels, ban=["words"])
    assert word_notes(e) == [
        "Banned: column 'words' (by your word); what that costs is not known: without it the search ends in an error."
    ]


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        (12.3, "Kept: column 'a' (by your word) makes the description 12 bits longer than without it."),
        (-1.26, "Kept: column 'a' (by your word) makes the description 1.3 bits shorter than without it."),
        (0.01, "Kept: column 'a' (by your word) costs nothing."),
    ],
)
def test_costs_in_words(costs, said):
    assert said_of("a", costs, kept=True, bits=True) == said
