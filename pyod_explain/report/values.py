"""Single values as JSON and back: what is read equals what was written, or it is not written.

JSON has words for texts, numbers, truth values and null. Any other value becomes an object with a `type` and what that
type is rebuilt from. The types are a fixed list: a file cannot name a class or a module of its own, nothing of it is
imported, evaluated or unpickled, and a value of no known type (an enum, an object of the user's) is refused.
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import fractions
import ipaddress
import math
import pathlib
import re
import uuid
import warnings
import zoneinfo
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.tags.wording import value_text

__all__ = ["damaged", "read_value", "read_zone", "write_value"]

MOST_NESTED = 20  # tuples within tuples
MOST_BITS = 13_000  # of a whole number: Python neither writes nor reads more than 4300 digits
MOST_PLACES = 10_000  # of a decimal, before or after its point
_SIMPLE = (str, bool, int, type(None))
_NUMPY = {"float16": np.float16, "float32": np.float32}  # their texts are shorter than those of the same doubles
# What the types' own constructors raise for what they do not take.
_REFUSALS = (ValueError, TypeError, ArithmeticError, LookupError, NotImplementedError, OSError)


# --- writing ----------------------------------------------------------------------------------------------------------


def write_value(value: Any, owner: str, *, depth: int = 0) -> Any:
    """Write any value that a condition, a cell or a row label may have, or refuse it.

    Parameters
    ----------
    value : the value.
    owner : what to call its place in an error message: "Column 'colour'".
    depth : of how many tuples it is a part.

    Examples
    --------
    >>> write_value(2.5, "Column 'x'"), write_value(dt.date(2024, 5, 1), "Column 'x'")
    (2.5, {'type': 'date', 'value': '2024-05-01'})
    """
    plain = _unboxed(value)
    if type(plain) is float:
        return plain if math.isfinite(plain) else {"type": "float", "value": repr(plain)}
    if type(plain) in _SIMPLE:
        if type(plain) is int and plain.bit_length() > MOST_BITS:
            _refuse(value, owner)
        return plain
    if type(plain) not in _NAMES or depth > MOST_NESTED:
        _refuse(value, owner)
    name = _NAMES[type(plain)]

    def nested(part: Any) -> Any:
        return write_value(part, owner, depth=depth + 1)

    try:
        written = {"type": name, _KEYS.get(name, "value"): _TYPES[name][1](plain, nested)}
    except PyodExplainError:  # of a part
        raise
    except _REFUSALS:
        _refuse(value, owner)
    if not _is_faithful(written, plain, depth):
        _refuse(value, owner)
    return written


def _is_faithful(written: dict[str, Any], value: Any, depth: int) -> bool:
    """Tell whether what was written is read as the same value."""
    try:
        return _same(read_value(written, "value", depth=depth), value)
    except PyodExplainError:
        return False


def _refuse(value: Any, owner: str) -> NoReturn:
    kind = "enum" if isinstance(value, enum.Enum) else type(value).__name__
    if owner.startswith("Column"):
        hint = "put its text in the column before you explain, such as X['c'] = X['c'].map(str)"
        if isinstance(value, enum.Enum):
            hint = "put the names in the column before you explain: X['c'] = X['c'].map(lambda one: one.name)"
    else:
        hint = "leave the labels out with rows=False, or give the table an index of texts, numbers or times"
    raise PyodExplainError(
        f"{owner} has the value {shown(value)} (of type {kind}), which JSON cannot keep: what is read back would be "
        f"another value, and rules on it would match nothing.\nHint: {hint}; a pickle keeps any value."
    ) from None


def _unboxed(value: Any) -> Any:
    """Give the plain Python value of a numpy scalar, and of a subclass of a text or number that acts just like it."""
    if isinstance(value, np.bool_ | np.integer | np.float64 | np.complex128 | np.str_ | np.bytes_):
        return value.item()
    if type(value) in _SIMPLE or isinstance(value, enum.Enum | np.generic):
        return value
    plain_of: tuple[tuple[type, Callable[[Any], Any]], ...]
    plain_of = ((str, str.__str__), (int, int.__int__), (float, float.__float__))
    for kind, make in plain_of:
        if isinstance(value, kind) and type(value) is not kind:
            plain = make(value)
            alike = plain == value and hash(plain) == hash(value) and value_text(plain) == value_text(value)
            return plain if alike else value
    return value


def _same(one: Any, other: Any) -> bool:
    """Tell whether two values print and compare alike; NaN is like itself."""
    if type(one) is tuple and type(other) is tuple:
        return len(one) == len(other) and all(map(_same, one, other))
    alike = type(one) is type(other) and value_text(one) == value_text(other)
    return alike and (repr(one) == repr(other) or bool(one == other))


# --- reading ----------------------------------------------------------------------------------------------------------


def damaged(path: str, rule: str, got: Any) -> PyodExplainError:
    """Build the error for a part of a file that is not as `to_json` writes it.

    Parameters
    ----------
    path : where, such as `groups[2].rules[0].n_normals`.
    rule : what it must be.
    got : what it is.
    """
    found = "an object" if isinstance(got, Mapping) else "a list" if isinstance(got, list) else shown(got)
    return PyodExplainError(
        f"`{path}` of the explanation must be {rule}, got {found}.\n"
        "Hint: the text was changed or cut after to_json() wrote it; write it again from the explanation."
    )


def read_value(data: Any, path: str, *, depth: int = 0, label: bool = False) -> Any:
    """Read what `write_value` wrote.

    Parameters
    ----------
    data : the value as JSON has it.
    path : where it stands, for an error message.
    depth : of how many tuples it is a part.
    label : take a `text` that stands for a value of another type, as version 0.1.0 wrote row labels. In a rule it
        would match nothing.

    Examples
    --------
    >>> read_value({"type": "date", "value": "2024-05-01"}, "groups[0].rows[0]")
    datetime.date(2024, 5, 1)
    """
    if type(data) in _SIMPLE:
        return data
    if type(data) is float and math.isfinite(data):
        return data
    if not isinstance(data, Mapping):
        raise damaged(path, "a text, a finite number, true, false, null or an object with a `type`", data)
    if depth > MOST_NESTED:
        raise damaged(path, f"nested at most {MOST_NESTED} deep", data)
    name = data.get("type")
    if not isinstance(name, str) or name not in _TYPES:
        raise damaged(f"{path}.type", f"a type of value that is known: {', '.join(_TYPES)}", name)
    if name == "text" and not label:
        raise PyodExplainError(
            f"`{path}` of the explanation is the text of a value whose type was not kept, so a rule on it would match "
            "nothing.\nHint: version 0.1.0 wrote it so; explain again, and write the explanation with this version."
        )
    key = _KEYS.get(name, "value")
    if key not in data:
        raise damaged(path, f"an object with `{key}`", data)

    def nested(part: Any) -> Any:
        return read_value(part, f"{path}.{key}", depth=depth + 1, label=label)

    try:
        return _TYPES[name][2](data[key], nested)
    except PyodExplainError:
        raise
    except _REFUSALS:
        raise damaged(f"{path}.{key}", f"the text or parts of a value of type {name!r}", data[key]) from None


def read_zone(name: str) -> dt.tzinfo:
    """Find a time zone by its name in the system's list, or by its distance from UTC: `UTC+05:30`.

    Never by pandas, which takes some names for paths of files.
    """
    if name == "UTC":
        return dt.UTC
    if name == "tzlocal()":  # as dateutil calls the zone of this machine
        return pd.Timestamp("2000-01-01", tz="tzlocal()").tzinfo or dt.UTC
    found = re.fullmatch(r"UTC([+-])(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{6}))?)?", name)
    if found is None:
        return zoneinfo.ZoneInfo(name)
    hours, minutes, seconds, micro = (int(part or 0) for part in found.groups()[1:])
    offset = dt.timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=micro)
    return dt.timezone(-offset if found[1] == "-" else offset)


# --- types ------------------------------------------------------------------------------------------------------------

Nested = Callable[[Any], Any]


def _zone_text(moment: dt.datetime) -> str | None:
    """Give the name of a time's zone; where nothing finds it again by its name, its distance from UTC."""
    if moment.tzinfo is None:
        return None
    offset = moment.utcoffset()
    try:
        known = moment.astimezone(read_zone(str(moment.tzinfo))).utcoffset() == offset
    except _REFUSALS:
        known = False
    return str(moment.tzinfo) if known else str(dt.timezone(offset or dt.timedelta(0)))


