"""From a fitted detector to an explanation, one line a stage. Read this first."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sklearn.base import BaseEstimator

from pyod_explain._validate import check_choice, check_int
from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.explainers import BCCM, MDL, WCCM
from pyod_explain.explainers.base import Explainer
from pyod_explain.explanation import Explanation
from pyod_explain.group_choice import choose_groups
from pyod_explain.groups import Groups, split_outliers
from pyod_explain.outliers import Outliers, find_outliers, read_labels
from pyod_explain.table import Table, as_table
from pyod_explain.tags import TagSet, make_tags

__all__ = ["OutlierExplainer", "explain"]

METHODS: dict[str, type[Explainer]] = {"mdl": MDL, "wccm": WCCM, "bccm": BCCM}
PARAMETERS = ("solver", "weight", "max_tags", "max_uncovered")


def explain(
    detector: Any,
    X: Any,
    *,
    features: Any = None,
    groups: Any = "auto",
    tags: Any = "auto",
    method: str | Explainer = "mdl",
    solver: str = "refined",
    weight: float | Sequence[float] | None = None,
    max_tags: int | Sequence[int] | None = None,
    max_uncovered: float | Sequence[float] | None = None,
    max_length: int = 3,
    min_lift: float = 1.0,
    random_state: Any = 0,
    attach: bool = True,
) -> Explanation:
    """Explain which rows a detector marks, by a few rules per group of outliers.

    Parameters
    ----------
    detector : fitted PyOD detector; labels (0 normal, 1 outlier, or 0 and group numbers) as array, Series or
        list; or the name of a column of `X` that holds them.
    X : the rows: the detector's training data (its own `labels_` count) or new rows (it predicts them).
    features : readable columns to explain with, same rows as `X`; `X` itself by default.
    groups : how to split the outliers: `"auto"` (k-means, as many groups as make the explanation shortest), a
        number (k-means), a label for each row or outlier, the name of a column, or a clusterer.
    tags : what rules are made of: `"auto"`, `"itemsets"`, `"forest"`, a maker, or the user's own tags.
    method : `"mdl"` (shortest description, no parameters), `"wccm"`, `"bccm"`, or an explainer object.
    solver : how the method is solved: `"refined"`, `"greedy"` (the paper's algorithms) or `"exact"`.
    weight, max_tags, max_uncovered : parameters of the method; its own defaults where None.
    max_length : most conditions in a rule.
    min_lift : a rule must be more than this many times as frequent in its group as among the normals.
    random_state : seed; the same input and seed give the same explanation.
    attach : keep the explanation on the detector, as `explanation_`.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990], "kind": ["a"] * 50 + ["b"] * 3})
    >>> explain([0] * 50 + [1] * 3, X)
    Explanation(3 of 3 outliers in 1 group by 1 rule)
    """
    explainer = OutlierExplainer(
        groups=groups,
        tags=tags,
        method=method,
        solver=solver,
        weight=weight,
        max_tags=max_tags,
        max_uncovered=max_uncovered,
        max_length=max_length,
        min_lift=min_lift,
        random_state=random_state,
    )
    rows = as_table(X)
    table = rows if features is None else as_table(features, argument="features")
    if table.n_rows != rows.n_rows:
        raise PyodExplainError(
            f"`features` must have the rows of `X`, got {table.n_rows:,} rows where `X` has {rows.n_rows:,}."
        )
    outliers = find_outliers(detector, X, rows)
    explanation = explainer._explain(table, outliers)
    if attach and hasattr(detector, "fit"):
        detector.explanation_ = explanation
    return explanation


class OutlierExplainer(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Explain labelled outliers, as a scikit-learn estimator; see `explain` for the parameters.

    Attributes
    ----------
    explanation_ : the explanation, after `fit`.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
    >>> explainer = OutlierExplainer().fit(X, [0] * 50 + [1] * 3)
    >>> explainer.predict(pd.DataFrame({"amount": [7, 2000]})).tolist()
    [0, 1]
    """

    def __init__(
        self,
        *,
        groups: Any = "auto",
        tags: Any = "auto",
        method: str | Explainer = "mdl",
        solver: str = "refined",
        weight: float | Sequence[float] | None = None,
        max_tags: int | Sequence[int] | None = None,
        max_uncovered: float | Sequence[float] | None = None,
        max_length: int = 3,
        min_lift: float = 1.0,
        random_state: Any = 0,
    ) -> None:
        self.groups = groups
        self.tags = tags
        self.method = method
        self.solver = solver
        self.weight = weight
        self.max_tags = max_tags
        self.max_uncovered = max_uncovered
        self.max_length = max_length
        self.min_lift = min_lift
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> OutlierExplainer:
        """Explain the outliers that `y` marks: 0 normal, 1 outlier, or 0 and group numbers."""
        table = as_table(X)
        self.explanation_ = self._explain(table, read_labels(y, table.n_rows, index=table.index, argument="y"))
        return self

    def predict(self, X: Any) -> Any:
        """Give each row 0, or the number of the group whose description it matches."""
        return self.explanation_.predict(X)

    def transform(self, X: Any) -> Any:
        """Give a column of True and False per rule."""
        return self.explanation_.transform(X)

    def _explain(self, table: Table, outliers: Outliers) -> Explanation:
        """Run the stages. Each line hands its result to the next; nothing flows back."""
        explainer = self._explainer()
        check_int("explain()", "max_length", self.max_length, low=1)
        timings: dict[str, float] = {}
        if outliers.label_column is not None:
            table = table.drop([outliers.label_column])
        if outliers.n_outliers == 0:
            return Explanation.of_nothing(table, outliers, timings=timings)
        if outliers.n_normals == 0:
            raise PyodExplainError(
                f"There must be normal rows to tell the outliers from, got {outliers.n_outliers:,} outliers and no "
                "normal row.\nHint: lower the detector's contamination, or add the rows that it takes for normal."
            )
        with _timed(timings, "groups"):
            groups = self._groups(table, outliers)
        with _timed(timings, "tags"):
            tags = self._make_tags(table, groups)
        with _timed(timings, "coverage"):
            table = tags.extend(table)
            coverage = Coverage.from_tags(table, tags.tags, groups, n_items=tags.n_items)
        with _timed(timings, "selection"):
            selection = explainer.select(coverage)
        return Explanation.build(table, outliers, groups, tags, coverage, selection, timings=timings)

    def _groups(self, table: Table, outliers: Outliers) -> Groups:
        if isinstance(self.groups, str) and self.groups == "auto" and outliers.numbers is None:
            return choose_groups(
                table, outliers, self._make_tags, min_lift=self.min_lift, random_state=self.random_state
            )
        return split_outliers(self.groups, outliers, table, random_state=self.random_state)

    def _make_tags(self, table: Table, groups: Groups) -> TagSet:
        return make_tags(self.tags, table, groups, max_length=self.max_length, random_state=self.random_state)

    def _explainer(self) -> Explainer:
        """Turn the method's name and the parameters that were given into an explainer."""
        if isinstance(self.method, Explainer):
            return self.method
        kind = METHODS[check_choice("explain()", "method", self.method, among=METHODS)]
        takes = kind().get_params()
        given = {name: getattr(self, name) for name in PARAMETERS if getattr(self, name) is not None}
        unknown = [name for name in given if name not in takes and name != "solver"]
        if unknown:
            raise PyodExplainError(
                f"`{unknown[0]}` is no parameter of method {self.method!r}, which takes "
                f"{', '.join(name for name in takes if name != 'min_lift')}."
            )
        return kind(min_lift=self.min_lift, **{name: value for name, value in given.items() if name in takes})


@contextmanager
def _timed(timings: dict[str, float], stage: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    timings[stage] = time.perf_counter() - start
