"""What the checks of tag makers and explainers share: errors, parameters, an example table.

A search stores its maker and explainer with the explanation, prints them in the report, copies and pickles them, and
uses them again on other rows. So all that makes one must be in its parameters, and stay there.
"""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from pyod_explain._arrays import IntArray
from pyod_explain.coverage import row_groups
from pyod_explain.exceptions import ParameterError, shown
from pyod_explain.groups import Groups
from pyod_explain.input import Table, as_table
from pyod_explain.input.values import list_values

Check = Callable[..., Iterator[str]]  # gives what breaks its rule; the rule and a hint are its docstring
Answer = Callable[[Any], Any]  # what a maker or explainer answers to the example, as data that compare by `==`


class CheckError(AssertionError):
    """A tag maker or explainer breaks the contract; the message says which rule, what was got, and what to do.

    Examples
    --------
    >>> from pyod_explain.checks import check_tag_maker
    >>> class Broken:
    ...     def make(self, table, groups):
    ...         return []
    >>> try:
    ...     check_tag_maker(Broken())
    ... except CheckError as error:
    ...     print(str(error).splitlines()[1])
    Hint: return TagSet(tags, n_items) from pyod_explain.tags.
    """


def run_check(check: Check, one: Any, *given: Any) -> None:
    """Raise a `CheckError` with the first fault that a check finds in a copy, or with the error that stops it.

    >>> def answers(one):
    ...     '''It must answer.
    ...
    ...     Hint: say something.
    ...     '''
    ...     yield "silence"
    >>> run_check(answers, 3)
    Traceback (most recent call last):
    pyod_explain.checks.common.CheckError: 3: It must answer. Got silence.
    Hint: say something.
    """
    rule, _, hint = (inspect.getdoc(check) or check.__name__).partition("\n\n")
    cause: Exception | None = None
    try:
        fault = next(check(seeded(one), *given), None)
    except CheckError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it raises breaks the contract
        fault, cause = f"{type(error).__name__}: {error}", error
    if fault is not None:
        raise CheckError(f"{shown(one)}: {rule} Got {fault}.\n{' '.join(hint.split())}") from cause


# --- parameters ---


def parameters(one: Any) -> dict[str, Any]:
    """Give the parameters: those that `get_params` names, as in scikit-learn, or else all attributes."""
    return dict(one.get_params(deep=False) if hasattr(one, "get_params") else getattr(one, "__dict__", {}))


def seeded(one: Any) -> Any:
    """Return a copy for a check; where its seed is left to chance, with a fixed one."""
    own = copy.deepcopy(one)
    if "random_state" in parameters(own) and not isinstance(own.random_state, int):
        own.random_state = 0
    return own


def keeps_its_parameters(one: Any, answer: Answer) -> Iterator[str]:
    """Answering must leave its parameters as they are, and these must pickle.

    Hint: keep what is computed in local variables; give functions a name, and keep no open files or locks.
    """
    before = pickle.dumps(parameters(one))
    answer(one)
    if before != pickle.dumps(parameters(one)):
        yield "changed ones"


def can_be_copied(one: Any, answer: Answer) -> Iterator[str]:
    """Copies made by pickle and by sklearn.base.clone must give the same answer.

    Hint: in `__init__` only store the parameters: self.name = name; no lambdas, open files or locks as attributes.
    """
    copies = [pickled(one), *([clone(one)] if hasattr(one, "get_params") else [])]
    first = answer(copy.deepcopy(one))  # which may remember nothing
    if any(answer(twin) != first for twin in copies):
        yield "another one"


def repr_rebuilds_it(one: Any, answer: Answer) -> Iterator[str]:
    """Its repr, which the report prints, must name the class and, of plain values, be code that rebuilds it.

    Hint: derive it from sklearn.base.BaseEstimator, or make it a dataclass.
    """
    if type(one).__name__ not in repr(one) or " at 0x" in repr(one):
        yield repr(one)
    if not all(map(_is_plain, parameters(one).values())):
        return  # the repr of a table would be too long to read
    names = {type(one).__name__: type(one), "np": np, "nan": np.nan, "inf": np.inf}
    again = eval(repr(one), names)  # noqa: S307 - the repr of the user's own object, in their own process
    if repr(parameters(again)) != repr(parameters(one)) or answer(again) != answer(copy.deepcopy(one)):
        yield f"another one from {one!r}"


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float)


