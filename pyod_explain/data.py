"""`read_input`: what the user passes to `explain`, as a table with its outliers."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from pyod_explain import beyond_memory
from pyod_explain._progress import start
from pyod_explain.beyond_memory import ChunkLabeler, Engine, LargeTable, Population, Source
from pyod_explain.exceptions import ParameterError, PyodExplainError, shown
from pyod_explain.input.alignment import row_order, same_number_of_rows
from pyod_explain.input.detector import carried_data
from pyod_explain.input.labels import LabelReader, Outliers, read_labels
from pyod_explain.input.read import as_table
from pyod_explain.input.row_counts import read_row_counts
from pyod_explain.input.table import Table
from pyod_explain.settings import OWNER, Settings

Given = dict[str, Any]  # arguments by their names


@dataclass(frozen=True, eq=False)
class Data:
    """What is explained.

    Attributes
    ----------
    table : the features.
    outliers : which rows are outliers, and who says so.
    argument : what the user calls the outliers, for messages.
    population : all rows, where the table is a sample of them; None where it has them all.
    """

    table: Table
    outliers: Outliers
    argument: str = "detector"
    population: Population | None = None


def read_input(X: Any, by_row: Given, labels: Given, settings: Settings, progress: Any = None) -> Data:
    """Read the rows, all of them or a sample, and which of them are outliers.

    Parameters
    ----------
    X, progress : as for `explain`.
    by_row : `features`, `counts` and `outlier_counts`.
    labels : `detector`, `scores` and `threshold`.
    settings : the seed of the sample, and what must not be given row by row for rows beyond memory.
    """
    carried = carried_data(labels["detector"]) if X is None else None
    X = X if carried is None else carried
    large = X if isinstance(X, LargeTable) else LargeTable(X)
    # A list of frames beside `features` is what a detector of series takes.
    series = by_row["features"] is not None and isinstance(X, list | tuple)
    source = None if series else beyond_memory.as_source(large.source)
    engine = beyond_memory.choose_engine(large.engine, source)
    read = None if source is None else _read_source(source, large, engine, settings, progress, by_row, labels)
    if isinstance(read, Population):
        sampled = read if read.rows_per_sample > 1 else None
        return Data(read.table, read.outliers, population=sampled)
    training = True if carried is not None else False if source is not None and not source.ordered else None
    table, frame = (None, large.source) if read is None else read
    return _read_table(table, frame, by_row, labels, training=training)


def read_labelled(table: Table, X: Any, y: Any, counts: Any, outlier_counts: Any) -> Data:
    """Read which rows of a table are outliers, from the arguments of `OutlierExplainer.fit`."""
    aggregated = read_row_counts(counts, outlier_counts, X, table, y, argument="y")
    if aggregated.outlier_counts is not None:
        y = aggregated.labels
    if y is None:
        hint = "pass the labels of a detector (0 normal, 1 outlier) as `y`, or use ExplainedDetector."
        raise PyodExplainError("OutlierExplainer requires y to be passed, but the target y is None.", hint=hint)
    outliers = read_labels(y, table.n_rows, index=table.labels, argument="y")
    return Data(*aggregated.join(table, outliers), "y" if aggregated.outlier_counts is None else "outlier_counts")


def _read_table(table: Table | None, X: Any, by_row: Given, labels: Given, *, training: bool | None) -> Data:
    """Read which rows of a table in memory are outliers; the table itself where it was not read from a source."""
    detector, features, taken = labels["detector"], by_row["features"], X
    names = [str(name) for name in getattr(detector, "feature_names_in_", ())]
    if table is not None and names and set(names) <= set(X.columns):
        taken = X[names]  # as for rows beyond memory, a detector gets the columns that it was fitted on
    if table is None or features is not None:
        table = read_table(X, features)
    aggregated = read_row_counts(by_row["counts"], by_row["outlier_counts"], X, table, detector)
    if aggregated.outlier_counts is not None:
        if labels["threshold"] is not None:
            requirement = "None where `outlier_counts` say which rows are outliers"
            raise ParameterError("threshold", requirement, got=labels["threshold"], owner=OWNER)
        outliers = LabelReader.of(aggregated.labels, scores=labels["scores"]).read(X, table)
    else:
        outliers = LabelReader.of(**labels).read(taken, table, training=training)
    table, outliers = aggregated.join(table, outliers)
    return Data(table, outliers, "detector" if aggregated.outlier_counts is None else "outlier_counts")


def _read_source(
    source: Source, large: LargeTable, engine: Engine, settings: Settings, progress: Any, by_row: Given, labels: Given
) -> tuple[Table, pd.DataFrame] | Population:
    """Read rows that come in chunks: all of them where they fit into memory, else what is kept of them."""
    beyond_memory.check_row_order(labels["detector"], source)
    most = large.sample or beyond_memory.default_sample(len(source.columns), source.long_bytes)
    whole = beyond_memory.read_into_memory(source, most)
    if whole is not None:
        return whole
    for name, value in by_row.items():
        if value is not None:
            got = f"{shown(value)} for {source.name}, which has more than {most:,} rows"
            hint = "leave it out, or raise the sample, LargeTable(X, sample=...), so that all rows are read."
            raise ParameterError(name, "None for rows beyond memory", got_text=got, hint=hint, owner=OWNER)
    _check_not_by_row("tags", settings.tags, source.name)
    if not isinstance(settings.groups, str | numbers.Integral) and not hasattr(settings.groups, "fit_predict"):
        _check_not_by_row("groups", settings.groups, source.name)
    with start(progress) as step:
        labeler, seed = ChunkLabeler(source=source, engine=engine, **labels), settings.random_state
        return beyond_memory.read_population(source, labeler, sample=most, seed=seed, engine=engine, step=step)


def _check_not_by_row(name: str, value: Any, where: str) -> None:
    """Refuse what is given row by row for rows that are not all in memory."""
    if hasattr(value, "shape") or hasattr(value, "columns") or (name == "groups" and hasattr(value, "__len__")):
        requirement = "something that is not given row by row for rows beyond memory"
        hint = "put it into a column and pass its name (tags: pass Tags about it)."
        raise ParameterError(name, requirement, got_text=f"{shown(value)} for {where}", hint=hint, owner=OWNER)


def read_table(X: Any, features: Any) -> Table:
    """Read the columns to explain with; row labels are those of `X` where it has some."""
    if features is None:
        return as_table(X)
    table = as_table(features, argument="features")
    if X is not None:
        same_number_of_rows(X, table.n_rows)
    if not isinstance(X, pd.DataFrame | pd.Series):
        return table
    order = row_order(table.labels, X.index, "features")
    return replace(table if order is None else table.take(order), index=X.index, labelled=True)
