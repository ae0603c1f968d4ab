"""Groups by k-means, labels or a clusterer, and how they are numbered."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans

from pyod_explain import PyodExplainError, explain
from pyod_explain.groups import split_outliers
from pyod_explain.input import as_table, read_labels

LABELS = read_labels([0] * 20 + [1] * 8, 28)
FRAME = pd.DataFrame(
    {"size": [*range(20), *[100, 101, 102, 103, 104], *[-100, -101, -102]], "kind": ["a"] * 20 + ["b"] * 5 + ["c"] * 3}
)
TABLE = as_table(FRAME)


def numbers(groups, outliers=LABELS, table=TABLE):
    return split_outliers(groups, outliers, table).numbers[20:].tolist()


def test_k_means_finds_the_two_sides_and_numbers_them_by_size():
    assert numbers(2) == [1] * 5 + [2] * 3
    assert numbers(1) == [1] * 8


def test_fewer_distinct_outliers_than_groups_give_fewer_groups():
    same = as_table(pd.DataFrame({"a": [0] * 20 + [1] * 8}))
    assert split_outliers(5, LABELS, same).n_groups == 1


@pytest.mark.parametrize("clusterer", [KMeans(2, n_init=1, random_state=0), AgglomerativeClustering(2)], ids=str)
def test_any_clusterer_will_do_and_stays_as_it_is(clusterer):
    assert numbers(clusterer) == [1] * 5 + [2] * 3
    assert not hasattr(clusterer, "labels_")


def test_noise_of_a_clusterer_comes_last():
    groups = split_outliers(DBSCAN(eps=0.5, min_samples=4), LABELS, TABLE)
    assert groups.names[-1] == "noise"
    assert numbers(DBSCAN(eps=0.5, min_samples=4))[:5] == [1] * 5


@pytest.mark.parametrize(
    "given",
    [
        list("xxxxxyyy"), np.array(["-"] * 20 + list("xxxxxyyy")), pd.Series(["-"] * 20 + list("xxxxxyyy")), "kind",
        ["x"] * 5 + ["y"] * 3,
    ],
    ids=["an outlier each", "a row each", "a Series", "a column", "a list"],
)  # fmt: skip
def test_given_groups_keep_their_names(given):
    groups = split_outliers(given, LABELS, TABLE)
    assert groups.numbers[20:].tolist() == [1] * 5 + [2] * 3
    assert groups.names in {("x", "y"), ("b", "c")}


def test_group_numbers_among_the_labels_count_unless_groups_are_asked_for():
    outliers = read_labels([0] * 20 + [7] * 5 + [9] * 3, 28)
    assert split_outliers("auto", outliers, TABLE).names == ("7", "9")
    assert split_outliers(1, outliers, TABLE).n_groups == 1


def test_a_column_of_groups_does_not_explain_itself():
    explanation = explain([0] * 20 + [1] * 8, FRAME, groups="kind")
    assert [group.name for group in explanation.groups] == ["b", "c"]
    assert {column for rule in explanation.rules for column in rule.tag.columns} == {"size"}


def test_rejected_rows_belong_to_no_group():
    outliers = read_labels([-2] + [0] * 19 + [1] * 8, 28)
    assert split_outliers(2, outliers, TABLE).numbers[0] == -1


class Odd(KMeans):
    def fit_predict(self, X):
        return np.zeros(3)


REFUSED = [0, 9, 1.5, "nothing", [1, 2, 3], [1] * 7 + [None], KMeans(9, n_init=1), Odd()]
REFUSED.append(pd.Series(list("xxxxxyyy"), index=range(1, 9)))


@pytest.mark.parametrize("groups", REFUSED, ids=repr)
def test_groups_that_do_not_fit_are_refused(groups):
    with pytest.raises(PyodExplainError, match="`groups`"):
        split_outliers(groups, LABELS, TABLE)


def test_a_column_of_times_or_numbers_names_groups_as_people_do():
    X = pd.DataFrame({"x": np.arange(24.0), "n": np.repeat([2, 10, 1], 8)})
    X["day"] = pd.to_datetime("2024-01-01") + pd.to_timedelta(X["n"], unit="D")
    X["local"], X["took"] = X["day"].dt.tz_localize("Europe/Berlin"), pd.to_timedelta(X["n"], unit="h")
    y = np.ones(24, dtype=int)
    y[::4] = 0
    outliers, table = read_labels(y, 24), as_table(X)
    named = {name: split_outliers(name, outliers, table).names for name in ("n", "day", "local", "took")}
    assert named["n"] == ("1", "2", "10")
    assert named["day"] == ("2024-01-02", "2024-01-03", "2024-01-11")
    assert named["local"][0] == "2024-01-02 00:00:00+01:00"
    assert named["took"] == ("0 days 01:00:00", "0 days 02:00:00", "0 days 10:00:00")
    for name, names in named.items():
        assert split_outliers(X[name], outliers, table).names == names
