"""`Verdict`: what a fitted detector says of its training rows, and how to ask it about new ones.

Detectors are recognised by what they have, never by importing their library: PyOD keeps `labels_`, PyGOD `label_`,
scikit-learn's LocalOutlierFactor `negative_outlier_factor_`; other scikit-learn detectors only predict. A Pipeline is
asked through its steps, a search through its best estimator, an ADEngine result through what it carries.
"""

from __future__ import annotations

import copy
import hashlib
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from pyod_explain.exceptions import PyodExplainError

__all__ = [
    "Verdict",
    "ask",
    "carried_data",
    "detector_input",
    "fingerprint",
    "is_result",
    "nameless",
    "plain_array",
    "verdict_of",
]

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


def verdict_of(detector: Any) -> Verdict:
    """Read a fitted detector, a Pipeline or search around one, or an ADEngine result.

    Examples
    --------
    >>> from sklearn.neighbors import LocalOutlierFactor
    >>> lof = LocalOutlierFactor(n_neighbors=2).fit([[0.0], [0.1], [0.2], [9.0]])
    >>> verdict_of(lof).labels.tolist()
    [0, 0, 0, 1]
    """
    if isinstance(detector, type):
        raise TypeError(
            f"`detector` must be a fitted detector, got the class {detector.__name__}.\n"
            f"Hint: create and fit one: {detector.__name__}().fit(X)."
        )
    if hasattr(detector, "answering_detector"):  # of an ExplainedDetector
        return verdict_of(detector.answering_detector())
    if isinstance(detector, Mapping):
        return _of_result(detector)
    if is_result(detector):
        return _of_state(detector)
    if hasattr(detector, "best_estimator_"):
        return verdict_of(detector.best_estimator_)
    if hasattr(detector, "steps") and hasattr(detector, "named_steps"):
        return _of_pipeline(detector)
    return _of_detector(detector)


def is_result(detector: Any) -> bool:
    """Tell whether this is what ADEngine returns: the dict of `detect`, or the state of `investigate`."""
    if isinstance(detector, Mapping):
        return "labels_train" in detector
    return not hasattr(detector, "fit") and all(hasattr(detector, name) for name in ("consensus", "results", "data"))


def carried_data(detector: Any) -> Any:
    """Give the data that an ADEngine state carries; None for everything else."""
    return detector.data if not isinstance(detector, Mapping) and is_result(detector) else None


def fingerprint(labels: Any) -> str:
    """Give a short text that changes when any label changes: how a refit is noticed.

    >>> fingerprint([0, 1, 0]) == fingerprint(np.array([0, 1, 0], dtype=np.uint8)) != fingerprint([0, 0, 1])
    True
    """
    values = np.ascontiguousarray(plain_array(labels)).astype(np.int8)
    return hashlib.sha256(values.tobytes()).hexdigest()[:16]


def plain_array(values: Any) -> NDArray[Any]:
    """Give a numpy array of anything array-like; tensors are taken off their graph and device first."""
    for step in ("detach", "cpu"):
        values = getattr(values, step)() if hasattr(values, step) else values
    return np.asarray(values)


# --- plain detectors ------------------------------------------------------------------------------------------------


def _of_detector(detector: Any) -> Verdict:
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
        raise _not_fitted(name)
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


def _not_fitted(name: str) -> PyodExplainError:
    return PyodExplainError(
        f"`detector` must be fitted before it can be explained, got a {name} that is not.\n"
        f"Hint: call fit(X) on the {name} first, or pass labels (0 normal, 1 outlier)."
    )


def detector_input(detector: Any, X: Any) -> Any:
    """Give X in the form that the detector takes without complaint.

    A detector that was fitted with column names gets them; one that was not gets an array (some of PyOD's fail on
    DataFrames). What is no table (texts, a list of series) is passed on as it is.
    """
    names = getattr(detector, "feature_names_in_", None)
    if names is None:
        return np.asarray(X) if hasattr(X, "columns") or hasattr(X, "column_names") else X
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == len(names):
        return pd.DataFrame(X, columns=names)
    return X


# --- around a detector ----------------------------------------------------------------------------------------------


def _of_pipeline(pipeline: Any) -> Verdict:
    """Ask the last step, in the words of the first: rows go through the steps before it."""
    last = pipeline.steps[-1][1]
    if last is None or isinstance(last, str):  # "passthrough"
        raise PyodExplainError(
            f"`detector` must be a Pipeline that ends in a detector, got one that ends in {last!r}.\n"
            "Hint: add the detector as its last step."
        )
    inner = verdict_of(last)

    def transformed(X: Any) -> Any:
        rows = detector_input(pipeline, X) if hasattr(pipeline, "feature_names_in_") else X
        for _, step in pipeline.steps[:-1]:
            if step is not None and step != "passthrough":
                rows = step.transform(rows)
        return rows

    def after_steps(ask: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
        return None if ask is None else lambda X: ask(transformed(X))

    return replace(inner, predict=after_steps(inner.predict), score=after_steps(inner.score))


def _of_result(result: Mapping[Any, Any]) -> Verdict:
    """Read the dict that ADEngine's `detect` and `run_detection` return."""
    if not is_result(result):
        raise TypeError(
            f"`detector` must be a fitted detector, labels or the name of a column of `X`, got a "
            f"{type(result).__name__} without 'labels_train'.\nHint: ADEngine().detect(X) returns one that has it."
        )
    detector = result.get("detector")
    inner = Verdict("ADEngine", None) if detector is None else verdict_of(detector)
    tested = result.get("labels_test")
    return replace(
        inner,
        name=f"ADEngine ({inner.name})" if detector is not None else "ADEngine",
        labels=plain_array(result["labels_train"]),
        scores=_floats(result.get("scores_train")),
        tested=None if tested is None else (plain_array(tested), _floats(result.get("scores_test"))),
    )


def _of_state(state: Any) -> Verdict:
    """Read the state that ADEngine's `investigate` returns: the consensus of its detectors."""
    if state.consensus is None:
        raise PyodExplainError(
            "`detector` must be an ADEngine state with a consensus, got one without: no detector ran, or all failed."
            "\nHint: use ADEngine().investigate(X), or call run(state) first; state.results has the errors."
        )
    names = [one["detector_name"] for one in state.results if one.get("status") == "success"]
    return Verdict(
        name=f"ADEngine (consensus of {', '.join(names)})" if names else "ADEngine",
        labels=plain_array(state.consensus["labels"]),
        scores=_floats(state.consensus.get("scores")),
    )


def _floats(values: Any) -> NDArray[np.float64] | None:
    return None if values is None else plain_array(values).astype(np.float64)


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
        raise _not_fitted(verdict.name) from error
    except Exception as error:
        if verdict.labels is None and isinstance(error, AttributeError):
            raise _not_fitted(verdict.name) from error  # a detector that looks for its fitted state in vain
        raise PyodExplainError(
            f"`X` must be{trained} rows that {verdict.name} can {verb}; it failed with {type(error).__name__}: "
            f"{error}\nHint: pass as `X` what the detector takes, and the readable columns as `features=`."
        ) from error
