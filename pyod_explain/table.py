"""The user's features as a `Table`: named columns of known kind, missing cells marked, row labels kept.

Every later stage asks a `Table`, never the user's object, so that "is this cell missing?" and "what is this
column?" are answered once and the input is never modified.
"""

from __future__ import annotations

import datetime as dt
import decimal
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from pyod_explain._optional import optional
from pyod_explain.exceptions import PyodExplainError

__all__ = ["Column", "Kind", "Table", "as_table"]

Kind = Literal["number", "category", "boolean", "datetime", "timedelta", "labels"]


@dataclass(frozen=True, eq=False)
class Column:
    """One column: its kind, its values in a form that compares fast, and which cells are missing.

    Attributes
    ----------
    name : name of the column, always a string.
    kind : what the values are; decides which conditions make sense.
    values : numbers (int64, uint64 or float64), datetime64, timedelta64, codes into `categories`
        (-1 where missing) for categories and booleans, or objects (collections of labels).
    missing : True where the cell is missing (None, NaN, NaT, NA).
    categories : the distinct values that the codes stand for, in a fixed order.
    timezone : of datetimes that have one; `values` are then in UTC.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    missing: NDArray[np.bool_]
    categories: tuple[Hashable, ...] = ()
    timezone: str | None = None

    @property
    def has_order(self) -> bool:
        """True if "less than" means something for the values."""
        return self.kind in ("number", "datetime", "timedelta")

    @cached_property
    def code_of(self) -> Mapping[Hashable, int]:
        """Code of each category."""
        return {value: code for code, value in enumerate(self.categories)}

    def cell(self, row: int) -> Any:
        """Give the value of one cell as the user knows it; None if it is missing."""
        if self.missing[row]:
            return None
        value = self.values[row]
        if self.kind in ("category", "boolean"):
            return self.categories[value]
        if self.kind == "datetime":
            stamp = pd.Timestamp(value)
            return stamp if self.timezone is None else stamp.tz_localize("UTC").tz_convert(self.timezone)
        return pd.Timedelta(value) if self.kind == "timedelta" else _plain(value)

    def take(self, rows: NDArray[np.intp]) -> Column:
        """Return the column restricted to these row positions."""
        return Column(self.name, self.kind, self.values[rows], self.missing[rows], self.categories, self.timezone)


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns over the same rows, and the labels of those rows.

    Attributes
    ----------
    columns : the columns by name.
    index : the row labels; 0, 1, 2, ... where the user's table has none.
    labelled : True if the labels are the user's own, so that a Series can be aligned with them.
    """

    columns: Mapping[str, Column]
    index: pd.Index[Any]
    labelled: bool = True

    @property
    def labels(self) -> pd.Index[Any] | None:
        """The user's own row labels, or None if the rows have none."""
        return self.index if self.labelled else None

    @property
    def n_rows(self) -> int:
        return len(self.index)

    def __getitem__(self, name: str) -> Column:
        try:
            return self.columns[name]
        except KeyError:
            raise missing_columns([name], self.columns) from None

    def require(self, names: Iterable[str]) -> None:
        """Raise one error that lists every column of `names` that the table lacks."""
        absent = [name for name in names if name not in self.columns]
        if absent:
            raise missing_columns(absent, self.columns)

    def by_name(self) -> Table:
        """Return the table with its columns in the order of their names, so that their own order decides no tie."""
        return Table(dict(sorted(self.columns.items())), self.index, self.labelled)

    def take(self, rows: NDArray[np.intp]) -> Table:
        """Return the table restricted to these row positions."""
        return Table(
            {name: column.take(rows) for name, column in self.columns.items()}, self.index[rows], self.labelled
        )

    def drop(self, names: Iterable[str]) -> Table:
        """Return the table without these columns."""
        gone = set(names)
        return Table({n: c for n, c in self.columns.items() if n not in gone}, self.index, self.labelled)


def missing_columns(absent: Sequence[str], present: Iterable[str]) -> PyodExplainError:
    """Build the error for columns that a rule names and the table lacks."""
    return PyodExplainError(
        f"The table lacks the column{'s' if len(absent) > 1 else ''} {_names(absent)}; it has "
        f"{_names(list(present))}.\nHint: pass a table with the columns that the rules (`tags`) name, in any order."
    )


