"""Checks of arguments, and of packages that need not be installed."""

from __future__ import annotations

import importlib
import numbers
import sys
import threading
import warnings
from collections.abc import Callable, Collection, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from pyod_explain._arrays import FloatArray
from pyod_explain.exceptions import ParameterError, PyodExplainError, shown


def check_choice(owner: str, name: str, value: Any, among: Collection[str]) -> str:
    """Return the value if it is one of the choices."""
    if not isinstance(value, str) or value not in among:
        raise ParameterError(name, f"one of {', '.join(repr(one) for one in among)}", got=value, owner=owner)
    return value


def check_flag(owner: str, name: str, value: Any) -> bool:
    """Return the value if it is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(name, "True or False", got=value, owner=owner)
    return bool(value)


def check_number(
    owner: str,
    name: str,
    value: Any,
    *,
    low: float,
    high: float = np.inf,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """Return the value as a float if it is a finite number within the limits."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
    try:
        number = float(value) if is_number else np.nan
    except OverflowError:  # a whole number beyond all floats
        number = np.inf
    inside = np.isfinite(number) and low <= number <= high
    if not inside or (open_low and number == low) or (open_high and number == high):
        raise ParameterError(name, _range(low, high, open_low, open_high), got=value, owner=owner)
    return number


def check_names(owner: str, name: str, value: Any) -> Collection[str]:
    """Return the value if it is a list of names of columns."""
    listed = isinstance(value, Collection) and not isinstance(value, str | bytes)
    if not listed or not all(isinstance(one, str) for one in value):
        hint = f"one column is {name}=[{shown(value if isinstance(value, str) else 'column', 40)}], none is {name}=[]."
        raise ParameterError(name, "a list of names of columns", got=value, hint=hint, owner=owner)
    return value  # type: ignore[no-any-return]  # a collection of texts, as was checked


def auto_or(check: Callable[[str, str, Any], Any]) -> Callable[[str, str, Any], Any]:
    """Return a check that also takes `"auto"`."""

    def check_either(owner: str, name: str, value: Any) -> Any:
        if isinstance(value, str) and value == "auto":
            return value
        try:
            return check(owner, name, value)
        except ParameterError as error:
            requirement = f"'auto' or {error.requirement}"
            raise ParameterError(name, requirement, got=value, hint=error.hint, owner=owner) from None

    return check_either


def check_int(owner: str, name: str, value: Any, *, low: int, high: int | None = None) -> int:
    """Return the value as an int if it is a whole number within the limits."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)
    if not whole or value < low or (high is not None and value > high):
        limit = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise ParameterError(name, f"a whole number {limit}", got=value, owner=owner)
    return int(value)


def draw_seed(owner: str, random_state: Any) -> int:
    """Draw the one seed that all stages share; a whole number is its own seed."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    try:
        return check_int(owner, "random_state", random_state, low=0, high=2**32 - 1)
    except PyodExplainError:
        requirement = "a whole number from 0 to 4294967295, None, or numpy's RandomState or Generator"
        raise ParameterError("random_state", requirement, got=random_state, owner=owner) from None


def per_group(owner: str, name: str, value: Any, n_groups: int, check: Callable[[str, str, Any], float]) -> FloatArray:
    """Return one number per group, from a number for all or a list with one per group, each of which is checked."""
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str | bytes):
        return np.full(n_groups, check(owner, name, value), dtype=np.float64)
    if len(value) != n_groups:
        found = f"{len(value)} for {n_groups} group{'s' if n_groups != 1 else ''}"
        raise ParameterError(name, "one number or a list with one per group", got_text=found, owner=owner)
    return np.array([check(owner, name, one) for one in value], dtype=np.float64)


def _range(low: float, high: float, open_low: bool, open_high: bool) -> str:
    if low == -np.inf and high == np.inf:
        return "a finite number"
    if high == np.inf:
        return f"a number {'above' if open_low else 'of at least'} {low:g}"
    return f"a number in {'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"


_FIRST = threading.Lock()  # one import at a time, so that each puts back the filters that it found


def optional(module: str, purpose: str, *, extra: str | None = None) -> ModuleType:
    """Import an optional package, or say what it is for and how to install it.

    >>> optional("no_such_package", "to draw").name
    Traceback (most recent call last):
    ...
    ImportError: The package 'no_such_package' is needed to draw.
    Hint: pip install no_such_package
    """
    loaded = sys.modules.get(module)
    if loaded is not None and not getattr(loaded.__spec__, "_initializing", False):
        return loaded
    try:
        with _FIRST, warnings.catch_warnings():  # mlxtend changes the warnings filters when it is imported
            return importlib.import_module(module)
    except ImportError as error:
        root = module.partition(".")[0]
        target = f"'pyod_explain[{extra}]'" if extra else root
        raise ImportError(f"The package {root!r} is needed {purpose}.\nHint: pip install {target}") from error
