"""The cases of `quality.py`: tables, who says which rows are outliers, the folds, and the two halves of the tables.

    from harness.cases import cases
    for case in cases("tune"):
        case.name, case.X, case.y, case.folds  # "bank/IForest", a DataFrame, True for outliers, pairs of row numbers

Outliers are those of a detector (`detectors.py`) or the true ones (`tables.py`). Each second table is of the half that
may be looked at while tuning, in the order of `TABLES` (alphabetical within a source); tables that share rows are of
the same half. Nothing is tuned on the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from harness.cache import Cache
from harness.detectors import DETECTORS, seconds_of_iforest, strangest
from harness.folds import Fold, folds
from harness.tables import MOST_ROWS, SAME_ROWS, SAME_SOURCE, TABLES, UNLABELLED, drawn, loaded, true_outliers

VERSION = "1"  # of everything that decides on rows and labels


def halves() -> dict[str, str]:
    """Say of each table whether it is for tuning ("tune") or for reporting ("report")."""
    own = [name for name in TABLES if name not in SAME_SOURCE]
    found = {name: ("tune", "report")[i % 2] for i, name in enumerate(own)}
    return {name: found[SAME_SOURCE.get(name, name)] for name in TABLES}


@dataclass(frozen=True)
class Case:
    """A table and its outliers; nothing is loaded or fitted before it is asked for.

    Attributes
    ----------
    table, by : names of the table and of who says which rows are outliers ("truth" or a detector).
    half : "tune" or "report".
    cache : where labels are kept.
    """

    table: str
    by: str
    half: str
    cache: Cache

    @property
    def name(self) -> str:
        return f"{self.table}/{self.by}"

    def load(self) -> None:
        """Read the table and find its outliers now, so that what is missing is missed here."""
        _ = self._labelled

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802 - the field's own name
        return self._labelled[0]

    @property
    def y(self) -> NDArray[np.bool_]:
        return self._labelled[1]

    @cached_property
    def _labelled(self) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
        if self.by == "truth":
            return true_outliers(self.table)
        X, _ = loaded(self.table)
        X = drawn(X, np.arange(len(X)), MOST_ROWS)
        found = self.cache.ask(self.name, "labels", VERSION, lambda: strangest(X, self.by))
        y = np.zeros(len(X), dtype=bool)
        y[found] = True
        return X, y

    @cached_property
    def folds(self) -> list[Fold]:
        """Rows to find rules on, and rows to judge them by."""
        return folds(self.y)

    @property
    def yardstick(self) -> float:
        """CPU seconds that IForest takes to fit the rows of the first fold, which is what a user waits for anyway."""
        known, _ = self.folds[0]
        return self.cache.ask(self.name, "yardstick", VERSION, lambda: seconds_of_iforest(self.X.iloc[known]))


def cases(half: str = "both", *, only: Sequence[str] = (), cache: str | Path | None = None) -> Iterator[Case]:
    """Give the cases of a half ("tune", "report", "both"), or those whose names have one of these words."""
    kept = Cache(None if cache is None else Path(cache))
    for table, own in halves().items():
        for by in (*DETECTORS, "truth"):
            case = Case(table, by, own, kept)
            if (by == "truth" and table in UNLABELLED) or (by != "truth" and table in SAME_ROWS):
                continue
            if half in (own, "both") and (not only or any(word in case.name for word in only)):
                yield case
