"""Our own explainers keep the contract, and each of its checks catches what breaks it."""

import itertools
import math

import numpy as np
import pytest
import reference
from contract import failed
from sklearn.base import BaseEstimator

from pyod_explain import BCCM, DTDM, MDL, PDM, WCCM, PyodExplainError
from pyod_explain.bits import unpack
from pyod_explain.checks import CheckError, check_explainer, explainer_checks
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.explainers import Explainer, Selection


def problem_of(coverage):
    """The same problem for the slow reference: sets of rows, the normals first, each row as often as it stands for."""
    bits = [coverage.normal_bits, *(coverage.outlier_bits[:, words] for words in coverage.slices)]
    lines = [len(coverage.normal_rows), *coverage.group_table_rows.tolist()]
    copies = [np.ones(n, dtype=int) for n in lines]
    if coverage.normal_row_counts is not None:
        copies = [coverage.normal_row_counts, *coverage.group_row_counts]
    dense = [np.repeat(unpack(*part), times, axis=1) for *part, times in zip(bits, lines, copies, strict=True)]
    starts = np.cumsum([0, *(part.shape[1] for part in dense)]).tolist()
    groups = tuple(frozenset(range(*ends)) for ends in itertools.pairwise(starts))
    tags = tuple(frozenset(np.flatnonzero(row).tolist()) for row in np.concatenate(dense, axis=1))
    return reference.Problem(tags, groups[0], groups[1:], tuple(coverage.lengths.tolist()), coverage.n_items)


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
            feasible = reference.feasible_bccm(problem, tags, *budgets)
            return reference.objective_bccm(problem, tags) if feasible else math.inf
        feasible = reference.feasible_pdm if isinstance(explainer, PDM) else reference.feasible_dtdm
        return float(len(pairs)) if feasible(problem, tags) else math.inf

    return objective


SOLVERS = ("greedy", "refined", "exact")
EXPLAINERS = [
    *(WCCM(solver=solver) for solver in SOLVERS),
    WCCM(weight=1.5, solver="greedy", min_lift=1.0),
    *(BCCM(solver=solver) for solver in SOLVERS),
    *(kind(solver=solver) for kind in (PDM, DTDM) for solver in ("greedy", "exact")),
    MDL(),
    MDL(max_tags=2),
]
JUDGED = dict(explainer_checks(MDL(), definition(MDL())))


@pytest.mark.parametrize("check", JUDGED)
@pytest.mark.parametrize("explainer", EXPLAINERS, ids=repr)
def test_our_explainers_keep_the_contract(explainer, check):
    dict(explainer_checks(explainer, definition(explainer)))[check]()


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
            take = best is not None and costs[k, best] < coverage.group_sizes[k]
            chosen.append((best,) if take else ())
            if take and not self.shared:
                costs[:, best] = np.inf
        return self.found(coverage, tuple(chosen))

    def eligible(self, coverage):
        return coverage.eligible(self.min_lift).copy()

    def found(self, coverage, tags):
        return Selection(tags, total(coverage, tags), "feasible", method="Lone")


def wrong(coverage):
    """For each group (row) and tag (column) the outliers missed and the normals covered."""
    return coverage.group_sizes[:, None] - coverage.group_counts + coverage.normal_counts


def total(coverage, tags):
    """The definition: what the groups miss, and the normals that their tags cover, each tag for itself."""
    if any(len(chosen) > 1 for chosen in tags):
        return math.inf
    cost = wrong(coverage)
    return float(sum(cost[k, chosen[0]] if chosen else coverage.group_sizes[k] for k, chosen in enumerate(tags)))


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
        value, best = total(coverage, tags), wrong(coverage).astype(float).min(axis=1, initial=np.inf)
        contested = value > np.minimum(best, coverage.group_sizes).sum()  # a group had to leave its best tag to another
        return Selection(tags, value, "feasible" if contested else "optimal")


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


class LinesOnly(Lone):
    """Takes no tag that fewer than two lines of a group have, whatever they stand for."""

    def eligible(self, coverage):
        lines = [np.bitwise_count(coverage.outlier_bits[:, words]).sum(axis=1) for words in coverage.slices]
        return super().eligible(coverage) & (np.array(lines).reshape(coverage.n_groups, coverage.n_tags) >= 4)


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


class Anonymous(Lone):
    def __repr__(self):
        return "an explainer"


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
    "is_an_explainer": NothingFound(), "tags_are_indices": NumpyIndices(), "groups_share_no_tag": Sharer(),
    "figures_agree": NoProof(), "min_lift_is_kept": AnyLift(), "leaves_its_input_alone": Eraser(),
    "answers_the_same_again": Forgetful(), "row_order_is_irrelevant": FirstOutlier(),
    "row_counts_are_repeated_rows": LinesOnly(), "odd_problems_are_no_trouble": NeedsTags(),
    "keeps_its_parameters": CountsCalls(), "can_be_copied": HoldsFunction(), "repr_rebuilds_it": Anonymous(),
    "explain_takes_it": OddNotes(), "objective_is_its_definition": OneMore(), "proofs_hold": Boaster(),
}  # fmt: skip


def test_a_good_explainer_passes():
    check_explainer(Lone(), total)
    check_explainer(Lone(min_lift=1.5))


@pytest.mark.parametrize("check", JUDGED)
def test_a_broken_explainer_is_caught_by_the_check_for_it_alone(check):
    assert failed(explainer_checks(BROKEN_EXPLAINERS[check], total)) == [check]


class Defeatist(Lone):
    def found(self, coverage, tags):
        if coverage.n_normals < 40:
            raise InfeasibleError("There is nothing.", proved=True)
        return super().found(coverage, tags)


class Overbid(Boaster):
    status = "feasible"


@pytest.mark.parametrize("kind", [Defeatist, Overbid])
def test_a_false_proof_is_caught(kind):
    with pytest.raises(CheckError, match="is possible"):
        dict(explainer_checks(kind(), total))["proofs_hold"]()


def test_what_is_no_explainer_is_told_what_to_derive_from():
    class Duck(BaseEstimator):
        def select(self, coverage):
            return Lone().select(coverage)

    with pytest.raises(CheckError, match="an Explainer"):
        check_explainer(Duck())


class Understated(Lone):
    def __repr__(self):
        return "Understated()"


class Reorderer(Lone):
    """Changes which rows of the table the outliers are, which no count shows."""

    def found(self, coverage, tags):
        coverage.group_rows[0][:] = coverage.group_rows[0][::-1]
        return super().found(coverage, tags)


@pytest.mark.parametrize(
    ("explainer", "check"), [(Understated(min_lift=2.0), "repr_rebuilds_it"), (Reorderer(), "leaves_its_input_alone")]
)
def test_a_check_sees_all_parameters_and_fields(explainer, check):
    assert check in failed(explainer_checks(explainer, total))


def test_an_explainer_that_shares_tags_says_so():
    class Open(Sharer):
        shares_tags = True

    dict(explainer_checks(Open()))["groups_share_no_tag"]()
