"""What one cell would have to be for a condition on two columns to fail, the other cell left as it is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np

from pyod_explain.input import Column, Number, Table, as_decimal, plain_number
from pyod_explain.tags import Condition, Relation, compute_relation, simplest, usable_cells

__all__ = ["solved_values"]

ROOM = 0.01  # of the change: so much further a value may lie if that makes it shorter to write
STEPS = 4  # doubles beyond the solution that are tried: the relation is rounded, and so is the solution


def solved_values(condition: Condition, name: str, row: Table) -> Iterator[Any]:
    """Give values of one column that break a condition on its relation with another, by about as little as can be.

    They are numbers of the column's own type, each looked at: the condition fails for it.

    Parameters
    ----------
    condition : about a relation; one without limits has no solution.
    name : the column to change.
    row : a table of one row, with both columns.
    """
    relation = condition.column
    if not isinstance(relation, Relation) or name not in relation.columns:
        return
    column, other = row[name], row[next(one for one in relation.columns if one != name)]
    if column.kind != "number" or other.kind != "number" or column.missing[0] or other.missing[0]:
        return
    old, fixed = float(column.floats()[0]), float(other.floats()[0])
    for limit in _limits(condition):
        found = _solve(relation, name, limit, fixed)
        if found is None:
            continue
        for value in _beside(found, old, column):
            stored = _stored(value, column)
            if stored is None:
                continue
            cells = np.array([stored, float(value)])  # as it would be kept, and as it is printed: a reader may check
            pair = (cells, np.full(2, fixed)) if name == relation.left else (np.full(2, fixed), cells)
            numbers = compute_relation(relation.op, *map(usable_cells, pair))
            if not condition.holds(Column(str(relation), "number", numbers, np.isnan(numbers))).any():
                yield value
                break


def _stored(value: Number, column: Column) -> float | None:
    """Give a number as the double that it is once it stands in the column; None where it has no place there."""
    dtype = column.values.dtype
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            short = float(dtype.type(value))
        return short if math.isfinite(short) else None
    if dtype.kind in "iu" and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
        return None
    return float(value)


def _limits(condition: Condition) -> list[float]:
    """List the numbers at which the condition starts or stops to hold."""
    values = condition.value if condition.op == "between" else (condition.value,)
    if condition.op not in ("<", "<=", ">", ">=", "==", "between"):
        return []
    numbers = [plain_number(value) for value in values]
    return [float(one) for one in numbers if one is not None and math.isfinite(one)]


def _solve(relation: Relation, name: str, limit: float, fixed: float) -> float | None:
    """Give the cell with which the relation is at its limit; None if none is."""
    left = name == relation.left
    with np.errstate(all="ignore"):
        known, at = np.float64(fixed), np.float64(limit)
        if relation.op == "-":
            found = at + known if left else known - at
        elif relation.op == "+":
            found = at - known
        elif relation.op == "*":
            found = at / known
        else:
            found = at * known if left else known / at
    return float(found) if np.isfinite(found) else None


def _beside(found: float, old: float, column: Column) -> Iterator[Number]:
    """Give numbers of the column's type beside a solution: a short one just beyond it, then its neighbours."""
    room = max(abs(found - old) * ROOM, math.ulp(found) * STEPS)
    whole, exact = column.whole, any(isinstance(cell, Decimal) for cell in column.values)

    def typed(value: float) -> Number:
        return math.floor(value) if whole else as_decimal(value) if exact else value

    away = 1.0 if found >= old else -1.0
    for side in (away, -away):
        if side > 0:
            low, high = typed(math.nextafter(found, -math.inf)), typed(found + room)
            yield simplest(low, max(high, low + 1) if whole else high)
        else:
            low, high = typed(-math.nextafter(found, math.inf)), typed(-found + room)
            yield -simplest(low, max(high, low + 1) if whole else high)
        step = found
        for _ in range(STEPS):
            yield math.ceil(step) if whole and side > 0 else typed(step)
            step = _next(step, side * math.inf, column)


def _next(value: float, towards: float, column: Column) -> float:
    """Give the next number that the column's type has, for those that are doubles or shorter."""
    short = column.values.dtype.type if column.values.dtype.kind == "f" else np.float64
    with np.errstate(over="ignore"):
        return float(np.nextafter(short(value), short(towards)))
