"""`verdict_of`: the verdict of any detector: a plain one, a Pipeline or search around one, an ADEngine result.

A Pipeline is asked through its steps, a search through its best estimator, an ADEngine result through what it carries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.adengine import is_result, result_verdict, state_verdict
from pyod_explain.input.detector_verdict import detector_input, detector_verdict
from pyod_explain.input.verdict import Ask, Verdict

__all__ = ["verdict_of"]


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
        return result_verdict(detector, verdict_of)
    if is_result(detector):
        return state_verdict(detector)
    if hasattr(detector, "best_estimator_"):
        return verdict_of(detector.best_estimator_)
    if hasattr(detector, "steps") and hasattr(detector, "named_steps"):
        return _of_pipeline(detector)
    return detector_verdict(detector)


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

    def after_steps(ask: Ask | None) -> Ask | None:
        return None if ask is None else lambda X: ask(transformed(X))

    return replace(inner, predict=after_steps(inner.predict), score=after_steps(inner.score))
