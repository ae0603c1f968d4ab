"""Where an explanation comes from: the table and settings that it was found with, and its outliers."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pyod_explain._arrays import FloatArray, IndexArray, IntArray
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.groups import Groups
from pyod_explain.input import Outliers, Table, fingerprint, read_detector
from pyod_explain.input.detector import is_adengine_result
from pyod_explain.search import Found, search, split
from pyod_explain.settings import Settings
from pyod_explain.tags import TagSet

STALE = "This explanation is of an earlier fit: the detector marks other rows now. Explain it again."


@dataclass(frozen=True, eq=False)
class FitContext:
    """The table and settings that an explanation was found with: what it takes to search again.

    Attributes
    ----------
    table : the features, all rows.
    outliers, groups : which rows are outliers, and how they were split.
    tags : the candidates.
    settings : how to search.
    """

    table: Table
    outliers: Outliers
    groups: Groups
    tags: TagSet
    settings: Settings

    def search(self, rows: IndexArray, groups: Groups, row_counts: IntArray | None = None) -> Found:
        """Search these rows only, for rules of these groups.

        Tags that the user gave as a table are columns of the table now, so they are passed on as they are.

        Parameters
        ----------
        rows : positions in the table.
        groups : the group of each of these rows.
        row_counts : how many rows each of them stands for; 1 if None.
        """
        settings = self.settings
        if self.tags.columns and self.tags.tags:
            settings = replace(settings, tags=list(self.tags.tags))
        table = self.table.take(rows)
        return search(table if row_counts is None else replace(table, row_counts=row_counts), groups, settings)

    def split(self, table: Table, outliers: Outliers) -> Groups:
        """Split other outliers in the same way; given groups are replaced by k-means into as many."""
        settings = self.settings
        if settings.groups is None:
            settings = replace(settings, groups=self.groups.n_groups)
        return split(table, outliers, settings)


def need_table(context: FitContext | None, call: str, hint: str = "call explain() again.") -> FitContext:
    """Return the context; refuse an explanation that was pickled or read from a file, which has none."""
    if context is None:
        why = "an explanation that was pickled or read from a file has none"
        raise PyodExplainError(f"{call} needs the table that was explained; {why}.", hint=hint)
    return context


@dataclass(frozen=True, eq=False)
class OutlierOrigin:
    """The outliers of an explanation, group after group, and the detector's labels at the time.

    Attributes
    ----------
    positions : where they stand in the table that was explained.
    scores : how strange each of them is, or None.
    percentiles : for each of them the percentage of all rows that score no higher, or None.
    fingerprint : of the detector's labels of its training rows at the time; None if it keeps none.
    """

    positions: IndexArray
    scores: FloatArray | None
    percentiles: FloatArray | None
    fingerprint: str | None

    @classmethod
    def of(cls, outliers: Outliers, positions: IndexArray, row_counts: IntArray | None = None) -> OutlierOrigin:
        """Collect the outliers at these positions, in this order."""
        scores, where = outliers.scores, positions if outliers.source_rows is None else outliers.source_rows[positions]
        if scores is None:
            return cls(where, None, None, outliers.fingerprint)
        order = np.argsort(scores, kind="stable")
        found = np.searchsorted(scores[order], scores[positions], side="right")
        row_counts = np.ones(len(scores), dtype=np.int64) if row_counts is None else row_counts
        below = np.append(0, np.cumsum(row_counts[order]))[found]
        return cls(where, scores[positions], below / row_counts.sum() * 100, outliers.fingerprint)

    def is_outdated(self, detector: Any) -> bool:
        """Tell whether the detector's own labels have changed or gone; one that never kept any is not noticed."""
        if self.fingerprint is None:
            return False
        try:
            labels = read_detector(detector).labels
        except PyodExplainError:  # no longer fitted
            return True
        return labels is None or fingerprint(labels) != self.fingerprint


def attach(explanation: object, detector: Any) -> weakref.ref[Any] | None:
    """Set `explanation_` of a detector, or of the detector of an ADEngine state, and return a reference to it.

    None where nothing can be set (labels, the name of a column, a class with slots) or the object cannot be referred
    to weakly: a later fit of it is not noticed.
    """
    holder: Any = detector.get("detector") if isinstance(detector, Mapping) else detector
    if not (hasattr(holder, "fit") or is_adengine_result(holder)):
        return None
    try:
        holder.explanation_ = explanation
        return weakref.ref(holder)
    except (AttributeError, TypeError):  # a class with slots
        return None
