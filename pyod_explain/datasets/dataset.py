"""`Dataset`: a table of features and the class of each row, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of features, the class of each row, and where it comes from.

    Attributes
    ----------
    name : short name.
    X : the features, without the class; the index is the row's place in the file, from 0.
    y : number of each row's class, an index into `class_names`.
    class_names : what the file calls the classes; the first, number 0, is the one to take as normal.
    description : what a row is, and what to know about the columns.
    source, licence, citation : the page it is published on, under what terms, and how to cite it.

    Examples
    --------
    >>> X = pd.DataFrame({"age": [39, 50, 38]})
    >>> Dataset("tiny", X, np.array([0, 1, 0]), ("no", "yes"), "Three people.", "made up", "none", "none")
    Dataset(tiny: 3 rows x 1 columns; no 2, yes 1)
    """

    name: str
    X: pd.DataFrame
    y: NDArray[np.int64]
    class_names: tuple[str, ...]
    description: str
    source: str
    licence: str
    citation: str

    def __repr__(self) -> str:
        counts = np.bincount(self.y, minlength=len(self.class_names))
        classes = ", ".join(f"{name} {count:,}" for name, count in zip(self.class_names, counts, strict=True))
        return f"Dataset({self.name}: {self.X.shape[0]:,} rows x {self.X.shape[1]} columns; {classes})"
