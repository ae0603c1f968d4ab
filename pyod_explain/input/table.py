"""The user's features as a `Table`: named columns of known kind, missing cells marked, row labels kept.

Every later stage asks a `Table`, never the user's object, so that "is this cell missing?" and "what is this
column?" are answered once and the input is never modified.
"""

from __future__ import annotations

import datetime as dt
import decimal
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from pyod_explain._optional import optional
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.evaluated import Evaluated
from pyod_explain.input.exact import as_decimal, plain_number

__all__ = ["Column", "Kind", "Table", "as_table", "column_names", "plain_value"]

LARGEST = int(np.finfo(np.float64).max)
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}  # in nanoseconds
Kind = Literal["number", "category", "boolean", "datetime", "timedelta", "labels"]


@dataclass(frozen=True, eq=False)
class Column:
    """One column: its kind, its values in a form that compares fast, and which cells are missing.

    Attributes
    ----------
    name : name of the column, always a string.
    kind : what the values are; decides which conditions make sense.
    values : numbers (int64, uint64, a float of up to 64 bits; or objects where none of these is exact: all int or all
        Decimal), datetime64[ns], timedelta64[ns], codes into `categories` (-1 where missing) for categories and
        booleans, or objects (collections of labels).
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
    def whole(self) -> bool:
        """True if the numbers are of a type that has whole ones only."""
        if self.kind != "number":
            return False
        objects = self.values.dtype == object and all(isinstance(cell, int) for cell in self.values[~self.missing])
        return objects or self.values.dtype.kind in "iu"

    @cached_property
    def ranked(self) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """For numbers that are objects: the rank of each cell, and the distinct numbers in order.

        Ranks compare fast, objects slowly.
        """
        codes, distinct = pd.factorize(self.values, sort=True)
        return codes, np.asarray(distinct, dtype=object)

    @cached_property
    def code_of(self) -> Mapping[Hashable, int]:
        """Code of each category."""
        return {value: code for code, value in enumerate(self.categories)}

    @cached_property
    def evaluated(self) -> Evaluated:
        """Which rows meet which condition: each is evaluated once, and answered from here after that."""
        return Evaluated(len(self.missing))

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
        return pd.Timedelta(value) if self.kind == "timedelta" else plain_value(value)

    def same_cells(self, other: Column) -> bool:
        """Tell whether another column has the same cells."""
        return (
            (self.kind, self.categories, self.timezone) == (other.kind, other.categories, other.timezone)
            and np.array_equal(self.missing, other.missing)
            and np.array_equal(self.values[~self.missing], other.values[~other.missing])
        )

    def take(self, rows: NDArray[np.intp] | slice) -> Column:
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
    if isinstance(X, pd.DataFrame):
        names, series, index = list(X.columns), [X.iloc[:, i] for i in range(X.shape[1])], X.index
    elif isinstance(X, pd.Series):
        raise PyodExplainError(
            f"`{argument}` must be a table with rows and columns, got a Series.\n"
            f"Hint: `{argument}.to_frame()` makes it a table of one column."
        )
    elif any(hasattr(X, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__")):
        # Polars, Arrow and their kin
        names, series, index = _from_narwhals(X, argument, only)
    else:
        X = _array(X, argument)
        plain = type(X) is np.ndarray and X.dtype.kind in "fiu" and X.size and not _longer_than_double(X.dtype)
        if only is None and plain:
            return _numeric_table(X, argument)
        names, series, index = _from_array(X)
    texts = [str(name) for name in names]
    asked = [i for i, name in enumerate(texts) if only is None or name in only]
    _check_names([texts[i] for i in asked], argument)
    if len(index) == 0 or not texts:
        raise PyodExplainError(
            f"`{argument}` must have rows and columns, got 0 {'feature(s)' if len(index) else 'sample(s)'} "
            f"(shape=({len(index)}, {len(texts)})) while a minimum of 1 is required.\n"
            "Hint: check the filter or query that produced it."
        )
    absent = [name for name in only or () if name not in texts]
    if absent:
        raise missing_columns(absent, texts)
    columns = {texts[i]: _column(texts[i], series[i], argument) for i in asked}
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
    values = np.array(array, dtype=_wide(array.dtype), order="F")  # a copy, each column in one piece
    if values.dtype.kind == "f":
        values += 0.0  # -0.0 becomes 0.0: equal numbers that would be written in two ways
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
    """Give the type that numbers are kept in: int64, uint64, or a float as it is (its cells are doubles anyway)."""
    if dtype.kind in "iu":
        return np.dtype(np.int64 if dtype.kind == "i" else np.uint64)
    return dtype.newbyteorder("=")


def _longer_than_double(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "f" and dtype.itemsize > 8


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


def _from_narwhals(
    X: Any, argument: str, only: Collection[str] | None
) -> tuple[list[str], list[pd.Series[Any]], pd.Index[Any]]:
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
    rows = pd.RangeIndex(len(frame))
    nothing = pd.Series(np.nan, index=rows)  # stands for a column that nobody asked for
    read = [_from_narwhals_series(frame[n]) if only is None or n in only else nothing for n in frame.columns]
    return list(frame.columns), read, rows


def _from_narwhals_series(column: Any) -> pd.Series[Any]:
    kind = str(column.dtype).partition("(")[0]  # by its name, as narwhals has had no other way to ask in all versions
    if kind in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"):
        null = _nulls(column)
        return pd.Series(pd.arrays.IntegerArray(np.array(column.fill_null(0).to_numpy()), null))
    if kind in ("Float32", "Float64"):
        return pd.Series(np.array(column.to_numpy(), dtype=kind.lower()))
    if kind in ("Datetime", "Duration"):  # as counts, since Python's own types have no nanoseconds
        code, unit = "M" if kind == "Datetime" else "m", column.dtype.time_unit
        times = pd.Series(np.where(_nulls(column), _NAT, _counts(column)).astype(f"{code}8[{unit}]"))
        zone = getattr(column.dtype, "time_zone", None)
        return times if zone is None else times.dt.tz_localize("UTC").dt.tz_convert(_zone_name(zone))
    if kind in ("Time", "Unknown"):  # unknown to the first versions of narwhals
        native = column.to_native()
        if str(getattr(native, "type", getattr(native, "dtype", None))) in ("time64[ns]", "Time"):  # Arrow, Polars
            counts = native.to_physical() if hasattr(native, "to_physical") else native.cast("int64")
            return _times_of_day(np.asarray(counts.fill_null(0), dtype=np.int64), _nulls(column))
    return pd.Series(column.to_list(), dtype=object)


_NAT = np.iinfo(np.int64).min


def _nulls(column: Any) -> NDArray[np.bool_]:
    return np.asarray(column.is_null().to_numpy(), dtype=bool)


def _counts(column: Any) -> NDArray[np.int64]:
    """Give times as whole numbers of their unit; 0 where missing."""
    narwhals = optional("narwhals", "to read tables other than pandas", extra="tables")
    return np.asarray(column.cast(narwhals.Int64).fill_null(0).to_numpy(), dtype=np.int64)


def _times_of_day(nanoseconds: NDArray[np.int64], null: NDArray[np.bool_]) -> pd.Series[Any]:
    pairs = zip(nanoseconds.tolist(), null.tolist(), strict=True)
    return pd.Series([None if gone else _time_of_day(count) for count, gone in pairs], dtype=object)


def _time_of_day(nanoseconds: int) -> dt.time | str:
    """Give the time of day; as text where it has nanoseconds, for which Python's own type has no room.

    >>> _time_of_day(3_600_000_001_000), _time_of_day(3_600_000_000_001)
    (datetime.time(1, 0, 0, 1), '01:00:00.000000001')
    """
    micro, rest = divmod(nanoseconds, 1000)
    seconds, micro = divmod(micro, 1_000_000)
    time = dt.time(seconds // 3600, seconds // 60 % 60, seconds % 60, micro)
    return f"{time.isoformat('microseconds')}{rest:03d}" if rest else time


def _column(name: str, series: pd.Series[Any], argument: str) -> Column:
    """Decide what one column is. Order matters: booleans are integers to numpy, categories hide a dtype."""
    try:
        missing = np.asarray(series.isna(), dtype=bool)
    except decimal.InvalidOperation:  # a signaling NaN, which refuses even the question whether it equals itself
        raise _bad_column(name, argument, "must hold numbers, got a signaling NaN", "make it missing") from None
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
    dates = str(dtype).startswith(("date32", "date64"))  # of Arrow, which are objects to us
    if types.is_datetime64_any_dtype(dtype) and not dates:
        return _datetimes(name, series, missing, argument)
    if isinstance(dtype, pd.ArrowDtype) and str(dtype).startswith(
        "duration["
    ):  # of Arrow, which pandas before 3 takes for objects
        steps = np.asarray(series.astype("int64[pyarrow]").fillna(_NAT), dtype=np.int64)
        series = pd.Series(steps.astype(f"m8[{dtype.pyarrow_dtype.unit}]"))
        dtype = series.dtype
    if types.is_timedelta64_dtype(dtype):
        return _durations(name, series, missing, argument)
    if str(dtype).startswith("time64[ns]"):  # of Arrow
        counts = series.astype("int64[pyarrow]").fillna(0)
        series = _times_of_day(np.asarray(counts, dtype=np.int64), missing)
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
        try:
            return _durations(name, pd.to_timedelta(series), missing, argument)
        except pd.errors.OutOfBoundsTimedelta:  # pandas before 3; later ones answer with a coarser unit
            raise _too_long(name, argument) from None
    if inferred == "complex":
        raise _complex(name, argument)
    if missing.all():
        return Column(name, "number", np.full(len(series), np.nan), missing)
    return _categories(name, series, missing, argument)


def _numbers(name: str, series: pd.Series[Any], missing: NDArray[np.bool_], argument: str) -> Column:
    found = _exact_numbers(series[~missing], name, argument)
    values = np.full(len(series), np.nan if found.dtype.kind == "f" else 0, dtype=found.dtype)
    values[~missing] = found
    if values.dtype.kind == "f":
        values += 0.0  # -0.0 becomes 0.0: equal numbers that would be written in two ways
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


def _exact_numbers(present: pd.Series[Any], name: str, argument: str) -> NDArray[Any]:
    """Give the numbers in the shortest type that has each of them: int64, uint64, a float, or objects."""
    plain: Any = getattr(present.dtype, "numpy_dtype", present.dtype)  # that of a nullable or Arrow type
    if plain.kind in "iuf" and not _longer_than_double(plain):
        return present.to_numpy(dtype=_wide(plain))
    if _longer_than_double(plain):
        with np.errstate(over="ignore"):  # one beyond all doubles is refused below
            short = present.to_numpy().astype(np.float64)
        if (short == present.to_numpy()).all():  # as they mostly are
            return short
    cells: list[Any] = present.astype(object).tolist()
    kinds = set(map(type, cells))
    if kinds == {float}:
        return np.array(cells, dtype=np.float64)
    if not kinds <= {int, Decimal}:  # as it mostly is
        cells = [plain_number(cell) for cell in cells]
    if any(isinstance(cell, Decimal) for cell in cells):
        return _objects_within_floats([as_decimal(cell) for cell in cells], name, argument)
    if all(isinstance(cell, int) for cell in cells):
        for dtype in (np.int64, np.uint64):
            try:
                return np.array(cells, dtype=dtype)
            except OverflowError:
                continue  # too large for this type: the next one is wider
        return _objects_within_floats(cells, name, argument)
    whole = _within_floats([cell for cell in cells if isinstance(cell, int)], name, argument)
    if all(float(cell) == cell for cell in whole):
        return np.array(cells, dtype=np.float64)
    return _objects_within_floats([as_decimal(cell) for cell in cells], name, argument)  # whole ones beyond 2**53


def _objects_within_floats(cells: Sequence[Any], name: str, argument: str) -> NDArray[Any]:
    infinite = sum(isinstance(cell, Decimal) and cell.is_infinite() for cell in cells)
    if infinite:
        raise _infinite(name, argument, infinite)
    values = np.empty(len(cells), dtype=object)
    values[:] = _within_floats(cells, name, argument)
    return values


def _within_floats(cells: Sequence[Any], name: str, argument: str) -> Sequence[Any]:
    """Return the numbers; refuse such as lie beyond all doubles, which have no place on an axis or in a distance."""
    if cells and (max(cells) > LARGEST or min(cells) < -LARGEST):
        raise _bad_column(name, argument, "must hold numbers that fit into a float, got larger ones", "rescale it")
    return cells


def _booleans(name: str, series: pd.Series[Any], missing: NDArray[np.bool_]) -> Column:
    codes = np.full(len(series), -1, dtype=np.int32)
    codes[~missing] = np.asarray(series[~missing], dtype=bool)
    return Column(name, "boolean", codes, missing, (False, True))


def _datetimes(name: str, series: pd.Series[Any], missing: NDArray[np.bool_], argument: str) -> Column:
    zone = getattr(series.dt, "tz", None)
    if zone is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    values = _nanoseconds(series, "datetime64", missing)
    if values is None:
        raise _out_of_range(name, argument)
    return Column(name, "datetime", values, missing, (), zone and _zone_name(zone))


def _zone_name(zone: Any) -> str:
    """Give the name by which pandas finds the zone again; one without such a name is written in UTC."""
    try:
        pd.Timestamp("2000-01-01", tz=str(zone))
    except (KeyError, ValueError):  # what the libraries of time zones raise for names that they do not know
        return "UTC"
    return str(zone)


def _durations(name: str, series: pd.Series[Any], missing: NDArray[np.bool_], argument: str) -> Column:
    values = _nanoseconds(series, "timedelta64", missing)
    if values is None:
        raise _too_long(name, argument)
    return Column(name, "timedelta", values, missing)


def _nanoseconds(series: pd.Series[Any], dtype: str, missing: NDArray[np.bool_]) -> NDArray[Any] | None:
    """Count in nanoseconds; None if 64 bits are too few, where numpy would wrap around without a word."""
    unit = series.dt.unit
    counts = series.to_numpy(dtype=f"{dtype}[{unit}]").view(np.int64)
    most = np.iinfo(np.int64).max // UNITS[unit]
    present = counts[~missing]
    if not ((present >= -most) & (present <= most)).all():
        return None
    return np.where(missing, _NAT, np.where(missing, 0, counts) * UNITS[unit]).view(f"{dtype}[ns]")


def _too_long(name: str, argument: str) -> PyodExplainError:
    return _bad_column(name, argument, "must have durations of less than 292 years, got a longer one", "use numbers")


def _out_of_range(name: str, argument: str) -> PyodExplainError:
    return _bad_column(
        name,
        argument,
        "must have dates between the years 1678 and 2262, got others",
        "make dates that stand for 'never' missing, or pass the year as a number",
    )


def _categories(name: str, series: pd.Series[Any], missing: NDArray[np.bool_], argument: str) -> Column:
    try:
        # As an array: pandas before 3 makes an index of a series, and fails on numbers beyond all floats.
        codes, distinct = pd.factorize(series.to_numpy(dtype=object), use_na_sentinel=True)
    except TypeError:
        raise _bad_column(
            name, argument, f"must hold hashable values, got {_first_unhashable(series)}", "drop the column"
        ) from None
    values = [plain_value(value) for value in _in_one_form(series, codes, distinct)]
    order = sorted(range(len(values)), key=lambda i: _sort_key(values[i]))
    rank = np.empty(len(values) + 1, dtype=np.int32)
    rank[order] = np.arange(len(values), dtype=np.int32)
    rank[-1] = -1  # pandas marks missing cells with code -1, which indexes the last entry
    return Column(name, "category", rank[codes], missing, tuple(values[i] for i in order))


def _in_one_form(series: pd.Series[Any], codes: NDArray[np.intp], distinct: Iterable[Any]) -> list[Any]:
    """Of equal values that are written in several ways, 1 and 1.0 and True, take the same one whichever comes first."""
    forms = list(distinct)
    if all(type(value) is str for value in forms):
        return forms
    cells = series.to_numpy(dtype=object)
    kinds: dict[int, set[type]] = {}
    for code, kind in set(zip(codes.tolist(), map(type, cells), strict=True)):
        kinds.setdefault(code, set()).add(kind)
    several = np.array([len(kinds[i]) > 1 or _has_several_forms(form) for i, form in enumerate(forms)] + [False])
    rows = np.flatnonzero(several[codes])  # mostly none: each cell is looked at only where it could differ
    found = {id(cell): (code, cell) for code, cell in zip(codes[rows].tolist(), cells[rows], strict=True)}
    for code, cell in {(code, type(cell), repr(cell)): (code, cell) for code, cell in found.values()}.values():
        forms[code] = min(forms[code], cell, key=lambda value: (_sort_key(value)[0], len(repr(value)), repr(value)))
    return forms


def _has_several_forms(value: Any) -> bool:
    """Tell whether there are values of the same type that equal it and are written in another way: 0.0 and -0.0."""
    if isinstance(value, float | np.floating):
        return bool(value == 0)
    return isinstance(value, Decimal | tuple | frozenset | pd.Interval) or getattr(value, "tzinfo", None) is not None


def _first_unhashable(series: pd.Series[Any]) -> str:
    return next(type(v).__name__ for v in series if not isinstance(v, Hashable) or _fails_to_hash(v))


def _fails_to_hash(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return True
    return False


def plain_value(value: Any) -> Any:
    """Turn a numpy scalar into the Python (or pandas) value of the same meaning, which prints without surprises.

    >>> plain_value(np.int8(3)), plain_value(np.datetime64(1, "ns"))
    (3, Timestamp('1970-01-01 00:00:00.000000001'))
    """
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value)
    if isinstance(value, np.timedelta64):
        return pd.Timedelta(value)
    if isinstance(value, np.longdouble):
        return plain_number(value)
    return value.item() if isinstance(value, np.generic) else value


def _sort_key(value: Any) -> tuple[str, Any]:
    """Order values of mixed types: by type, then by value where the type has an order we know."""
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, int | float | Decimal):
        return "", plain_number(value)  # not as floats: large ones would tie
    if isinstance(value, str):
        return "str", value
    if isinstance(value, dt.date):
        return type(value).__name__, value.isoformat()
    return type(value).__name__, repr(value)


def _bad_column(name: str, argument: str, rule: str, hint: str) -> PyodExplainError:
    return PyodExplainError(f"Column {_short(name)!r} of `{argument}` {rule}.\nHint: {hint}.")
