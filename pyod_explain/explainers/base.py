"""What every explainer is: parameters stored untouched, checked on use, and `select(coverage) -> Selection`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from pyod_explain._validate import check_number
from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import ParameterError, PyodExplainError
from pyod_explain.explainers.aim import Aim
from pyod_explain.explainers.selection import Selection
from pyod_explain.solvers import Chosen

__all__ = ["Explainer"]


class Explainer(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn ships no types
    """Chooses tags for the groups of a `Coverage`.

    Examples
    --------
    The best tag of each group, and nothing else; `docs/extending.md` writes one that does more:

    >>> class BestTag(Explainer):
    ...     def __init__(self, *, min_lift=0.0):
    ...         self.min_lift = min_lift
    ...
    ...     def select(self, coverage):
    ...         mistakes = coverage.group_sizes[:, None] - coverage.group_counts + coverage.normal_counts
    ...         tags = tuple((int(j),) for j in mistakes.argmin(axis=1))
    ...         return Selection(tags, float(mistakes.min(axis=1).sum()), "feasible", method="BestTag")
    >>> coverage = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> BestTag().select(coverage).tags
    ((0,),)
    """

    min_lift: float
    grows: ClassVar[bool] = False  # whether it has an `aim`, so that rules can be grown against its selection
    keeps: ClassVar[bool] = False  # whether it has a `select_with`, so that tags can be chosen by the user's word

    @abstractmethod
    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""

    def aim(self, coverage: Coverage, chosen: Chosen, group: int) -> Aim:  # noqa: ARG002 - for those who know
        """Tell what one more tag of a group (0-based) would make of what is minimised; only if `grows`.

        Parameters
        ----------
        coverage : which row has which tag.
        chosen : for each group the tags that it has.
        group : which group the tag would be for.
        """
        raise TypeError(f"{type(self).__name__} does not tell what a further tag of group {group + 1} would be worth.")

    def select_with(self, coverage: Coverage, kept: Chosen) -> Selection:  # noqa: ARG002 - for those who can
        """Choose tags among which these are, whatever they cost; only if `keeps`.

        Parameters
        ----------
        coverage : which row has which tag.
        kept : for each group the tags that it must have; no tag twice.
        """
        raise TypeError(f"{type(self).__name__} does not take tags that must be used.")

    def without_proof(self) -> Explainer:
        """Return the explainer that chooses as well as this one can at once: what serves while rules are grown."""
        return self

    def _eligible(self, coverage: Coverage) -> NDArray[np.bool_]:
        if not isinstance(coverage, Coverage):
            raise ParameterError(
                "coverage",
                "a Coverage",
                got_text=type(coverage).__name__,
                hint="Coverage.from_dense(T, y) or Coverage.from_tags(table, tags, groups).",
            )
        if coverage.n_groups == 0:
            raise PyodExplainError("`coverage` must have at least one group of outliers, got none.")
        return coverage.eligible(check_number(type(self).__name__, "min_lift", self.min_lift, low=0.0))
