"""What the checks found: figures on held-out rows, and the share of the bits saved for random rows."""

from __future__ import annotations

from dataclasses import dataclass

from pyod_explain.metrics import share


@dataclass(frozen=True)
class Holdout:
    """What rules found on some rows cover among the other rows, added up over the folds.

    Attributes
    ----------
    n_outliers, n_normals, n_others : held-out outliers of the group, normals and other outliers covered.
    group_size : held-out outliers of the group that there were to cover.
    found : number of folds in which the rule was found again (for a whole description: all of them).
    """

    n_outliers: int
    n_normals: int
    n_others: int
    group_size: int
    found: int

    @property
    def recall(self) -> float:
        """Share of the held-out outliers of the group that was covered."""
        return share(self.n_outliers, self.group_size)

    @property
    def precision(self) -> float:
        """Share of the covered held-out rows that belong to the group."""
        return share(self.n_outliers, self.n_matched)

    @property
    def outlier_share(self) -> float:
        """Share of the covered held-out rows that are outliers, of whatever group."""
        return share(self.n_outliers + self.n_others, self.n_matched)

    @property
    def n_matched(self) -> int:
        """Held-out rows covered."""
        return self.n_outliers + self.n_normals + self.n_others


@dataclass(frozen=True)
class Validation:
    """How the explanation holds on rows that were not used to find it.

    Attributes
    ----------
    n_splits : number of folds; each was left out once and the rules were found on the others.
    whole : the rules of all groups together.
    groups : each group's description.
    rules : each rule, in the order of the explanation: its closest relative found without the held-out rows.
    """

    n_splits: int
    whole: Holdout
    groups: tuple[Holdout, ...]
    rules: tuple[Holdout, ...]


@dataclass(frozen=True)
class Placebo:
    """What the same procedure finds where there is nothing to find: random normals instead of the outliers.

    Attributes
    ----------
    shares_saved : share of the bits saved, for each draw.
    share_saved : share of the bits that the explanation itself saves.
    grouping : how the drawn rows were split into groups.
    """

    shares_saved: tuple[float, ...]
    share_saved: float
    grouping: str

    @property
    def mean_share_saved(self) -> float:
        """Mean of the draws."""
        return sum(self.shares_saved) / len(self.shares_saved)

    @property
    def by_chance(self) -> bool:
        """True if the explanation saves nothing, no more than the best draw, or hardly more than the mean draw."""
        own = self.share_saved
        return own <= max(*self.shares_saved, 0.0) or own - self.mean_share_saved < 0.1 * own
