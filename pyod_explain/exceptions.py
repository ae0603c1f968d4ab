"""The errors this package raises on purpose: each names the argument, the rule, what was got and a way out."""

from __future__ import annotations

__all__ = ["FileError", "InfeasibleError", "PyodExplainError", "StaleExplanationWarning"]


class PyodExplainError(ValueError):
    """Root of all errors raised by this package; a `ValueError`, so existing handlers keep working.

    Examples
    --------
    >>> from pyod_explain import explain
    >>> explain([0, 1], [[1.0], [2.0], [3.0]])
    Traceback (most recent call last):
    pyod_explain.exceptions.PyodExplainError: ...
    """


class FileError(PyodExplainError, OSError):
    """A file that cannot be read or written; an `OSError` as well, as from any function that opens files."""


class StaleExplanationWarning(UserWarning):
    """The detector was fitted again after it was explained, so the explanation is of an earlier fit.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> from pyod.models.knn import KNN
    >>> from pyod_explain import explain
    >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
    >>> detector = KNN(contamination=0.05).fit(X)
    >>> e = explain(detector, X)
    >>> _ = detector.fit(X[::-1])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     numbers = e.predict(X)
    >>> caught[0].category.__name__
    'StaleExplanationWarning'
    """


class InfeasibleError(PyodExplainError):
    """No description met the constraints; `proved` tells a theorem from a search that gave up.

    Attributes
    ----------
    group : number of the group that failed (1..K), or None if no single group is to blame.
    round : round of the greedy algorithm in which it failed, or None.
    proved : True only if every possible choice of tags was ruled out.

    Examples
    --------
    Two outliers, and a tag for only one of them:

    >>> from pyod_explain import BCCM, Coverage, InfeasibleError
    >>> coverage = Coverage.from_dense([[1], [0], [0]], [1, 1, 0])
    >>> try:
    ...     BCCM(max_tags=1, max_uncovered=0.0).select(coverage)
    ... except InfeasibleError as error:
    ...     print(error.group, error.proved)
    1 True
    """

    def __init__(
        self,
        message: str,
        *,
        group: int | None = None,
        round: int | None = None,  # noqa: A002 - the attribute's name, which is public
        proved: bool = False,
    ) -> None:
        self.group = group
        self.round = round
        self.proved = proved
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the keyword arguments, which the default of exceptions would lose."""
        return _rebuild_infeasible, (str(self), self.group, self.round, self.proved)


def _rebuild_infeasible(message: str, group: int | None, round_: int | None, proved: bool) -> InfeasibleError:
    return InfeasibleError(message, group=group, round=round_, proved=proved)
