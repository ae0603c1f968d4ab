"""`Gains`: what each tag would newly cover of each group, for covers that take the best tag again and again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import weigh
from pyod_explain.coverage import Coverage
from pyod_explain.solvers.deadline import NEVER, Deadline

__all__ = ["Gains"]

BLOCK = 64  # tags whose gains are brought up to date at once


class Gains:
    """Uncovered outliers of each group that each tag covers, brought up to date only as far as the best one needs.

    A gain never rises, for uncovered outliers only become fewer. So an old gain is an upper bound, and a tag whose old
    gain is below the best fresh one can wait.

    Parameters
    ----------
    pairs : groups by tags; which tag may describe which group.
    weighted : outliers count by their weights, if they have any.

    Examples
    --------
    >>> cov = Coverage.from_dense([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 0]], [1, 1, 1, 0])
    >>> gains = Gains(cov, cov.eligible(0.0))
    >>> gains.best()
    (0, 0)
    >>> gains.take(0, 0)
    >>> gains.best(), gains.covered
    ((1, 0), False)
    """

    def __init__(self, coverage: Coverage, pairs: NDArray[np.bool_], *, weighted: bool = False) -> None:
        self.coverage, self.bits, self.slices = coverage, coverage.outlier_bits, coverage.slices
        self.weights = coverage.group_weights if weighted else None
        counts = coverage.group_mass if weighted else coverage.group_counts
        self.gain = np.where(pairs, counts, 0).T.copy()  # tags by groups; 0 for a pair that is not to be taken
        self.fresh = np.ones(self.gain.shape, dtype=bool)
        self.left = [coverage.everyone[words].copy() for words in coverage.slices]

    @property
    def covered(self) -> bool:
        """Whether every outlier is covered by a tag that was taken for its group."""
        return not any(words.any() for words in self.left)

    def best(self, deadline: Deadline = NEVER) -> tuple[int, int] | None:
        """Find the tag and the group with the highest gain; None if no tag covers anything more.

        Ties go to the lowest tag, then to the lowest group. Past the deadline old gains decide: what is taken covers
        something, but maybe not the most.
        """
        while self.gain.size:
            tag, group = divmod(int(self.gain.argmax()), len(self.slices))
            if not self.gain[tag, group] > 0:
                break
            if self.fresh[tag, group]:
                return tag, group
            late = deadline.passed
            self._refresh(np.array([tag]) if late else self._next(tag, group), group)
            if late and self.gain[tag, group] > 0:
                return tag, group
        return None

    def take(self, tag: int, group: int) -> None:
        """Let the tag describe the group, and no other one."""
        self.left[group] &= ~self.bits[tag, self.slices[group]]
        self.gain[tag] = 0
        self.fresh[:, group] = False

    def _next(self, tag: int, group: int) -> NDArray[np.intp]:
        """Choose whose gains to bring up to date: the tag's, and the highest others, which cost little more at once."""
        gain = np.where(self.fresh[:, group], 0, self.gain[:, group])
        highest = np.argpartition(-gain, BLOCK)[:BLOCK] if len(gain) > BLOCK else np.arange(len(gain))
        return np.union1d(highest[gain[highest] > 0], [tag])

    def _refresh(self, tags: NDArray[np.intp], group: int) -> None:
        marked = self.bits[tags, self.slices[group]] & self.left[group]
        self.gain[tags, group] = (
            self.coverage.count_group(marked, group) if self.weights is None else weigh(marked, self.weights[group])
        )
        self.fresh[tags, group] = True
