"""What tag makers and explainers have in common: parameters that are kept as given, copied, printed and pickled.

A search stores its maker and explainer with the explanation, prints them in the report, copies and pickles them, and
uses them again on other rows. So all that makes one must be in its parameters, and stay there.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

import pyod_explain
from pyod_explain.checks.failure import expect, no_error
from pyod_explain.checks.snapshot import snapshot

__all__ = ["check_clone", "check_pickle", "check_repr", "check_untouched", "parameters", "pickled", "seeded"]

Answer = Callable[[Any], Any]  # what a maker or explainer answers to the example, as data that compare by `==`


def parameters(one: Any) -> dict[str, Any]:
    """Give the parameters: those that `get_params` names, as in scikit-learn, or else all attributes."""
    return dict(one.get_params(deep=False) if hasattr(one, "get_params") else getattr(one, "__dict__", {}))


def seeded(one: Any) -> Any:
    """Return a copy for a check; where its seed is left to chance, with a fixed one."""
    own = copy.deepcopy(one)
    if "random_state" in parameters(own) and not isinstance(own.random_state, int):
        own.random_state = 0
    return own


def check_clone(one: Any, answer: Answer) -> None:
    """Check that `__init__` stores the parameters untouched, so that a copy made of them gives the same answer."""
    if not hasattr(one, "get_params"):
        return  # it is copied as it is
    hint = "derive it from sklearn.base.BaseEstimator; in `__init__` only store: self.name = name. Convert on use"
    with no_error(one, "sklearn.base.clone must copy it", hint):
        twin = clone(one)
    same = answer(twin) == answer(one)
    expect(same, one, "a copy made of its parameters (clone) must give the same answer", "another one", hint)


def check_untouched(one: Any, answer: Answer) -> None:
    """Check that an answer changes no parameter."""
    before = {name: snapshot(value) for name, value in parameters(one).items()}
    answer(one)
    after = parameters(one)
    changed = [name for name in {**before, **after} if name not in before or before[name] != snapshot(after.get(name))]
    hint = "keep what is computed in local variables"
    expect(not changed, one, "answering must leave its parameters as they are", f"changed {', '.join(changed)}", hint)


def check_repr(one: Any, answer: Answer) -> None:
    """Check that the repr, which the report prints, says which one it is.

    Where all parameters are plain values, it must be the code that makes it again.
    """
    text = repr(one)
    hint = "derive it from sklearn.base.BaseEstimator, or make it a dataclass"
    said = type(one).__name__ in text and " at 0x" not in text
    expect(said, one, "its repr must name the class and hold no address, which is another in every run", text, hint)
    if not all(_is_plain(value) for value in parameters(one).values()):
        return  # a repr of tables and objects would be too long to read
    with no_error(one, "its repr must be the code that makes it again", hint):
        again = eval(text, _names_for(one))  # noqa: S307 - the repr of the user's own object, in their own process
    same = snapshot(parameters(again)) == snapshot(parameters(one)) and answer(again) == answer(one)
    expect(same, one, "its repr must be the code that makes it again", f"another one from {text}", hint)


def check_pickle(one: Any, answer: Answer) -> None:
    """Check that it survives pickling, as an explanation that holds it does."""
    hint = "keep no functions without a name, open files or locks as attributes, and define the class in a module"
    with no_error(one, "it must pickle", hint):
        again = pickled(one)
    same = answer(again) == answer(one)
    expect(same, one, "it must give the same answer after pickling", "another one", hint)


def pickled(one: Any) -> Any:
    """Pickle a thing and read it back."""
    return pickle.loads(pickle.dumps(one))  # noqa: S301 - made in this very line


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float | bool)


def _names_for(one: Any) -> dict[str, Any]:
    """Give the names that a repr may use."""
    ours = {name: getattr(pyod_explain, name) for name in pyod_explain.__all__}
    return {**ours, "np": np, "pd": pd, "nan": np.nan, "inf": np.inf, type(one).__name__: type(one)}
