"""`Evaluated`: which rows of a column meet which condition, as far as somebody has asked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words, n_words, pack, unpack

__all__ = ["Evaluated"]

FEWEST = 64  # answers: they take as much memory as the column itself, if its values are 64-bit numbers
ROOM = 2**18  # bytes that a short column's answers may take, however many they are


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
