"""Errors about columns and other arguments: which one, what it must be and is not, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError, shown


def missing_columns(absent: Sequence[str], present: Iterable[str]) -> PyodExplainError:
    """Build the error for columns that a rule names and the table lacks."""
    return PyodExplainError(
        f"The table lacks the column{'s' if len(absent) > 1 else ''} {name_list(absent)}; it has "
        f"{name_list(list(present))}.",
        hint="pass a table with the columns that the rules (`tags`) name, in any order.",
    )


def bad_column(name: str, argument: str, rule: str, hint: str) -> PyodExplainError:
    """Build the error for a column that breaks a rule: "must be ..., got ..."."""
    return PyodExplainError(f"Column {short_name(name)!r} of `{argument}` {rule}.", hint=f"{hint}.")


def infinite_cells(name: str, argument: str, count: int) -> PyodExplainError:
    """Build the error for infinite numbers, which have no place on an axis or in a distance."""
    return bad_column(
        name,
        argument,
        f"must be finite, got {count:,} infinite value{'s' if count > 1 else ''}",
        "replace them by NaN (missing) or by a number of your choice",
    )


def name_list(names: Sequence[str], most: int = 12) -> str:
    """List names of columns, the first of many."""
    shown = ", ".join(repr(short_name(name)) for name in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "") if names else "none"


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
