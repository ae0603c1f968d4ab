"""`GivenTags`: the user's own tags, as a boolean table, a sparse matrix, a list of `Tag`s or a column of labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Column, Groups, Table, as_table, has_names, row_order, sort_key
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.tag import Tag, TagSet, require_columns


class GivenTags(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """The user's own tags; nothing is mined and nothing is left out.

    They are put in the order of what they say, so that of two that do equally well it is not their place that decides.

    Parameters
    ----------
    tags : one of

        - a table of True and False (pandas, Polars, Arrow, array, scipy sparse matrix) with the rows of `X` and a
          column per tag: the tags read "name is true" and the columns join those of `X`;
        - a list of `Tag`s about the columns of `X`;
        - the name of a column of `X` whose cells are collections of labels: the tags read "column has label".
    names : names of the tags of an array or sparse matrix; tag0, tag1, ... by default (given tag0, ... where `X` has
        columns of these names).

    Examples
    --------
    >>> from pyod_explain.input.read import as_table
    >>> groups = Groups(np.array([0, 1]), ("1",), "given")
    >>> own = pd.DataFrame({"urgent": [False, True]})
    >>> GivenTags(own).make(as_table([[1.0], [2.0]]), groups).tags
    (Tag(urgent == True),)
    """

    def __init__(self, tags: Any, names: Sequence[str] | None = None) -> None:
        self.tags = tags
        self.names = names

    def make(self, table: Table, groups: Groups | None = None) -> TagSet:  # noqa: ARG002  # the tags suit all groups
        """Read the tags; those that are columns of their own come with the columns."""
        if isinstance(self.tags, str):
            return _from_labels(self.tags, table)
        if isinstance(self.tags, Tag):
            return _from_list([self.tags], table)
        if isinstance(self.tags, Iterable) and not hasattr(self.tags, "shape"):
            listed = list(self.tags)
            if listed and all(isinstance(tag, Tag) for tag in listed):
                return _from_list(listed, table)
        return _from_table(self.tags, self.names, table)


def _from_list(tags: Sequence[Tag], table: Table) -> TagSet:
    distinct = _in_order(tags)
    require_columns(table, distinct)
    for condition in (one for tag in distinct for one in tag.sorted if one.op == "contains"):
        column = table[condition.column]
        if not column.missing.all():  # else nobody can tell what its cells would be
            _require_labels(column, f"The condition {condition} of `tags` must be about")
    features = frozenset(condition.feature for tag in distinct for condition in tag.conditions)
    return TagSet(distinct, len(features), features=features, given=frozenset(distinct))


def _in_order(tags: Iterable[Tag]) -> tuple[Tag, ...]:
    """Give each tag once, the shortest first and then by what they say, so that the order of a list decides no tie."""
    ordered = sorted(tags, key=lambda tag: (len(tag), [condition.sort_key for condition in tag.sorted]))
    return tuple(dict.fromkeys(ordered))


def _from_labels(name: str, table: Table) -> TagSet:
    column = table[name]
    _require_labels(column, "`tags` of GivenTags must name")
    labels = dict.fromkeys(label for cell in column.values[~column.missing] for label in cell)
    conditions = [Condition(name, "contains", label) for label in sorted(labels, key=sort_key)]
    return TagSet(tuple(map(Tag.of, conditions)), len(conditions), features=frozenset(conditions))


def _require_labels(column: Column, asked: str) -> None:
    if column.kind != "labels":
        raise PyodExplainError(
            f"{asked} a column whose cells are collections of labels, got {column.name!r}, a column of kind "
            f"{column.kind!r}.\nHint: put a list or set of labels into every cell, for example with "
            "X[column].str.split(',')."
        )


def _from_table(given: Any, names: Sequence[str] | None, table: Table) -> TagSet:
    columns = _boolean_columns(given, names, table)
    for name, column in columns.items():
        if name in table.columns and not table[name].same_cells(column):
            raise PyodExplainError(
                f"The names of given tags must differ from the columns of `X`, got {name!r} in both with other "
                "content.\nHint: rename the tag."
            )
    conditions = [Condition(name, "==", True) for name in sorted(columns)]
    tags = tuple(map(Tag.of, conditions))
    return TagSet(tags, len(tags), columns=columns, features=frozenset(conditions))


def _boolean_columns(given: Any, names: Sequence[str] | None, table: Table) -> dict[str, Column]:
    if sparse.issparse(given):
        return _from_sparse(given, names, table)
    if isinstance(given, pd.DataFrame):
        given = _aligned(given, table)
        read = as_table(given, argument="tags")
    else:
        read = as_table(given, argument="tags")
        if not has_names(given):
            new = _tag_names(names, len(read.columns), table)
            old = zip(new, read.columns.values(), strict=True)
            read = Table({name: replace(column, name=name) for name, column in old}, read.index)
    _check_rows(read.n_rows, table)
    return {name: _as_boolean(column) for name, column in read.columns.items()}


def _from_sparse(given: Any, names: Sequence[str] | None, table: Table) -> dict[str, Column]:
    """Read a sparse matrix a column at a time: the whole of it may not fit when dense."""
    _check_rows(given.shape[0], table)
    matrix = sparse.csc_array(given)
    wrong = sorted(set(np.unique(matrix.data).tolist()) - {0, 1})
    if wrong:
        raise _not_boolean(f"the sparse matrix with the value {wrong[0]!r}")
    columns = {}
    for j, name in enumerate(_tag_names(names, matrix.shape[1], table)):
        codes = np.zeros(table.n_rows, dtype=np.int8)
        entries = slice(matrix.indptr[j], matrix.indptr[j + 1])
        codes[matrix.indices[entries]] = matrix.data[entries] != 0
        columns[name] = Column(name, "boolean", codes, np.zeros(table.n_rows, dtype=bool), (False, True))
    return columns


def _tag_names(names: Sequence[str] | None, n_tags: int, table: Table) -> list[str]:
    prefix = "tag"
    while any(f"{prefix}{j}" in table.columns for j in range(n_tags)):
        prefix = f"given {prefix}"  # a name of ours must not be taken for a column of theirs
    given = [f"{prefix}{j}" for j in range(n_tags)] if names is None else [str(name) for name in names]
    if len(given) != n_tags or len(set(given)) != n_tags:
        raise PyodExplainError(
            f"`names` of GivenTags must be {n_tags:,} different names, one for each tag, got {len(set(given)):,}."
        )
    return given


def _aligned(given: pd.DataFrame, table: Table) -> pd.DataFrame:
    """Bring the rows into the order of the table, by the one rule for all that is given row by row."""
    _check_rows(len(given), table)
    order = row_order(given.index, table.labels, "tags")
    return given if order is None else given.iloc[order]


def _check_rows(n_rows: int, table: Table) -> None:
    if n_rows != table.n_rows:
        raise PyodExplainError(
            f"The given tags must have the {table.n_rows:,} rows of `X`, got {n_rows:,} rows.\n"
            "Hint: one row per instance, one column per tag; transpose the table if it is the other way round."
        )


def _as_boolean(column: Column) -> Column:
    if column.kind == "boolean":
        return column
    present = column.values[~column.missing]
    if column.kind != "number" or not np.isin(present, (0, 1)).all():
        raise _not_boolean(f"column {column.name!r} with other values")
    codes = np.where(column.missing, -1, column.floats()).astype(np.int8)
    return Column(column.name, "boolean", codes, column.missing, (False, True))


def _not_boolean(what: str) -> PyodExplainError:
    return PyodExplainError(
        f"Given tags must be True or False (or 1 and 0), got {what}.\n"
        "Hint: turn numbers into tags with a comparison, for example table > 0."
    )
