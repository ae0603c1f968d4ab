"""`check_explainer`: what `explain` relies on in whatever has `select(coverage)`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from pyod_explain.api import explain
from pyod_explain.checks.claims import ROUNDING, Objective, figures_agree, objective_is_its_definition, proofs_hold
from pyod_explain.checks.coverages import Instance, odd_instances, plain, small_instances
from pyod_explain.checks.failure import expect, no_error
from pyod_explain.checks.parameters import check_clone, check_pickle, check_repr, check_untouched, parameters, seeded
from pyod_explain.checks.selections import instances, select, selections
from pyod_explain.checks.snapshot import snapshot
from pyod_explain.checks.tables import example
from pyod_explain.exceptions import InfeasibleError, PyodExplainError
from pyod_explain.explainers import Explainer

__all__ = ["check_explainer", "explainer_checks"]


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
    for name, check in CHECKS.items():
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
    hint = "with `plain()` of pyod_explain.checks.coverages see why"
    expect(some, explainer, "it must find tags for two groups that have tags of their own", "none", hint)


def tags_are_indices(explainer: Any) -> None:
    """A tuple of tags for each group: whole numbers of tags that are there, none twice."""
    for what, instance, found in selections(explainer):
        cov, tags = instance.coverage, found.tags
        shape = isinstance(tags, tuple) and len(tags) == cov.n_groups and all(isinstance(one, tuple) for one in tags)
        rule = f"`tags` must be a tuple with a tuple for each of the {cov.n_groups} groups of {what}"
        expect(shape, explainer, rule, repr(tags), "an empty tuple for a group without a description")
        valid = all(type(j) is int and 0 <= j < cov.n_tags for j in chain(*tags))
        hint = "int(j) for each, and none beyond coverage.n_tags"
        expect(valid, explainer, f"`tags` must be whole numbers below {cov.n_tags}, on {what}", repr(tags), hint)
        once = all(len(set(one)) == len(one) for one in tags)
        expect(
            once, explainer, f"a group must have a tag once, on {what}", repr(tags), "choose among those that are left"
        )


def groups_share_no_tag(explainer: Any) -> None:
    """No tag describes two groups, unless the explainer has `shares_tags = True`."""
    if getattr(explainer, "shares_tags", False):
        return
    for what, _, found in selections(explainer):
        chosen = list(chain(*map(set, found.tags)))
        hint = "leave out the tags of other groups, or set `shares_tags = True`"
        rule = f"descriptions must share no tag, on {what}"
        expect(len(chosen) == len(set(chosen)), explainer, rule, repr(found.tags), hint)


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
        before = snapshot(cov)
        with no_error(explainer, f"`select` must not fail on {what}", "see the error above"):
            try:
                explainer.select(cov)
            except InfeasibleError:
                continue
        same = before == snapshot(cov)
        hint = "work on copies of its arrays"
        expect(same, explainer, f"`select` must leave `coverage` as it is, on {what}", "changes", hint)


def answers_the_same_again(explainer: Any) -> None:
    """The same coverage gets the same selection, also after others."""
    first = _answer(explainer)
    hint = "use a generator of its own with a fixed seed, and remember nothing between calls"
    rule = "the same coverage must get the same tags again, also after others"
    expect(first == (again := _answer(explainer)), explainer, rule, f"{first} and {again}", hint)


def row_order_is_irrelevant(explainer: Any) -> None:
    """The same rows in another order get tags that are as good; which of equally good ones is left to it."""
    for what, instance in instances():
        found = [select(explainer, one, what) for one in (instance, instance.shuffled())]
        values = [math.inf if one is None else one.objective for one in found]
        rule = f"the same rows in another order must get tags that are as good, on {what}"
        hint = "choose by counts of rows, and decide ties by the number of the tag"
        same = math.isclose(*values, rel_tol=ROUNDING, abs_tol=1e-9)
        expect(same, explainer, rule, f"objectives of {values[0]} and {values[1]}", hint)


def unit_of_weights_is_irrelevant(explainer: Any) -> None:
    """Weights that are all a millionth as large give the same tags; all 1 is as none."""
    for what, instance in (("two groups", plain()), ("a small problem", small_instances()[0])):
        weights = 1.0 + np.arange(len(instance.y), dtype=np.float64) % 4
        for other, unit in ((weights, 2.0**-20), (np.ones_like(weights), None)):
            one = select(explainer, instance.weighing(other), what)
            two = select(explainer, instance.weighing(None if unit is None else other * unit), what)
            said = "no weights must be as weights of 1" if unit is None else "the unit of the weights must not matter"
            got = f"{one and one.tags} and {two and two.tags}"
            same = (one and one.tags) == (two and two.tags)
            expect(same, explainer, f"{said}, on {what}", got, "compare with shares of the total, not fixed numbers")


def odd_problems_are_no_trouble(explainer: Any) -> None:
    """Single rows, empty groups, no tags, no normals: a selection, or an error that says why there is none."""
    for what, instance in odd_instances().items():
        found, n_groups = select(explainer, instance, what), instance.coverage.n_groups
        whole = found is None or len(found.tags) == n_groups
        rule = f"`tags` must have a tuple for each of the {n_groups} groups of {what}"
        expect(whole, explainer, rule, repr(found and found.tags), "an empty tuple for a group without a description")
    nobody = Instance(np.ones((3, 2), dtype=bool), np.zeros(3, dtype=np.int64))
    with no_error(explainer, "`select` must not fail without outliers, but by a PyodExplainError", "test n_groups"):
        try:
            explainer.select(nobody.coverage)
        except PyodExplainError:
            return


def explain_takes_it(explainer: Any) -> None:
    """`explain` runs it on a table and prints its report, or passes its InfeasibleError on."""
    rows = example()
    with no_error(explainer, "explain(y, X, method=explainer) must not fail", "see the error above"):
        try:
            text = str(explain(rows.y, rows.X, method=explainer))
        except InfeasibleError:
            return
    expect(bool(text), explainer, "the report must have a text", "none", "see the selection")


CHECKS: dict[str, Callable[[Any], None]] = {
    check.__name__: check
    for check in (
        is_an_explainer,
        tags_are_indices,
        groups_share_no_tag,
        figures_agree,
        min_lift_is_kept,
        leaves_its_input_alone,
        answers_the_same_again,
        row_order_is_irrelevant,
        unit_of_weights_is_irrelevant,
        odd_problems_are_no_trouble,
    )
}
CHECKS.update(
    keeps_its_parameters=partial(check_untouched, answer=_answer),
    can_be_cloned=partial(check_clone, answer=_answer),
    repr_rebuilds_it=partial(check_repr, answer=_answer),
    can_be_pickled=partial(check_pickle, answer=_answer),
    explain_takes_it=explain_takes_it,
)
JUDGED: dict[str, Callable[..., None]] = {check.__name__: check for check in (objective_is_its_definition, proofs_hold)}
