"""MDL: the description that takes the fewest bits, found without any parameter.

The bits of a selection are a sum over the groups; `solvers/description_search.py` searches each group on its own.
"""

from __future__ import annotations

import sys
from typing import ClassVar

import numpy as np

from pyod_explain._validate import check_int
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import grouped_bits
from pyod_explain.explainers.base import Explainer, Selection, checked_selection
from pyod_explain.explainers.marginal import DescriptionObjective, MarginalObjective
from pyod_explain.solvers import Chosen, describe, most_candidates
from pyod_explain.solvers.problem import misused_tags, too_many_tags


class MDL(Explainer):
    """Describe each group in the fewest bits; a group that no tags describe in fewer bits gets no description.

    Parameters
    ----------
    max_tags : most tags a group may have; None for as many as save bits.
    min_lift : a tag may describe a group only if the share of the group that has it is more than `min_lift` times
        the share of the normals that has it. Without that rule the formula admits descriptions read backwards:
        tags that nearly all normals have and the group has not.

    Examples
    --------
    Tag 0 is the group, tag 1 is noise; in a table of 400 rows naming 20 of them costs more than the tag.

    >>> T = [[i < 20, i % 2 == 0] for i in range(400)]
    >>> MDL().select(Coverage.from_dense(T, [int(i < 20) for i in range(400)])).tags
    ((0,),)
    """

    supports_growth: ClassVar[bool] = True

    def __init__(self, *, max_tags: int | None = None, min_lift: float = 1.0) -> None:
        self.max_tags, self.min_lift = max_tags, min_lift

    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""
        return self._select(coverage, None)

    def improve(self, coverage: Coverage, start: Chosen) -> Selection:
        """Choose again, beginning with a selection, which only gets better."""
        return self._select(coverage, start)

    def _select(self, coverage: Coverage, start: Chosen | None) -> Selection:
        eligible = self._eligible(coverage)
        limit = min(coverage.n_tags, self._most())
        tags, n_cut = describe(coverage, eligible, limit, start)
        bits = grouped_bits(coverage, tags)
        notes = _left_out(most_candidates(coverage), n_cut)
        broken = [*misused_tags(tags, eligible), *too_many_tags(tags, np.full(coverage.n_groups, float(limit)))]
        return checked_selection(tags, bits, None, broken=broken, method="MDL", solver="refined", notes=notes)

    def marginal_objective(self, coverage: Coverage, chosen: Chosen, group: int) -> MarginalObjective:
        """Tell what one more tag would make of the bits of a group."""
        return DescriptionObjective(coverage, chosen, group, self._most())

    def _most(self) -> int:
        return sys.maxsize if self.max_tags is None else check_int("MDL", "max_tags", self.max_tags, low=1)


def _left_out(most: int, n_groups: int) -> tuple[str, ...]:
    if not n_groups:
        return ()
    subject = "1 group has" if n_groups == 1 else f"{n_groups:,} groups have"
    which = "only as many were looked at, those that describe the group in the fewest bits on their own"
    return (f"{subject} more than {most:,} tags to choose from: {which}.",)
