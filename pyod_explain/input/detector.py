"""`read_detector`: what any fitted detector says of its training rows, and how to ask it about new ones.

A detector is recognised by what it has, never by importing its library: PyOD keeps `labels_`, PyGOD `label_`,
scikit-learn's LocalOutlierFactor `negative_outlier_factor_`; other scikit-learn detectors only predict. A Pipeline is
asked through its steps, a search through its best estimator, an ADEngine result through what it carries.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import io
import numbers
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.exceptions import NotFittedError

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray
from pyod_explain.exceptions import ParameterError, PyodExplainError
from pyod_explain.input.read import has_names
from pyod_explain.input.table import Table
from pyod_explain.input.values import plain_array

Answer = Callable[[Any], Any]
MAX_COMPARED_ROWS = 200
MAX_SCORED_ROWS = 2_000  # where the score of a row depends on the rows around, all of them are scored
MIN_TO_ACCEPT, MIN_TO_REFUSE = 12, 40  # rows: fewer may be in one order, or in two, by chance
SAME_ORDER, OTHER_ORDER = 0.7, 0.25  # rank correlations from which rows are the same, and below which they are others
MOSTLY_EQUAL, PARTLY_EQUAL = 0.8, 0.2  # shares of equal scores; a few rows may have changed
MIN_NEIGHBORS = 4  # with fewer, a row that counts among its own neighbours gets quite another score
SLOW_DETECTORS = ("RGraph",)  # fitted again for every ten rows that they score


@dataclass(frozen=True, eq=False)
class DetectorOutput:
    """What a detector says of its training rows, and how to ask it about new ones.

    Attributes
    ----------
    name : the detector's name, for the report.
    labels : of the training rows, 0 and 1 (-2: rejected), or None where the detector keeps none.
    scores : of the training rows, higher is stranger, or None.
    threshold : the score above which the detector itself takes a row for an outlier, or None.
    predict : labels new rows, or None if the detector cannot.
    score : scores new rows, higher is stranger, or None.
    signed : True if `predict` gives -1 for an outlier and 1 for a normal row, as scikit-learn does.
    tested : labels and scores of the test rows that an ADEngine result carries, or None.
    n_neighbors : number of neighbours that decide a row's score, or None where the detector does not say.
    """

    name: str
    labels: NDArray[Any] | None
    scores: FloatArray | None = None
    threshold: float | None = None
    predict: Answer | None = None
    score: Answer | None = None
    signed: bool = False
    tested: tuple[NDArray[Any], FloatArray | None] | None = None
    n_neighbors: int | None = None

    def ask(self, answer: Answer | None, X: Any, verb: str) -> NDArray[Any]:
        """Have the detector `predict` or `score` new rows; whatever it raises becomes one error that names `X`."""
        trained = "" if self.labels is None else f"the {len(self.labels):,} rows that it was fitted on"
        if answer is None:
            requirement = f"{trained or 'rows that it can label'} for {self.name}"
            got = f"other rows, and {self.name} cannot {verb} new rows"
            hint = "pass its training rows, in the same order; readable columns go into `features=`."
            raise ParameterError("X", requirement, got_text=got, hint=hint)
        try:
            return plain_array(answer(X))
        except NotFittedError as error:
            raise _not_fitted(self.name) from error
        except Exception as error:
            if self.labels is None and isinstance(error, AttributeError):
                raise _not_fitted(self.name) from error  # its fitted attributes are missing
            requirement = f"{f'{trained}, or ' if trained else ''}rows that {self.name} can {verb}"
            got = f"rows for which it failed with {type(error).__name__}: {error}"
            hint = "pass as `X` what the detector takes, and the readable columns as `features=`."
            raise ParameterError("X", requirement, got_text=got, hint=hint) from error


def is_detector(detector: Any) -> bool:
    """Tell whether this is a detector or a result of ADEngine, not labels."""
    return hasattr(detector, "fit") or isinstance(detector, Mapping) or is_adengine_result(detector)


def read_detector(detector: Any) -> DetectorOutput:
    """Read a fitted detector, a Pipeline or search around one, or an ADEngine result.

    Examples
    --------
    >>> from sklearn.neighbors import LocalOutlierFactor
    >>> lof = LocalOutlierFactor(n_neighbors=2).fit([[0.0], [0.1], [0.2], [9.0]])
    >>> read_detector(lof).labels.tolist()
    [0, 0, 0, 1]
    """
    if isinstance(detector, type):
        got, hint = f"the class {detector.__name__}", f"create and fit one: {detector.__name__}().fit(X)."
        raise ParameterError("detector", "a fitted detector", got_text=got, hint=hint)
    if hasattr(detector, "answering_detector"):  # of an ExplainedDetector
        return read_detector(detector.answering_detector())
    if isinstance(detector, Mapping):
        return _read_adengine_dict(detector)
    if is_adengine_result(detector):
        return _read_adengine_state(detector)
    if hasattr(detector, "best_estimator_"):
        return read_detector(detector.best_estimator_)
    if hasattr(detector, "steps") and hasattr(detector, "named_steps"):
        return _read_pipeline(detector)
    return _read_plain_detector(detector)


def _read_plain_detector(detector: Any) -> DetectorOutput:
    name = type(detector).__name__
    detector = without_feature_names(detector)
    kind = _estimator_type(detector)
    if kind in ("clusterer", "regressor"):
        hint = "pass labels (0 normal, 1 outlier), for example `model.labels_ == -1` for the noise of a clusterer."
        raise ParameterError("detector", "an outlier detector", got_text=f"the {kind} {name}", hint=hint)
    # PyOD's detectors call themselves outlier detectors too, but keep `labels_` and predict 0 and 1.
    signed = kind == "outlier_detector" and not hasattr(detector, "labels_")
    neighbors = getattr(detector, "n_neighbors", None)
    neighbors = int(neighbors) if isinstance(neighbors, numbers.Integral) else None
    output = DetectorOutput(name, *_training_output(detector, signed), signed=signed, n_neighbors=neighbors)
    if callable(getattr(detector, "predict", None)):
        output = replace(output, predict=lambda X: detector.predict(detector_input(detector, X)))
    if callable(getattr(detector, "decision_function", None)):
        output = replace(output, score=lambda X: _score(detector, X, signed))
    if output.labels is None and output.predict is None:
        raise _not_fitted(name)
    return output


def _read_pipeline(pipeline: Any) -> DetectorOutput:
    """Ask the last step; rows go through the steps before it."""
    last = pipeline.steps[-1][1]
    if last is None or isinstance(last, str):  # "passthrough"
        hint = "add the detector as its last step."
        got = f"one that ends in {last!r}"
        raise ParameterError("detector", "a Pipeline that ends in a detector", got_text=got, hint=hint)
    inner = read_detector(last)

    def transform(X: Any) -> Any:
        rows = detector_input(pipeline, X) if hasattr(pipeline, "feature_names_in_") else X
        for _, step in pipeline.steps[:-1]:
            if step is not None and step != "passthrough":
                rows = step.transform(rows)
        return rows

    def after_steps(answer: Answer | None) -> Answer | None:
        return None if answer is None else lambda X: answer(transform(X))

    return replace(inner, predict=after_steps(inner.predict), score=after_steps(inner.score))


def is_adengine_result(detector: Any) -> bool:
    """Tell whether this is what ADEngine returns: the dict of `detect`, or the state of `investigate`."""
    if isinstance(detector, Mapping):
        return "labels_train" in detector
    return not hasattr(detector, "fit") and all(hasattr(detector, name) for name in ("consensus", "results", "data"))


def carried_data(detector: Any) -> Any:
    """Give the data that an ADEngine state carries; None for everything else."""
    return detector.data if not isinstance(detector, Mapping) and is_adengine_result(detector) else None


def _read_adengine_dict(result: Mapping[Any, Any]) -> DetectorOutput:
    """Read the dict that ADEngine's `detect` and `run_detection` return."""
    if not is_adengine_result(result):
        got, hint = f"a {type(result).__name__} without 'labels_train'", "ADEngine().detect(X) returns one that has it."
        raise ParameterError("detector", "a fitted detector, labels or the name of a column", got_text=got, hint=hint)
    detector, tested = result.get("detector"), result.get("labels_test")
    inner = DetectorOutput("", None) if detector is None else read_detector(detector)
    name = "ADEngine" if detector is None else f"ADEngine ({inner.name})"
    both = None if tested is None else (plain_array(tested), _floats(result.get("scores_test")))
    labels, scores = plain_array(result["labels_train"]), _floats(result.get("scores_train"))
    return replace(inner, name=name, labels=labels, scores=scores, tested=both)


