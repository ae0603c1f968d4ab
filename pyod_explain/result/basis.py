"""`Basis`: what an explanation was found from, to ask more of it later; `Recipe`: the part that a pickle keeps."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.groups import Groups
from pyod_explain.input import Column, Outliers, Table, as_table, column_names, equal_to_itself, plain_value, some
from pyod_explain.result.summary import Summary
from pyod_explain.search import Found, search, split
from pyod_explain.settings import Settings
from pyod_explain.tags import TagSet

__all__ = ["Basis", "Recipe", "need", "restore"]


@dataclass(frozen=True, eq=False)
class Recipe:
    """How rules were found, and in which columns.

    Attributes
    ----------
    settings : how to search other rows in the same way.
    columns : names of the columns that the outliers were explained with.
    given : those of them that are the user's own tags, which `X` lacks.
    """

    settings: Settings
    columns: tuple[str, ...]
    given: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Basis:
    """What an explanation was found from.

    Attributes
    ----------
    table : the features, all rows.
    outliers, groups : which rows are outliers, and how they were split.
    tags : what there was to choose from.
    recipe : how to search again.
    weights : how much each row counts; None if all count the same.
    """

    table: Table
    outliers: Outliers
    groups: Groups
    tags: TagSet
    recipe: Recipe
    weights: NDArray[np.float64] | None = None

    @property
    def portable(self) -> bool:
        """True if the search can be repeated with nothing but the user's table."""
        return not self.tags.columns and self.weights is None and self.table.copies is None

    def find(self, rows: NDArray[np.intp], groups: Groups, copies: NDArray[np.int64] | None = None) -> Found:
        """Find the rules of these groups on these rows only, each with so many copies.

        Tags that came with columns of their own are the user's, given row by row: nothing makes them for other rows,
        and nothing has to, since their columns are part of the table now.
        """
        settings = self.recipe.settings
        if self.tags.columns and self.tags.tags:
            settings = replace(settings, tags=list(self.tags.tags))
        table = self.table.take(rows)
        table = table if copies is None else replace(table, copies=copies)
        return search(table, groups, settings)

    def split(self, table: Table, outliers: Outliers) -> Groups:
        """Split other outliers the same way; given groups, which tell nothing of other rows, become k-means."""
        settings = self.recipe.settings
        if settings.groups is None:
            settings = replace(settings, groups=self.groups.n_groups)
        return split(table, outliers, settings)


def need(basis: Basis | None, call: str, way_out: str) -> Basis:
    """Return the basis, or say why there is none and what to do."""
    if basis is None:
        raise PyodExplainError(
            f"{call} needs the table that was explained, which is not kept when an explanation is pickled or read "
            f"from a file.\nHint: {way_out}."
        )
    return basis


def restore(
    recipe: Recipe | None,
    summary: Summary,
    positions: Sequence[int],
    cells: Table | None,
    X: Any,
    weights: NDArray[np.float64] | None = None,
) -> Basis:
    """Put the table back beside an explanation that was pickled, after a look whether it is the same one.

    Parameters
    ----------
    recipe, summary : what the pickle kept.
    positions : of the outliers in the table, group after group.
    cells : the outliers' cells in the columns of the rules, in that order.
    X : the table that was explained.
    weights : how much its rows count, if the explanation still knows; a pickle of one with weights keeps no recipe.
    """
    if recipe is None:
        raise PyodExplainError(
            "This explanation does not know how its rules were found: it was read from a file, or pickled after "
            "a search among tags or with weights or counts that were given row by row.\n"
            "Hint: call explain() again, and then validate(5) or control()."
        )
    if summary.n_lines is not None:
        raise PyodExplainError(
            "`X` must be None for an explanation of rows that stand for many (`counts=`): how many is no part of it.\n"
            "Hint: leave it out, or call explain() again, and then validate(5) or control()."
        )
    _check_given(recipe, X)
    table = as_table(X, only=recipe.columns)
    _check_rows(table, summary, positions)
    if cells is not None:
        _check_cells(table.take(np.array(positions, dtype=np.intp)), cells)
    numbers = np.zeros(table.n_rows, dtype=np.int64)
    numbers[list(positions)] = [group.number for group in summary.groups for _ in group.rows]
    table = replace(table, columns={name: table[name] for name in recipe.columns})
    groups = Groups(numbers, tuple(group.name for group in summary.groups), summary.grouping)
    outliers = Outliers(np.minimum(numbers, 1), summary.detector)
    return Basis(table, outliers, groups, TagSet((), 0), recipe, weights)


def _check_given(recipe: Recipe, X: Any) -> None:
    there = column_names(X)
    lacking = [name for name in recipe.given if name not in there]
    if lacking:
        raise PyodExplainError(
            f"`X` must have the given tags as columns too, got a table without {some(lacking)}: tags that were "
            "given row by row are not kept when an explanation is pickled.\n"
            "Hint: pass them along, X=X.join(tags), or call explain() again, and then validate(5) or control()."
        )


def _check_rows(table: Table, summary: Summary, positions: Sequence[int]) -> None:
    if table.n_rows != summary.n_rows:
        raise PyodExplainError(f"`X` must have the {summary.n_rows:,} rows that were explained, got {table.n_rows:,}.")
    if summary.n_neither:
        raise PyodExplainError(
            f"The detector called {summary.n_neither:,} rows neither normal nor outlier, and which ones is "
            "not kept.\nHint: call explain() again, and then validate(5) or control()."
        )
    labels = [label for group in summary.groups for label in group.rows]
    if equal_to_itself(tuple(table.index[list(positions)])) != equal_to_itself(tuple(labels)):
        raise PyodExplainError("`X` must have the rows that were explained, in their order, got other row labels.")


def _check_cells(rows: Table, cells: Table) -> None:
    """Refuse other rows that have the labels of the outliers, as any table of this length with a default index has."""
    for name, known in cells.columns.items():
        if known.same_cells(rows[name]):  # of all cells at once
            continue
        if known.timezone != rows[name].timezone:
            raise _another_table(f"column {name!r} in time zone {rows[name].timezone}, not {known.timezone}")
        pairs = zip(_values(known), _values(rows[name]), strict=True)  # True is 1, as given tags may be written
        other = next((i for i, (ours, theirs) in enumerate(pairs) if ours != theirs), None)
        if other is not None:
            raise _another_table(f"another value in column {name!r} of row {shown(plain_value(cells.index[other]))}")


def _values(column: Column) -> Sequence[Hashable]:
    """Give the cells as values that compare to True or False."""
    if column.kind == "labels":
        return column.label_sets
    return [equal_to_itself(column.cell(i)) for i in range(len(column.missing))]


def _another_table(got: str) -> PyodExplainError:
    return PyodExplainError(
        f"`X` must be the table that was explained, got {got}.\nHint: pass the table itself, or explain the new one."
    )
