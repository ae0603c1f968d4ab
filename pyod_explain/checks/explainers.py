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

from pyod_explain._arrays import BoolArray, IntArray
from pyod_explain.api import explain
from pyod_explain.checks.common import COPY_CHECKS, Check, CheckError, all_fields, example, parameters, run_check
from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import InfeasibleError, PyodExplainError, shown
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
    for check in EXPLAINER_CHECKS:
        yield check.__name__, partial(run_check, check, explainer)
    for copy_check in COPY_CHECKS:
        yield copy_check.__name__, partial(run_check, copy_check, explainer, _answer)
    yield explain_takes_it.__name__, partial(run_check, explain_takes_it, explainer)
    for judge in JUDGED if objective is not None else ():
        yield judge.__name__, partial(run_check, judge, explainer, objective)


def _answer(explainer: Any) -> Any:
    found = [select(explainer, instance) for instance in (plain(), small_instances()[2])]
    return [None if one is None else (one.tags, one.status) for one in found]


def select(explainer: Any, instance: Instance) -> Selection | None:
    """Let it choose; None if it says that there is nothing to choose."""
    try:
        found = explainer.select(instance.coverage)
    except InfeasibleError:
        return None
    if not isinstance(found, Selection):
        got = f"`select` must return a Selection, got a {type(found).__name__}"
        raise CheckError(f"{shown(explainer)}: {got}.\nHint: return Selection(tags, ...).")
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
        if (found := select(explainer, instance)) is not None:
            yield what, instance, found


# --- what comes out ---------------------------------------------------------------------------------------------------


def is_an_explainer(explainer: Any) -> Iterator[str]:
    """It must be an Explainer, and find tags for two groups that have tags of their own.

    Hint: class Mine(Explainer), from pyod_explain.explainers; try it on Coverage.from_dense(T, y).
    """
    if not isinstance(explainer, Explainer):
        yield f"a {type(explainer).__name__}"
    found = select(explainer, plain())
    if found is None or not any(found.tags):
        yield "no tags"


def tags_are_indices(explainer: Any) -> Iterator[str]:
    """`tags` must have a tuple for each group, of the numbers (int) of tags that are there, each once.

    Hint: int(j) for each; () for a group without a description.
    """
    for what, instance, found in selections(explainer):
        tags, n_groups, n_tags = found.tags, instance.coverage.n_groups, instance.coverage.n_tags
        valid = isinstance(tags, tuple) and len(tags) == n_groups and all(isinstance(one, tuple) for one in tags)
        valid = valid and all(type(j) is int and 0 <= j < n_tags for one in tags for j in one)
        if not valid or any(len(set(one)) < len(one) for one in tags):
            yield f"{tags!r} for {n_groups} groups and {n_tags} tags, on {what}"


def groups_share_no_tag(explainer: Any) -> Iterator[str]:
    """No tag may describe two groups, unless the explainer has `shares_tags = True`.

    Hint: leave out the tags of other groups, or set `shares_tags = True`.
    """
    for what, _, found in selections(explainer):
        chosen = list(chain(*map(set, found.tags)))
        if len(chosen) > len(set(chosen)) and not getattr(explainer, "shares_tags", False):
            yield f"{found.tags!r} on {what}"


def figures_agree(explainer: Any) -> Iterator[str]:
    """`objective` must be finite, `bound` at most that, and equal to it where the status is "optimal".

    Hint: without a proof `bound` is None and `status` "feasible".
    """
    for what, _, found in selections(explainer):
        valid = found.status in get_args(Status) and math.isfinite(found.objective)
        valid = valid and (found.bound is None or found.bound <= found.objective)
        if not valid or (found.status == "optimal" and (found.gap is None or found.gap > OBJECTIVE_ROUNDING)):
            yield f"{found.status!r}, {found.objective} and {found.bound} on {what}"


def min_lift_is_kept(explainer: Any) -> Iterator[str]:
    """With `min_lift=1.0` a tag may describe a group only if it is more frequent there than among the normals.

    Hint: take `min_lift` as a parameter and choose among coverage.eligible(self.min_lift).
    """
    if "min_lift" not in parameters(explainer):
        yield "no such parameter"
    explainer.min_lift = 1.0
    for what, instance, found in selections(explainer):
        eligible = instance.coverage.eligible(1.0)
        unfit = [(k + 1, j) for k, one in enumerate(found.tags) for j in one if not eligible[k, j]]
        if unfit:
            yield f"group and tag {unfit} on {what}"


# --- what it depends on -----------------------------------------------------------------------------------------------


def leaves_its_input_alone(explainer: Any) -> Iterator[str]:
    """`select` must leave `coverage` as it is.

    Hint: work on copies of its arrays.
    """
    for what, instance in instances():
        cov = instance.coverage
        before = all_fields(cov)
        with suppress(InfeasibleError):
            explainer.select(cov)
        if before != all_fields(cov):
            yield f"changes on {what}"


def answers_the_same_again(explainer: Any) -> Iterator[str]:
    """The same coverage must get the same tags again, also after others.

    Hint: use a generator of its own with a fixed seed, and remember nothing between calls.
    """
    first, again = _answer(explainer), _answer(explainer)
    if first != again:
        yield f"{first} and {again}"