def _text(data: Any, pattern: str = ".*") -> str:
    if not isinstance(data, str) or not re.fullmatch(pattern, data, re.DOTALL):
        raise ValueError(pattern)
    return data


def _parts(data: Any, *kinds: type) -> list[Any]:
    """Give the parts of a list, each of exactly its type; True is no whole number here."""
    if not isinstance(data, list) or len(data) != len(kinds):
        raise ValueError(kinds)
    if not all(kind is object or type(part) is kind for part, kind in zip(data, kinds, strict=True)):
        raise TypeError(kinds)
    return data


def _items(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise TypeError(type(data))
    return data


def _write_stamp(stamp: pd.Timestamp, _: Nested) -> list[str | None]:
    zone = _zone_text(stamp)
    return [(stamp if zone is None else stamp.tz_convert("UTC")).isoformat(), zone]


def _read_stamp(data: Any, _: Nested) -> pd.Timestamp:
    text, zone = _parts(data, object, object)
    offset = "" if zone is None else r"\+00:00"
    stamp = pd.Timestamp(_text(text, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?" + offset))  # never "now"
    return stamp if zone is None else stamp.tz_convert(read_zone(_text(zone)))


def _write_datetime(moment: dt.datetime, _: Nested) -> Any:
    if not moment.fold and (moment.tzinfo is None or isinstance(moment.tzinfo, dt.timezone)):
        return moment.isoformat()
    return [moment.replace(tzinfo=None).isoformat(), _zone_text(moment), moment.fold]


def _read_datetime(data: Any, _: Nested) -> dt.datetime:
    if isinstance(data, str):
        return dt.datetime.fromisoformat(data)
    text, zone, fold = _parts(data, str, object, int)
    return dt.datetime.fromisoformat(text).replace(tzinfo=None if zone is None else read_zone(_text(zone)), fold=fold)


def _write_time(time: dt.time, _: Nested) -> list[str | int | None]:
    return [time.replace(tzinfo=None).isoformat(), None if time.tzinfo is None else str(time.tzinfo), time.fold]


def _read_time(data: Any, _: Nested) -> dt.time:
    text, zone, fold = _parts(data, str, object, int)
    return dt.time.fromisoformat(text).replace(tzinfo=None if zone is None else read_zone(_text(zone)), fold=fold)


def _read_period(data: Any, _: Nested) -> pd.Period:
    ordinal, frequency = _parts(data, int, str)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # on names of frequencies that pandas is about to change
        return pd.Period(ordinal=ordinal, freq=_text(frequency, r"\d{0,6}[A-Za-z]{1,4}(-[A-Z]{3})?"))


def _read_interval(data: Any, nested: Nested) -> pd.Interval[Any]:
    left, right, closed = _parts(data, object, object, str)
    ends = nested(left), nested(right)
    if not all(isinstance(end, int | float | pd.Timestamp | pd.Timedelta) for end in ends):
        raise TypeError(ends)
    for end in ends:
        if isinstance(end, int):
            float(end)  # an end beyond all floats fails here, not when the interval is looked up
    return pd.Interval(*ends, closed=closed)  # it checks `closed` itself


def _read_decimal(data: Any, _: Nested) -> decimal.Decimal:
    value = decimal.Decimal(_text(data))
    if value.is_snan() or (value.is_finite() and abs(value.adjusted()) > MOST_PLACES):
        raise ValueError(data)  # the first neither hashes nor compares, the other takes ages to compare with a fraction
    return value


def _read_fraction(data: Any, _: Nested) -> fractions.Fraction:
    return fractions.Fraction(*_parts(data, int, int))


def _read_complex(data: Any, nested: Nested) -> complex:
    real, imaginary = (nested(part) for part in _parts(data, object, object))
    return complex(float(real), float(imaginary))


def _read_numpy(data: Any, _: Nested) -> Any:
    name, value = _parts(data, str, object)
    return _NUMPY[name](float(value))


_UNUSUAL = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_MISSING = {"NaT": pd.NaT, "NA": pd.NA}


def _by_text(kind: Callable[[str], Any], pattern: str = ".*") -> Callable[[Any, Nested], Any]:
    return lambda data, _: kind(_text(data, pattern))


def _as_text(value: Any, _: Nested) -> str:
    return str(value)


def _iso(value: Any, _: Nested) -> str:
    return str(value.isoformat())


# For each name: the types that it is written for, how it is written and how it is read.
_TYPES: dict[str, tuple[tuple[Any, ...], Callable[[Any, Nested], Any], Callable[[Any, Nested], Any]]] = {
    "tuple": (
        (tuple,),
        lambda value, nested: [nested(one) for one in value],
        lambda data, nested: tuple(nested(one) for one in _items(data)),
    ),
    "frozenset": (
        (frozenset,),
        lambda value, nested: [nested(one) for one in sorted(value, key=lambda one: (type(one).__name__, repr(one)))],
        lambda data, nested: frozenset(nested(one) for one in _items(data)),
    ),
    "float": ((), _as_text, lambda data, _: _UNUSUAL[_text(data)]),
    "numpy": (
        tuple(_NUMPY.values()),
        lambda value, nested: [type(value).__name__, nested(float(value))],
        lambda data, nested: _read_numpy([_parts(data, str, object)[0], nested(data[1])], nested),
    ),
    "missing": (
        (type(pd.NaT), type(pd.NA)),
        lambda value, _: "NaT" if value is pd.NaT else "NA",
        lambda data, _: _MISSING[_text(data)],
    ),
    "timestamp": ((pd.Timestamp,), _write_stamp, _read_stamp),
    "datetime": ((dt.datetime,), _write_datetime, _read_datetime),
    "date": ((dt.date,), _iso, _by_text(dt.date.fromisoformat)),
    "time": ((dt.time,), _write_time, _read_time),
    "timedelta": ((pd.Timedelta,), _iso, _by_text(pd.Timedelta, r"P-?\d+DT\d+H\d+M\d+(\.\d+)?S")),
    "duration": (
        (dt.timedelta,),
        lambda value, _: [value.days, value.seconds, value.microseconds],
        lambda data, _: dt.timedelta(*_parts(data, int, int, int)),
    ),
    "period": ((pd.Period,), lambda value, _: [int(value.ordinal), value.freqstr], _read_period),
    "interval": (
        (pd.Interval,),
        lambda value, nested: [nested(value.left), nested(value.right), value.closed],
        _read_interval,
    ),
    "decimal": ((decimal.Decimal,), _as_text, _read_decimal),
    "fraction": ((fractions.Fraction,), lambda value, _: [value.numerator, value.denominator], _read_fraction),
    "complex": ((complex,), lambda value, nested: [nested(value.real), nested(value.imag)], _read_complex),
    "bytes": ((bytes,), lambda value, _: value.hex(), _by_text(bytes.fromhex, "[0-9a-f]*")),
    "uuid": ((uuid.UUID,), _as_text, _by_text(uuid.UUID, "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")),
    **{
        kind.__name__: ((kind,), _as_text, _by_text(kind))
        for kind in (
            ipaddress.IPv4Address,
            ipaddress.IPv6Address,
            ipaddress.IPv4Network,
            ipaddress.IPv6Network,
            ipaddress.IPv4Interface,
            ipaddress.IPv6Interface,
            pathlib.PurePosixPath,
            pathlib.PureWindowsPath,
            pathlib.PosixPath,
            pathlib.WindowsPath,
        )
    },
    "text": ((), _as_text, _by_text(str)),  # version 0.1.0 wrote row labels of other types so
}
_KEYS = {"tuple": "items", "frozenset": "items"}
_NAMES: dict[type, str] = {kind: name for name, (kinds, _, _) in _TYPES.items() for kind in kinds}
