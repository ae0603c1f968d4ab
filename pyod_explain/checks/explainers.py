"""`check_explainer`: what `explain` relies on in whatever has `select(coverage)`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from pyod_explain.api import explain
from pyod_explain.checks.common import COPY_CHECKS, all_fields, example, expect, no_error, parameters, seeded
from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import InfeasibleError, PyodExplainError
from pyod_explain.explainers import Explainer, Selection, Status

Tags = tuple[tuple[int, ...], ...]
Objective = Callable[[Coverage, Tags], float]
OBJECTIVE_ROUNDING = 1e-6  # share of an objective by which two sums of the same numbers may differ


def check_explainer(explainer: Any, objective: Objective | None = None) -> None:
    """Run all checks of `explainer_checks`; the first that fails raises a `CheckError`.

    Parameters
    ----------
    explainer : an `Explainer`; it is copied, never changed. If it may describe two groups by the same tag, it says
        so by an attribute `shares_tags = True`.
    objective : what it minimises, slowly and from the definition: a function of a coverage and a tuple of tags for each
        group; infinite where these break a rule. With it, values, bounds and proofs are compared with those of all
        selections of small problems; without it they are only checked against each other.

    Examples
    --------
    >>> from pyod_explain import DTDM
    >>> check_explainer(DTDM())
    """
    for _, check in explainer_checks(explainer, objective):
        check()


def explainer_checks(explainer: Any, objective: Objective | None = None) -> Iterator[tuple[str, Callable[[], None]]]:
    """Give the name of each check and a function that runs it, for `pytest.mark.parametrize`.

    Parameters
    ----------
    explainer, objective : as for `check_explainer`.

    Examples
    --------
    >>> from pyod_explain import MDL
    >>> name, check = next(explainer_checks(MDL()))
    >>> check()  # nothing is raised: all is well
    """
    for name, check in EXPLAINER_CHECKS.items():
        yield name, partial(_run, check, explainer)
    if objective is not None:
        for name, judge in JUDGED.items():
            yield name, partial(_run, partial(judge, objective=objective), explainer)


def _run(check: Callable[[Any], None], explainer: Any) -> None:
    check(seeded(explainer))


def _answer(explainer: Any) -> Any:
    found = [select(explainer, instance) for instance in (plain(), small_instances()[2])]
    return [None if one is None else (one.tags, one.status) for one in found]


# --- what comes out ---------------------------------------------------------------------------------------------------


def is_an_explainer(explainer: Any) -> None:
    """It is an `Explainer`, which `explain(method=...)` asks for, and finds tags where each group has its own."""
    hint = "class Mine(Explainer), from pyod_explain.explainers"
    got = type(explainer).__name__
    expect(isinstance(explainer, Explainer), explainer, "it must be an Explainer", f"a {got}", hint)
    found = select(explainer, plain())
    some = found is not None and any(found.tags)
    hint = "try it on Coverage.from_dense(T, y) with a tag for each group"
    expect(some, explainer, "it must find tags for two groups that have tags of their own", "none", hint)


def tags_are_indices(explainer: Any) -> None:
    """A tuple of tags for each group: whole numbers of tags that are there, none twice."""
    for what, instance, found in selections(explainer):
        cov, tags = instance.coverage, found.tags
        valid = isinstance(tags, tuple) and len(tags) == cov.n_groups and all(isinstance(one, tuple) for one in tags)
        valid = valid and all(type(j) is int and 0 <= j < cov.n_tags for j in chain(*tags))
        valid = valid and all(len(set(one)) == len(one) for one in tags)
        rule = f"`tags` must have a tuple for each of {cov.n_groups} groups, of ints below {cov.n_tags}, on {what}"
        expect(valid, explainer, rule, repr(tags), "int(j) for each, each once; () for a group without a description")


def groups_share_no_tag(explainer: Any) -> None:
    """No tag describes two groups, unless the explainer has `shares_tags = True`."""
    for what, _, found in selections(explainer):
        chosen = list(chain(*map(set, found.tags)))
        apart = getattr(explainer, "shares_tags", False) or len(chosen) == len(set(chosen))
        hint = "leave out the tags of other groups, or set `shares_tags = True`"
        expect(apart, explainer, f"descriptions must share no tag, on {what}", repr(found.tags), hint)


def min_lift_is_kept(explainer: Any) -> None:
    """With `min_lift=1.0` a tag describes a group only if it is more frequent there than among the normals."""
    hint = "take `min_lift` as a parameter and choose among coverage.eligible(self.min_lift)"
    expect("min_lift" in parameters(explainer), explainer, "it must have a parameter `min_lift`", "none", hint)
    explainer.min_lift = 1.0
    for what, instance, found in selections(explainer):
        eligible = instance.coverage.eligible(1.0)
        unfit = [(k + 1, j) for k, one in enumerate(found.tags) for j in one if not eligible[k, j]]
        rule = f"tags must be more frequent in their group than among the normals (min_lift=1.0), on {what}"
        expect(not unfit, explainer, rule, f"group and tag {unfit}", hint)


# --- what it depends on -----------------------------------------------------------------------------------------------


def leaves_its_input_alone(explainer: Any) -> None:
    """The coverage is as before."""
    for what, instance in instances():
        cov = instance.coverage
        before = all_fields(cov)
        with no_error(explainer, f"`select` must not fail on {what}", "see the error above"), suppress(InfeasibleError):
            explainer.select(cov)
        rule = f"`select` must leave `coverage` as it is, on {what}"
        expect(before == all_fields(cov), explainer, rule, "changes", "work on copies of its arrays")


def answers_the_same_again(explainer: Any) -> None:
    """The same coverage gets the same selection, also after others."""
    first = _answer(explainer)
    hint = "use a generator of its own with a fixed seed, and remember nothing between calls"
    rule = "the same coverage must get the same tags again, also after others"
    expect(first == (again := _answer(explainer)), explainer, rule, f"{first} and {again}", hint)


def row_order_is_irrelevant(explainer: Any) -> None:
    """The same rows in another order get tags that are as good; which of equally good ones is left to it."""
    rule = "the same rows in another order must get tags that are as good"
    hint = "choose by counts of rows, and decide ties by the number of the tag"
    for what, instance in instances():
        _expect_as_good(explainer, (instance, instance.shuffled()), f"{rule}, on {what}", hint)


def row_counts_are_repeated_rows(explainer: Any) -> None:
    """A row that stands for several gets the same objective as that row repeated."""
    hint = "ask the coverage for counts: group_counts, normal_counts, count_normals(bits)"
    for instance in (plain(), small_instances()[0]):
        counts = 1 + np.arange(len(instance.y)) % 3
        repeated = Instance(np.repeat(instance.T, counts, axis=0), np.repeat(instance.y, counts))
        pair = replace(instance, row_counts=counts), repeated
        _expect_as_good(explainer, pair, "a row that stands for several must count as often", hint)


def _expect_as_good(explainer: Any, pair: tuple[Instance, Instance], rule: str, hint: str) -> None:
    found = [select(explainer, one) for one in pair]
    values = [math.inf if one is None else one.objective for one in found]
    same = math.isclose(*values, rel_tol=OBJECTIVE_ROUNDING, abs_tol=1e-9)
    expect(same, explainer, rule, f"objectives of {values[0]} and {values[1]}", hint)


def odd_problems_are_no_trouble(explainer: Any) -> None:
    """Single rows, empty groups, no tags, no normals: a selection, or an error that says why there is none."""
    for what, instance in odd_instances().items():
        found, n_groups = select(explainer, instance, what), instance.coverage.n_groups
        rule = f"`tags` must have a tuple for each of the {n_groups} groups of {what}"
        expect(found is None or len(found.tags) == n_groups, explainer, rule, "fewer or more", "() for no description")
    nobody = Instance(np.ones((3, 2), dtype=bool), np.zeros(3, dtype=np.int64))
    rule = "`select` must not fail without outliers, but by a PyodExplainError"
    with no_error(explainer, rule, "test n_groups"), suppress(PyodExplainError):
        explainer.select(nobody.coverage)


def explain_takes_it(explainer: Any) -> None:
    """`explain` runs it on a table and prints its report, or passes its InfeasibleError on."""
    rows = example()
    rule = "explain(y, X, method=explainer) must not fail"
    with no_error(explainer, rule, "see the error above"), suppress(InfeasibleError):
        str(explain(rows.y, rows.X, method=explainer))


# --- the selections that are checked ---


def select(explainer: Any, instance: Instance, what: str = "two groups with tags of their own") -> Selection | None:
    """Let it choose; None if it says that there is nothing to choose. Any other error is its fault."""
    hint = "see the error above; where the rules cannot be met raise InfeasibleError(..., proved=...)"
    found: Selection | None = None
    with no_error(explainer, f"`select` must not fail on {what}", hint), suppress(InfeasibleError):
        found = explainer.select(instance.coverage)
    if found is None:
        return None
    got = f"a {type(found).__name__}"
    expect(isinstance(found, Selection), explainer, "`select` must return a Selection", got, "Selection(tags, ...)")
    return found


def instances() -> Iterator[tuple[str, Instance]]:
    """Name the problems that every explainer can answer or refuse."""
    yield "two groups with tags of their own", plain()
    yield "tags that tell of the normals", backwards()
    yield "a small problem", small_instances()[0]
    yield "a small problem with row counts", small_instances()[2]


def selections(explainer: Any) -> Iterator[tuple[str, Instance, Selection]]:
    """Give those that it answers, with its selections."""
    for what, instance in instances():
        if (found := select(explainer, instance, what)) is not None:
            yield what, instance, found


def figures_agree(explainer: Any) -> None:
    """A finite objective, a bound below it, and "optimal" only with a bound that equals it."""
    for what, _, found in selections(explainer):
        valid = found.status in get_args(Status) and math.isfinite(found.objective)
        valid = valid and (found.bound is None or found.bound <= found.objective)
        valid = valid and (found.status != "optimal" or (found.gap is not None and found.gap <= OBJECTIVE_ROUNDING))
        rule = f"`objective` must be finite, `bound` at most that, and equal to it where it is 'optimal', on {what}"
        got = f"{found.status!r}, {found.objective} and {found.bound}"
        expect(valid, explainer, rule, got, "without a proof `bound` is None and `status` 'feasible'")


def objective_is_its_definition(explainer: Any, objective: Objective) -> None:
    """`objective` is what the definition gives for the tags; infinite only where the status is "violated"."""
    for what, instance, found in selections(explainer):
        value = objective(instance.coverage, found.tags)
        if found.status == "violated":
            expect(value == math.inf, explainer, f"'violated' on {what}", f"tags of {value}", "call it 'feasible'")
            continue
        same = math.isclose(value, found.objective, rel_tol=OBJECTIVE_ROUNDING, abs_tol=1e-9)
        got = f"{found.objective} where it is {value} for {found.tags}"
        hint = "compute it from the tags that are returned, after the search"
        expect(same, explainer, f"`objective` must be what the tags give, on {what}", got, hint)


def proofs_hold(explainer: Any, objective: Objective) -> None:
    """No selection of a small problem is better than one that is called optimal, or lies below a bound."""
    for i, instance in enumerate(small_instances()):
        cov, what = instance.coverage, f"small problem {i}"
        best = min(objective(cov, tags) for tags in all_selections(cov.n_tags, cov.n_groups))
        slack = OBJECTIVE_ROUNDING * abs(best) if math.isfinite(best) else 0.0
        try:
            found = explainer.select(cov)
        except InfeasibleError as error:
            hint = "raise InfeasibleError(..., proved=False) for a search that gave up"
            wrong = error.proved and math.isfinite(best)
            expect(not wrong, explainer, "proved to be infeasible", f"{what}, where {best} is possible", hint)
            continue
        holds = found.bound is None or found.bound <= best + slack
        holds = holds and (found.status != "optimal" or found.objective <= best + slack)
        got = f"{found.status!r}, {found.objective} and {found.bound} on {what}, where {best} is possible"
        rule, hint = "`bound` and 'optimal' must be proved", "without a proof status='feasible', bound=None"
        expect(holds, explainer, rule, got, hint)


# --- small problems ---


@dataclass(frozen=True, eq=False)
class Instance:
    """Which row has which tag, and for each row 0 (normal) or its group, 1..K, and how many rows each stands for."""

    T: NDArray[np.bool_]
    y: NDArray[np.int64]
    row_counts: NDArray[np.int64] | None = None
    seed: int = 0  # of the order of the rows

    @property
    def coverage(self) -> Coverage:
        # A coverage has its rows in the order of their tags: that of eight random ones, which are then left out.
        shuffle = np.random.default_rng(self.seed).random((len(self.y), 8)) < 0.5
        n_tags = self.T.shape[1]
        lengths = 1 + np.arange(-8, n_tags) % 3
        T, n_items = np.hstack([shuffle, self.T]), max(10, n_tags)
        found = Coverage.from_dense(T, self.y, lengths.tolist(), n_items, row_counts=self.row_counts)
        return found.take(range(8, 8 + n_tags))

    def shuffled(self) -> Instance:
        """Return the same rows in another order."""
        return replace(self, seed=1)


def plain(n_normals: int = 40) -> Instance:
    """Two groups with tags of their own, one with a tag of few normals for all of it, and tags of anybody."""
    y = np.repeat([0, 1, 2], [n_normals, 6, 4])
    i = np.arange(len(y))
    first, second = y == 1, y == 2
    tags = [
        first & (i % 2 == 0), first & (i % 2 == 1), first | (i < 2), second & (i >= len(y) - 2),
        second & (i < len(y) - 2), second | (i == 5), i % 3 == 0, (i % 4 == 1) & ~second, y > 0,
    ]  # fmt: skip
    return Instance(np.array(tags).T, y.astype(np.int64))


def backwards() -> Instance:
    """Tags that tell of the normals and hardly of the group, beside one that tells a little of the group."""
    y = np.repeat([0, 1], [40, 8])
    i = np.arange(48)
    return Instance(np.array([i < 44, i < 40, (i >= 43) | (i < 20), i % 2 == 0]).T, y.astype(np.int64))


def small_instances() -> list[Instance]:
    """Random problems of two groups and five tags, every third with row counts, and one that is contested."""
    found = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y = np.array([1, 1, 1, 2, 2, *rng.integers(0, 3, 4), *[0] * 6])
        own = np.array([1, 1, 2, 2, 0])  # which group a tag mostly tells of
        T = rng.uniform(size=(len(y), 5)) < np.where(y[:, None] == own, 0.75, 0.12)
        found.append(Instance(T, y, rng.integers(1, 4, len(y)) if seed % 3 == 2 else None))
    return [*found, contested()]


def contested() -> Instance:
    """Two groups whose best tag is the same: the first has another that is nearly as good, the second has none."""
    y = np.repeat([1, 2, 0], [3, 3, 6])
    i = np.arange(len(y))
    return Instance(np.array([y > 0, i < 2, i > 8, i == 6, (i == 0) | (i > 9)]).T, y.astype(np.int64))


def odd_instances() -> dict[str, Instance]:
    """Problems at which explainers stumble."""

    def of(T: list[list[int]], y: list[int]) -> Instance:
        return Instance(np.array(T, dtype=bool).reshape(len(y), -1), np.array(y, dtype=np.int64))

    return {
        "one outlier and one normal row": of([[1, 0], [0, 1]], [1, 0]),
        "one outlier alone": of([[1]], [1]),
        "no tags": Instance(np.zeros((3, 0), dtype=bool), np.array([1, 1, 0])),
        "no normal rows": of([[1, 0], [0, 1]], [1, 2]),
        "a group without rows": of([[1, 0], [0, 1], [0, 0]], [1, 3, 0]),
        "a group without tags": of([[1], [0], [0]], [1, 2, 0]),
        "a tag that all rows have": of([[1]] * 6, [1, 1, 2, 0, 0, 0]),
        "tags that are all the same": of([[1, 1, 1]] * 3 + [[0, 0, 0]] * 3, [1, 1, 2, 0, 0, 0]),
        "rows that are neither": of([[1, 0], [1, 1], [0, 1], [0, 0]], [1, -1, 0, 0]),
    }


def all_selections(n_tags: int, n_groups: int) -> Iterator[Tags]:
    """List every way to give each tag to one group or to none.

    >>> list(all_selections(1, 2))
    [((), ()), ((0,), ()), ((), (0,))]
    """
    for owners in itertools.product(range(n_groups + 1), repeat=n_tags):
        yield tuple(tuple(j for j, owner in enumerate(owners) if owner == k) for k in range(1, n_groups + 1))


OUTCOME = (is_an_explainer, tags_are_indices, groups_share_no_tag, figures_agree, min_lift_is_kept)
INPUT = (leaves_its_input_alone, answers_the_same_again, row_order_is_irrelevant, row_counts_are_repeated_rows)
CHECKS: tuple[Callable[[Any], None], ...] = (*OUTCOME, *INPUT, odd_problems_are_no_trouble)
EXPLAINER_CHECKS: dict[str, Callable[[Any], None]] = {check.__name__: check for check in CHECKS}
EXPLAINER_CHECKS |= {check.__name__: partial(check, answer=_answer) for check in COPY_CHECKS}
EXPLAINER_CHECKS[explain_takes_it.__name__] = explain_takes_it
JUDGED: dict[str, Callable[..., None]] = {check.__name__: check for check in (objective_is_its_definition, proofs_hold)}