def row_order_is_irrelevant(explainer: Any) -> Iterator[str]:
    """The same rows in another order must get tags that are as good; which of equally good ones is left to it.

    Hint: choose by counts of rows, and decide ties by the number of the tag.
    """
    for _, instance in instances():
        yield from _unequal_objectives(explainer, instance, replace(instance, seed=1))


def row_counts_are_repeated_rows(explainer: Any) -> Iterator[str]:
    """A row that stands for several must count as often.

    Hint: ask the coverage for counts: group_counts, normal_counts, count_normals(bits).
    """
    for instance in (plain(), small_instances()[0]):
        counts = 1 + np.arange(len(instance.y)) % 3
        repeated = Instance(np.repeat(instance.T, counts, axis=0), np.repeat(instance.y, counts))
        yield from _unequal_objectives(explainer, replace(instance, row_counts=counts), repeated)


def _unequal_objectives(explainer: Any, *instances: Instance) -> Iterator[str]:
    values = [math.inf if one is None else one.objective for one in (select(explainer, case) for case in instances)]
    if not math.isclose(*values, rel_tol=OBJECTIVE_ROUNDING, abs_tol=1e-9):
        yield f"objectives of {values[0]} and {values[1]}"


def odd_problems_are_no_trouble(explainer: Any) -> Iterator[str]:
    """Single rows, empty groups, no tags, no normals: a selection, or an InfeasibleError that says why there is none.

    Hint: where the rules cannot be met raise InfeasibleError(..., proved=...), and `tags` has () for no description.
    """
    for what, instance in odd_instances().items():
        try:
            found = select(explainer, instance)
        except Exception as error:  # noqa: BLE001 - any error is a fault
            yield f"{type(error).__name__}: {error} on {what}"
        else:
            if found is not None and len(found.tags) != instance.coverage.n_groups:
                yield f"tags for {len(found.tags)} of the {instance.coverage.n_groups} groups of {what}"
    with suppress(PyodExplainError):
        explainer.select(Instance(np.ones((3, 2), dtype=bool), np.zeros(3, dtype=np.int64)).coverage)


def explain_takes_it(explainer: Any) -> Iterator[str]:
    """explain(y, X, method=explainer) must print its report, or pass its InfeasibleError on.

    Hint: see the error above.
    """
    rows = example()
    with suppress(InfeasibleError):
        if not str(explain(rows.y, rows.X, method=explainer)):
            yield "an empty report"


# --- with the definition of the objective ---


def objective_is_its_definition(explainer: Any, objective: Objective) -> Iterator[str]:
    """`objective` must be what the definition gives for the tags; infinite only where the status is "violated".

    Hint: compute it from the tags that are returned, after the search.
    """
    for what, instance, found in selections(explainer):
        value, own = objective(instance.coverage, found.tags), found.objective
        own = math.inf if found.status == "violated" else own
        if not math.isclose(value, own, rel_tol=OBJECTIVE_ROUNDING, abs_tol=1e-9):
            yield f"{found.status!r} and {found.objective} where it is {value} for {found.tags}, on {what}"


def proofs_hold(explainer: Any, objective: Objective) -> Iterator[str]:
    """No selection of a small problem may be better than one called optimal, lie below a bound, or be "infeasible".

    Hint: without a proof status="feasible" and bound=None, or InfeasibleError(..., proved=False).
    """
    for i, instance in enumerate(small_instances()):
        cov = instance.coverage
        best = min(objective(cov, tags) for tags in all_selections(cov.n_tags, cov.n_groups))
        most = best + OBJECTIVE_ROUNDING * abs(best) if math.isfinite(best) else best
        try:
            found = explainer.select(cov)
            wrong = found.bound is not None and found.bound > most
            wrong = wrong or (found.status == "optimal" and found.objective > most)
            claim = f"{found.status!r}, {found.objective} and {found.bound}"
        except InfeasibleError as error:
            wrong, claim = error.proved and math.isfinite(best), "proved to be infeasible"
        if wrong:
            yield f"{claim} on small problem {i}, where {best} is possible"


# --- small problems ---


@dataclass(frozen=True, eq=False)
class Instance:
    """Which row has which tag, and for each row 0 (normal) or its group, 1..K, and how many rows each stands for."""

    T: BoolArray
    y: IntArray
    row_counts: IntArray | None = None
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


def plain() -> Instance:
    """Two groups with tags of their own, one with a tag of few normals for all of it, and tags of anybody."""
    y = np.repeat([0, 1, 2], [40, 6, 4])
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
    # Two groups whose best tag is the same: the first has another that is nearly as good, the second has none.
    y, i = np.repeat([1, 2, 0], [3, 3, 6]), np.arange(12)
    T = np.array([y > 0, i < 2, i > 8, i == 6, (i == 0) | (i > 9)]).T
    return [*found, Instance(T, y.astype(np.int64))]


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
EXPLAINER_CHECKS: tuple[Check, ...] = (*OUTCOME, *INPUT, odd_problems_are_no_trouble)
JUDGED: tuple[Check, ...] = (objective_is_its_definition, proofs_hold)
