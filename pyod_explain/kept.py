"""Tags that must be used: which group each describes, and which one serves a column that must be spoken of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from pyod_explain.coverage import Coverage
from pyod_explain.description_length import mdl_of_group
from pyod_explain.explainers import Selection
from pyod_explain.solvers import Chosen
from pyod_explain.tags import Tag

__all__ = ["best_forced", "homes", "with_more"]

TRIED = 8  # tags that a description is searched for with


def homes(coverage: Coverage, tags: Iterable[int]) -> list[list[int]]:
    """Give each tag to the group that it is most frequent in; of equals to the first.

    The share of the normals that has it is the same whatever the group, so the larger share is also the larger lift.
    """
    chosen: list[list[int]] = [[] for _ in range(coverage.n_groups)]
    for tag in tags:
        chosen[_home(coverage, tag)].append(tag)
    return chosen


def best_forced(
    coverage: Coverage,
    chosen: Chosen,
    candidates: Sequence[int],
    *,
    min_lift: float,
    select: Callable[[int], Selection],
) -> int:
    """Give the tag with which the whole description takes the fewest bits, of those that could serve.

    All are tried beside what is chosen, and in place of each tag of it; with the best of them descriptions are
    searched. Tags that are no more frequent in a group than among the normals serve only where there are no others.

    Parameters
    ----------
    coverage, chosen : what there is, and what is chosen of it, by bits.
    candidates : the tags that could serve, at least one.
    min_lift : as for the explainer.
    select : chooses with such a tag among those that must be used.
    """
    home = {tag: _home(coverage, tag) for tag in candidates}
    eligible = coverage.eligible(min_lift)
    serving = [tag for tag in candidates if eligible[home[tag], tag]] or list(candidates)
    bits = {tag: min(_bits_with(coverage, chosen, home[tag], tag)) for tag in serving}
    best = sorted(serving, key=lambda tag: (bits[tag], tag))[:TRIED]
    return min(best, key=lambda tag: (select(tag).objective, best.index(tag)))


def with_more(rules: Iterable[Tag], extra: Iterable[Tag], max_length: int) -> Iterator[Tag]:
    """Give each rule with one more condition, of the tags that are one condition, as long as it is not too long."""
    single = [tag for tag in extra if len(tag) == 1]
    for rule in rules:
        if len(rule) < max_length:
            yield from (Tag(rule.conditions | one.conditions) for one in single)


def _home(coverage: Coverage, tag: int) -> int:
    return int(np.argmax(coverage.group_counts[:, tag] / np.maximum(coverage.group_sizes, 1)))


def _bits_with(coverage: Coverage, chosen: Chosen, group: int, tag: int) -> Iterator[float]:
    """Give the bits that the group gains or loses by the tag: beside its tags, and in place of each of them."""
    now = list(chosen[group])
    before = mdl_of_group(coverage, group, now)
    yield mdl_of_group(coverage, group, [*now, tag]) - before
    for one in now:
        yield mdl_of_group(coverage, group, [*(other for other in now if other != one), tag]) - before
