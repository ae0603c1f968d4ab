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


def snapshot(value: Any) -> str:
    """Write out all that an input holds, so that any change shows."""
    if isinstance(value, pd.DataFrame | pd.Series):
        parts = [value] if isinstance(value, pd.Series) else [value.iloc[:, i] for i in range(value.shape[1])]
        return repr([value.index.tolist(), *((one.name, one.dtype, one.tolist()) for one in parts)])
    if isinstance(value, np.ndarray):
        cells = value.tolist() if value.dtype == object else value.tobytes()
        return repr([value.dtype, value.shape, value.strides, cells])
    if sparse.issparse(value):
        return repr([value.format, value.toarray().tolist()])
    plain = isinstance(value, list | tuple | dict | set) or not hasattr(value, "__dict__")
    return repr(value if plain else (type(value), sorted(vars(value))))
