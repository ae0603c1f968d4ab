"""What is given row by row has one rule of alignment, whatever the argument."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pyod_explain import PyodExplainError, explain
from pyod_explain.api import OutlierExplainer

N = 24
Y = np.arange(N) < 6
LETTERS = [f"row {i}" for i in range(N)]


def marked(X: pd.DataFrame, **options: Any) -> list[int]:
    """Rows whose cell in the column `mark` is true."""
    explanation = explain(Y.astype(int), X, groups=1, **options)
    return np.flatnonzero(explanation._context.table["mark"].values).tolist()


def members(explanation, name: str = "1") -> list[int]:
    """Positions of the rows of a group: row labels may repeat."""
    names = [group.name for group in explanation.groups for _ in group.rows]
    return sorted(np.array(explanation._origin.positions)[np.array(names) == name].tolist())


# Each takes one value for each row (True: an outlier) in some container, and gives which rows of X it took it for.
KINDS: dict[str, Callable[[pd.DataFrame, Any, Any], list[int]]] = {
    "labels": lambda X, mark, wrap: members(explain(wrap(mark.astype(int)), X, groups=1)),
    "y": lambda X, mark, wrap: members(OutlierExplainer(groups=1).fit(X, wrap(mark.astype(int))).explanation_),
    "scores": lambda X, mark, wrap: members(explain(None, X, scores=wrap(mark * 1.0), threshold=0.5, groups=1)),
    "groups": lambda X, mark, wrap: members(
        explain(np.r_[np.ones(N - 1, dtype=int), 0], X, groups=wrap(np.where(mark, "yes", "no"))), "yes"
    ),
    "features": lambda X, mark, wrap: marked(X, features=wrap(pd.DataFrame({"mark": mark}))),
    "tags": lambda X, mark, wrap: marked(X, tags=wrap(pd.DataFrame({"mark": mark}))),
}


def frame(index) -> pd.DataFrame:
    return pd.DataFrame({"size": np.where(Y, 50, 0) + np.arange(N) % 5, "other": np.arange(N) % 7}, index=index)


def indexed(index, order=None) -> Callable[[Any], Any]:
    """Give the values an index, in another order if one is given."""

    def wrap(values: Any) -> Any:
        made = values.set_axis(index) if isinstance(values, pd.DataFrame) else pd.Series(values, index=index)
        return made if order is None else made.iloc[order]

    return wrap


LEVELS = pd.MultiIndex.from_product([["a", "b"], range(N // 2)])
ORDER = np.random.default_rng(0).permutation(N)
SHUFFLED = pd.Index(ORDER)  # numbers 0 to 23, shuffled
CASES = {
    # index of X, what is done with the values, are they understood?
    "the same index": (LETTERS, indexed(LETTERS), True),
    "the same default index": (pd.RangeIndex(N), indexed(pd.RangeIndex(N)), True),
    "the same labels in another order": (LETTERS, indexed(LETTERS, ORDER), True),
    "the same numbers in another order": (np.arange(N) + 5, indexed(np.arange(N) + 5, ORDER), True),
    "a default index beside names": (LETTERS, indexed(pd.RangeIndex(N)), True),
    "names beside a default index": (pd.RangeIndex(N), indexed(LETTERS), True),
    "a default index beside two levels": (LEVELS, indexed(pd.RangeIndex(N)), True),
    "two levels beside a default index": (pd.RangeIndex(N), indexed(LEVELS), True),
    "two levels in another order": (LEVELS, indexed(LEVELS, ORDER), True),
    "two levels beside names": (LETTERS, indexed(LEVELS), False),
    "a default index beside shuffled numbers": (SHUFFLED, indexed(pd.RangeIndex(N)), False),
    "shuffled numbers beside a default index": (pd.RangeIndex(N), indexed(SHUFFLED), False),
    "a default index beside numbers that overlap": (np.arange(N) + 5, indexed(pd.RangeIndex(N)), False),
    "other labels": (LETTERS, indexed([f"other {i}" for i in range(N)]), False),
    "one other label": (LETTERS, indexed([*LETTERS[:-1], "other"]), False),
    "an array": (LETTERS, np.asarray, True),
    "the same repeated labels": (["a", "b"] * (N // 2), indexed(["a", "b"] * (N // 2)), True),
    "repeated labels in another order": (["a", "b"] * (N // 2), indexed(["b", "a"] * (N // 2)), False),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES)
def test_one_rule_for_all_arguments(kind, case):
    index, wrap, understood = CASES[case]
    X = frame(index)
    mark = np.arange(N) % 4 == 1
    if isinstance(wrap(mark), np.ndarray) and kind in ("features", "tags"):
        wrap = pl.from_pandas  # a table without an index
    if understood:
        assert KINDS[kind](X, mark, wrap) == np.flatnonzero(mark).tolist()
    else:
        argument = "detector" if kind == "labels" else kind
        with pytest.raises(PyodExplainError, match=rf"^`{argument}` must have the index of `X`"):
            KINDS[kind](X, mark, wrap)
