"""Values: as plain Python objects, as bounds that compare exactly with cells of any width, and in messages.

A condition compares the real number in a cell with the real number of its bound. Computers round one of the two when
their types differ (0.7 to float32, 2**53 + 1 to a double), and then the answer depends on who compares. Here the bound
is brought into the type of the cells without a change of meaning: `>= 2.5` is `>= 3` for whole cells.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError, shown

EXACT_UP_TO = 2**53  # whole numbers that a double can tell from the next
HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio, odd
NAT = np.iinfo(np.int64).min  # how numpy writes a missing time
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}  # in nanoseconds
Stamps = TypeVar("Stamps", pd.Timestamp, pd.DatetimeIndex)
Number = int | float | Decimal
Bound = tuple[str, Any] | bool  # an operator and what to compare with; or the answer, the same for every cell


def plain_number(value: Any) -> Number | None:
    """Give a number as int, float or Decimal of exactly the same value; None if it is no number.

    >>> plain_number(np.float32(0.5)), plain_number(np.uint8(3)), plain_number("3")
    (0.5, 3, None)
    """
    if isinstance(value, np.longdouble):  # whose `item` is itself
        return float(value)
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, Decimal) and plain.is_nan():  # which refuses to be compared
        return math.nan
    return plain if isinstance(plain, int | float | Decimal) else None


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


def has_hash(value: Any) -> bool:
    """Tell whether a value may be a category at all: a list or a signalling NaN never is."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def nan_safe_key(value: Any) -> Hashable:
    """Give a form of a label or category that equals that of another one like it: NaN, NaT and NA equal nothing.

    >>> nan_safe_key(("a", float("nan"))) == nan_safe_key(("a", float("nan")))
    True
    >>> nan_safe_key(Decimal("sNaN"))
    ('missing', 'Decimal')
    """
    if isinstance(value, tuple):
        return tuple(map(nan_safe_key, value))
    if isinstance(value, frozenset):
        return frozenset(map(nan_safe_key, value))
    itself: Hashable = value
    return ("missing", type(value).__name__) if _equals_nothing(value) else itself


def _equals_nothing(value: Any) -> bool:
    if isinstance(value, str | int):  # mostly
        return False
    if isinstance(value, Decimal):  # of a signalling NaN pandas raises an error
        return value.is_nan()
    return math.isnan(value) if isinstance(value, float) else pd.api.types.is_scalar(value) and bool(pd.isna(value))


def as_decimal(value: Number) -> Decimal:
    """Give the decimal of exactly the same value."""
    # Not Decimal(float), which fails where the user traps FloatOperation.
    return Decimal.from_float(value) if isinstance(value, float) else Decimal(value)  # noqa: FURB164


def whole_bound(op: str, value: Number) -> Bound:
    """Say the same of whole cells by a whole bound.

    >>> whole_bound(">=", 2.5), whole_bound("<=", 2.5), whole_bound("==", 2.5), whole_bound("<", math.inf)
    (('>=', 3), ('<=', 2), False, True)
    """
    if isinstance(value, int):
        return op, int(value)
    if not math.isfinite(value):  # or a decimal beyond all doubles, as no cell is
        return (value > 0 and op in ("<", "<=")) or (value < 0 and op in (">", ">="))
    low = math.floor(value)
    if low == value:
        return op, low
    return False if op == "==" else (op, low + 1 if op in (">=", "<") else low)


def double_bound(op: str, value: Number) -> Bound:
    """Say the same of doubles (and of shorter floats, each of which is one) by a bound that is a double.

    >>> double_bound(">=", 2**53 + 1), double_bound("<", Decimal("0.5")), double_bound("==", Decimal("0.1"))
    (('>', 9007199254740992.0), ('<', 0.5), False)
    """
    try:
        nearest = float(value)
    except OverflowError:  # a whole number beyond all doubles
        nearest = math.inf if value > 0 else -math.inf
    if isinstance(value, float) or math.isnan(nearest):
        return op, nearest
    exact, near = as_decimal(value), as_decimal(nearest)
    if near == exact:
        return op, nearest
    if op == "==":
        return False
    upwards = op in (">", ">=")  # no double lies between the bound and the nearest one, so it may stand for the bound
    return ((">=" if upwards else "<") if near > exact else (">" if upwards else "<=")), nearest


