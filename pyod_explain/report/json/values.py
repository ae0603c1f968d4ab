"""Single values as JSON and back: what is read equals what was written, or it is not written.

JSON has words for texts, numbers, truth values and null. Any other value becomes an object with a `type` and what that
type is rebuilt from. The types are a fixed list: a file cannot name a class or a module of its own, nothing of it is
imported, evaluated or unpickled, and a value of no known type (an enum, an object of the user's) is refused.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.report.json.schema import damaged
from pyod_explain.report.json.value_types import TYPES, TYPES_BY_CLASS
from pyod_explain.tags import value_text

__all__ = ["read_value", "write_value"]

MOST_NESTED = 20  # tuples within tuples
MOST_BITS = 13_000  # of a whole number: Python neither writes nor reads more than 4300 digits
_SIMPLE = (str, bool, int, type(None))
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
    >>> import datetime as dt
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
    kind = TYPES_BY_CLASS.get(type(plain))
    if kind is None or depth > MOST_NESTED:
        _refuse(value, owner)

    def nested(part: Any) -> Any:
        return write_value(part, owner, depth=depth + 1)

    try:
        written = {"type": kind.name, kind.key: kind.write(plain, nested)}
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
    if not isinstance(name, str) or name not in TYPES:
        raise damaged(f"{path}.type", f"a type of value that is known: {', '.join(TYPES)}", name)
    if name == "text" and not label:
        raise PyodExplainError(
            f"`{path}` of the explanation is the text of a value whose type was not kept, so a rule on it would match "
            "nothing.\nHint: version 0.1.0 wrote it so; explain again, and write the explanation with this version."
        )
    key = TYPES[name].key
    if key not in data:
        raise damaged(path, f"an object with `{key}`", data)

    def nested(part: Any) -> Any:
        return read_value(part, f"{path}.{key}", depth=depth + 1, label=label)

    try:
        return TYPES[name].read(data[key], nested)
    except PyodExplainError:
        raise
    except _REFUSALS:
        raise damaged(f"{path}.{key}", f"the text or parts of a value of type {name!r}", data[key]) from None
