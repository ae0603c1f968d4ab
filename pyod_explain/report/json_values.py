"""Single values in JSON: what is read back equals what was written, or it is not written.

JSON has texts, numbers, truth values and null. A value of another type is an object with its `type` and `value`. The
types are a fixed list: a file cannot name a class, and nothing of it is imported, evaluated or unpickled.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
import re
import uuid
import zoneinfo
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pyod_explain.exceptions import PyodExplainError, shown

MAX_NESTED_TUPLES = 20
MAX_INTEGER_BITS = 13_000  # Python neither writes nor reads more than 4300 digits
MAX_DECIMAL_PLACES = 10_000  # before or after the point; more take ages to compare with another number
JSON_TYPES = (str, bool, int, float, type(None))
SPECIAL_FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
OFFSET = re.compile(r"UTC([+-])(\d\d):(\d\d)(?::(\d\d))?")
CONSTRUCTOR_ERRORS = (ValueError, TypeError, ArithmeticError, LookupError, OSError)


def damaged(path: str, requirement: str, got: Any) -> PyodExplainError:
    """Build the error for a part of the data that is not as `to_json` writes it.

    Parameters
    ----------
    path : where, such as `groups[2].rules[0].n_normals`.
    requirement : what it must be.
    got : what it is.
    """
    found = "an object" if isinstance(got, Mapping) else "a list" if isinstance(got, list) else shown(got)
    return PyodExplainError(
        f"`{path}` of the explanation must be {requirement}, got {found}.",
        hint="the data was changed after to_json() wrote it; write it again from the explanation.",
    )


class ValueType(NamedTuple):
    """How values of a class are written: `write` gives a text or a list of texts, `read` takes it back."""

    kind: type
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _zone_name(moment: dt.datetime) -> str | None:
    """Give the name of a time's zone; the offset from UTC where the name alone does not find it again."""
    if moment.tzinfo is None:
        return None
    offset = moment.utcoffset()
    with suppress(*CONSTRUCTOR_ERRORS):
        if moment.astimezone(_read_zone(str(moment.tzinfo))).utcoffset() == offset:
            return str(moment.tzinfo)
    return str(dt.timezone(offset or dt.timedelta(0)))


def _read_zone(name: str) -> dt.tzinfo:
    """Find a time zone in the system's list, or by its offset from UTC; never by pandas, which opens files by name."""
    if name == "UTC":
        return dt.UTC
    found = OFFSET.fullmatch(name)
    if found is None:
        return zoneinfo.ZoneInfo(name)
    hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:])
    offset = dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return dt.timezone(-offset if found[1] == "-" else offset)


def _write_timestamp(stamp: pd.Timestamp) -> list[str | None]:
    zone = _zone_name(stamp)
    return [(stamp if zone is None else stamp.tz_convert("UTC")).isoformat(), zone]


def _read_timestamp(data: Any) -> pd.Timestamp:
    text, zone = data
    pattern = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?" + ("" if zone is None else r"\+00:00")
    stamp = pd.Timestamp(_matching(pattern, text))  # never "now"
    return stamp if zone is None else stamp.tz_convert(_read_zone(zone))


def _read_datetime(data: Any) -> dt.datetime:
    text, zone = data
    moment = dt.datetime.fromisoformat(text)
    return moment if zone is None else moment.astimezone(_read_zone(zone))


def _read_decimal(data: Any) -> decimal.Decimal:
    value = decimal.Decimal(_matching(r".*", data))
    if value.is_snan() or (value.is_finite() and abs(value.adjusted()) > MAX_DECIMAL_PLACES):
        raise ValueError(data)
    return value


def _matching(pattern: str, data: Any) -> str:
    if not isinstance(data, str) or not re.fullmatch(pattern, data):
        raise ValueError(pattern)
    return data


VALUE_TYPES = {
    "timestamp": ValueType(pd.Timestamp, _write_timestamp, _read_timestamp),
    "datetime": ValueType(dt.datetime, lambda moment: [moment.isoformat(), _zone_name(moment)], _read_datetime),
    "date": ValueType(dt.date, dt.date.isoformat, dt.date.fromisoformat),
    "time": ValueType(dt.time, dt.time.isoformat, dt.time.fromisoformat),
    "timedelta": ValueType(
        pd.Timedelta,
        pd.Timedelta.isoformat,
        lambda data: pd.Timedelta(_matching(r"P-?\d+DT\d+H\d+M\d+(\.\d+)?S", data)),
    ),
    "duration": ValueType(
        dt.timedelta,
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda data: dt.timedelta(*data),
    ),
    "decimal": ValueType(decimal.Decimal, str, _read_decimal),
    "bytes": ValueType(bytes, bytes.hex, bytes.fromhex),
    "uuid": ValueType(uuid.UUID, str, uuid.UUID),
}
TYPE_NAMES = {one.kind: name for name, one in VALUE_TYPES.items()}


def write_value(value: Any, path: str, *, depth: int = 0) -> Any:
    """Write the value of a condition, a cell or a row label, or refuse it.

    Parameters
    ----------
    value : the value.
    path : where it is, for an error message.
    depth : the number of tuples around it.

    Examples
    --------
    >>> import datetime as dt
    >>> write_value(2.5, "groups[0].rows[0]"), write_value(dt.date(2024, 5, 1), "groups[0].rows[0]")
    (2.5, {'type': 'date', 'value': '2024-05-01'})
    """
    plain = value.item() if isinstance(value, np.generic) else value
    if type(plain) is float and not math.isfinite(plain):
        return {"type": "float", "value": repr(plain)}
    if type(plain) in JSON_TYPES and not (type(plain) is int and plain.bit_length() > MAX_INTEGER_BITS):
        return plain
    if plain is pd.NaT:
        return {"type": "missing", "value": "NaT"}
    if type(plain) is tuple and depth < MAX_NESTED_TUPLES:
        return {"type": "tuple", "value": [write_value(one, path, depth=depth + 1) for one in plain]}
    name = TYPE_NAMES.get(type(plain))
    if name is None:
        raise PyodExplainError(
            f"`{path}` is {shown(value)} of type {type(value).__name__}, which JSON cannot keep.",
            hint="use texts, numbers or dates in the column, such as X['c'].map(str); leave row labels out with "
            "rows=False; or pickle the explanation, which keeps any value.",
        )
    return {"type": name, "value": VALUE_TYPES[name].write(plain)}


def read_value(data: Any, path: str, *, depth: int = 0) -> Any:
    """Read what `write_value` wrote.

    Parameters
    ----------
    data : the value as JSON has it.
    path : where it is, for an error message.
    depth : the number of tuples around it.

    Examples
    --------
    >>> read_value({"type": "date", "value": "2024-05-01"}, "groups[0].rows[0]")
    datetime.date(2024, 5, 1)
    """
    if type(data) in JSON_TYPES:
        return data
    if not isinstance(data, Mapping) or set(data) != {"type", "value"}:
        raise damaged(path, "a text, a number, true, false, null or an object with `type` and `value`", data)
    name, value = data["type"], data["value"]
    if name == "tuple" and isinstance(value, list) and depth < MAX_NESTED_TUPLES:
        return tuple(read_value(one, f"{path}.value[{i}]", depth=depth + 1) for i, one in enumerate(value))
    try:
        if name == "float":
            return SPECIAL_FLOATS[value]
        if name == "missing" and value == "NaT":
            return pd.NaT
        return VALUE_TYPES[name].read(value)
    except CONSTRUCTOR_ERRORS:
        raise damaged(path, f"a value of a known type (tuple, float, {', '.join(VALUE_TYPES)})", data) from None
