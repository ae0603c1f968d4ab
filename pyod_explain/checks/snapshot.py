"""`snapshot`: all cells of an input as plain data, so that any change shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from pyod_explain.coverage import Coverage
from pyod_explain.groups import Groups
from pyod_explain.input import Column, Table

__all__ = ["snapshot"]

# What makes each of ours what it is; they may remember more, such as what was computed from it.
_FIELDS: dict[type, tuple[str, ...]] = {
    Table: ("columns", "index", "labelled", "row_counts"),
    Column: ("name", "kind", "values", "missing", "categories", "timezone"),
    Groups: ("numbers", "names", "how"),
    Coverage: (
        "normal_bits", "outlier_bits", "normal_rows", "group_rows", "lengths", "n_items", "normal_weights",
        "group_weights", "normal_copies", "group_copies",
    ),
}  # fmt: skip


def snapshot(value: Any) -> Any:
    """Give the cells of a value as data that compare by `==`.

    >>> numbers = np.array([1.0, np.nan])
    >>> before = snapshot(numbers)
    >>> numbers[0] = 2.0
    >>> before == snapshot(numbers)
    False
    """
    if type(value) in _FIELDS:
        return [snapshot(getattr(value, name)) for name in _FIELDS[type(value)]]
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.shape, repr(value.tolist()) if value.dtype == object else value.tobytes()]
    if isinstance(value, pd.DataFrame):
        return [snapshot(value.iloc[:, i]) for i in range(value.shape[1])] + [repr(list(value.columns))]
    if isinstance(value, pd.Series):
        return [str(value.dtype), repr(value.tolist()), repr(value.index.tolist())]
    if isinstance(value, pd.Index):
        return [str(value.dtype), repr(value.tolist())]
    if sparse.issparse(value):
        return [type(value).__name__, snapshot(value.toarray())]  # type: ignore[attr-defined]  # too general a stub
    if isinstance(value, Mapping):
        return [(key, snapshot(one)) for key, one in value.items()]
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(snapshot, value)]
    return repr(value)
