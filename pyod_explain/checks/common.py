"""What the checks of tag makers and explainers share: errors, parameters, snapshots of inputs, an example table.

A search stores its maker and explainer with the explanation, prints them in the report, copies and pickles them, and
uses them again on other rows. So all that makes one must be in its parameters, and stay there.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

import pyod_explain
from pyod_explain._by_row import row_groups
from pyod_explain._validate import shown
from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.groups import Groups
from pyod_explain.input import Column, Table, as_table, list_values

__all__ = [
    "CheckError",
    "Example",
    "check_clone",
    "check_pickle",
    "check_repr",
    "check_untouched",
    "example",
    "expect",
    "no_error",
    "odd_tables",
    "parameters",
    "pickled",
    "seeded",
    "snapshot",
]

Answer = Callable[[Any], Any]  # what a maker or explainer answers to the example, as data that compare by `==`
# What makes each of ours what it is; they may remember more, such as what was computed from it.
_FIELDS: dict[type, tuple[str, ...]] = {
    Table: ("columns", "index", "labelled", "row_counts"),
    Column: ("name", "kind", "values", "missing", "categories", "timezone"),
    Groups: ("numbers", "names", "how"),
    Coverage: (
        "normal_bits", "outlier_bits", "normal_rows", "group_rows", "lengths", "n_items", "normal_copies",
        "group_copies",
    ),
}  # fmt: skip


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


def expect(held: bool, who: Any, rule: str, got: Any, hint: str) -> None:
    """Raise a `CheckError` unless the rule held.

    >>> expect(False, 3, "`make` must return a TagSet", "a list", "return TagSet(tags, n_items)")
    Traceback (most recent call last):
    pyod_explain.checks.common.CheckError: 3: `make` must return a TagSet, got a list.
    Hint: return TagSet(tags, n_items).
    """
    if not held:
        raise CheckError(f"{shown(who)}: {rule}, got {got}.\nHint: {hint}.")


@contextmanager
def no_error(who: Any, rule: str, hint: str) -> Iterator[None]:
    """Turn whatever is raised inside into a `CheckError`: the rule is that nothing is."""
    try:
        yield
    except CheckError:
        raise
    except Exception as error:
        raise CheckError(f"{shown(who)}: {rule}, got {type(error).__name__}: {error}\nHint: {hint}.") from error


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


# --- snapshots ---


def snapshot(value: Any) -> Any:
    """Give the cells of a value as data that compare by `==`.

    >>> numbers = np.array([1.0, np.nan])
    >>> before = snapshot(numbers)
    >>> numbers[0] = 2.0
    >>> before == snapshot(numbers)
    False
    """
    if type(value) in _FIELDS:
        return [snapshot(getattr(value, name)) for name in _FIELDS[type(value)]]
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.shape, repr(value.tolist()) if value.dtype == object else value.tobytes()]
    if isinstance(value, pd.DataFrame):
        return [snapshot(value.iloc[:, i]) for i in range(value.shape[1])] + [repr(list(value.columns))]
    if isinstance(value, pd.Series):
        return [str(value.dtype), repr(value.tolist()), repr(value.index.tolist())]
    if isinstance(value, pd.Index):
        return [str(value.dtype), repr(value.tolist())]
    if sparse.issparse(value):
        return [type(value).__name__, snapshot(value.toarray())]  # type: ignore[attr-defined]  # too general a stub
    if isinstance(value, Mapping):
        return [(key, snapshot(one)) for key, one in value.items()]
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(snapshot, value)]
    return repr(value)


# --- tables ---


@dataclass(frozen=True, eq=False)
class Example:
    """Rows, and for each of them 0 (normal), its group 1..K or -1 (neither)."""

    X: pd.DataFrame
    y: NDArray[np.int64]
    n_groups: int

    @classmethod
    def of(cls, X: Any, y: Any) -> Example:
        """Read the user's own example; ours where there is none."""
        if X is None and y is None:
            return example()
        if not isinstance(X, pd.DataFrame) or y is None:
            raise PyodExplainError(
                "`X` must be a DataFrame, and `y` for each of its rows 0 or the number of its group, got "
                f"{type(X).__name__} and {type(y).__name__}.\nHint: pass both, or neither for an example of ours."
            )
        numbers = row_groups(y, len(X))
        if not (numbers > 0).any() or not (numbers == 0).any():
            raise PyodExplainError(
                "`y` must have some rows with 0 (normal) and some with the number of their group (outliers), got "
                f"{list_values(np.unique(numbers).tolist())}.\nHint: mark at least one row of each."
            )
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
    one = np.where(base.y == base.y[outlier], 1, 0)
    return {
        "one outlier and one normal row": base.take([normal, outlier]).with_labels([0, 1], 1),
        "one outlier": base.with_labels(np.arange(len(base.y)) == outlier, 1),
        "a group that has no rows": base.with_labels(one * 3, 3),
        "no outliers": base.with_labels(np.zeros_like(base.y), 1),
        "no groups": base.with_labels(np.zeros_like(base.y), 0),
        "no normal rows": base.with_labels(np.ones_like(base.y), 1),
        "rows that are neither normal nor outliers": base.with_labels(
            np.where(np.arange(len(base.y)) % 7 == 3, -1, one), 1
        ),
        "groups that nothing tells from the normals": base.take(np.full(8, normal)).with_labels([0, 1, 2, 0] * 2, 2),
    }
