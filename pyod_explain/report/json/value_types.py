"""The types that a value in a file may have: for each how it is written and how it is read.

A list of its own, closed: what is not on it is neither written nor read.
"""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import ipaddress
import math
import pathlib
import re
import uuid
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.report.json.zones import read_zone, write_zone

__all__ = ["TYPES", "TYPES_BY_CLASS", "ValueType"]

MOST_PLACES = 10_000  # of a decimal, before or after its point
NUMPY = {"float16": np.float16, "float32": np.float32}  # their texts are shorter than those of the same doubles
UNUSUAL = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
MISSING = {"NaT": pd.NaT, "NA": pd.NA}
TEXTS = (
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
)  # rebuilt from their texts, and named as their classes are

Nested = Callable[[Any], Any]  # writes or reads a part of a value


@dataclass(frozen=True)
class ValueType:
    """How values of some classes stand in a file.

    Attributes
    ----------
    name : what the file calls it.
    classes : the classes that are written so.
    write : gives what the value is rebuilt from; the second argument writes a part of it.
    read : rebuilds it; the second argument reads a part of it. Raises what the classes raise for what they do not take.
    key : where in the object that stands.
    """

    name: str
    classes: tuple[Any, ...]
    write: Callable[[Any, Nested], Any]
    read: Callable[[Any, Nested], Any]
    key: str = "value"


# --- pieces -----------------------------------------------------------------------------------------------------------


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


def _by_text(kind: Callable[[str], Any], pattern: str = ".*") -> Callable[[Any, Nested], Any]:
    return lambda data, _: kind(_text(data, pattern))


def _as_text(value: Any, _: Nested) -> str:
    return str(value)


def _iso(value: Any, _: Nested) -> str:
    return str(value.isoformat())


# --- types that take more than a line ---------------------------------------------------------------------------------


def _write_stamp(stamp: pd.Timestamp, _: Nested) -> list[str | None]:
    zone = write_zone(stamp)
    return [(stamp if zone is None else stamp.tz_convert("UTC")).isoformat(), zone]


def _read_stamp(data: Any, _: Nested) -> pd.Timestamp:
    text, zone = _parts(data, object, object)
    offset = "" if zone is None else r"\+00:00"
    stamp = pd.Timestamp(_text(text, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?" + offset))  # never "now"
    return stamp if zone is None else stamp.tz_convert(read_zone(_text(zone)))


def _write_datetime(moment: dt.datetime, _: Nested) -> Any:
    if not moment.fold and (moment.tzinfo is None or isinstance(moment.tzinfo, dt.timezone)):
        return moment.isoformat()
    return [moment.replace(tzinfo=None).isoformat(), write_zone(moment), moment.fold]


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


def _read_numpy(data: Any, nested: Nested) -> Any:
    name, value = _parts(data, str, object)
    number = nested(value)
    return NUMPY[name](float(number))


# --- the list ---------------------------------------------------------------------------------------------------------

_LIST = [
    ValueType(
        "tuple",
        (tuple,),
        lambda value, nested: [nested(one) for one in value],
        lambda data, nested: tuple(nested(one) for one in _items(data)),
        key="items",
    ),
    ValueType(
        "frozenset",
        (frozenset,),
        lambda value, nested: [nested(one) for one in sorted(value, key=lambda one: (type(one).__name__, repr(one)))],
        lambda data, nested: frozenset(nested(one) for one in _items(data)),
        key="items",
    ),
    ValueType("float", (), _as_text, lambda data, _: UNUSUAL[_text(data)]),
    ValueType(
        "numpy",
        tuple(NUMPY.values()),
        lambda value, nested: [type(value).__name__, nested(float(value))],
        _read_numpy,
    ),
    ValueType(
        "missing",
        (type(pd.NaT), type(pd.NA)),
        lambda value, _: "NaT" if value is pd.NaT else "NA",
        lambda data, _: MISSING[_text(data)],
    ),
    ValueType("timestamp", (pd.Timestamp,), _write_stamp, _read_stamp),
    ValueType("datetime", (dt.datetime,), _write_datetime, _read_datetime),
    ValueType("date", (dt.date,), _iso, _by_text(dt.date.fromisoformat)),
    ValueType("time", (dt.time,), _write_time, _read_time),
    ValueType("timedelta", (pd.Timedelta,), _iso, _by_text(pd.Timedelta, r"P-?\d+DT\d+H\d+M\d+(\.\d+)?S")),
    ValueType(
        "duration",
        (dt.timedelta,),
        lambda value, _: [value.days, value.seconds, value.microseconds],
        lambda data, _: dt.timedelta(*_parts(data, int, int, int)),
    ),
    ValueType("period", (pd.Period,), lambda value, _: [int(value.ordinal), value.freqstr], _read_period),
    ValueType(
        "interval",
        (pd.Interval,),
        lambda value, nested: [nested(value.left), nested(value.right), value.closed],
        _read_interval,
    ),
    ValueType("decimal", (decimal.Decimal,), _as_text, _read_decimal),
    ValueType("fraction", (fractions.Fraction,), lambda value, _: [value.numerator, value.denominator], _read_fraction),
    ValueType("complex", (complex,), lambda value, nested: [nested(value.real), nested(value.imag)], _read_complex),
    ValueType("bytes", (bytes,), lambda value, _: value.hex(), _by_text(bytes.fromhex, "[0-9a-f]*")),
    ValueType("uuid", (uuid.UUID,), _as_text, _by_text(uuid.UUID, "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")),
    *(ValueType(kind.__name__, (kind,), _as_text, _by_text(kind)) for kind in TEXTS),
    ValueType("text", (), _as_text, _by_text(str)),  # version 0.1.0 wrote row labels of other types so
]
TYPES: dict[str, ValueType] = {one.name: one for one in _LIST}
TYPES_BY_CLASS: dict[type, ValueType] = {kind: one for one in _LIST for kind in one.classes}
