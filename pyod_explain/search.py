"""`search`: from a table with outliers to rules, in four stages: groups, tags, coverage, selection."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pyod_explain._progress import Step, silent
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import grouped_bits
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.explainers import MDL, Explainer, Selection
from pyod_explain.groups import all_together, choose_groups, split_by_reasons, split_outliers
from pyod_explain.growth import Grower, fit_cuts, shorten
from pyod_explain.input import Groups, Outliers, Table
from pyod_explain.settings import Settings
from pyod_explain.tags import Condition, Itemsets, Prices, Tag, TagSet, fast_variant, growing_maker, make_tags

N_STAGES = 4
MIN_SPLIT_SIZE = 5  # outliers that the parts of a split must have on average
SPLITS = (4, 8)  # numbers of k-means parts of all outliers; each part is a start of the rule search


@dataclass(frozen=True, eq=False)
class Counted:
    """What is known of a population of which the table is a part: all of it was counted.

    Attributes
    ----------
    n_rows : how many rows there are.
    n_tags : how many tags there were to choose from, of which the coverage has the best.
    shares : the share of all normal rows that meets each condition of the rules.
    """

    n_rows: int
    n_tags: int
    shares: Mapping[Condition, float]


@dataclass(frozen=True, eq=False)
class Found:
    """What a search found, stage by stage.

    Attributes
    ----------
    table : what the tags are about: the features, with the columns that the tags brought along.
    groups : which outliers belong together.
    tags : what there was to choose from.
    coverage : which row has which tag.
    selection : which tags describe which group.
    notes : what a reader should know of tags and selection.
    timings : seconds per stage.
    counted : what was counted on more rows than the table has; None where the table is all there is.
    known : those of the tags that were known before the search.
    """

    table: Table
    groups: Groups
    tags: TagSet
    coverage: Coverage
    selection: Selection
    notes: tuple[str, ...]
    timings: Mapping[str, float]
    counted: Counted | None = None
    known: frozenset[Tag] = frozenset()

    @property
    def rules(self) -> list[list[Tag]]:
        """The chosen tags of each group."""
        return rules_of(self.selection, self.tags)


def rules_of(selection: Selection, tags: TagSet) -> list[list[Tag]]:
    """Give the chosen tags of each group."""
    return [[tags.tags[j] for j in chosen] for chosen in selection.tags]


def search(table: Table, outliers: Outliers | Groups, settings: Settings, *, step: Step = silent) -> Found:
    """Look for rules that describe these outliers.

    Where rules are to make the groups, the result has one group: `group_by_reasons` splits it.

    Parameters
    ----------
    table : the features.
    outliers : which rows are outliers; or their groups, which are then taken as they are.
    settings : how to search.
    step : called when a stage begins.
    """
    if settings.known or settings.new:
        return _search_beside_known(table, outliers, settings, step)
    timings: dict[str, float] = {}
    with _timed(timings, "groups", step):
        groups = outliers if isinstance(outliers, Groups) else split(table, outliers, settings)
        table = table if settings.group_column is None else table.drop([settings.group_column])
    with _timed(timings, "tags", step):
        tags = _make(table, groups, settings)
    with _timed(timings, "coverage", step):
        table = tags.extend(table)
        coverage = Coverage.from_tags(table, tags.tags, groups, n_items=tags.n_items, prices=Prices(table))
    with _timed(timings, "selection", step):
        tags, coverage, selection = _select_and_grow(table, groups, tags, coverage, settings)
        if settings.detail and settings.minimises_bits:
            tags, coverage, selection = shorten(
                table, tags, coverage, selection, share=settings.detail, min_lift=settings.explainer.min_lift
            )
        if _growing_maker(settings) is not None and settings.minimises_bits:
            tags, coverage, selection = fit_cuts(table, groups, tags, coverage, selection, settings.explainer)
    return Found(table, groups, tags, coverage, selection, (*tags.notes, *selection.notes), timings)


def _search_beside_known(table: Table, outliers: Outliers | Groups, settings: Settings, step: Step) -> Found:
    """Choose among the rules that are known, and search for rules of the outliers that these leave."""
    groups = outliers if isinstance(outliers, Groups) else all_together(outliers)
    known, _ = _choose_given(settings.known, table, groups, settings, known=True)
    new, selection = _choose_given(settings.new, table, groups, settings, known=False)
    used, rest = [*known, *new], groups.numbers.copy()
    for tag in used:
        rest[(rest > 0) & tag.covers(table)] = -1
    tags, chosen = TagSet((), 0), []
    timings: Mapping[str, float] = {}
    notes: tuple[str, ...] = ()
    if (rest > 0).any():
        found = search(table, replace(groups, numbers=rest), replace(settings, known=(), new=()), step=step)
        table, tags, selection, timings, notes = found.table, found.tags, found.selection, found.timings, found.notes
        chosen = found.rules[0]
    tags = replace(tags, tags=tuple(dict.fromkeys((*settings.known, *new, *tags.tags))))
    place = {tag: j for j, tag in enumerate(tags.tags)}
    selection = replace(selection, tags=(tuple(dict.fromkeys(place[tag] for tag in (*used, *chosen))),))
    coverage = Coverage.from_tags(table, tags.tags, groups, n_items=tags.n_items, prices=Prices(table))
    if settings.minimises_bits:
        selection = replace(selection, tags=(_drop_costly(coverage, selection.tags[0], len(settings.known)),))
    return Found(table, groups, tags, coverage, selection, notes, timings, known=frozenset(settings.known))


def _drop_costly(coverage: Coverage, chosen: tuple[int, ...], n_known: int) -> tuple[int, ...]:
    """Leave out rules that are not known and make the whole description longer, the costliest first."""
    while len(chosen) > 1:
        shorter = {j: grouped_bits(coverage, [[one for one in chosen if one != j]]) for j in chosen if j >= n_known}
        worst = min(shorter, key=lambda j: (shorter[j], j), default=None)
        if worst is None or shorter[worst] >= grouped_bits(coverage, [chosen]):
            break
        chosen = tuple(one for one in chosen if one != worst)
    return chosen


def _choose_given(
    tags: tuple[Tag, ...], table: Table, groups: Groups, settings: Settings, *, known: bool
) -> tuple[list[Tag], Selection]:
    """Choose among these rules those that save bits; a known one costs only what tells which it is, and stays as it is.

    Of others the cuts are then fitted.
    """
    made, explainer = TagSet(tags, n_items=len(tags)), MDL(min_lift=settings.min_lift)
    coverage = Coverage.from_tags(table, tags, groups, n_items=made.n_items, prices=Prices(table))
    if known:
        coverage = replace(coverage, prices=np.full(len(tags), np.log2(len(tags) + 1)))
    selection = explainer.select(coverage)
    if not known and selection.tags[0]:
        made, coverage, selection = fit_cuts(table, groups, made, coverage, selection, explainer)
    return rules_of(selection, made)[0], selection


def group_by_reasons(found: Found) -> Found:
    """Split one group of outliers by the rules that describe it."""
    groups, coverage, selection = split_by_reasons(found.groups, found.coverage, found.selection)
    return replace(found, groups=groups, coverage=coverage, selection=selection)


def split(table: Table, outliers: Outliers, settings: Settings) -> Groups:
    """Split the outliers into groups; those whose labels are group numbers already are split by these."""
    if outliers.numbers is None and settings.by_reasons:
        return all_together(outliers)  # their rules split them later
    if outliers.numbers is None and settings.by_kmeans:
        make = partial(_make_quickly, settings=settings)
        seed = settings.random_state
        return choose_groups(table, outliers, make, min_lift=settings.min_lift, random_state=seed)
    return split_outliers(settings.groups, outliers, table, random_state=settings.random_state)


def _make(table: Table, groups: Groups, settings: Settings) -> TagSet:
    """Make the tags to choose from, those aside that are grown."""
    return _make_tags(table, groups, settings, mined=not settings.explainer.supports_growth)


def _make_quickly(table: Table, groups: Groups, settings: Settings) -> TagSet:
    """Make fewer tags in less time, for comparing many splits."""
    maker = _growing_maker(settings)
    if maker is None:
        return _make_tags(table, groups, settings)
    return make_tags(fast_variant(maker), table, groups)


def _make_tags(table: Table, groups: Groups, settings: Settings, *, mined: bool = True) -> TagSet:
    """Make tags; without those that rules are grown for instead unless `mined`."""
    seed = settings.random_state
    return make_tags(settings.tags, table, groups, random_state=seed, mined=mined, **_limits(settings))


def _growing_maker(settings: Settings) -> Itemsets | None:
    return growing_maker(settings.tags, **_limits(settings))


def _limits(settings: Settings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in ("max_length", "relations", "negations")}


def _select_and_grow(
    table: Table, groups: Groups, tags: TagSet, coverage: Coverage, settings: Settings
) -> tuple[TagSet, Coverage, Selection]:
    """Find candidates from several starts and select among them; improve the selection until nothing gets better."""
    explainer, grower = settings.explainer, _grower(table, groups, settings)
    if grower is None:
        return tags, coverage, explainer.select(coverage)
    quick = explainer.heuristic()
    tags = grower.find_rules(tags)
    local = grower.cover(tags)
    selection = _attempt(quick, local)
    while selection is not None:
        rules = rules_of(selection, tags)
        more, better = grower.improve(tags, rules)
        if len(more.tags) == len(tags.tags) and better == rules:
            break
        tags, local = more, grower.cover(more)
        place = {tag: j for j, tag in enumerate(tags.tags)}
        again = quick.improve(local, [[place[tag] for tag in one] for one in better])
        if again.objective >= selection.objective:
            again = quick.select(local)
            if again.objective >= selection.objective:
                break
        selection = again
    tags = replace(tags, notes=(*tags.notes, *grower.notes))
    if selection is not None and quick is explainer and grower.has_all_rows and settings.minimises_bits:
        return tags, local, selection
    coverage = Coverage.from_tags(table, tags.tags, groups, n_items=tags.n_items, prices=Prices(table))
    if selection is None or quick is not explainer:
        return tags, coverage, explainer.select(coverage)
    return tags, coverage, explainer.improve(coverage, selection.tags)


def _attempt(explainer: Explainer, coverage: Coverage) -> Selection | None:
    """Select, or return None where the constraints cannot be met: the last selection raises the error."""
    try:
        return explainer.select(coverage)
    except InfeasibleError:
        return None


def _grower(table: Table, groups: Groups, settings: Settings) -> Grower | None:
    """Make the rule search; None where `tags=` asks for none or the explainer does not support it."""
    maker = _growing_maker(settings)
    if maker is None or not settings.explainer.supports_growth:
        return None
    everyone = Outliers(np.clip(groups.numbers, -1, 1), groups.how)
    n_outliers = everyone.n_outliers(table)
    splits = [n for n in SPLITS if n != groups.n_groups and n * MIN_SPLIT_SIZE <= n_outliers]
    return Grower(
        table,
        groups,
        parts=[split_outliers(n, everyone, table, random_state=settings.random_state) for n in splits],
        maker=maker,
        explainer=settings.explainer,
        random_state=settings.random_state,
    )


@contextmanager
def _timed(timings: dict[str, float], stage: str, step: Step) -> Iterator[None]:
    """Measure the seconds of a stage, and report its start with the share of stages that are done."""
    step(stage, len(timings) / N_STAGES)
    begun = time.perf_counter()
    yield
    timings[stage] = time.perf_counter() - begun
