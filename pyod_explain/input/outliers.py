"""`Outliers`: which rows are outliers, and who says so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import Note

__all__ = ["Outliers"]


@dataclass(frozen=True, eq=False)
class Outliers:
    """Which rows are outliers, and who says so.

    Attributes
    ----------
    labels : for each row 1 (outlier), 0 (normal) or -1 (neither: rejected by the detector).
    source : who says so, for the report.
    numbers : for each row its group as given with the labels (0 where it is no outlier), or None.
    columns : columns of the table that hold the labels or the scores; they must not explain themselves.
    scores : for each row how strange it is, higher is stranger, or None.
    fingerprint : of the detector's labels of its training rows, by which a refit is noticed; None if it keeps none.
    notes : sentences for the report on what could not be made sure.
    marked : in a table that was aggregated, how many of the copies of each row are outliers; None: all or none.
    copies : how many rows each line stands for, or None where each is one.
    lines : where in the user's table each line stands; None: lines are its rows.
    n_lines : rows of the user's table where they stand for many; else None.
    """

    labels: NDArray[np.int64]
    source: str
    numbers: NDArray[np.int64] | None = None
    columns: tuple[str, ...] = ()
    scores: NDArray[np.float64] | None = None
    fingerprint: str | None = None
    notes: tuple[Note, ...] = ()
    marked: NDArray[np.int64] | None = None
    copies: NDArray[np.int64] | None = None
    lines: NDArray[np.intp] | None = None
    n_lines: int | None = None

    @property
    def rows(self) -> NDArray[np.intp]:
        """Positions of the outliers."""
        return np.flatnonzero(self.labels == 1)

    @property
    def n_outliers(self) -> int:
        return self._count(self.labels == 1)

    @property
    def n_normals(self) -> int:
        return self._count(self.labels == 0)

    def _count(self, which: NDArray[np.bool_]) -> int:
        return int(which.sum() if self.copies is None else self.copies[which].sum())
