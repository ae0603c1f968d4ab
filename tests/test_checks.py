"""Our own tag makers and explainers keep the contract, and each of its checks catches what breaks it."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import reference
from sklearn.base import BaseEstimator

from pyod_explain import BCCM, DTDM, MDL, PDM, WCCM, Condition, ForestRules, GivenTags, Itemsets, PyodExplainError, Tag
from pyod_explain.bits import unpack
from pyod_explain.checks import CheckError, check_explainer, check_tag_maker, explainer_checks, tag_maker_checks
from pyod_explain.checks.tables import example
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.explainers import Explainer, Selection
from pyod_explain.tags import TagSet, make_tags

X, Y = example().X, example().y


class Auto(BaseEstimator):
    """What `tags="auto"` stands for, as a maker."""

    def make(self, table, groups):
        return make_tags(["auto", Tag.of(Condition("amount", ">", 400))], table, groups, max_length=2)


LABELS = X.assign(labels=[["odd", "all"] if y else ["all"] for y in Y])
OWN = pd.DataFrame({"large": X["amount"] > 400, "odd": X["visits"] % 2 == 1})
TAGS = [Tag.of(Condition("amount", ">", 400)), Tag.of(Condition("channel", "==", "phone"), Condition("visits", "<", 5))]
MAKERS = {
    "auto and a tag": (Auto(), X),
    "itemsets": (Itemsets(), X),
    "itemsets of one": (Itemsets(max_length=1), X),
    "few itemsets": (Itemsets(max_length=2, min_lift=2.0, max_tags=20, max_items=8), X),
    "itemsets of codes": (Itemsets(2, categorical=("visits",), algorithm="fpgrowth"), X),
    "forest": (ForestRules(n_estimators=10), X),
    "few forest rules": (ForestRules(10, max_length=2, n_estimators=5, random_state=3), X),
    "forest by chance": (ForestRules(n_estimators=5, random_state=None), X),
    "given tags": (GivenTags(TAGS), X),
    "a given tag": (GivenTags(TAGS[0]), X),
    "a given table": (GivenTags(OWN), X),
    "given labels": (GivenTags("labels"), LABELS),
}


@pytest.mark.parametrize("check", dict(tag_maker_checks(Itemsets())))
@pytest.mark.parametrize("maker", MAKERS)
def test_our_tag_makers_keep_the_contract(maker, check):
    one, rows = MAKERS[maker]
    dict(tag_maker_checks(one, rows, Y))[check]()


# --- our explainers ---------------------------------------------------------------------------------------------------


def problem_of(coverage):
    """The same problem for the slow reference: sets of rows, the normals first."""
    sizes = coverage.group_sizes.tolist()
    dense = [unpack(coverage.normal_bits, coverage.n_normals)]
    dense += [unpack(coverage.outlier_bits[:, words], n) for words, n in zip(coverage.slices, sizes, strict=True)]
    starts = np.cumsum([0, coverage.n_normals, *sizes]).tolist()
    groups = tuple(frozenset(range(*ends)) for ends in itertools.pairwise(starts))
    weights = None
    if coverage.weighted:
        weights = tuple(np.concatenate([coverage.normal_weights, *coverage.group_weights]).tolist())
    tags = tuple(frozenset(np.flatnonzero(row).tolist()) for row in np.concatenate(dense, axis=1))
    return reference.Problem(tags, groups[0], groups[1:], tuple(coverage.lengths.tolist()), coverage.n_items, weights)


def definition(explainer):
    """What an explainer of ours minimises, read slowly; infinite where a rule is broken."""

    def objective(coverage, tags):
        problem, n_groups = problem_of(coverage), coverage.n_groups
        pairs = [(k, j) for k, chosen in enumerate(tags) for j in chosen]
        if not reference.disjoint(tags) or not all(
            reference.eligible(problem, k, j, explainer.min_lift) for k, j in pairs
        ):
            return math.inf
        if isinstance(explainer, WCCM):
            return reference.objective_wccm(problem, tags, [explainer.weight] * n_groups)
        if isinstance(explainer, MDL):
            return reference.mdl(problem, tags)
        if isinstance(explainer, BCCM):
            budgets = [explainer.max_tags] * n_groups, [explainer.max_uncovered] * n_groups
            return (
                reference.objective_bccm(problem, tags)
                if reference.feasible_bccm(problem, tags, *budgets)
                else math.inf
            )
        feasible = reference.feasible_pdm if isinstance(explainer, PDM) else reference.feasible_dtdm
        return float(len(pairs)) if feasible(problem, tags) else math.inf

    return objective


SOLVERS = ("greedy", "refined", "exact")
EXPLAINERS = [
    *(WCCM(solver=solver) for solver in SOLVERS),
    WCCM(weight=1.5, solver="greedy", bound=True, min_lift=1.0),
    *(BCCM(solver=solver) for solver in SOLVERS),
    BCCM(max_tags=2, max_uncovered=0.5, bound=True),
    *(kind(solver=solver) for kind in (PDM, DTDM) for solver in ("greedy", "exact")),
    MDL(),
    MDL(max_tags=2),
]
JUDGED = dict(explainer_checks(MDL(), definition(MDL())))


@pytest.mark.parametrize("check", JUDGED)
@pytest.mark.parametrize("explainer", EXPLAINERS, ids=repr)
def test_our_explainers_keep_the_contract(explainer, check):
    dict(explainer_checks(explainer, definition(explainer)))[check]()


@pytest.mark.parametrize("check", dict(explainer_checks(MDL())))
def test_relaxed_budgets_keep_the_contract_too(check):
    """Without a definition: their objective is that of budgets which depend on the problem."""
    dict(explainer_checks(BCCM(max_tags=1, max_uncovered=0.0, relax=True)))[check]()


# --- broken makers: each is caught by one check, and by no other ------------------------------------------------------


class Highest(BaseEstimator):
    """A maker that keeps the contract: a number is above all normals, or nearly all of them."""

    def __init__(self, share=1.0):
        self.share = share

    def make(self, table, groups):
        tags = [tag for name, column in sorted(table.columns.items()) for tag in self.tags(column, groups)]
        return TagSet(tuple(tags), 9)

    def tags(self, column, groups):
        normal = column.values[(groups.numbers == 0) & ~column.missing]
        if column.kind == "number" and len(normal):
            yield Tag.of(Condition(column.name, ">", float(np.quantile(normal, self.share))))


class NoTags(Highest):
    def tags(self, column, groups):
        return []


class OtherColumn(Highest):
    def make(self, table, groups):
        column = GivenTags(np.ones((table.n_rows, 1)), ["member"]).make(table.drop(["member"])).columns["member"]
        return TagSet((Tag.of(Condition("member", "==", True)),), 9, columns={"member": column})


class Cheap(Highest):
    def make(self, table, groups):
        return TagSet(super().make(table, groups).tags, 1)


class AboveAverage(Condition):
    __slots__ = ()

    def holds(self, column):
        return column.values > np.nanmean(column.values)


class Average(Highest):
    def tags(self, column, groups):
        if column.kind == "number":
            yield Tag.of(AboveAverage(column.name, ">", 0.0))


class Mute(Condition):
    __slots__ = ()

    def __str__(self):
        return "it is strange"


class Secretive(Highest):
    def tags(self, column, groups):
        if column.kind == "number":
            yield Tag.of(Mute(column.name, ">", 5.0))


class Meddler(Highest):
    def make(self, table, groups):
        made = super().make(table, groups)
        table["visits"].values[0] += 1
        return made


class Moody(Highest):
    """Turns its tags round whenever the number of rows changed."""

    def make(self, table, groups):
        made = super().make(table, groups)
        changed = table.n_rows != getattr(self, "seen", table.n_rows)
        self.seen = table.n_rows
        return TagSet(made.tags[::-1] if changed else made.tags, 9)


class FirstRow(Highest):
    def tags(self, column, groups):
        if column.kind == "number":
            yield Tag.of(Condition(column.name, ">=", float(column.values[~column.missing][0])))


class FirstColumn(Highest):
    def make(self, table, groups):
        tags = [tag for column in table.columns.values() for tag in self.tags(column, groups)]
        return TagSet(tuple(tags[:1]), 9)


class NeedsNormals(Highest):
    def make(self, table, groups):
        table["visits"].values[groups.numbers == 0].max()
        return super().make(table, groups)


class Counter(Highest):
    def __init__(self, share=1.0, calls=0):
        super().__init__(share)
        self.calls = calls

    def make(self, table, groups):
        self.calls += 1
        return super().make(table, groups)


class Converter(Highest):
    def __init__(self, share=1.0, columns=()):
        super().__init__(share)
        self.columns = list(columns)


class Nameless(Highest):
    def __repr__(self):
        return "Nameless()"


class Unpicklable(Highest):
    def __init__(self, share=1.0):
        self.share = share
        self.help = lambda: "a function without a name"


class Countless(Highest):
    def make(self, table, groups):
        return TagSet(super().make(table, groups).tags, 10**400)


BROKEN_MAKERS = {
    "makes_tags": NoTags(),
    "brings_its_columns": OtherColumn(),
    "counts_features": Cheap(),
    "tags_hold_anywhere": Average(),
    "tags_can_be_told_apart": Secretive(),
    "leaves_its_input_alone": Meddler(),
    "answers_the_same_again": Moody(),
    "row_order_is_irrelevant": FirstRow(),
    "column_order_is_irrelevant": FirstColumn(),
    "odd_rows_are_no_trouble": NeedsNormals(),
    "keeps_its_parameters": Counter(),
    "can_be_cloned": Converter(columns=("amount",)),
    "repr_rebuilds_it": Nameless(0.9),
    "can_be_pickled": Unpicklable(),
    "explain_takes_it": Countless(),
}


def failed(checks):
    """The checks that raise a CheckError; any other error is one of the checks themselves."""
    result = []
    for name, check in checks:
        try:
            check()
        except CheckError as error:
            assert "Hint: " in str(error)
            result.append(name)
    return result


def test_a_good_maker_passes():
    check_tag_maker(Highest(0.95))
    check_tag_maker(Highest(), X[["amount"]], Y)


@pytest.mark.parametrize("check", dict(tag_maker_checks(Itemsets())))
def test_a_broken_maker_is_caught_by_the_check_for_it_alone(check):
    assert failed(tag_maker_checks(BROKEN_MAKERS[check])) == [check]


def test_a_maker_that_crashes_is_told_where():
    class Crash(Highest):
        def make(self, table, groups):
            raise KeyError("amount")

    with pytest.raises(CheckError, match=r"Crash\(\): `make` must not fail on the example, got KeyError: 'amount'"):
        check_tag_maker(Crash())


def test_what_a_maker_returns_is_told():
    class Lists(Highest):
        def make(self, table, groups):
            return [*super().make(table, groups).tags]

    with pytest.raises(CheckError, match=r"must return a TagSet, got a list.\nHint: return TagSet\(tags, n_items\)"):
        check_tag_maker(Lists())


def test_an_example_must_be_rows_and_groups():
    with pytest.raises(PyodExplainError, match="`X` must be a DataFrame, and `y` for each of its rows"):
        check_tag_maker(Highest(), X, Y[1:])


def test_a_maker_may_have_columns_of_its_own_as_a_parameter():
    class Some(Highest):
        def __init__(self, columns=("amount",)):
            self.columns = columns

        def make(self, table, groups):
            return TagSet(tuple(Tag.of(Condition(name, ">", 400)) for name in self.columns), 1)

    assert failed(tag_maker_checks(Some())) == ["can_be_pickled"]  # for it is no class of a module


# --- broken explainers ------------------------------------------------------------------------------------------------


class Lone(Explainer):
    """An explainer that keeps the contract: for each group the one tag that misses and covers fewest rows wrongly."""

    def __init__(self, min_lift=0.0):
        self.min_lift = min_lift

    shared = False

    def select(self, coverage):
        if coverage.n_groups == 0:
            raise PyodExplainError("`coverage` must have a group.")
        costs = np.where(self.eligible(coverage), wrong(coverage), np.inf)
        chosen = []
        for k in range(coverage.n_groups):
            best = min(range(coverage.n_tags), key=lambda j: costs[k, j], default=None)
            take = best is not None and costs[k, best] < coverage.group_totals[k]
            chosen.append((best,) if take else ())
            if take and not self.shared:
                costs[:, best] = np.inf
        return self.found(coverage, tuple(chosen))

    def eligible(self, coverage):
        return coverage.eligible(self.min_lift).copy()

    def found(self, coverage, tags):
        return Selection(tags, total(coverage, tags), "feasible", method="Lone")


def wrong(coverage):
    """For each group (row) and tag (column) the weight of its outliers missed and of the normals covered."""
    return coverage.group_totals[:, None] - coverage.group_mass + coverage.normal_mass


def total(coverage, tags):
    """The definition: what the groups miss, and the normals that their tags cover, each tag for itself."""
    if any(len(chosen) > 1 for chosen in tags):
        return math.inf
    cost = wrong(coverage)
    return float(sum(cost[k, chosen[0]] if chosen else coverage.group_totals[k] for k, chosen in enumerate(tags)))


class NothingFound(Lone):
    def found(self, coverage, tags):
        tags = ((),) * len(tags)
        return Selection(tags, total(coverage, tags), "feasible")


class NumpyIndices(Lone):
    def found(self, coverage, tags):
        return super().found(coverage, tuple(tuple(map(np.int64, one)) for one in tags))


class Sharer(Lone):
    shared = True


class NoProof(Lone):
    def found(self, coverage, tags):
        return Selection(tags, total(coverage, tags), "optimal")


class AnyLift(Lone):
    """Says something of each group."""

    def found(self, coverage, tags):
        free = [j for j in range(coverage.n_tags) if (j,) not in tags]
        return super().found(coverage, tuple(one or ((free.pop(0),) if free else ()) for one in tags))


class Eraser(Lone):
    def found(self, coverage, tags):
        coverage.lengths[:] = 1
        return super().found(coverage, tags)


class Forgetful(Lone):
    """Has nothing to say of what it explained before, but for the last."""

    def found(self, coverage, tags):
        *earlier, last = self.seen = [*getattr(self, "seen", []), coverage.n_normals]
        known = last in earlier and earlier[-1] != last
        return super().found(coverage, ((),) * len(tags) if known else tags)


class FirstOutlier(Lone):
    """Takes a tag only if the first outlier of the group has tag 0."""

    def eligible(self, coverage):
        first = [words.start for words in coverage.slices]
        return super().eligible(coverage) & (coverage.outlier_bits[:1, first].T & 1 == 1)


class Grams(Lone):
    """Counts a tag as good if it covers less than 20 units of normals, whatever the unit."""

    def eligible(self, coverage):
        return super().eligible(coverage) & (coverage.normal_mass < 20)


class NeedsTags(Lone):
    def eligible(self, coverage):
        coverage.normal_counts.max()
        return super().eligible(coverage)


class CountsCalls(Lone):
    def __init__(self, min_lift=0.0, calls=0):
        super().__init__(min_lift)
        self.calls = calls

    def found(self, coverage, tags):
        self.calls += 1
        return super().found(coverage, tags)


class ConvertsTags(Lone):
    def __init__(self, min_lift=0.0, tags=()):
        super().__init__(min_lift)
        self.tags = list(tags)


class HidesLift(Lone):
    def __repr__(self):
        return "HidesLift()"


class HoldsFunction(Lone):
    def __init__(self, min_lift=0.0):
        self.min_lift = min_lift
        self.help = lambda: "a function without a name"


class OddNotes(Lone):
    def found(self, coverage, tags):
        return Selection(tags, total(coverage, tags), "feasible", notes=(3,))


class OneMore(Lone):
    def found(self, coverage, tags):
        return Selection(tags, total(coverage, tags) + 1.0, "feasible")


class Boaster(Lone):
    """Gives up on small problems, and calls that optimal."""

    status = "optimal"

    def found(self, coverage, tags):
        tags = tags if coverage.n_normals == 40 else ((),) * len(tags)
        value = total(coverage, tags)
        return Selection(tags, value, self.status, value)


BROKEN_EXPLAINERS = {
    "is_an_explainer": NothingFound(),
    "tags_are_indices": NumpyIndices(),
    "groups_share_no_tag": Sharer(),
    "figures_agree": NoProof(),
    "min_lift_is_kept": AnyLift(),
    "leaves_its_input_alone": Eraser(),
    "answers_the_same_again": Forgetful(),
    "row_order_is_irrelevant": FirstOutlier(),
    "unit_of_weights_is_irrelevant": Grams(),
    "odd_problems_are_no_trouble": NeedsTags(),
    "keeps_its_parameters": CountsCalls(),
    "can_be_cloned": ConvertsTags(tags=(1, 2)),
    "repr_rebuilds_it": HidesLift(0.5),
    "can_be_pickled": HoldsFunction(),
    "explain_takes_it": OddNotes(),
    "objective_is_its_definition": OneMore(),
    "proofs_hold": Boaster(),
}


def test_a_good_explainer_passes():
    check_explainer(Lone(), total)
    check_explainer(Lone(min_lift=1.5))


@pytest.mark.parametrize("check", JUDGED)
def test_a_broken_explainer_is_caught_by_the_check_for_it_alone(check):
    assert failed(explainer_checks(BROKEN_EXPLAINERS[check], total)) == [check]


def test_a_false_proof_that_there_is_nothing_is_caught():
    class Defeatist(Lone):
        def found(self, coverage, tags):
            if coverage.n_normals < 40:
                raise InfeasibleError("There is nothing.", proved=True)
            return super().found(coverage, tags)

    with pytest.raises(CheckError, match=r"proved to be infeasible, got small problem 0, where .* is possible"):
        dict(explainer_checks(Defeatist(), total))["proofs_hold"]()


def test_a_bound_above_another_selection_is_caught():
    class Overbid(Boaster):
        status = "feasible"

    with pytest.raises(CheckError, match="`bound` must be a lower bound"):
        dict(explainer_checks(Overbid(), total))["proofs_hold"]()


def test_what_is_no_explainer_is_told_what_to_derive_from():
    class Duck(BaseEstimator):
        def select(self, coverage):
            return Lone().select(coverage)

    with pytest.raises(CheckError, match=r"must be an Explainer, got a Duck.\nHint: class Mine\(Explainer\)"):
        check_explainer(Duck())


def test_an_explainer_that_shares_tags_says_so():
    class Open(Sharer):
        shares_tags = True

    dict(explainer_checks(Open()))["groups_share_no_tag"]()


def test_the_checks_need_no_pytest():
    code = (
        "import sys; sys.modules['pytest'] = None; import pyod_explain as pe; print(pe.checks.check_tag_maker.__name__)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.stdout.strip() == "check_tag_maker", found.stderr
