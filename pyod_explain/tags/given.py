"""`GivenTags`: the user's own tags, as a boolean table, a sparse matrix, a list of `Tag`s or a column of labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

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

    They are sorted by their text, so that their order in a list or table breaks no tie.

    Parameters
    ----------
    tags : one of

        - a table of True and False (pandas, Polars, Arrow, array, scipy sparse matrix) with the rows of `X` and a
          column per tag: the tags read "name is true" and the columns join those of `X`. The columns of an array are
          called tag0, tag1, ... (given tag0, ... where `X` has columns of these names);
        - a list of `Tag`s about the columns of `X`;
        - the name of a column of `X` whose cells are collections of labels: the tags read "column has label".

    Examples
    --------
    >>> from pyod_explain.input.read import as_table
    >>> groups = Groups(np.array([0, 1]), ("1",), "given")
    >>> own = pd.DataFrame({"urgent": [False, True]})
    >>> GivenTags(own).make(as_table([[1.0], [2.0]]), groups).tags
    (Tag(urgent == True),)
    """

    def __init__(self, tags: Any) -> None:
        self.tags = tags

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
        return _from_table(self.tags, table)


def _from_list(tags: Sequence[Tag], table: Table) -> TagSet:
    # Each once, the shortest first, so that the order of the list breaks no tie.
    ordered = sorted(tags, key=lambda tag: (len(tag), [condition.sort_key for condition in tag.sorted]))
    distinct = tuple(dict.fromkeys(ordered))
    require_columns(table, distinct)
    for condition in (one for tag in distinct for one in tag.sorted if one.op == "contains"):
        column = table[condition.column]
        if not column.missing.all():  # else the kind of its cells is unknown
            _require_labels(column, f"The condition {condition} of `tags` must be about")
    features = frozenset(condition.feature for tag in distinct for condition in tag.conditions)
    return TagSet(distinct, len(features), features=features, given=frozenset(distinct))


def _from_labels(name: str, table: Table) -> TagSet:
    column = table[name]
    _require_labels(column, "`tags` of GivenTags must name")
    labels = dict.fromkeys(label for cell in column.values[~column.missing] for label in cell)
    conditions = [Condition(name, "contains", label) for label in sorted(labels, key=sort_key)]
    return TagSet(tuple(map(Tag.of, conditions)), len(conditions), features=frozenset(conditions))


def _require_labels(column: Column, asked: str) -> None:
    if column.kind != "labels":
        got = f"{column.name!r}, a column of kind {column.kind!r}"
        raise PyodExplainError(
            f"{asked} a column whose cells are collections of labels, got {got}.",
            hint="put a list or set of labels into every cell, for example with X[column].str.split(',').",
        )


def _from_table(given: Any, table: Table) -> TagSet:
    columns = _boolean_columns(given, table)
    for name, column in columns.items():
        if name in table.columns and not table[name].same_cells(column):
            got = f"{name!r} in both with other content"
            raise PyodExplainError(
                f"The names of given tags must differ from the columns of `X`, got {got}.", hint="rename the tag."
            )
    conditions = [Condition(name, "==", True) for name in sorted(columns)]
    tags = tuple(map(Tag.of, conditions))
    return TagSet(tags, len(tags), columns=columns, features=frozenset(conditions))


def _boolean_columns(given: Any, table: Table) -> dict[str, Column]:
    if sparse.issparse(given):
        matrix: Any = sparse.csc_array(cast("Any", given))
        if not np.isin(matrix.data, (0, 1)).all():
            raise _not_boolean("a sparse matrix with other values")
        given = matrix.astype(bool)  # a byte a cell when dense
    if isinstance(given, pd.DataFrame):
        _check_rows(len(given), table)
        order = row_order(given.index, table.labels, "tags")
        given = given if order is None else given.iloc[order]
    read = as_table(given, argument="tags")
    _check_rows(read.n_rows, table)
    names = list(read.columns) if has_names(given) else _tag_names(len(read.columns), table)
    return {name: _as_boolean(replace(one, name=name)) for name, one in zip(names, read.columns.values(), strict=True)}


def _tag_names(n_tags: int, table: Table) -> list[str]:
    prefix = "tag"
    while any(f"{prefix}{j}" in table.columns for j in range(n_tags)):
        prefix = f"given {prefix}"
    return [f"{prefix}{j}" for j in range(n_tags)]


def _check_rows(n_rows: int, table: Table) -> None:
    if n_rows != table.n_rows:
        hint = "one row per instance, one column per tag; transpose the table if it is the other way round."
        raise PyodExplainError(
            f"The given tags must have the {table.n_rows:,} rows of `X`, got {n_rows:,} rows.", hint=hint
        )


def _as_boolean(column: Column) -> Column:
    if column.kind == "boolean":
        return column
    if column.kind != "number" or not np.isin(column.values[~column.missing], (0, 1)).all():
        raise _not_boolean(f"column {column.name!r} with other values")
    codes = np.where(column.missing, -1, column.floats()).astype(np.int8)
    return Column(column.name, "boolean", codes, column.missing, (False, True))


def _not_boolean(what: str) -> PyodExplainError:
    hint = "turn numbers into tags with a comparison, for example table > 0."
    return PyodExplainError(f"Given tags must be True or False (or 1 and 0), got {what}.", hint=hint)
