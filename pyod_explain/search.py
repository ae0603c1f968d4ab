"""One search: groups, tags, coverage, selection. Whoever looks for rules, on whatever rows, calls `Search.run`."""

from __future__ import annotations

import numbers
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._progress import Step, silent
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import mdl_of_group
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.explainers import MDL, Explainer, Selection
from pyod_explain.group_choice import choose_groups
from pyod_explain.groups import Groups, all_together, split_outliers
from pyod_explain.growth import Grower
from pyod_explain.input import Outliers, Table
from pyod_explain.kept import best_forced, homes, with_more
from pyod_explain.reasons import REASONS, split_by_reasons
from pyod_explain.simplify import simplify
from pyod_explain.tags import (
    Condition,
    Itemsets,
    Tag,
    TagSet,
    fast_variant,
    growing_maker,
    make_tags,
    tags_about,
    union_of_tags,
)

__all__ = ["UNWEIGHTED", "WEIGHTED", "Counted", "Found", "Search", "rules_of"]

UNWEIGHTED = "The weights of the rows count in FUO, FCO and FCN; what was minimised counts rows, whatever they weigh."
WEIGHTED = (
    "The weights of the rows count in what was minimised, in the share that may be missed, and in FUO, FCO and FCN; "
    "all other figures count rows, whatever they weigh."
)
FIGURES = "The weights of the rows count in FUO, FCO and FCN; the figures of the rules count rows, whatever they weigh."
ON_WEIGHTS = {True: WEIGHTED, False: UNWEIGHTED, None: FIGURES}  # by whether the explainer says that it weighs rows
N_STAGES = 4
SMALLEST = 5  # outliers in a group of the splits that are mined beside
WAYS = ("auto", REASONS)  # to make groups, by name


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
    """

    table: Table
    groups: Groups
    tags: TagSet
    coverage: Coverage
    selection: Selection
    notes: tuple[str, ...]
    timings: Mapping[str, float]
    counted: Counted | None = None

    @property
    def rules(self) -> list[list[Tag]]:
        """The chosen tags of each group."""
        return rules_of(self.selection, self.tags)


def rules_of(selection: Selection, tags: TagSet) -> list[list[Tag]]:
    """Give the chosen tags of each group."""
    return [[tags.tags[j] for j in chosen] for chosen in selection.tags]


@dataclass(frozen=True, eq=False)
class Search:
    """How to look for rules. It holds no rows, unless the user gave groups or tags row by row.

    Attributes
    ----------
    groups : how to split the outliers, as for `explain`.
    tags : what rules are made of, as for `explain`; tags that were given as a table are part of the table already.
    explainer : chooses the tags.
    max_length : most conditions in a tag.
    relations : which relations of two columns tags may speak of, as for `explain`.
    min_lift : what a tag must have to count when the number of groups is chosen.
    negations : False for no rule that says what a value is not, but for the user's own.
    seed : of everything that is random.
    simplify : share of the bits saved that may be given up for brevity, where bits are minimised.
    notes : sentences on the arguments, to stand beside what is found.
    keep, keep_columns : tags that are part of the description, and columns that some rule speaks of, whatever that
        costs; only for explainers that take such.
    banned, banned_columns : tags that are not, and columns that no rule speaks of.
    """

    groups: Any = REASONS
    tags: Any = "auto"
    explainer: Explainer = field(default_factory=MDL)
    max_length: int = 3
    relations: Any = False
    min_lift: float = 1.0
    negations: bool = True
    seed: int = 0
    simplify: float | str = "auto"
    notes: tuple[str, ...] = ()
    keep: tuple[Tag, ...] = ()
    keep_columns: tuple[str, ...] = ()
    banned: frozenset[Tag] = frozenset()
    banned_columns: frozenset[str] = frozenset()

    def run(
        self,
        table: Table,
        outliers: Outliers | Groups,
        weights: NDArray[np.float64] | None = None,
        *,
        step: Step = silent,
    ) -> Found:
        """Look for the rules of these outliers. Each line hands its result to the next; nothing flows back.

        Parameters
        ----------
        table : the features.
        outliers : which rows are outliers; or their groups, which are then taken as they are.
        weights : how much each row counts; all the same if None.
        step : told which stage begins.
        """
        timings: dict[str, float] = {}
        with _timed(timings, "groups", step):
            groups = outliers if isinstance(outliers, Groups) else self.split(table, outliers)
            table = table.drop(self.group_columns) if self.group_columns else table
        with _timed(timings, "tags", step):
            tags = self.make(table, groups)
        with _timed(timings, "coverage", step):
            table = tags.extend(table)
            coverage = Coverage.from_tags(table, tags.tags, groups, n_items=tags.n_items, sample_weight=weights)
        with _timed(timings, "selection", step):
            tags, coverage, selection = self._choose(table, groups, tags, coverage, weights)
            if self.by_reasons and not _named_groups(outliers):
                groups, coverage, selection = split_by_reasons(table, groups, tags, coverage, selection)
        on_weights = () if weights is None else (ON_WEIGHTS[self.explainer.weighs],)
        notes = (*tags.notes, *selection.notes, *on_weights, *self.notes)
        return Found(table, groups, tags, coverage, selection, notes, timings)

    def _choose(
        self,
        table: Table,
        groups: Groups,
        tags: TagSet,
        coverage: Coverage,
        weights: NDArray[np.float64] | None,
    ) -> tuple[TagSet, Coverage, Selection]:
        """Choose tags, and once more for each column that must be spoken of and is not: with its best tag kept."""
        kept, mute = self.keep, set[str]()
        tags, coverage, selection = self._settle(table, groups, tags, coverage, weights, kept)
        while unsaid := sorted(set(self.keep_columns) - mute - _columns(rules_of(selection, tags))):
            tags, coverage, about = self._about(unsaid[0], table, groups, tags, coverage, selection)
            if not about:
                mute.add(unsaid[0])  # nothing can be said of it
                continue
            best = best_forced(
                coverage,
                selection.tags,
                about,
                min_lift=self.min_lift,
                select=partial(self._select_with_one_more, coverage, tags, kept),
            )
            kept = (*kept, tags.tags[best])
            tags, coverage, selection = self._settle(table, groups, tags, coverage, weights, kept)
        return tags, coverage, selection

    def _about(
        self, name: str, table: Table, groups: Groups, tags: TagSet, coverage: Coverage, selection: Selection
    ) -> tuple[TagSet, Coverage, list[int]]:
        """Add tags that speak of a column to the others: of it alone, and in the rules that were chosen."""
        made = tags_about(self.tags, name, table, groups, **self._how) if name in table.columns else None
        if made is not None:
            made = self._allowed(made)
            rules = [tag for one in rules_of(selection, tags) for tag in one]
            longer = [tag for tag in with_more(rules, made.tags, self.max_length) if tag not in self.banned]
            more = union_of_tags([tags, replace(made, tags=(*made.tags, *longer))])
            coverage = coverage.with_tags(table, more.tags[len(tags.tags) :], more.n_items)
            tags = more
        return tags, coverage, _speaking(name, tags, coverage)

    def _select_with_one_more(self, coverage: Coverage, tags: TagSet, kept: tuple[Tag, ...], tag: int) -> Selection:
        return self._select(self.explainer, coverage, tags, (*kept, tags.tags[tag]))

    def _settle(
        self,
        table: Table,
        groups: Groups,
        tags: TagSet,
        coverage: Coverage,
        weights: NDArray[np.float64] | None,
        kept: tuple[Tag, ...],
    ) -> tuple[TagSet, Coverage, Selection]:
        """Choose tags, grow those that would lower what is minimised given that choice, and choose again."""
        grower, n_made = self._grower(table, groups, weights, kept), len(tags.tags)
        quick = self.explainer if grower is None else self.explainer.without_proof()
        selection = self._attempt(quick, coverage, tags, kept)
        while grower is not None and selection is not None:
            more = grower.grow(tags, rules_of(selection, tags))
            if more.n_items == tags.n_items and len(more.tags) == len(tags.tags):
                break
            coverage = coverage.with_tags(table, more.tags[len(tags.tags) :], more.n_items)
            tags, again = more, self._attempt(quick, coverage, more, kept)  # at the price of all that was looked at
            selection = _better(selection, again, coverage)
        if selection is None or quick is not self.explainer:
            selection = self._select(self.explainer, coverage, tags, kept)
        tags = replace(tags, notes=(*tags.notes, *_grown(len(tags.tags) - n_made)))
        if self.simplify and isinstance(self.explainer, MDL):
            tags, coverage, selection = simplify(
                table,
                tags,
                coverage,
                selection,
                share=self.simplify,
                min_lift=self.explainer.min_lift,
                kept=kept,
                banned=self.banned,
            )
        return tags, coverage, selection

    def select(self, coverage: Coverage, tags: TagSet) -> Selection:
        """Choose among tags, once, with those that must be used."""
        return self._select(self.explainer, coverage, tags, self.keep)

    @staticmethod
    def _select(explainer: Explainer, coverage: Coverage, tags: TagSet, kept: tuple[Tag, ...]) -> Selection:
        if not kept:
            return explainer.select(coverage)
        return explainer.select_with(coverage, homes(coverage, [tags.tags.index(tag) for tag in kept]))

    def _attempt(
        self, explainer: Explainer, coverage: Coverage, tags: TagSet, kept: tuple[Tag, ...]
    ) -> Selection | None:
        """Choose, or give None where the explainer's constraints cannot be met: what it says of that is for later."""
        try:
            return self._select(explainer, coverage, tags, kept)
        except InfeasibleError:
            return None

    def _grower(
        self, table: Table, groups: Groups, weights: NDArray[np.float64] | None, kept: tuple[Tag, ...]
    ) -> Grower | None:
        """Give what grows rules, if the tags are such and the explainer can tell what they would be worth."""
        maker = self._growing_maker()
        if maker is None or not self.explainer.grows:
            return None
        return Grower(
            table,
            groups,
            weights,
            maker=maker,
            explainer=self.explainer,
            random_state=self.seed,
            kept=kept,
            banned=self.banned,
        )

    @property
    def by_reasons(self) -> bool:
        """True if the rules of all outliers make the groups."""
        return isinstance(self.groups, str) and self.groups == REASONS

    @property
    def group_columns(self) -> tuple[str, ...]:
        """The column that the groups were read from, if any: it would explain itself."""
        return (self.groups,) if isinstance(self.groups, str) and self.groups not in WAYS else ()

    def split(self, table: Table, outliers: Outliers) -> Groups:
        """Split the outliers into groups; those whose labels are group numbers already are split by these."""
        if isinstance(self.groups, str) and self.groups in WAYS and outliers.numbers is None:
            if self.by_reasons:
                return all_together(outliers)  # which their rules will split
            return choose_groups(
                table, outliers, self.make_few, min_lift=self.min_lift, random_state=self.seed, keep=self.keep
            )
        return split_outliers(self.groups, outliers, table, random_state=self.seed)

    def make(self, table: Table, groups: Groups) -> TagSet:
        """Make the tags to choose from; where rules are grown from them, also those that tell of other splits.

        K-means finds kinds of outliers; the description need not keep to them.
        """
        made = self._made(table, groups)
        maker = self._growing_maker()
        if maker is None:
            return self._by_word(made, table, groups)
        everyone = Outliers(np.clip(groups.numbers, -1, 1), groups.how, copies=table.copies)
        splits = [n for n in maker.splits if n != groups.n_groups and n * SMALLEST <= everyone.n_outliers]
        others = [split_outliers(n, everyone, table, random_state=self.seed) for n in splits]
        few = fast_variant(maker).set_params(relations=False)
        more = [replace(make_tags(few, table, one), notes=()) for one in others]
        return self._by_word(union_of_tags([made, *more]), table, groups)

    def make_few(self, table: Table, groups: Groups) -> TagSet:
        """Make tags in a hurry, for comparing many splits."""
        maker = self._growing_maker()
        if maker is None:
            return self._by_word(self._made(table, groups), table, groups)
        made = make_tags(fast_variant(maker).set_params(relations=False), table, groups)
        return self._by_word(made, table, groups)

    def _by_word(self, made: TagSet, table: Table, groups: Groups) -> TagSet:
        """Leave out what is banned, and add what must be used."""
        made = self._allowed(made)
        if not self.keep:
            return made
        return union_of_tags([made, make_tags(list(self.keep), made.extend(table), groups)])

    def _allowed(self, made: TagSet) -> TagSet:
        if not self.banned and not self.banned_columns:
            return made
        fine = (tag for tag in made.tags if tag not in self.banned and not self.banned_columns & set(tag.columns))
        return replace(made, tags=tuple(fine))

    def _made(self, table: Table, groups: Groups) -> TagSet:
        return make_tags(self.tags, table, groups, **self._how, random_state=self.seed)

    def _growing_maker(self) -> Itemsets | None:
        return growing_maker(self.tags, **self._how)

    @property
    def _how(self) -> dict[str, Any]:
        return {"max_length": self.max_length, "relations": self.relations, "negations": self.negations}

    def without_rows(self, outliers: Outliers) -> Search:
        """Return the search as it can be repeated on other rows: groups that were given row by row are None in it."""
        groups = self.groups
        by_name = isinstance(groups, str) and groups in WAYS and outliers.numbers is None
        if by_name or isinstance(groups, numbers.Integral) or hasattr(groups, "fit_predict"):
            return self
        return replace(self, groups=None)


