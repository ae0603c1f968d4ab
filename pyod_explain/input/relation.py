"""`Relation`: what two columns of numbers give together, as a value: difference, ratio, product, sum.

It is reckoned in doubles, cell by cell, in whatever types the columns are, so that a database that is told to do the
same gets the same number. Products and ratios of very large or very small numbers leave what a double can hold, and
databases disagree on what happens then: infinity, 0, NULL, an error. So cells beyond `LARGEST`, and those nearer to 0
than `SMALLEST`, take no part: what is left can neither overflow nor vanish, in any database.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError

__all__ = ["LARGEST", "OPERATIONS", "SMALLEST", "Operation", "Related", "Relation", "combine", "reckon", "taking_part"]

Operation = Literal["-", "/", "*", "+"]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)
LARGEST, SMALLEST = 1e150, 1e-150  # sizes of cells that take part, 0 aside
MOST = 8  # relations of a column that are kept: each is as large as a column of doubles
_RECKON: dict[str, Callable[[Any, Any], Any]] = {"-": np.subtract, "/": np.divide, "*": np.multiply, "+": np.add}
_WORDS = {"-": "-", "/": "/", "*": "x", "+": "+"}


@dataclass(frozen=True, slots=True)
class Relation:
    """What two columns of numbers give together, for a `Condition` to speak of in place of a column.

    A row has no value, as if it were missing, where either cell is missing, where the right one is 0 in a ratio, and
    where a cell is larger than 1e150 or nearer to 0 than 1e-150 without being 0.

    Parameters
    ----------
    left, right : names of two different columns; of sums and products in the order of their names.
    op : `"-"`, `"/"`, `"*"` or `"+"`.

    Examples
    --------
    >>> print(Relation("outlet", "-", "inlet")), print(Relation("load", "*", "hours"))
    outlet - inlet
    hours x load
    (None, None)
    >>> Relation("load", "*", "hours") == Relation("hours", "*", "load")
    True
    """

    left: str
    op: Operation
    right: str

    def __post_init__(self) -> None:
        if not isinstance(self.op, str) or self.op not in OPERATIONS:
            raise PyodExplainError(f"`op` of a Relation must be one of - / * +, got {shown(self.op)}.")
        if not isinstance(self.left, str) or not isinstance(self.right, str) or self.left == self.right:
            raise PyodExplainError(
                f"`left` and `right` of a Relation must be the names of two columns, got {shown(self.left)} and "
                f"{shown(self.right)}."
            )
        if self.op in "+*" and self.right < self.left:
            left, right = self.left, self.right
            object.__setattr__(self, "left", right)
            object.__setattr__(self, "right", left)

    @property
    def columns(self) -> tuple[str, str]:
        """The names of the two columns."""
        return self.left, self.right

    @property
    def code(self) -> str:
        """The relation as an expression."""
        return f"{self.left} {self.op} {self.right}"

    def joined(self, left: str, right: str) -> str:
        """Write it of two columns that are called so."""
        return f"{left} {_WORDS[self.op]} {right}"

    def __str__(self) -> str:
        return self.joined(self.left, self.right)


def reckon(op: str, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Relate cells, which may be arrays of any shape; NaN where they have no value.

    >>> reckon("/", np.array([1.0, 1.0, 0.0, np.nan]), np.array([4.0, 0.0, 2.0, 1.0])).tolist()
    [0.25, nan, 0.0, nan]
    """
    return combine(op, taking_part(left), taking_part(right))


def taking_part(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the cells that relations are made of, NaN for the others."""
    size = np.abs(cells)
    return np.where((size == 0) | ((size >= SMALLEST) & (size <= LARGEST)), cells, np.nan)


def combine(op: str, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Relate cells that take part; NaN where they have no value."""
    if op == "/":
        right = np.where(right == 0, np.nan, right)
    return np.asarray(_RECKON[op](left, right) + 0.0)  # -0.0 becomes 0.0, as in the columns of a table


class Related:
    """Columns that relations with one column gave, of too many those that were asked for last.

    It hangs on the left column, as the answers of conditions do, so that every table with the two columns has it.

    Examples
    --------
    >>> kept = Related()
    >>> kept.ask("-", "right", lambda: "made"), kept.ask("-", "right", lambda: 1 / 0)
    ('made', 'made')
    """

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[str, int], tuple[Any, Any]] = OrderedDict()
        self._lock = Lock()

    def ask(self, op: str, right: Any, make: Callable[[], Any]) -> Any:
        """Give the column of a relation: as it was made before, or made now."""
        key = (op, id(right))
        with self._lock:
            known = self._made.get(key)
            if known is not None:
                self._made.move_to_end(key)
                return known[1]
        made = make()
        with self._lock:
            self._made[key] = right, made  # with the right column itself, so that no other gets its id
            if len(self._made) > MOST:
                self._made.popitem(last=False)
        return made

    def __reduce__(self) -> tuple[type[Related], tuple[()]]:
        """Leave the columns out of pickles and row_counts."""
        return Related, ()