def _read_adengine_state(state: Any) -> DetectorOutput:
    """Read the state that ADEngine's `investigate` returns: the consensus of its detectors."""
    if state.consensus is None:
        got = "one without: no detector ran, or all failed"
        hint = "use ADEngine().investigate(X), or call run(state) first; state.results has the errors."
        raise ParameterError("detector", "an ADEngine state with a consensus", got_text=got, hint=hint)
    names = [one["detector_name"] for one in state.results if one.get("status") == "success"]
    name = f"ADEngine (consensus of {', '.join(names)})" if names else "ADEngine"
    return DetectorOutput(name, plain_array(state.consensus["labels"]), _floats(state.consensus.get("scores")))


def without_feature_names(detector: Any) -> Any:
    """Give LocalOutlierFactor without column names: its predict drops those of X and then warns of their absence."""
    if not hasattr(detector, "negative_outlier_factor_") or not hasattr(detector, "feature_names_in_"):
        return detector
    twin = copy.copy(detector)
    del twin.feature_names_in_
    return twin


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


def fingerprint(labels: Any) -> str:
    """Give a short text that changes when any label changes: how a refit is noticed.

    >>> fingerprint([0, 1, 0]) == fingerprint(np.array([0, 1, 0], dtype=np.uint8)) != fingerprint([0, 0, 1])
    True
    """
    return hashlib.sha256(np.ascontiguousarray(plain_array(labels)).astype(np.int8).tobytes()).hexdigest()[:16]