def _names(names: Sequence[str], most: int = 12) -> str:
    shown = ", ".join(repr(_short(name)) for name in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "") if names else "none"


def _short(name: str, most: int = 60) -> str:
    return name if len(name) <= most else name[: most - 3] + "..."


def as_table(X: Any, *, argument: str = "X") -> Table:
    """Read a pandas, Polars or Arrow table, or a 2-D array, as a `Table`.

    Parameters
    ----------
    X : the features. Names and row labels are kept; the columns of an array are called x0, x1, ...
    argument : what to call it in an error message.

    Examples
    --------
    >>> table = as_table([[1.0, 2.0], [3.0, float("nan")]])
    >>> list(table.columns), table["x1"].missing.tolist()
    (['x0', 'x1'], [False, True])
    """
    if isinstance(X, Table):
        return X
    if isinstance(X, pd.DataFrame):
        names, series, index = list(X.columns), [X.iloc[:, i] for i in range(X.shape[1])], X.index
    elif isinstance(X, pd.Series):
        raise PyodExplainError(
            f"`{argument}` must be a table with rows and columns, got a Series.\n"
            f"Hint: `{argument}.to_frame()` makes it a table of one column."
        )
    elif any(hasattr(X, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__")):
        # Polars, Arrow and their kin
        names, series, index = _from_narwhals(X, argument)
    else:
        X = _array(X, argument)
        if X.dtype.kind in "fiu" and type(X) is np.ndarray and X.size:
            return _numeric_table(X, argument)
        names, series, index = _from_array(X)
    texts = [str(name) for name in names]
    _check_names(texts, argument)
    if len(index) == 0 or not texts:
        raise PyodExplainError(
            f"`{argument}` must have rows and columns, got 0 {'feature(s)' if len(index) else 'sample(s)'} "
            f"(shape=({len(index)}, {len(texts)})) while a minimum of 1 is required.\n"
            "Hint: check the filter or query that produced it."
        )
    columns = {name: _column(name, one, argument) for name, one in zip(texts, series, strict=True)}
    return Table(columns, index, labelled=isinstance(X, pd.DataFrame))


def _check_names(names: Sequence[str], argument: str) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise PyodExplainError(
            f"The column names of `{argument}` must differ (as text), got {_names(sorted(twice))} more than once."
            "\nHint: rename the columns, so that a rule says which one it means."
        )


def _array(X: Any, argument: str) -> NDArray[Any]:
    """Give a 2-D array of whatever is no table."""
    if sparse.issparse(X):
        X = X.toarray()  # type: ignore[attr-defined]  # the stubs know too general a class
    array = X if isinstance(X, np.ndarray) else _list_as_array(X, argument)
    if isinstance(array, np.matrix):
        array = np.asarray(array)  # whose columns are columns, not matrices
    if array.ndim != 2:
        raise PyodExplainError(
            f"`{argument}` must be a table with rows and columns, got {array.ndim} dimension"
            f"{'' if array.ndim == 1 else 's'} with shape {array.shape}.\n"
            "Hint: Reshape your data: a single feature is a table of one column, reshape(-1, 1); for a series or texts "
            "pass readable columns of the same rows as `features=`."
        )
    return array


def _numeric_table(array: NDArray[Any], argument: str) -> Table:
    """Read an array of numbers at once, which for thousands of columns is much faster than column by column."""
    with np.errstate(over="ignore"):  # a long double beyond all doubles becomes infinite, which is refused below
        values = np.array(array, dtype=_wide(array.dtype), order="F")  # a copy, each column in one piece
    values += values.dtype.type(0)  # -0.0 becomes 0.0: equal numbers that would be written in two ways
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, dtype=bool, order="F")
    names = [f"x{i}" for i in range(values.shape[1])]
    if values.dtype.kind == "f":
        infinite = np.isinf(values).sum(axis=0)
        if infinite.any():
            first = int(np.argmax(infinite > 0))
            raise _infinite(names[first], argument, int(infinite[first]))
    columns = {name: Column(name, "number", values[:, i], missing[:, i]) for i, name in enumerate(names)}
    return Table(columns, pd.RangeIndex(len(values)), labelled=False)


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Give the type that numbers are kept in: int64, uint64, float64, or a short float as it is.

    A short float stays short, so that a rule's threshold is rounded as numpy and pandas round it when they compare.
    """
    if dtype.kind in "iu":
        return np.dtype(np.int64 if dtype.kind == "i" else np.uint64)
    return dtype.newbyteorder("=") if dtype.itemsize < 8 else np.dtype(np.float64)


def _from_array(array: NDArray[Any]) -> tuple[list[str], list[pd.Series[Any]], pd.Index[Any]]:
    names = [f"x{i}" for i in range(array.shape[1])]
    return names, [pd.Series(array[:, i]) for i in range(array.shape[1])], pd.RangeIndex(array.shape[0])


def _list_as_array(X: Any, argument: str) -> NDArray[Any]:
    if isinstance(X, str | bytes | Mapping | type) or not (hasattr(X, "__len__") or hasattr(X, "__array__")):
        raise TypeError(
            f"`{argument}` must be a DataFrame (pandas, Polars), an Arrow table or a 2-D array, "
            f"got {type(X).__name__}.\nHint: build a DataFrame from it first."
        )
    try:
        return np.asarray(X)
    except ValueError:  # rows of different lengths
        raise PyodExplainError(
            f"`{argument}` must have rows of one length, got a ragged {type(X).__name__}.\n"
            "Hint: build a DataFrame from it first."
        ) from None


def _from_narwhals(X: Any, argument: str) -> tuple[list[str], list[pd.Series[Any]], pd.Index[Any]]:
    """Read a Polars or Arrow table cell by cell where pandas would turn integers with gaps into floats."""
    narwhals = optional("narwhals", "to read tables other than pandas", extra="tables")
    if type(X).__name__ == "RecordBatch":  # of Arrow, whose tables are made of batches
        X = optional("pyarrow", "to read Arrow tables").Table.from_batches([X])
    try:
        frame = narwhals.from_native(X, eager_only=True)
    except TypeError:
        raise TypeError(
            f"`{argument}` must be a DataFrame (pandas, Polars), an Arrow table or a 2-D array, "
            f"got {type(X).__name__}.\nHint: collect a lazy frame first, or build a DataFrame from it."
        ) from None
    return list(frame.columns), [_from_narwhals_series(frame[n]) for n in frame.columns], pd.RangeIndex(len(frame))


def _from_narwhals_series(column: Any) -> pd.Series[Any]:
    kind = str(column.dtype)  # by its name, since narwhals has had no other way to ask in all its versions
    if kind in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"):
        null = np.asarray(column.is_null().to_numpy(), dtype=bool)
        return pd.Series(pd.arrays.IntegerArray(np.array(column.fill_null(0).to_numpy()), null))
    if kind in ("Float32", "Float64"):
        return pd.Series(np.array(column.to_numpy(), dtype=kind.lower()))
    return pd.Series(column.to_list(), dtype=object)


def _column(name: str, series: pd.Series[Any], argument: str) -> Column:
    """Decide what one column is. Order matters: booleans are integers to numpy, categories hide a dtype."""
    missing = np.asarray(series.isna(), dtype=bool)
    types = pd.api.types
    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        series = pd.Series(np.asarray(series.array.to_dense()))
        dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categories(name, series.astype(object), missing, argument)
    if types.is_bool_dtype(dtype):
        return _booleans(name, series, missing)
    if types.is_complex_dtype(dtype):
        raise _complex(name, argument)
    if types.is_numeric_dtype(dtype):
        return _numbers(name, series, missing, argument)
    if isinstance(dtype, pd.PeriodDtype):
        return _datetimes(name, series.dt.to_timestamp(), missing, argument)
    if types.is_datetime64_any_dtype(dtype) and not str(dtype).startswith("date32"):  # Arrow's dates are objects to us
        return _datetimes(name, series, missing, argument)
    if types.is_timedelta64_dtype(dtype):
        return _durations(name, series, missing, argument)
    return _objects(name, series.astype(object), missing, argument)


def _objects(name: str, series: pd.Series[Any], missing: NDArray[np.bool_], argument: str) -> Column:
    """Look inside a column of Python objects: numbers and dates become what they are, the rest categories."""
    inferred = pd.api.types.infer_dtype(series, skipna=True)
    if inferred == "mixed" and any(isinstance(cell, list | set | frozenset) for cell in series):
        return Column(name, "labels", series.to_numpy(dtype=object), missing)
    if inferred == "boolean":
        return _booleans(name, series, missing)
    if inferred in ("integer", "floating", "mixed-integer-float", "decimal"):
        return _numbers(name, series, missing, argument)
    if inferred in ("datetime", "datetime64", "date"):
        present = series[~missing]
        aware = {getattr(cell, "tzinfo", None) is not None for cell in present}
        if len(aware) == 1:
            try:
                stamps = pd.to_datetime(series, utc=aware.pop())
            except pd.errors.OutOfBoundsDatetime:  # pandas before 3; later ones answer with a coarser unit
                raise _out_of_range(name, argument) from None
            zones = {str(getattr(cell, "tzinfo", None)): getattr(cell, "tzinfo", None) for cell in present}
            if len(zones) == 1 and None not in zones.values():
                stamps = stamps.dt.tz_convert(zones.popitem()[1])
            return _datetimes(name, stamps, missing, argument)
    if inferred in ("timedelta", "timedelta64"):
        return _durations(name, pd.to_timedelta(series), missing, argument)
    if inferred == "complex":
        raise _complex(name, argument)
    if missing.all():
        return Column(name, "number", np.full(len(series), np.nan), missing)
    return _categories(name, series, missing, argument)


def _numbers(name: str, series: pd.Series[Any], missing: NDArray[np.bool_], argument: str) -> Column:
    try:
        with np.errstate(over="ignore"):  # a long double beyond all doubles becomes infinite, which is refused below
            found = _exact_numbers(series[~missing])
    except OverflowError:
        raise _bad_column(
            name, argument, "must hold numbers that fit into a float, got larger ones", "rescale it"
        ) from None
    values = np.full(len(series), np.nan if found.dtype.kind == "f" else 0, dtype=found.dtype)
    values[~missing] = found
    values += values.dtype.type(0)  # -0.0 becomes 0.0: equal numbers that would be written in two ways
    infinite = int(np.isinf(found).sum()) if found.dtype.kind == "f" else 0
    if infinite:
        raise _infinite(name, argument, infinite)
    return Column(name, "number", values, missing)


def _complex(name: str, argument: str) -> PyodExplainError:
    return PyodExplainError(
        f"Complex data not supported: column {_short(name)!r} of `{argument}` must hold real numbers.\n"
        "Hint: split it into two columns, real and imaginary part."
    )


def _infinite(name: str, argument: str, count: int) -> PyodExplainError:
    return _bad_column(
        name,
        argument,
        f"must be finite, got {count:,} infinite value{'s' if count > 1 else ''}",
        "replace them by NaN (missing) or by a number of your choice",
    )


def _exact_numbers(present: pd.Series[Any]) -> NDArray[Any]:
    """Give int64 or uint64 where the values are whole and fit, float64 otherwise: large integers stay exact."""
    if present.dtype != object:
        plain: Any = getattr(present.dtype, "numpy_dtype", present.dtype)  # that of a nullable or Arrow type
        return present.to_numpy(dtype=_wide(plain) if plain.kind in "iuf" else np.float64)
    if all(isinstance(cell, int | np.integer) for cell in present):
        for dtype in (np.int64, np.uint64):
            try:
                return np.array([int(cell) for cell in present], dtype=dtype)
            except OverflowError:
                continue  # too large for this type: the next one is wider
    return np.array([float(cell) for cell in present], dtype=np.float64)


def _booleans(name: str, series: pd.Series[Any], missing: NDArray[np.bool_]) -> Column:
    codes = np.full(len(series), -1, dtype=np.int32)
    codes[~missing] = np.asarray(series[~missing], dtype=bool)
    return Column(name, "boolean", codes, missing, (False, True))


def _datetimes(name: str, series: pd.Series[Any], missing: NDArray[np.bool_], argument: str) -> Column:
    zone = getattr(series.dt, "tz", None)
    if zone is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    values = series.to_numpy(dtype="datetime64[us]")  # coarse enough for any date that Python has
    if not _fit(values[~missing].view(np.int64)):
        raise _out_of_range(name, argument)
    return Column(
        name, "datetime", np.asarray(series.to_numpy(dtype="datetime64[ns]")), missing, (), zone and _zone_name(zone)
    )


def _zone_name(zone: Any) -> str:
    """Give the name by which pandas finds the zone again; one without such a name is written in UTC."""
    try:
        pd.Timestamp("2000-01-01", tz=str(zone))
    except (KeyError, ValueError):  # what the libraries of time zones raise for names that they do not know
        return "UTC"
    return str(zone)


def _durations(name: str, series: pd.Series[Any], missing: NDArray[np.bool_], argument: str) -> Column:
    if not _fit(series.to_numpy(dtype="timedelta64[us]")[~missing].view(np.int64)):
        raise _bad_column(name, argument, "must have durations of less than 292 years, got a longer one", "use numbers")
    return Column(name, "timedelta", np.asarray(series.to_numpy(dtype="timedelta64[ns]")), missing)


def _fit(microseconds: NDArray[np.int64]) -> bool:
    """Tell whether they can be counted in nanoseconds in 64 bits; numpy would wrap around without a word."""
    return bool((np.abs(microseconds) <= np.iinfo(np.int64).max // 1000).all())


def _out_of_range(name: str, argument: str) -> PyodExplainError:
    return _bad_column(
        name,
        argument,
        "must have dates between the years 1678 and 2262, got others",
        "make dates that stand for 'never' missing, or pass the year as a number",
    )


def _categories(name: str, series: pd.Series[Any], missing: NDArray[np.bool_], argument: str) -> Column:
    try:
        codes, distinct = pd.factorize(series, use_na_sentinel=True)
    except TypeError:
        raise _bad_column(
            name, argument, f"must hold hashable values, got {_first_unhashable(series)}", "drop the column"
        ) from None
    values = [_plain(value) for value in _in_one_form(series, codes, distinct)]
    order = sorted(range(len(values)), key=lambda i: _sort_key(values[i]))
    rank = np.empty(len(values) + 1, dtype=np.int32)
    rank[order] = np.arange(len(values), dtype=np.int32)
    rank[-1] = -1  # pandas marks missing cells with code -1, which indexes the last entry
    return Column(name, "category", rank[codes], missing, tuple(values[i] for i in order))


def _in_one_form(series: pd.Series[Any], codes: NDArray[np.intp], distinct: Iterable[Any]) -> list[Any]:
    """Of equal values that are written in several ways, 1 and 1.0 and True, take the same one whichever comes first."""
    forms = list(distinct)
    if all(isinstance(value, str) for value in forms):
        return forms
    for code, cell in zip(codes.tolist(), series, strict=True):
        if code >= 0 and (type(cell) is not type(forms[code]) or isinstance(cell, float | decimal.Decimal)):
            forms[code] = min(forms[code], cell, key=lambda value: (_sort_key(value)[0], len(repr(value)), repr(value)))
    return forms


def _first_unhashable(series: pd.Series[Any]) -> str:
    return next(type(v).__name__ for v in series if not isinstance(v, Hashable) or _fails_to_hash(v))


def _fails_to_hash(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return True
    return False


def _plain(value: Any) -> Any:
    """Turn a numpy scalar into the Python value, which prints and compares without surprises."""
    return value.item() if isinstance(value, np.generic) else value


def _sort_key(value: Any) -> tuple[str, Any]:
    """Order values of mixed types: by type, then by value where the type has an order we know."""
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, int | float | decimal.Decimal):
        return "", float(value)
    if isinstance(value, str):
        return "str", value
    if isinstance(value, dt.date):
        return type(value).__name__, value.isoformat()
    return type(value).__name__, repr(value)


def _bad_column(name: str, argument: str, rule: str, hint: str) -> PyodExplainError:
    return PyodExplainError(f"Column {_short(name)!r} of `{argument}` {rule}.\nHint: {hint}.")