def decimal_bound(op: str, value: Number) -> Bound:
    """Say the same of decimals by a bound that is a decimal, finite.

    >>> decimal_bound(">=", 0.5), decimal_bound(">", math.inf)
    (('>=', Decimal('0.5')), False)
    """
    infinite = not isinstance(value, int) and not math.isfinite(value)
    return whole_bound(op, value) if infinite else (op, as_decimal(value))


def to_utc(stamp: pd.Timestamp) -> pd.Timestamp:
    """Give a moment in UTC, its zone left off; one without a zone stays as it is.

    >>> to_utc(pd.Timestamp("2024-07-01 12:00", tz="Europe/Berlin"))
    Timestamp('2024-07-01 10:00:00')
    """
    return stamp if stamp.tzinfo is None else stamp.tz_convert("UTC").tz_localize(None)


def from_utc(stamps: Stamps, zone: str | None) -> Stamps:
    """Give moments in UTC on the clock of a zone; None: as they are.

    >>> from_utc(pd.Timestamp("2024-07-01 10:00"), "Europe/Berlin")
    Timestamp('2024-07-01 12:00:00+0200', tz='Europe/Berlin')
    """
    return stamps if zone is None else stamps.tz_localize("UTC").tz_convert(zone)


def zone_name(zone: Any) -> str:
    """Give the name by which pandas finds the zone again; one without such a name is written in UTC."""
    try:
        pd.Timestamp("2000-01-01", tz=str(zone))
    except (KeyError, ValueError):  # what the libraries of time zones raise for names that they do not know
        return "UTC"
    return str(zone)


def plain_array(values: Any) -> NDArray[Any]:
    """Give a numpy array of anything array-like; tensors are taken off their graph and device first."""
    for step in ("detach", "cpu"):
        values = getattr(values, step)() if hasattr(values, step) else values
    return np.asarray(values)


def missing_columns(absent: Sequence[str], present: Iterable[str]) -> PyodExplainError:
    """Build the error for columns that a rule names and the table lacks."""
    lacking = f"the column{'s' if len(absent) > 1 else ''} {name_list(absent)}"
    hint = "pass a table with the columns that the rules (`tags`) name, in any order."
    return PyodExplainError(f"The table lacks {lacking}; it has {name_list(list(present))}.", hint=hint)


def bad_column(name: str, argument: str, rule: str, hint: str) -> PyodExplainError:
    """Build the error for a column that breaks a rule: "must be ..., got ..."."""
    return PyodExplainError(f"Column {short_name(name)!r} of `{argument}` {rule}.", hint=f"{hint}.")


def infinite_cells(name: str, argument: str, count: int) -> PyodExplainError:
    """Build the error for infinite numbers, which have no place on an axis or in a distance."""
    rule = f"must be finite, got {count:,} infinite value{'s' if count > 1 else ''}"
    return bad_column(name, argument, rule, "replace them by NaN (missing) or by a number of your choice")


def name_list(names: Sequence[str], most: int = 12) -> str:
    """List names of columns, the first of many."""
    listed = ", ".join(repr(short_name(name)) for name in names[:most])
    return listed + (f" and {len(names) - most:,} more" if len(names) > most else "") if names else "none"


def short_name(name: str, most: int = 60) -> str:
    """Cut a name that is longer than a line has room for."""
    return name if len(name) <= most else name[: most - 3] + "..."


def subject(argument: str) -> str:
    """Write an argument's name in code, a description in words."""
    return f"The {argument}" if " " in argument else f"`{argument}`"


def list_values(values: Iterable[Any], most: int = 6) -> str:
    """List a few values, for an error message."""
    listed = list(values)
    return ", ".join(shown(value, 40) for value in listed[:most]) + (", ..." if len(listed) > most else "")


def distinct(values: NDArray[Any]) -> list[Any]:
    """List distinct values in order of appearance; by their text, since some may not hash."""
    return list({repr(value): value for value in values[:1000].tolist()}.values())
