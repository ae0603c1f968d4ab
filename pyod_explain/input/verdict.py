"""`Verdict`: what a fitted detector says of its training rows, and how to ask it about new ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.arrays import plain_array

__all__ = ["Ask", "Verdict", "ask", "not_fitted"]

Ask = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Verdict:
    """What a detector says of its training rows, and how to ask it about new ones.

    Attributes
    ----------
    name : the detector's name, for the report.
    labels : of the training rows, 0 and 1 (-2: rejected), or None where the detector keeps none.
    scores : of the training rows, higher is stranger, or None.
    threshold : the score above which a row is an outlier by the detector's own standard, or None.
    predict : labels new rows, or None if the detector cannot.
    score : scores new rows, higher is stranger, or None.
    signed : True if `predict` answers -1 for an outlier and 1 for a normal row, as scikit-learn does.
    tested : labels and scores of the test rows that an ADEngine result carries, or None.
    neighbours : how many neighbours of a row decide its score, or None where the detector does not say.
    """

    name: str
    labels: NDArray[Any] | None
    scores: NDArray[np.float64] | None = None
    threshold: float | None = None
    predict: Ask | None = None
    score: Ask | None = None
    signed: bool = False
    tested: tuple[NDArray[Any], NDArray[np.float64] | None] | None = None
    neighbours: int | None = None


def ask(verdict: Verdict, question: Ask | None, X: Any, *, verb: str) -> NDArray[Any]:
    """Put new rows to the detector; whatever it raises becomes one error that names `X`."""
    trained = "" if verdict.labels is None else f" the {len(verdict.labels):,} rows that it was fitted on, or"
    if question is None:
        raise PyodExplainError(
            f"`X` must be{trained.removesuffix(', or') or ' rows that it can label'} for {verdict.name}, "
            f"which cannot {verb} new rows.\n"
            "Hint: pass its training rows, in the same order; readable columns go into `features=`."
        )
    try:
        return plain_array(question(X))
    except NotFittedError as error:
        raise not_fitted(verdict.name) from error
    except Exception as error:
        if verdict.labels is None and isinstance(error, AttributeError):
            raise not_fitted(verdict.name) from error  # a detector that looks for its fitted state in vain
        raise PyodExplainError(
            f"`X` must be{trained} rows that {verdict.name} can {verb}; it failed with {type(error).__name__}: "
            f"{error}\nHint: pass as `X` what the detector takes, and the readable columns as `features=`."
        ) from error


def not_fitted(name: str) -> PyodExplainError:
    """Build the error for a detector that has seen no rows yet."""
    return PyodExplainError(
        f"`detector` must be fitted before it can be explained, got a {name} that is not.\n"
        f"Hint: call fit(X) on the {name} first, or pass labels (0 normal, 1 outlier)."
    )
