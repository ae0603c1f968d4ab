"""`Groups`: which outliers belong together."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Groups:
    """Which outliers belong together.

    Attributes
    ----------
    numbers : for each row 0 (normal), its group 1..K, or -1 (neither).
    names : the user's own name of each group, or its number as text.
    how : how the groups came about, for the report.
    curve : where the number of groups was chosen: for each number tried the bits of the description, those of the
        split and their difference, the net bits, and those of all outliers as one set; else None.
    made : True if the groups were made by looking at the columns that then describe them.
    """

    numbers: NDArray[np.int64]
    names: tuple[str, ...]
    how: str
    curve: pd.DataFrame | None = field(default=None)
    made: bool = False

    @property
    def n_groups(self) -> int:
        return len(self.names)

    def count(self, row_counts: NDArray[np.int64] | None, which: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Count rows among the normals and in each group 1, ..., K.

        Parameters
        ----------
        row_counts : those of the table.
        which : the rows to count; all if None.
        """
        known = (self.numbers >= 0) if which is None else which & (self.numbers >= 0)
        each = None if row_counts is None else row_counts[known]  # whose sums are exact as floats, up to 2**53
        return np.bincount(self.numbers[known], each, minlength=self.n_groups + 1).astype(np.int64)