def _score(detector: Any, X: Any, signed: bool) -> NDArray[Any]:
    twin = copy.copy(detector)  # COPOD and ECOD keep what they were asked last, and explain rows by it
    scores = plain_array(twin.decision_function(detector_input(detector, X)))
    return -scores if signed else scores  # scikit-learn's are negative for outliers


def _training_output(detector: Any, signed: bool) -> tuple[Any, FloatArray | None, float | None]:
    """Give labels and scores of the training rows as the detector keeps them, and the score above which it labels."""
    if getattr(detector, "negative_outlier_factor_", None) is not None:  # scikit-learn's LocalOutlierFactor
        factor = np.asarray(detector.negative_outlier_factor_, dtype=np.float64)
        return (factor < detector.offset_).astype(np.int64), -factor, -float(detector.offset_)
    limit = 0.0 if signed else getattr(detector, "threshold_", None)  # 0 of -decision_function, which `score` gives
    threshold = None if limit is None or np.ndim(limit) else float(limit)
    for labels, scores in (("labels_", "decision_scores_"), ("label_", "decision_score_")):
        found = getattr(detector, labels, None)
        if found is not None:
            kept = _floats(getattr(detector, scores, None))
            return plain_array(found), None if kept is None else kept.ravel(), threshold
    return None, None, threshold


def _estimator_type(detector: Any) -> Any:
    if hasattr(type(detector), "__sklearn_tags__"):
        return detector.__sklearn_tags__().estimator_type
    return getattr(detector, "_estimator_type", None)


def _floats(values: Any) -> FloatArray | None:
    return None if values is None else plain_array(values).astype(np.float64)


def _not_fitted(name: str) -> PyodExplainError:
    hint = f"call fit(X) on the {name} first, or pass labels (0 normal, 1 outlier)."
    return PyodExplainError(f"`detector` must be fitted before it can be explained, got a {name} that is not.", hint)


# Are these the rows that a detector was fitted on, in that order? Most detectors give their training rows the scores
# that they keep, to the last digit. Some (KNN, LOF) leave a row out of its own neighbours only while they are fitted:
# the scores differ, but in nearly the same order. Other rows, or the same rows in another order, are in no common
# order. Where scores are random, all the same, or of rows in other units, they do not tell.


