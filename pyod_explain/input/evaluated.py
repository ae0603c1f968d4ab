"""`Evaluated`: which rows of a column meet which condition, as far as somebody has asked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words, n_words, pack, unpack

__all__ = ["DerivedColumns", "Evaluated"]

FEWEST = 64  # answers: they take as much memory as the column itself, if its values are 64-bit numbers
ROOM = 2**18  # bytes that a short column's answers may take, however many they are
MAX_DERIVED_COLUMNS = 8  # of one column: each is as large as a column of doubles


class Evaluated:
    """Answers for the rows of one column, packed in bits; of too many, those that were asked for last are kept.

    It hangs on the column and not on the table: dropping, adding or ordering columns makes another table of the same
    columns, where everything that was answered still holds. Other rows make other columns, which start anew.

    Parameters
    ----------
    n_rows : rows of the column.

    Examples
    --------
    >>> answers = Evaluated(3)
    >>> answers.ask("x > 1", lambda: np.array([False, True, True])).tolist()
    [False, True, True]
    >>> answers.ask("x > 1", lambda: 1 / 0).tolist()  # it is not evaluated again
    [False, True, True]
    """

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._most = max(FEWEST, ROOM // (8 * max(n_words(n_rows), 1)))
        self._answers: OrderedDict[Hashable, Words] = OrderedDict()
        self._lock = Lock()  # of the dictionary: two threads may evaluate the same, and get the same

    def ask(self, question: Hashable, evaluate: Callable[[], NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """Tell for each row whether it meets the condition: as answered before, or by evaluating it now."""
        with self._lock:
            words = self._answers.get(question)
            if words is not None:
                self._answers.move_to_end(question)
        if words is not None:
            return unpack(words, self._n_rows)
        answer = evaluate()
        with self._lock:
            self._answers[question] = pack(answer)
            if len(self._answers) > self._most:
                self._answers.popitem(last=False)
        return answer

    def __reduce__(self) -> tuple[type[Evaluated], tuple[int]]:
        """Leave the answers out of pickles and copies."""
        return Evaluated, (self._n_rows,)


class DerivedColumns:
    """Columns that terms computed from one column and others; of too many, those that were used last are kept.

    It hangs on the first column, so that every table with the same columns has it.

    Examples
    --------
    >>> kept = DerivedColumns()
    >>> kept.ask("a - b", ["b"], lambda: "made"), kept.ask("a - b", ["b"], lambda: 1 / 0)
    ('made', 'made')
    """

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[Any, ...], tuple[Sequence[Any], Any]] = OrderedDict()
        self._lock = Lock()

    def ask(self, term: Hashable, others: Sequence[Any], make: Callable[[], Any]) -> Any:
        """Return the column of a term: as it was made before, or made now."""
        key = (term, *map(id, others))
        with self._lock:
            known = self._made.get(key)
            if known is not None:
                self._made.move_to_end(key)
                return known[1]
        made = make()
        with self._lock:
            self._made[key] = others, made  # with the other columns, so that no new one gets their ids
            if len(self._made) > MAX_DERIVED_COLUMNS:
                self._made.popitem(last=False)
        return made

    def __reduce__(self) -> tuple[type[DerivedColumns], tuple[()]]:
        """Leave the columns out of pickles and copies."""
        return DerivedColumns, ()
