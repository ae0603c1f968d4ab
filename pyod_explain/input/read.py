"""`as_table`: whatever the user has as a `Table`: pandas, Polars and Arrow tables, arrays, sparse matrices, lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.arrow import arrow_column, arrow_table, frame_from_arrow, pyarrow
from pyod_explain.input.columns import read_column
from pyod_explain.input.table import Column, Table
from pyod_explain.input.values import EXACT_UP_TO, missing_columns, name_list, plain_array


def has_names(X: Any) -> bool:
    """Tell whether this is a table whose columns have names: of pandas, Polars, Arrow or their kin."""
    kind = type(X)  # not X itself: a lazy table complains if it is asked for its columns
    return isinstance(X, Table) or hasattr(kind, "columns") or hasattr(kind, "column_names")


def column_names(X: Any) -> list[str]:
    """Give the names of the columns of what `as_table` reads; x0, x1, ... for an array, none for what is no table."""
    names = getattr(X, "column_names", None)  # of Arrow
    names = getattr(X, "columns", None) if names is None else names
    if names is not None:
        return [str(name) for name in names]
    shape = X.shape if hasattr(X, "shape") else _list_as_array(X, "X").shape
    return [f"x{i}" for i in range(shape[1])] if len(shape) == 2 else []


def as_table(X: Any, *, argument: str = "X", only: Collection[str] | None = None) -> Table:
    """Read a pandas, Polars or Arrow table, or a 2-D array, as a `Table`.

    Parameters
    ----------
    X : the features. Names and row labels are kept; the columns of an array are called x0, x1, ...
    argument : what to call it in an error message.
    only : names of the columns to read, which must be there; the others may hold anything. None: all of them.

    Examples
    --------
    >>> table = as_table([[1.0, 2.0], [3.0, float("nan")]])
    >>> list(table.columns), table["x1"].missing.tolist()
    (['x0', 'x1'], [False, True])
    """
    if isinstance(X, Table):
        return X
    if isinstance(X, pd.Series):
        raise _no_table(argument)
    if not has_names(X):
        X = _array(X, argument)
    if not isinstance(X, pd.DataFrame | np.ndarray):
        X = _as_arrow(X, argument)
    names = column_names(X)
    check_distinct_names([name for name in names if only is None or name in only], argument)
    _check_size(len(X), len(names), argument)
    absent = [name for name in only or () if name not in names]
    if absent:
        raise missing_columns(absent, names)
    asked = [name for name in names if only is None or name in only]
    if not isinstance(X, pd.DataFrame | np.ndarray):
        return arrow_table(X, asked, argument=argument)
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X)
    place = {name: i for i, name in enumerate(names)}
    columns = {name: _read_series(name, frame.iloc[:, place[name]], argument) for name in asked}
    return Table(columns, frame.index, labelled=isinstance(X, pd.DataFrame))


def _read_series(name: str, series: pd.Series[Any], argument: str) -> Column:
    if isinstance(series.dtype, pd.ArrowDtype):
        return arrow_column(name, pyarrow().array(series.array), argument)
    return read_column(name, series, argument)


def as_frame(X: Any, *, argument: str = "X") -> pd.DataFrame:
    """Give what `as_table` reads as a DataFrame, without rounding a cell; one of pandas as it is.

    Parameters
    ----------
    X : the table.
    argument : what to call it in an error message.

    Examples
    --------
    >>> as_frame([[1, 2], [3, 4]]).to_dict("list")
    {'x0': [1, 3], 'x1': [2, 4]}
    """
    if isinstance(X, pd.DataFrame):
        return X
    if isinstance(X, pd.Series):
        raise _no_table(argument)
    X = _as_arrow(X, argument) if has_names(X) else _array(X, argument)
    check_distinct_names(column_names(X), argument)
    return pd.DataFrame(X, columns=column_names(X)) if isinstance(X, np.ndarray) else frame_from_arrow(X)


def _no_table(argument: str) -> PyodExplainError:
    hint = f"`{argument}.to_frame()` makes it a table of one column."
    return PyodExplainError(f"`{argument}` must be a table with rows and columns, got a Series.", hint=hint)


def _not_a_table(X: Any, argument: str, hint: str) -> TypeError:
    rule = "must be a DataFrame (pandas, Polars), an Arrow table or a 2-D array"
    return TypeError(f"`{argument}` {rule}, got {type(X).__name__}.\nHint: {hint}")


def check_distinct_names(names: Iterable[str], argument: str = "X") -> None:
    """Refuse a table that has two columns of one name, as text."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        rule = f"must differ (as text), got {name_list(sorted(twice))} more than once"
        hint = "rename the columns, so that a rule says which one it means."
        raise PyodExplainError(f"The column names of `{argument}` {rule}.", hint=hint)


