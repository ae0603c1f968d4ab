"""`run`: what comes of an odd input, and what is wrong with that."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from hostile.case import Case
from hostile.truth import changed_on_the_way, untrue
from pyod_explain import PyodExplainError, explain


@dataclass
class Result:
    """What came of a case: `problem` is empty if all is as it must be."""

    case: Case
    outcome: str
    problem: str


def run(one: Case) -> Result:
    """Run a case and check everything that was promised of it."""
    arguments = one.make()
    before = [snapshot(value) for value in arguments.values()]
    options = {name: value for name, value in arguments.items() if name not in ("detector", "X")}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            explanation = explain(arguments["detector"], arguments["X"], **options)
            outcome, problem = repr(explanation), ""
            text = str(explanation)
        except (PyodExplainError, TypeError) as error:
            outcome, problem = f"{type(error).__name__}: {error}", wrong_refusal(one, error)
        except Exception as error:  # noqa: BLE001 - the very thing that must not happen
            outcome, problem = f"{type(error).__name__}: {error}", "another exception"
        else:
            problem = "not refused" if one.refused is not None else untrue(explanation, text, one, arguments)
            problem = problem or changed_on_the_way(explanation, arguments)
    if before != [snapshot(value) for value in arguments.values()]:
        problem = problem or "the input was changed"
    if caught:
        problem = problem or f"a warning: {caught[0].category.__name__}: {caught[0].message}"
    return Result(one, outcome, problem)


def wrong_refusal(one: Case, error: Exception) -> str:
    if one.refused is None:
        return "refused"
    return "" if f"`{one.refused}`" in str(error) else f"the message does not name `{one.refused}`"


def snapshot(value: Any) -> Any:
    """Give the bytes of an input, so that any change shows."""
    if isinstance(value, pd.DataFrame):
        columns = [snapshot(value.iloc[:, i]) for i in range(value.shape[1])]
        return [*columns, repr(list(value.columns)), snapshot(value.index.to_series())]
    if isinstance(value, pd.Series):
        if hasattr(value.array, "asi8"):  # dates and durations
            return [str(value.dtype), value.array.asi8.tobytes(), repr(value.index[:3])]
        cells = [cell if isinstance(cell, float) else repr(cell) for cell in value.array]
        return [str(value.dtype), repr(cells), repr(value.index[:3])]
    if isinstance(value, np.ndarray):
        cells = repr(value.tolist()) if value.dtype == object else value.tobytes()
        return [str(value.dtype), value.shape, value.strides, cells]
    if sparse.issparse(value):
        return [value.format, snapshot(value.toarray())]
    if isinstance(value, list | tuple | dict | set):
        return repr(value)
    return [type(value).__name__, sorted(vars(value)) if hasattr(value, "__dict__") else repr(value)]
