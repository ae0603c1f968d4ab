"""`select`: the selection that an explainer makes of a small problem, or None where it says that there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyod_explain.checks.coverages import Instance, backwards, plain, small_instances
from pyod_explain.checks.failure import expect, no_error
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.explainers import Selection

__all__ = ["instances", "select", "selections"]


def select(explainer: Any, instance: Instance, what: str = "two groups with tags of their own") -> Selection | None:
    """Let it choose; None if it says that there is nothing to choose. Any other error is its fault."""
    hint = "see the error above; where the rules cannot be met raise InfeasibleError(..., proved=...)"
    with no_error(explainer, f"`select` must not fail on {what}", hint):
        try:
            found: Selection = explainer.select(instance.coverage)
        except InfeasibleError:
            return None
    got = f"a {type(found).__name__}"
    expect(isinstance(found, Selection), explainer, "`select` must return a Selection", got, "Selection(tags, ...)")
    return found


def instances() -> Iterator[tuple[str, Instance]]:
    """Name the problems that every explainer can answer or refuse."""
    yield "two groups with tags of their own", plain()
    yield "tags that tell of the normals", backwards()
    yield "a small problem", small_instances()[0]
    yield "a small problem with weights", small_instances()[2]


def selections(explainer: Any) -> Iterator[tuple[str, Instance, Selection]]:
    """Give those that it answers, with its selections."""
    for what, instance in instances():
        if (found := select(explainer, instance, what)) is not None:
            yield what, instance, found