COPY_CHECKS = (keeps_its_parameters, can_be_copied, repr_rebuilds_it)


def pickled(one: Any) -> Any:
    """Pickle a thing and read it back."""
    return pickle.loads(pickle.dumps(one))  # noqa: S301 - made in this very line


def all_fields(value: Any) -> bytes:
    """Give all fields of a dataclass, and of those within it, as bytes to compare; without what it caches."""
    return pickle.dumps(asdict(value))


# --- tables ---


@dataclass(frozen=True, eq=False)
class Example:
    """Rows, and for each of them 0 (normal), its group 1..K or -1 (neither)."""

    X: pd.DataFrame
    y: IntArray
    n_groups: int

    @classmethod
    def of(cls, X: Any, y: Any) -> Example:
        """Read the user's own example; ours where there is none."""
        if X is None and y is None:
            return example()
        if not isinstance(X, pd.DataFrame) or y is None:
            got = f"{type(X).__name__} and {type(y).__name__}"
            raise ParameterError("X", "a DataFrame, with `y` for each of its rows 0 or its group", got_text=got)
        numbers = row_groups(y, len(X))
        if not (numbers > 0).any() or not (numbers == 0).any():
            got = list_values(np.unique(numbers).tolist())
            raise ParameterError("y", "0 (normal) for some rows and a group's number for others", got_text=got)
        return cls(X, numbers, int(numbers.max()))

    @property
    def table(self) -> Table:
        """The rows as a maker gets them: columns in the order of their names."""
        return as_table(self.X).by_name()

    @property
    def groups(self) -> Groups:
        return Groups(self.y.copy(), tuple(str(k + 1) for k in range(self.n_groups)), "given")

    def take(self, rows: Any) -> Example:
        """Return these rows only, in this order."""
        return Example(self.X.iloc[rows], self.y[rows], self.n_groups)

    def with_labels(self, y: Any, n_groups: int) -> Example:
        """Return the same rows in other groups."""
        return Example(self.X, np.asarray(y, dtype=np.int64), n_groups)


def example() -> Example:
    """Make a small table with a column of every common kind and two groups, each with a reason of its own."""
    i = np.arange(64)
    y = np.where(i < 48, 0, np.where(i < 56, 1, 2))
    amount = np.where(y == 1, 500.0 + i, 20.0 + i * 37 % 53)
    amount[[3, 11, 60]] = np.nan
    hour = np.where(y == 2, i % 4, 7 + i * 5 % 13)
    X = pd.DataFrame(
        {
            "amount": amount,
            "visits": i * 29 % 11,
            "channel": np.where(y == 2, "phone", np.array(["web", "shop", "phone"])[i % 3]),
            "member": i % 5 < 2,
            "at": pd.Timestamp("2024-03-01") + pd.to_timedelta(i * 7 % 30, "D") + pd.to_timedelta(hour, "h"),
        },
        index=[f"row {k}" for k in i],
    )
    return Example(X, y, 2)


def odd_tables(base: Example) -> dict[str, Example]:
    """Make examples of the same columns at which makers stumble."""
    outlier, normal = int(np.flatnonzero(base.y > 0)[0]), int(np.flatnonzero(base.y == 0)[0])
    one, every_seventh = np.where(base.y == base.y[outlier], 1, 0), np.arange(len(base.y)) % 7 == 3
    return {
        "one outlier and one normal row": base.take([normal, outlier]).with_labels([0, 1], 1),
        "one outlier": base.with_labels(np.arange(len(base.y)) == outlier, 1),
        "a group that has no rows": base.with_labels(one * 3, 3),
        "no outliers": base.with_labels(np.zeros_like(base.y), 1),
        "no groups": base.with_labels(np.zeros_like(base.y), 0),
        "no normal rows": base.with_labels(np.ones_like(base.y), 1),
        "rows that are neither normal nor outliers": base.with_labels(np.where(every_seventh, -1, one), 1),
        "groups that nothing tells from the normals": base.take(np.full(8, normal)).with_labels([0, 1, 2, 0] * 2, 2),
    }
