"""One search: groups, tags, coverage, selection. Whoever looks for rules, on whatever rows, calls `Search.run`."""

from __future__ import annotations

import numbers
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._progress import Step, silent
from pyod_explain.coverage import Coverage
from pyod_explain.explainers import MDL, Selection
from pyod_explain.explainers.base import Explainer
from pyod_explain.group_choice import choose_groups
from pyod_explain.groups import Groups, split_outliers
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.table import Table
from pyod_explain.tags import Tag, TagSet, make_tags

__all__ = ["UNWEIGHTED", "WEIGHTED", "Found", "Search"]

UNWEIGHTED = "The weights of the rows count in FUO, FCO and FCN; what was minimised counts rows, whatever they weigh."
WEIGHTED = (
    "The weights of the rows count in what was minimised, in the share that may be missed, and in FUO, FCO and FCN; "
    "all other figures count rows, whatever they weigh."
)
FIGURES = "The weights of the rows count in FUO, FCO and FCN; the figures of the rules count rows, whatever they weigh."
ON_WEIGHTS = {True: WEIGHTED, False: UNWEIGHTED, None: FIGURES}  # by whether the explainer says that it weighs rows
N_STAGES = 4


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
    """

    table: Table
    groups: Groups
    tags: TagSet
    coverage: Coverage
    selection: Selection
    notes: tuple[str, ...]
    timings: Mapping[str, float]

    @property
    def rules(self) -> list[list[Tag]]:
        """The chosen tags of each group."""
        return [[self.tags.tags[j] for j in chosen] for chosen in self.selection.tags]


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
    seed : of everything that is random.
    notes : sentences on the arguments, to stand beside what is found.
    """

    groups: Any = "auto"
    tags: Any = "auto"
    explainer: Explainer = field(default_factory=MDL)
    max_length: int = 3
    relations: Any = False
    min_lift: float = 1.0
    seed: int = 0
    notes: tuple[str, ...] = ()

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
            selection = self.explainer.select(coverage)
        on_weights = () if weights is None else (ON_WEIGHTS[self.explainer.weighs],)
        notes = (*tags.notes, *selection.notes, *on_weights, *self.notes)
        return Found(table, groups, tags, coverage, selection, notes, timings)

    @property
    def group_columns(self) -> tuple[str, ...]:
        """The column that the groups were read from, if any: it would explain itself."""
        return (self.groups,) if isinstance(self.groups, str) and self.groups != "auto" else ()

    def split(self, table: Table, outliers: Outliers) -> Groups:
        """Split the outliers into groups; those whose labels are group numbers already are split by these."""
        if isinstance(self.groups, str) and self.groups == "auto" and outliers.numbers is None:
            return choose_groups(table, outliers, self.make, min_lift=self.min_lift, random_state=self.seed)
        return split_outliers(self.groups, outliers, table, random_state=self.seed)

    def make(self, table: Table, groups: Groups) -> TagSet:
        """Make the tags to choose from."""
        how = {"max_length": self.max_length, "relations": self.relations, "random_state": self.seed}
        return make_tags(self.tags, table, groups, **how)

    def without_rows(self, outliers: Outliers) -> Search:
        """Return the search as it can be repeated on other rows: groups that were given row by row are None in it."""
        groups = self.groups
        by_name = isinstance(groups, str) and groups == "auto" and outliers.numbers is None
        if by_name or isinstance(groups, numbers.Integral) or hasattr(groups, "fit_predict"):
            return self
        return replace(self, groups=None)


@contextmanager
def _timed(timings: dict[str, float], stage: str, step: Step) -> Iterator[None]:
    """Take the time of a stage, and tell that it starts; the share done is that of the stages."""
    step(stage, len(timings) / N_STAGES)
    begun = time.perf_counter()
    yield
    timings[stage] = time.perf_counter() - begun
