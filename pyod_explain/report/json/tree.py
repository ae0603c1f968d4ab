"""Steps down parsed JSON: each gives what is there in the type that it must have, or refuses it by its path."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from pyod_explain.report.json.schema import damaged, incomplete

__all__ = ["count", "each", "flag", "items", "join", "member", "number", "record", "text"]

MOST = 2**63 - 1  # no table has more rows


def join(path: str, name: str) -> str:
    """Name a part of what stands at a path."""
    return f"{path}.{name}" if path else name


def record(data: Any, path: str) -> Mapping[str, Any]:
    """Give an object."""
    if not isinstance(data, Mapping):
        raise damaged(path, "an object", data)
    return data


def member(data: Any, name: str, path: str) -> Any:
    """Give what an object has under a name."""
    found = record(data, path)
    if name not in found:
        raise incomplete(join(path, name))
    return found[name]


def items(data: Any, path: str) -> list[Any]:
    """Give the items of a list; version 0.1.0 wrote some as the value that is a tuple."""
    if isinstance(data, Mapping) and data.get("type") == "tuple":
        data, path = data.get("items"), f"{path}.items"
    if not isinstance(data, list):
        raise damaged(path, "a list", data)
    return data


def each(read: Callable[[Any, str], Any], data: Any, path: str) -> tuple[Any, ...]:
    """Read every item of a list."""
    return tuple(read(one, f"{path}[{i}]") for i, one in enumerate(items(data, path)))


def text(data: Any, path: str) -> str:
    """Give a text."""
    if not isinstance(data, str):
        raise damaged(path, "a text", data)
    return data


def count(data: Any, path: str) -> int:
    """Give a number of things."""
    if type(data) is not int or not 0 <= data <= MOST:
        raise damaged(path, "a whole number of at least 0 and less than 2**63", data)
    return data


def number(data: Any, path: str) -> float:
    """Give a finite number."""
    if type(data) not in (int, float) or abs(data) > 1e300 or math.isnan(data):
        raise damaged(path, "a finite number", data)
    value: float = data  # a whole one stays whole, so that it is written as it was
    return value


def flag(data: Any, path: str) -> bool:
    """Give a truth value."""
    if not isinstance(data, bool):
        raise damaged(path, "true or false", data)
    return data
