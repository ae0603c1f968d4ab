"""Folders of parquet files, for the command line: explained without reading all rows into memory."""

from __future__ import annotations

import argparse
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.pipeline import Pipeline

from pyod_explain._progress import Step
from pyod_explain.api import explain
from pyod_explain.beyond_memory import (
    LargeTable,
    SelectedSource,
    Source,
    dataset_of_path,
    default_sample,
    draw_sample,
    read_into_memory,
)
from pyod_explain.cli.console import note
from pyod_explain.cli.detectors import fit_detector, make_detector
from pyod_explain.cli.encode import Encoder
from pyod_explain.cli.marking.mark import find_test, free_mark
from pyod_explain.cli.marking.marked_source import MarkedSource
from pyod_explain.cli.marking.tally import Tally, tally_of_source
from pyod_explain.cli.reading import ignore
from pyod_explain.cli.usage import UsageError
from pyod_explain.exceptions import FileError
from pyod_explain.explanation import Explanation
from pyod_explain.input import name_list
from pyod_explain.tags import check_labels

__all__ = ["explain_rows", "may_be_many", "read_rows"]

FITTED = 100_000  # rows that a detector is fitted on, at most: more change little and take long
PATTERN = frozenset("*?[")


def may_be_many(data: str) -> bool:
    """Tell whether rows are read a part at a time, if they are many: those of parquet files are.

    Parameters
    ----------
    data : the file, folder or pattern.

    Examples
    --------
    >>> may_be_many("a.parquet"), may_be_many("parts/*"), may_be_many("a.csv"), may_be_many("-")
    (True, True, False, False)
    """
    return _is_folder(data) or Path(data).suffix.lower() in (".parquet", ".pq")


def _is_folder(data: str) -> bool:
    path = Path(data)
    return data != "-" and (path.is_dir() or (bool(PATTERN & set(data)) and not path.exists()))


def read_rows(options: argparse.Namespace) -> Source | pd.DataFrame | None:
    """Open a folder or pattern of parquet files, or one file that is too large to be read as a whole.

    Parameters
    ----------
    options : the arguments.

    Returns
    -------
    The source; or all rows, if they fit; or None for any other file.
    """
    path, folder = Path(options.data), _is_folder(options.data)
    if not may_be_many(options.data) or (not folder and find_spec("pyarrow") is None):
        return None
    try:
        source = dataset_of_path(path)
        most = default_sample(len(source.columns), source.long_bytes) if options.sample is None else options.sample
    except FileError:
        if folder:
            raise
        return None  # what is wrong with a single file is said as of any other
    if not folder and (source.n_rows or 0) <= most:
        return None
    whole = read_into_memory(source, most)
    return source if whole is None else whole.frame


def explain_rows(source: Source, options: argparse.Namespace, step: Step, settings: dict[str, Any]) -> Explanation:
    """Explain the rows of a source; a detector is fitted on some of them, and predicts all.

    Parameters
    ----------
    source : the rows.
    options : the arguments.
    step : told the progress.
    settings : the arguments of `explain` that say how.
    """
    there = set(source.columns)
    source, options = _mark(source, options)
    source = _choose_columns(source, options)
    settings, rows = {**settings, "progress": step}, LargeTable(source, sample=options.sample)
    if options.labels is not None:
        explanation = explain(options.labels, rows, **settings)
        return explanation if options.labels in there else explanation.marked_where(options.labels)
    if options.outlier_counts is not None:
        return explain(X=rows, outlier_counts=options.outlier_counts, **settings)
    return explain(_fit(source, options, step), rows, **settings)


def _mark(source: Source, options: argparse.Namespace) -> tuple[Source, argparse.Namespace]:
    """Mark the outliers in a column of true and false, if the labels are words or a test."""
    if options.labels is None:
        return source, options

    def counted(name: str) -> Tally:
        return tally_of_source(source, name)

    say = ignore if options.quiet else note
    test = find_test(source.columns, counted, options.labels, options.outlier_values, say)
    if test is None:
        return source, options
    mark = free_mark(test, source.columns)
    aside = () if test.column in (options.index, options.groups, options.counts) else (test.column,)
    drop = [*(options.drop or []), [*aside]]  # what is tested does not explain itself
    return MarkedSource(source, test, mark), argparse.Namespace(**{**vars(options), "labels": mark, "drop": drop})


def _fit(source: Source, options: argparse.Namespace, step: Step) -> Pipeline:
    """Fit a detector on a sample of the rows, encoded as numbers; a Pipeline that encodes others alike."""
    contamination = 0.1 if options.contamination is None else options.contamination
    params = dict(options.param or [])
    detector = make_detector(options.detector or "IForest", params, contamination=contamination, seed=options.seed)
    aside = {options.groups, options.counts} - {"auto", "reasons"}
    seen = [name for name in source.columns if name not in aside]
    if not seen:
        raise UsageError("No column is left for the detector.")
    table = draw_sample(SelectedSource(source, seen), FITTED, options.seed, step)
    check_labels("auto", table)  # a column of lists, of which no detector makes numbers
    encoder = Encoder(replace(table, columns={name: table[name] for name in seen}))
    fit_detector(detector, encoder.numbers(table), params)
    return Pipeline([("encode", encoder), ("detector", detector)])


def _choose_columns(source: Source, options: argparse.Namespace) -> Source:
    only = {name for names in options.only or [] for name in names}
    drop = {name for names in options.drop or [] for name in names}
    named = (options.index, options.labels, options.counts, options.outlier_counts)
    special = {name for name in named if name is not None}
    if isinstance(options.groups, str) and options.groups not in ("auto", "reasons"):
        special.add(options.groups)
    absent = sorted((special | only | drop) - set(source.columns))
    if absent:
        raise UsageError(f"The table has no column {absent[0]!r}; it has {name_list(source.columns)}.")
    there = [name for name in source.columns if (not only or name in only) and name not in drop]
    chosen = SelectedSource(source, {*there, *special}, options.index)
    if not set(chosen.columns) - {options.labels, options.counts, options.outlier_counts, options.groups}:
        raise UsageError("No column is left to explain with.")
    return chosen
