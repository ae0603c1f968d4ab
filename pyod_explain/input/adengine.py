"""The verdict of PyOD's ADEngine: of the dict that `detect` returns, or of the state that `investigate` returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.arrays import plain_array
from pyod_explain.input.verdict import Verdict

__all__ = ["carried_data", "is_result", "result_verdict", "state_verdict"]


def is_result(detector: Any) -> bool:
    """Tell whether this is what ADEngine returns: the dict of `detect`, or the state of `investigate`."""
    if isinstance(detector, Mapping):
        return "labels_train" in detector
    return not hasattr(detector, "fit") and all(hasattr(detector, name) for name in ("consensus", "results", "data"))


def carried_data(detector: Any) -> Any:
    """Give the data that an ADEngine state carries; None for everything else."""
    return detector.data if not isinstance(detector, Mapping) and is_result(detector) else None


def result_verdict(result: Mapping[Any, Any], read: Callable[[Any], Verdict]) -> Verdict:
    """Read the dict that ADEngine's `detect` and `run_detection` return; `read` reads the detector in it."""
    if not is_result(result):
        raise TypeError(
            f"`detector` must be a fitted detector, labels or the name of a column of `X`, got a "
            f"{type(result).__name__} without 'labels_train'.\nHint: ADEngine().detect(X) returns one that has it."
        )
    detector = result.get("detector")
    inner = Verdict("ADEngine", None) if detector is None else read(detector)
    tested = result.get("labels_test")
    return replace(
        inner,
        name=f"ADEngine ({inner.name})" if detector is not None else "ADEngine",
        labels=plain_array(result["labels_train"]),
        scores=_floats(result.get("scores_train")),
        tested=None if tested is None else (plain_array(tested), _floats(result.get("scores_test"))),
    )


def state_verdict(state: Any) -> Verdict:
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