def _columns(rules: list[list[Tag]]) -> set[str]:
    """Name the columns that rules speak of."""
    return {name for one in rules for tag in one for name in tag.columns}


def _speaking(name: str, tags: TagSet, coverage: Coverage) -> list[int]:
    """Find the tags that speak of a column, but for those that would match the same rows without what they say of it.

    Rows are compared by their numbers, group by group: a shorter tag matches no fewer of each.
    """
    place = {tag: j for j, tag in enumerate(tags.tags)}
    counts = [*coverage.group_counts.tolist(), coverage.normal_counts.tolist()]
    everyone = [*coverage.group_sizes.tolist(), coverage.n_normals]
    found = []
    for tag, j in place.items():
        rest = frozenset(one for one in tag.conditions if name not in one.columns)
        if len(rest) == len(tag):
            continue
        shorter = [one[place[Tag(rest)]] for one in counts] if rest and Tag(rest) in place else everyone
        if [one[j] for one in counts] != shorter:
            found.append(j)
    return found


def _better(one: Selection, other: Selection | None, coverage: Coverage) -> Selection:
    """Take the better of two selections, the second if they are equal: a search among more tags may end higher."""
    if other is None:
        return one
    if one.method != "MDL":
        return one if one.objective < other.objective else other
    bits = sum(mdl_of_group(coverage, k, tags) for k, tags in enumerate(one.tags))  # at the price that holds now
    return replace(one, objective=bits) if bits < other.objective else other


def _grown(n_tags: int) -> tuple[str, ...]:
    """Say what was grown."""
    if not n_tags:
        return ()
    rules = "1 of the candidate rules was" if n_tags == 1 else f"{n_tags:,} of the candidate rules were"
    return (f"{rules} grown for outliers that the rules chosen before left unexplained.",)


def _named_groups(outliers: Outliers | Groups) -> bool:
    """Tell whether the groups were given: by the labels, or as several."""
    return outliers.n_groups > 1 if isinstance(outliers, Groups) else outliers.numbers is not None


@contextmanager
def _timed(timings: dict[str, float], stage: str, step: Step) -> Iterator[None]:
    """Take the time of a stage, and tell that it starts; the share done is that of the stages."""
    step(stage, len(timings) / N_STAGES)
    begun = time.perf_counter()
    yield
    timings[stage] = time.perf_counter() - begun
