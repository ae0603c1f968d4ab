"""`Outliers`: which rows are outliers, and who says so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    """

    labels: NDArray[np.int64]
    source: str
    numbers: NDArray[np.int64] | None = None
    columns: tuple[str, ...] = ()
    scores: NDArray[np.float64] | None = None
    fingerprint: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> NDArray[np.intp]:
        """Positions of the outliers."""
        return np.flatnonzero(self.labels == 1)

    @property
    def n_outliers(self) -> int:
        return int((self.labels == 1).sum())

    @property
    def n_normals(self) -> int:
        return int((self.labels == 0).sum())
