"""`ExplainedDetector`: a detector that explains itself after every fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from pyod_explain._arrays import IntArray
from pyod_explain.api import OutlierExplainer, explain_data
from pyod_explain.data import Data, read_table
from pyod_explain.explanation import attach_explanation
from pyod_explain.input import LabelReader, detector_input, read_detector, without_feature_names
from pyod_explain.settings import Settings

Method = TypeVar("Method", bound=Callable[..., Any])


def _if_detector_has(method: str) -> Callable[[Method], Method]:
    """Offer a method only where the detector has it."""

    def check(self: Any) -> bool:
        getattr(self.answering_detector(), method)  # its AttributeError says what is missing
        return True

    decorator: Callable[[Method], Method] = available_if(check)
    return decorator


class ExplainedDetector(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A detector that explains itself after every fit, so that its explanation is never of an earlier one.

    It passes for the detector inside: the same methods with the same answers (0 and 1 for PyOD's, 1 and -1 for
    scikit-learn's), and PyOD's fitted attributes. Wrap a whole Pipeline to have the rules in its raw columns.

    Parameters
    ----------
    detector : the detector, fitted or not; `fit` fits a clone of it.
    explainer : an `OutlierExplainer` with the settings to explain with; the defaults if None.

    Attributes
    ----------
    detector_ : the fitted detector.
    explanation_ : the explanation of its training rows.
    labels_ : for each training row 0 (normal) or 1 (outlier), whichever way the detector itself writes it.
    decision_scores_, threshold_ : scores of the training rows, higher is stranger, and the detector's own limit; None
        where it has none.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.ensemble import IsolationForest
    >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
    >>> model = ExplainedDetector(IsolationForest(contamination=0.05, random_state=0)).fit(X)
    >>> model.explanation_
    Explanation(3 of 3 outliers in 1 group by 1 rule)
    """

    def __init__(self, detector: Any, explainer: OutlierExplainer | None = None) -> None:
        self.detector, self.explainer = detector, explainer

    def fit(self, X: Any, y: Any = None, *, features: Any = None, **fit_params: Any) -> ExplainedDetector:
        """Fit a clone of the detector and explain the rows it marks.

        Parameters
        ----------
        X : what the detector takes.
        y : passed on to detectors that learn from labels; others ignore it.
        features : readable columns to explain with, same rows as `X`; `X` itself by default.
        fit_params : passed on to the detector, for example `edge_index` of a graph.
        """
        table = None if features is None else read_table(X, features)  # refused before a long fit
        detector = clone(self.detector)
        given = {**fit_params} if y is None else {"y": y, **fit_params}
        # PyOD's get an array, since some fail on DataFrames; all others take what they are given.
        of_pyod = any(one.__module__.partition(".")[0] == "pyod" for one in type(detector).__mro__)
        detector.fit(detector_input(detector, X) if of_pyod else X, **given)
        if table is None:  # after the fit, so that what the detector refuses is refused in its words
            table = read_table(X, None)
        found = LabelReader.of(detector).read(X, table, training=True, want_scores=True)
        explainer = OutlierExplainer() if self.explainer is None else clone(self.explainer)
        settings = Settings.of(explainer.get_params(deep=False))
        self.explanation_ = attach_explanation(explain_data(Data(table, found), settings, explainer.progress), detector)
        self.detector_ = detector
        self.labels_ = np.maximum(found.labels, 0)
        self.decision_scores_ = found.scores
        self.threshold_ = read_detector(detector).threshold
        self.n_features_in_ = len(table.columns) if features is None else getattr(detector, "n_features_in_", None)
        return self

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> IntArray:
        """Fit, and label the training rows the way the detector does."""
        self.fit(X, y, **fit_params)
        return np.where(self.labels_ == 1, -1, 1) if read_detector(self.detector_).signed else self.labels_

    @_if_detector_has("predict")
    def predict(self, X: Any, **options: Any) -> Any:
        """Label rows the way the detector does."""
        return self._ask("predict", X, **options)

    @_if_detector_has("decision_function")
    def decision_function(self, X: Any) -> Any:
        """Score rows the way the detector does."""
        return self._ask("decision_function", X)

    @_if_detector_has("score_samples")
    def score_samples(self, X: Any) -> Any:
        """Score rows the way the detector does (scikit-learn's raw scores)."""
        return self._ask("score_samples", X)

    @_if_detector_has("predict_proba")
    def predict_proba(self, X: Any, **options: Any) -> Any:
        """Give the probability of being normal and of being an outlier."""
        return self._ask("predict_proba", X, **options)

    @_if_detector_has("predict_confidence")
    def predict_confidence(self, X: Any) -> Any:
        """Give the detector's confidence in its labels (PyOD)."""
        return self._ask("predict_confidence", X)

    @_if_detector_has("predict_with_rejection")
    def predict_with_rejection(self, X: Any, **options: Any) -> Any:
        """Label rows, -2 where the detector is not sure (PyOD)."""
        return self._ask("predict_with_rejection", X, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "outlier_detector"
        if hasattr(type(self.detector), "__sklearn_tags__"):
            tags.input_tags = self.detector.__sklearn_tags__().input_tags
        return tags

    @property
    def offset_(self) -> Any:
        """The detector's own, where it has one (scikit-learn)."""
        return self.detector_.offset_

    def _ask(self, method: str, X: Any, **options: Any) -> Any:
        check_is_fitted(self, "detector_")
        detector = without_feature_names(self.detector_)
        return getattr(detector, method)(detector_input(detector, X), **options)

    def answering_detector(self) -> Any:
        """Return the detector that answers for this one: the fitted one, if there is one."""
        return getattr(self, "detector_", self.detector)
