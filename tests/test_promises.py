"""Small promises: names that are words of ours, makers with columns, seeds, columns that nobody reads."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from pyod_explain import Condition, OutlierExplainer, PyodExplainError, Tag, explain
from pyod_explain.input import as_table
from pyod_explain.tags import TagSet

N = 120
Y = np.r_[np.ones(20, dtype=int), np.zeros(N - 20, dtype=int)]
WORDS = ["auto", "scores", "group", "rule", "None", "x0", "tag0", "index"]


def planted(name: str = "size") -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.normal(size=N) + 20 * Y, "other": rng.integers(0, 9, N)})


def named(explanation) -> set[str]:
    return {column for rule in explanation.rules for column in rule.tag.columns}


class TestWordsOfOurs:
    @pytest.mark.parametrize("name", WORDS)
    def test_a_column_of_that_name_is_explained_with(self, name):
        explanation = explain(Y, planted(name))
        assert named(explanation) == {name}
        assert explanation.predict(planted(name)).tolist() == Y.tolist()

    def test_the_word_wins_and_the_column_is_passed_itself(self):
        X = planted("auto").assign(auto=np.where(Y, np.arange(N) % 2 + 50, 0))
        assert explain(Y, X).groups[0].name == "1"
        given = explain(Y, X.drop(columns="auto"), groups=X["auto"])
        assert [group.name for group in given.groups] == ["50", "51"]
        assert "auto" in named(explain(Y * (1 + np.arange(N) % 2), X))  # groups given with the labels


class Zones:
    """A maker of tags about a column of its own."""

    def __init__(self, *, by_groups: bool = False):
        self.by_groups = by_groups

    def make(self, table, groups):
        far = table["size"].values > (groups.n_groups if self.by_groups else 10)
        column = as_table(pd.DataFrame({"zone": np.where(far, "far", "near")}))["zone"]
        return TagSet((Tag.of(Condition("zone", "==", "far")),), 2, columns={"zone": column})


@pytest.mark.parametrize("by_groups", [False, True])
@pytest.mark.parametrize("groups", ["auto", 1, 2])
def test_a_maker_may_bring_columns_of_its_own(groups, by_groups):
    X = planted().assign(other=np.arange(N) % 2 * 30)  # two clear clusters, so that the number of groups is a question
    explanation = explain(Y, X, tags=Zones(by_groups=by_groups), groups=groups).validate(3).placebo_test(1)
    assert named(explanation) == {"zone"}


@pytest.mark.parametrize("dtype", [object, "category", "datetime64[ns]"])
def test_groups_that_are_all_missing_are_refused(dtype):
    X = planted().assign(kind=pd.Series([None] * N, dtype=dtype))
    with pytest.raises(PyodExplainError, match="`groups`"):
        explain(Y, X, groups="kind")


UNREADABLE = {
    "infinite": np.where(np.arange(N) % 2, np.inf, 0),
    "far dates": [dt.date(9999, 12, 31)] * N,
    "lists": [[1]] * N,
}


class TestUnusedColumns:
    @pytest.mark.parametrize("what", UNREADABLE)
    def test_they_may_hold_anything(self, what):
        X = planted()
        explainer = OutlierExplainer().fit(X, Y)
        e = explainer.explanation_
        assert named(e) == {"size"}
        new = X[["size"]].assign(junk=pd.Series(UNREADABLE[what], dtype=None))
        assert e.predict(new).tolist() == explainer.predict(new).tolist() == Y.tolist()
        assert e.transform(new).to_numpy().ravel().tolist() == (Y == 1).tolist()
        assert len(explainer.transform(new)) == N
        assert e.for_row(3, new) == e.for_row(3)
        assert e.counterfactual(3, new) == e.counterfactual(3)
        with pytest.raises(PyodExplainError, match="'junk'"):
            as_table(new, only=["junk"]) if what != "lists" else explain(Y, new)

    def test_columns_that_are_used_are_still_read(self):
        with pytest.raises(PyodExplainError, match="size"):
            explain(Y, planted()).predict(planted().assign(size=np.inf))
        with pytest.raises(PyodExplainError, match="size"):
            explain(Y, planted()).predict(planted()[["other"]])
