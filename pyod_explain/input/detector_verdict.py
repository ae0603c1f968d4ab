"""The verdict of a plain detector, recognised by what it has, never by importing its library.

PyOD keeps `labels_`, PyGOD `label_`, scikit-learn's LocalOutlierFactor `negative_outlier_factor_`; other scikit-learn
detectors only predict.
"""

from __future__ import annotations

import copy
import numbers
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.arrays import plain_array
from pyod_explain.input.read import has_names
from pyod_explain.input.verdict import Verdict, not_fitted

__all__ = ["detector_input", "detector_verdict", "nameless"]


def detector_verdict(detector: Any) -> Verdict:
    """Read what the detector keeps, and how to ask it; an error if it is not fitted or no detector."""
    name = type(detector).__name__
    detector = nameless(detector)
    _refuse_other_estimators(detector, name)
    signed = _answers_signed(detector)
    around = getattr(detector, "n_neighbors", None)
    neighbours = int(around) if isinstance(around, numbers.Integral) else None
    verdict = Verdict(name, *_kept(detector), _threshold(detector, signed), signed=signed, neighbours=neighbours)
    if callable(getattr(detector, "predict", None)):
        verdict = replace(verdict, predict=lambda X: detector.predict(detector_input(detector, X)))
    if callable(getattr(detector, "decision_function", None)):
        verdict = replace(verdict, score=lambda X: _score(detector, X, signed))
    if verdict.labels is None and verdict.predict is None:
        raise not_fitted(name)
    return verdict


def nameless(detector: Any) -> Any:
    """Give LocalOutlierFactor without column names: its predict drops those of X and then warns of their absence."""
    if not hasattr(detector, "negative_outlier_factor_") or not hasattr(detector, "feature_names_in_"):
        return detector
    twin = copy.copy(detector)
    del twin.feature_names_in_
    return twin


def _score(detector: Any, X: Any, signed: bool) -> NDArray[Any]:
    twin = copy.copy(detector)  # COPOD and ECOD keep what they were asked last, and explain rows by it
    scores = plain_array(twin.decision_function(detector_input(detector, X)))
    return -scores if signed else scores  # scikit-learn's are negative for outliers


def _kept(detector: Any) -> tuple[NDArray[Any] | None, NDArray[np.float64] | None]:
    """Give labels and scores of the training rows as the detector keeps them."""
    if getattr(detector, "negative_outlier_factor_", None) is not None:  # scikit-learn's LocalOutlierFactor
        factor = np.asarray(detector.negative_outlier_factor_, dtype=np.float64)
        return (factor < detector.offset_).astype(np.int64), -factor
    for labels, scores in (("labels_", "decision_scores_"), ("label_", "decision_score_")):
        found = getattr(detector, labels, None)
        if found is not None:
            kept = getattr(detector, scores, None)
            return plain_array(found), None if kept is None else plain_array(kept).astype(np.float64).ravel()
    return None, None


def _threshold(detector: Any, signed: bool) -> float | None:
    if getattr(detector, "negative_outlier_factor_", None) is not None:
        return -float(detector.offset_)
    if signed:
        return 0.0  # of -decision_function, which is what `score` gives
    found = getattr(detector, "threshold_", None)
    return None if found is None or np.ndim(found) else float(found)


def _answers_signed(detector: Any) -> bool:
    """Tell scikit-learn's -1 and 1 from PyOD's 0 and 1: PyOD's detectors keep `labels_`, and call themselves so too."""
    return _estimator_type(detector) == "outlier_detector" and not hasattr(detector, "labels_")


def _estimator_type(detector: Any) -> Any:
    if hasattr(type(detector), "__sklearn_tags__"):
        return detector.__sklearn_tags__().estimator_type
    return getattr(detector, "_estimator_type", None)


def _refuse_other_estimators(detector: Any, name: str) -> None:
    kind = _estimator_type(detector)
    if kind in ("clusterer", "regressor"):
        raise PyodExplainError(
            f"`detector` must be an outlier detector, got the {kind} {name}.\n"
            "Hint: pass labels (0 normal, 1 outlier), for example `model.labels_ == -1` for the noise of a clusterer."
        )


def detector_input(detector: Any, X: Any) -> Any:
    """Give X in the form that the detector takes without complaint.

    A detector that was fitted with column names gets them; one that was not gets an array (some of PyOD's fail on
    DataFrames). What is no table (texts, a list of series) is passed on as it is.
    """
    names = getattr(detector, "feature_names_in_", None)
    if names is None:
        return np.asarray(X) if has_names(X) else X
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == len(names):
        return pd.DataFrame(X, columns=names)
    return X
