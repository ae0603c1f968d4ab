import numpy as np
import pandas as pd
import pytest
import reference

from pyod_explain import Coverage
from pyod_explain.datasets import make_planted
from pyod_explain.groups import Groups, split_outliers
from pyod_explain.groups.split import MIN_GROUP_SIZE, SAMPLE_NORMALS, choose_groups
from pyod_explain.input import as_table, read_labels
from pyod_explain.solvers import quick_search
from pyod_explain.tags import Prices, TagSet, make_tags, union_of_tags


def make(table, groups):
    return make_tags("itemsets", table, groups)


@pytest.fixture(scope="module")
def two_reasons():
    """Outliers of two kinds that lie far apart."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=600), "b": rng.normal(size=600)})
    X.loc[:29, "a"] += 20
    X.loc[30:59, "b"] -= 20
    return X, np.repeat([1, 0], [60, 540])


def test_bits_are_those_of_all_rules_as_one_description(two_reasons):
    """Counted anew, from the rules that a quick search finds for the same split."""
    X, y = two_reasons
    table, outliers = as_table(X), read_labels(y, 600)
    curve = choose_groups(table, outliers, make).curve
    assert list(curve.columns) == ["bits"]
    assert curve.index.name == "groups"
    splits = {n: split_outliers(n, outliers, table) for n in curve.index}
    tags = union_of_tags([make(table, splits[n]) for n in (max(splits), 1)])
    for n, groups in splits.items():
        coverage = Coverage.from_tags(table, tags.tags, groups, prices=Prices(table))
        rules = quick_search(coverage, 1.0)
        used = {tags.tags[j] for one in rules for j in one}
        hit = np.logical_or.reduce([tag.covers(X) for tag in used])
        missed, wrong = int((y[~hit] == 1).sum()), int((y[hit] == 0).sum())
        exceptions = (
            reference.log_star(missed)
            + reference.log2_binomial(int((~hit).sum()), missed)
            + reference.log_star(wrong)
            + reference.log2_binomial(int(hit.sum()), wrong)
            + reference.log_star(0)
        )
        assert curve.loc[n, "bits"] == pytest.approx(exceptions + Prices(table).of(used).sum())


def test_a_split_gets_no_credit_for_being_described_and_one_group_wins_ties(two_reasons):
    """Two kinds far apart: the rules of both say the same, as two groups or as one."""
    X, y = two_reasons
    groups = choose_groups(as_table(X), read_labels(y, 600), make)
    assert groups.curve.loc[1, "bits"] == groups.curve.loc[2, "bits"]
    assert groups.n_groups == 1


@pytest.mark.parametrize("seed", range(4))
def test_the_number_has_the_fewest_bits_and_no_group_is_too_small(seed):
    planted = make_planted(1_500, n_groups=3, random_state=seed)
    groups = choose_groups(as_table(planted.X), read_labels((planted.y > 0).astype(int), 1_500), make)
    bits = groups.curve["bits"]
    assert groups.n_groups == min(bits.index, key=lambda n: (bits[n], n))
    assert np.bincount(groups.numbers)[1:].min() >= MIN_GROUP_SIZE


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_one_group(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(800, 4)), columns=list("abcd"))
    groups = choose_groups(as_table(X), read_labels((rng.random(800) < 0.06).astype(int), 800), make)
    assert groups.n_groups == 1


def test_large_tables_are_sampled_for_the_choice_alone():
    seen = []

    def watched(table, groups) -> TagSet:
        seen.append(table.n_rows)
        return make(table, groups)

    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": np.r_[rng.normal(size=12_000), rng.normal(50, 1, 20), rng.normal(-50, 1, 20)]})
    groups = choose_groups(as_table(X), read_labels(np.repeat([0, 1], [12_000, 40]), 12_040), watched)
    assert isinstance(groups, Groups)
    assert max(seen) == SAMPLE_NORMALS + 40
    assert len(groups.numbers) == 12_040
