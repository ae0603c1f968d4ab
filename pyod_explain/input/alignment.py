"""One rule for all that is given row by row: arrays are taken in order, what has an index is aligned by it or refused.

Labels, features, tags, scores, counts and groups all go through `row_order`, so that the same index means the same rows
whatever the argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._arrays import IndexArray
from pyod_explain.exceptions import ParameterError, PyodExplainError
from pyod_explain.input.read import as_table, column_names, has_names
from pyod_explain.input.table import Column, Table
from pyod_explain.input.values import list_values, plain_array, subject


def one_per_row(values: Any, n_rows: int, index: pd.Index[Any] | None, argument: str) -> NDArray[Any]:
    """Read one value for each row: array, list, tensor, Series or table of one column.

    Parameters
    ----------
    values : what the user passed.
    n_rows : how many there must be.
    index : the row labels that a Series is aligned with, or None if the rows have no labels of their own.
    argument : what to call the values in an error message.

    Examples
    --------
    >>> labels = pd.Series([1, 0], index=["b", "a"])
    >>> one_per_row(labels, 2, pd.Index(["a", "b"]), "detector").tolist()
    [0, 1]
    """
    if isinstance(values, str | bytes | Mapping) or not (hasattr(values, "__len__") or hasattr(values, "__array__")):
        rule = "must be an array, a list or a Series with one entry for each row of `X`"
        raise TypeError(f"{subject(argument)} {rule}, got {type(values).__name__}.")
    given = values.index if isinstance(values, pd.Series | pd.DataFrame) and len(values) == n_rows else None
    order = row_order(given, index, argument)
    try:
        array = plain_array(values)
    except ValueError as error:
        raise PyodExplainError(f"{subject(argument)} must be a flat list of values, got a ragged one.") from error
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.shape != (n_rows,):
        rule = f"must have one entry for each of the {n_rows:,} rows of `X`, got shape {array.shape}."
        hint = "pass the rows that they belong to, in the same order."
        raise PyodExplainError(f"{subject(argument)} {rule}", hint=hint)
    if array.dtype == object:
        array = pd.Series(array).infer_objects().to_numpy()
    return array if order is None else array[order]


def row_order(given: pd.Index[Any] | None, index: pd.Index[Any] | None, argument: str) -> IndexArray | None:
    """Find where each row of the table stands in what was given row by row; None: in the order given.

    The same labels in another order are aligned. A default index (0, 1, 2, ...) has no labels to align by, so it is
    taken in order where the other index shares no label with it, and refused where the two could be mixed up. All
    other labels, and repeated ones in another order, are refused.

    Parameters
    ----------
    given : index of what was passed, as many rows as the table has; None if it has none (an array, a Polars table).
    index : index of the table, or None if its rows have no labels.
    argument : what to call what was passed in an error message.

    Examples
    --------
    >>> row_order(pd.Index(["b", "a"]), pd.Index(["a", "b"]), "tags").tolist()
    [1, 0]
    """
    if given is None or index is None or given.equals(index):
        return None
    default = _is_default(given) or _is_default(index)
    plain, other = (given, index) if _is_default(given) else (index, given)
    if default and not plain.isin(other).any():  # asked this way round: one of several levels takes tuples only
        return None
    if not default and given.is_unique and index.is_unique:
        order = given.get_indexer(index)
        if (order >= 0).all():
            return np.asarray(order, dtype=np.intp)
    why = ", and one of the two is the default index, so the order may or may not be the same" if default else ""
    hint = "align by label with .loc[X.index], or, if the order is the same, say so with .set_axis(X.index)."
    raise PyodExplainError(f"{subject(argument)} must have the index of `X`, got another one{why}.", hint=hint)


def _is_default(index: pd.Index[Any]) -> bool:
    return isinstance(index, pd.RangeIndex) and index.equals(pd.RangeIndex(len(index)))


def same_number_of_rows(X: Any, n_rows: int) -> None:
    """Refuse features with another number of rows than what was detected on."""
    shape = getattr(X, "shape", None)
    found = shape[0] if shape else len(X) if hasattr(X, "__len__") else n_rows
    if found != n_rows:
        problem = f"`features` must have the rows of `X`, got {n_rows:,} rows where `X` has {found:,}."
        raise PyodExplainError(problem, hint="build both from the same rows, in the same order.")


def named_column(name: str, X: Any, table: Table, argument: str) -> Column:
    """Find the column: in the features, or else in what was detected on.

    Parameters
    ----------
    name : of the column.
    X : what was detected on.
    table : the features.
    argument : as what the name was passed, for an error message.
    """
    if name in table.columns:
        return table[name]
    names = column_names(X) if has_names(X) else list(table.columns)
    if name not in names:
        raise no_such_column(name, names, argument)
    return as_table(X, only=[name])[name]  # only: the others may hold anything


def no_such_column(name: str, names: Iterable[str], argument: str) -> PyodExplainError:
    """Build the error for the name of a column that is not there."""
    what = "a fitted detector, labels" if argument == "detector" else "numbers, one per row"
    got = f"{name!r}, which is none of the columns {list_values(names, most=12)}"
    return ParameterError(argument, f"{what} or the name of a column of `X`", got_text=got)