def _check_size(n_rows: int, n_columns: int, argument: str) -> None:
    if n_rows == 0 or n_columns == 0:
        none = f"0 {'feature(s)' if n_rows else 'sample(s)'} (shape=({n_rows}, {n_columns}))"
        rule = f"must have rows and columns, got {none} while a minimum of 1 is required"
        raise PyodExplainError(f"`{argument}` {rule}.", hint="check the filter or query that produced it.")


def _array(X: Any, argument: str) -> NDArray[Any]:
    """Give a 2-D array of whatever is no table."""
    if sparse.issparse(X):
        X = X.toarray()  # type: ignore[attr-defined]  # the stubs know too general a class
    array = X if isinstance(X, np.ndarray) else _list_as_array(X, argument)
    if isinstance(array, np.matrix):
        array = np.asarray(array)  # whose columns are columns, not matrices
    if array.ndim != 2:
        got = f"{array.ndim} dimension{'' if array.ndim == 1 else 's'} with shape {array.shape}"
        other = "for a series or texts pass readable columns of the same rows as `features=`."
        hint = f"Reshape your data: a single feature is a table of one column, reshape(-1, 1); {other}"
        raise PyodExplainError(f"`{argument}` must be a table with rows and columns, got {got}.", hint=hint)
    return array


def _list_as_array(X: Any, argument: str) -> NDArray[Any]:
    if isinstance(X, str | bytes | Mapping | type) or not (hasattr(X, "__len__") or hasattr(X, "__array__")):
        raise _not_a_table(X, argument, "build a DataFrame from it first.")
    try:
        array = plain_array(X)
    except ValueError:  # rows of different lengths
        problem = f"`{argument}` must have rows of one length, got a ragged {type(X).__name__}."
        raise PyodExplainError(problem, hint="build a DataFrame from it first.") from None
    # One type for all cells of a list may have made texts of numbers, or rounded whole numbers.
    changed = array.dtype.kind in "US" or (array.dtype.kind == "f" and bool((np.abs(array) >= EXACT_UP_TO).any()))
    return np.asarray(X, dtype=object) if changed and not hasattr(X, "__array__") else array


def _as_arrow(X: Any, argument: str) -> Any:
    """Give a Polars or Arrow table as an Arrow table."""
    pa = pyarrow()
    if isinstance(X, pa.RecordBatch):
        return pa.Table.from_batches([X])
    if not hasattr(type(X), "__arrow_c_stream__"):
        raise _not_a_table(X, argument, "collect a lazy frame first, or build a DataFrame from it.")
    try:
        return pa.table(X)
    except pa.ArrowInvalid as error:
        hint = "cast the column to a type that Arrow has: Int128 to Int64 or Decimal."
        raise PyodExplainError(f"`{argument}` must have columns of types that Arrow has: {error}", hint=hint) from error


def frame_of(rows: Sequence[Any], columns: Sequence[str]) -> pd.DataFrame:
    """Make a frame of rows; of Python objects where Arrow, in which pandas keeps texts, cannot keep one."""
    try:
        return pd.DataFrame(rows, columns=list(columns))
    except UnicodeEncodeError:  # half of a character
        return pd.DataFrame(rows, columns=list(columns), dtype=object)