def are_training_rows(output: DetectorOutput, X: Any, table: Table) -> bool | None:
    """Tell whether a detector was fitted on these rows, in this order; None where its scores do not tell.

    Parameters
    ----------
    output : what the detector keeps of its training rows, and how to ask it.
    X : what the detector takes, as many rows as it was fitted on.
    table : the same rows, as they are explained.

    Examples
    --------
    >>> from sklearn.neighbors import LocalOutlierFactor
    >>> from pyod_explain.input import as_table, read_detector
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> lof = read_detector(LocalOutlierFactor(novelty=True).fit(X))
    >>> are_training_rows(lof, X, as_table(X)), are_training_rows(lof, X[::-1], as_table(X[::-1]))
    (True, False)
    """
    own, labels = output.scores, output.labels
    if own is None or labels is None or own.shape != labels.shape or not np.isfinite(own).all():
        return None
    if any(name in output.name for name in SLOW_DETECTORS):
        return None
    normal, rows = np.asarray(labels == 0), _spread(own)
    found = _score_rows(output.score, X, rows)
    same = _compare(own[rows], found, normal[rows])
    if same is not False or found is None:
        return same
    again = _score_rows(output.score, X, rows[::2])
    if again is None or not _close(found[::2], again).all():  # scores depend on the rows around (ECOD), or are random
        repeated = _score_rows(output.score, X, rows[::2])
        is_random = again is None or repeated is None or not _close(again, repeated).all()
        if is_random or len(own) > MAX_SCORED_ROWS:
            return None
        if len(rows) < len(own):
            same = _compare(own, _score_rows(output.score, X, np.arange(len(own))), normal)
    if same is not False or float(_close(own[rows], found).mean()) > PARTLY_EQUAL:
        return same
    few_neighbors = output.n_neighbors is not None and output.n_neighbors < MIN_NEIGHBORS
    return None if few_neighbors or _scores_follow(own, table, normal) else False


def _compare(own: FloatArray, found: FloatArray | None, normal: BoolArray) -> bool | None:
    """Tell whether two sets of scores are of the same rows: far more equal, or more alike in order, than by chance."""
    if found is None:
        return None
    equal = _close(own, found)
    by_chance = float(_close(own, np.roll(found, 1)).mean())
    if float(equal.mean()) > MOSTLY_EQUAL + (1 - MOSTLY_EQUAL) * by_chance:
        return True
    if by_chance > PARTLY_EQUAL:
        return None  # most scores are the same
    # Outliers often come last, in training and in new rows alike, and half of the rows may be new: so the order of the
    # normal rows with other scores counts.
    rest = normal & ~equal
    alike = _rank_correlation(own[rest], found[rest])
    if alike is not None and alike >= SAME_ORDER:
        return True
    return None if alike is None or alike >= OTHER_ORDER or rest.sum() < MIN_TO_REFUSE else False


def _spread(own: FloatArray) -> IndexArray:
    """Choose rows of low and high scores, in the order of the table; all of them if they are few."""
    if len(own) <= MAX_COMPARED_ROWS:
        return np.arange(len(own))
    return np.sort(np.argsort(own, kind="stable")[np.linspace(0, len(own) - 1, MAX_COMPARED_ROWS).astype(np.intp)])


def _score_rows(score: Answer | None, X: Any, rows: IndexArray) -> FloatArray | None:
    """Score some rows; None where the detector cannot. Its warnings and prints are dropped."""
    if score is None:
        return None
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            found = np.asarray(score(_take(X, rows)), dtype=np.float64).ravel()
    except Exception:  # noqa: BLE001  # detectors fail in ways of their own; one that fails here does not tell
        return None
    return found if found.shape == rows.shape and np.isfinite(found).all() else None


def _take(X: Any, rows: IndexArray) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "column_names"):  # of Arrow
        return X.take(rows)
    return [X[row] for row in rows] if isinstance(X, list | tuple) else X[rows]


def _close(one: FloatArray, other: FloatArray) -> BoolArray:
    return np.isclose(one, other, rtol=1e-6, atol=max(1e-12, 1e-9 * float(np.ptp(one))))


def _rank_correlation(one: FloatArray, other: FloatArray) -> float | None:
    if len(one) < MIN_TO_ACCEPT or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(rankdata(one), rankdata(other))[0, 1])


def _scores_follow(own: FloatArray, table: Table, normal: BoolArray) -> bool:
    """Tell whether normal rows that lie far out in the table score high: the same rows, in other units."""
    numbers = [column for column in table.columns.values() if column.kind == "number" and not column.missing.any()]
    if not numbers or normal.sum() < MIN_TO_ACCEPT:
        return False
    far = np.mean([np.abs(rankdata(column.floats()) / table.n_rows - 0.5) for column in numbers], axis=0)
    five_standard_errors = 5 / float(np.sqrt(normal.sum()))
    return (_rank_correlation(own[normal], far[normal]) or 0.0) > five_standard_errors
