"""`run`: read a table, mark or detect its outliers, explain them. One path for tables in memory and beyond it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from pyod_explain._arrays import FloatArray
from pyod_explain._progress import Step, silent
from pyod_explain.api import explain
from pyod_explain.beyond_memory.files import dataset_of_path
from pyod_explain.beyond_memory.population import default_sample, draw_sample, read_into_memory
from pyod_explain.beyond_memory.source import SelectedSource, Source
from pyod_explain.cli.detectors import fit_detector, make_detector
from pyod_explain.cli.read import read_file
from pyod_explain.cli.request import Notify, Request, no_notify
from pyod_explain.cli.where import mark_rows
from pyod_explain.exceptions import Message, ParameterError, PyodExplainError
from pyod_explain.explanation import Explanation, with_summary
from pyod_explain.input import Column, Table, as_table, name_list
from pyod_explain.new_rows import explain_new
from pyod_explain.result import file_facts

MAX_FITTED_ROWS = 100_000  # a detector is fitted on a sample of at most so many rows
MIN_NAMED_ROWS = 20

Rows = pd.DataFrame | Source


@dataclass(frozen=True, eq=False)
class Result:
    """An explanation and the rows that it explains.

    Attributes
    ----------
    explanation : the explanation.
    rows : the rows as they were read, in memory or beyond it.
    used : the same rows with the columns and row names that `explain` got.
    """

    explanation: Explanation
    rows: Rows
    used: Rows


def run(request: Request, *, notify: Notify = no_notify, step: Step = silent) -> Result:
    """Explain the outliers of a table.

    Parameters
    ----------
    request : the table, and what to do with it.
    notify : gets each note on how the table was read.
    step : gets the progress.
    """
    if request.detects:
        _make_detector(request)  # a mistake in its name is reported before the table is read
    return explain_rows(_read_rows(request, notify), request, notify=notify, step=step)


def run_diff(request: Request, *, notify: Notify = no_notify, step: Step = silent) -> Explanation:
    """Describe what is new in a table, compared with an earlier one.

    Parameters
    ----------
    request : the two tables, `path` and `before`.
    notify : gets each note on how the tables were read.
    step : gets the progress.
    """
    paths = (request.path, str(request.before))
    notes: dict[str, None] = {}  # a note on both tables is printed once
    tables = [_read_frame(path, request, lambda note: notes.update({note: None})) for path in paths]
    for note in notes:
        notify(note)
    now, before = (_select_columns(table, request) for table in tables)
    short = Path(paths[0]).name, Path(paths[1]).name
    names = paths if short[0] == short[1] else short
    found = explain_new(now, before, names=names, exclude=request.exclude, random_state=request.seed, progress=step)
    return _validate(found, request, step)


def file_metadata(request: Request, command_line: str) -> dict[str, str]:
    """Describe the command and the files that were read: names, sizes, fingerprints."""
    metadata = {"call": "", "command": command_line}
    if request.path == "-":
        return {**metadata, "file": "standard input"}
    if request.before is None:
        return metadata | file_facts(request.path)
    both = {"now": request.path, "before": request.before}
    return metadata | {name: "; ".join(file_facts(path).values()) for name, path in both.items()}


def explain_rows(rows: Rows, request: Request, *, notify: Notify = no_notify, step: Step = silent) -> Result:
    """Explain the outliers of rows that are read already.

    Parameters
    ----------
    rows : the rows as they were read.
    request : what to do with them.
    notify : gets each note on the rows.
    step : gets the progress.
    """
    if isinstance(rows, pd.DataFrame) and len(rows) < 2:
        n_rows = "one row" if len(rows) else "no rows"
        raise PyodExplainError(f"The table has {n_rows}; an explanation needs outliers and other rows.")
    used, labels, condition = _mark(rows, request, notify)
    used = _select_columns(used, request)
    settings: dict[str, Any] = {name: getattr(request, name) for name in ("groups", "exclude", "known", "counts")}
    settings |= {"random_state": request.seed, "progress": step}
    if labels is not None:
        explanation = _explain_labels(labels, used, settings)
    elif request.outlier_counts is not None:
        explanation = explain(X=used, outlier_counts=request.outlier_counts, **settings)
    else:
        _note_names(used, notify)
        explanation = _explain_detected(used, request, settings, step)
    if condition:
        explanation = with_summary(explanation, outlier_test=condition)
    return Result(_validate(explanation, request, step), rows, used)


def _validate(found: Explanation, request: Request, step: Step) -> Explanation:
    return found.validate(request.validate, random_state=request.seed, progress=step) if request.validate else found


def _read_rows(request: Request, notify: Notify) -> Rows:
    """Read the table; rows of parquet files that do not fit into memory become a source."""
    path, is_pattern = Path(request.path), bool(set("*?[") & set(request.path))
    is_parquet = path.suffix.lower() in (".parquet", ".pq") and find_spec("pyarrow") is not None
    if request.path == "-" or not (is_parquet or path.is_dir() or (is_pattern and not path.is_file())):
        return _read_frame(request.path, request, notify)
    if request.sheet is not None:
        raise ParameterError("sheet", "left out for a file that is no workbook", got=request.sheet)
    source = dataset_of_path(path)
    most = default_sample(len(source.columns), source.long_bytes)
    if path.is_file() and (source.n_rows or 0) <= most:
        return _read_frame(request.path, request, notify)
    whole = read_into_memory(source, most)
    return source if whole is None else whole[1]


def _read_frame(path: str, request: Request, notify: Notify) -> pd.DataFrame:
    frame, notes = read_file(path, request)
    for note in notes:
        notify(note)
    return frame


def _mark(rows: Rows, request: Request, notify: Notify) -> tuple[Rows, Any, str]:
    """Give the rows, what marks the outliers (None for a detector), and the condition that marks them, if one does."""
    if request.where is not None:
        keep = [name for name in (request.id_column, request.group_column, request.counts) if name is not None]
        rows, labels, condition = mark_rows(rows, request.where, keep=keep, notify=notify)
        return rows, labels, str(condition)
    if request.labels is not None:
        _check_columns(rows, "labels", [request.labels])
    if request.positions is None:
        return rows, request.labels, ""
    marks = np.zeros(len(rows) if isinstance(rows, pd.DataFrame) else 0, dtype=bool)
    wrong = [one for one in request.positions if not 0 <= one < len(marks)]
    if wrong or not request.positions:
        requirement = f"positions from 0 to {len(marks) - 1:,}, at least one"
        raise ParameterError("positions", requirement, got=wrong[0] if wrong else [])
    marks[list(request.positions)] = True
    return rows, marks, ""


def _check_columns(rows: Rows, argument: str, names: Collection[str | None]) -> None:
    for name in names:
        if name not in rows.columns:
            hint = f"The table has {name_list(list(rows.columns))}."
            raise ParameterError(argument, "a column of the table", got=name, hint=hint)


def _select_columns(rows: Rows, request: Request) -> Rows:
    """Leave out the dropped columns, and make the column with the names of the rows their index."""
    special = {"id_column": request.id_column, "groups": request.group_column}
    special |= {"counts": request.counts, "outlier_counts": request.outlier_counts}
    for argument, name in special.items():
        _check_columns(rows, argument, {name} - {None})
    _check_columns(rows, "exclude", request.exclude)
    needed = {request.labels, *special.values()}
    dropped = {name for name in request.drop if name not in needed}
    kept = [name for name in rows.columns if name not in dropped]
    _check_columns(rows, "drop", [name for name in dropped if request.where is None])  # --where takes its column away
    if not set(kept) - needed:
        raise ParameterError("drop", "columns that leave at least one to explain with", got=list(request.drop))
    if isinstance(rows, Source):
        return SelectedSource(rows, kept, request.id_column)
    return rows[kept] if request.id_column is None else rows[kept].set_index(request.id_column)


def _explain_labels(labels: Any, rows: Rows, settings: dict[str, Any]) -> Explanation:
    """Explain the rows that a column marks; errors on its values name the argument of the command line."""
    try:
        return explain(labels, rows, **settings)
    except ParameterError as error:
        if error.argument == "detector":
            error.argument = "labels"
            error.hint = Message("{arg_where} takes a condition instead, such as 'status == bad'.")
        raise


def _note_names(rows: Rows, notify: Notify) -> None:
    """Note columns of texts that differ in each row: a detector takes them for features."""
    if isinstance(rows, Source) or len(rows) < MIN_NAMED_ROWS:
        return
    for name in rows.columns:
        if pd.api.types.is_string_dtype(rows[name]) and rows[name].is_unique:
            text = "column {name!r} has a different value in each row; name it by {arg_id_column} or {arg_drop}"
            notify(Message(text, {"name": name}))


def _explain_detected(rows: Rows, request: Request, settings: dict[str, Any], step: Step) -> Explanation:
    """Fit the detector on the rows as numbers, or on a sample of rows beyond memory, and explain its outliers."""
    step("detector", 0.0)
    detector = _make_detector(request)
    unseen = {request.group_column, request.counts}
    seen = [name for name in rows.columns if name not in unseen]
    if isinstance(rows, Source):
        table = draw_sample(SelectedSource(rows, seen), MAX_FITTED_ROWS, request.seed, step)
    else:
        table = as_table(rows)
    encoder = Encoder(replace(table, columns={name: table[name] for name in seen}))
    matrix = encoder.numbers(table)
    fit_detector(detector, matrix)
    if isinstance(rows, Source):
        return explain(Pipeline([("encode", encoder), ("detector", detector)]), rows, **settings)
    return explain(detector, matrix, features=table, **settings)


def _make_detector(request: Request) -> Any:
    contamination = 0.1 if request.contamination is None else request.contamination
    name, params = request.detector or "IForest", dict(request.detector_params)
    return make_detector(name, params, contamination=contamination, seed=request.seed)


class Encoder:
    """Turns rows into numbers for a detector: a step of a Pipeline that ends in one.

    Numbers, dates and durations are centred and scaled to a standard deviation of 1, with the median in the gaps;
    categories become codes in the order of their names, a missing one the code -1, one that the table does not have
    the code after all others, scaled likewise. The explanation is about the table itself, not about this.

    Parameters
    ----------
    table : the rows that tell how.

    Examples
    --------
    >>> from pyod_explain.input import as_table
    >>> encoder = Encoder(as_table(pd.DataFrame({"x": [1.0, None, 3.0], "kind": ["a", "b", "a"]})))
    >>> encoder.transform(pd.DataFrame({"kind": ["a", "c"], "x": [None, 3.0]})).round(2).tolist()
    [[0.0, -0.71], [1.22, 3.54]]
    """

    def __init__(self, table: Table) -> None:
        self.feature_names_in_ = np.array(list(table.columns), dtype=object)
        self._scales: dict[str, tuple[float, Mapping[Hashable, int], float, float]] = {}
        for name, column in table.columns.items():
            known = column.floats()[~column.missing] if column.has_order else np.array([-1.0])
            gap = float(np.median(known)) if len(known) else 0.0
            values = _numbers(column, gap, column.code_of)
            self._scales[name] = gap, column.code_of, float(values.mean()), float(values.std()) or 1.0

    def transform(self, X: Any) -> FloatArray:
        """Give the numbers of these rows, which have at least the columns of the table."""
        return self.numbers(as_table(X, only=list(self._scales)))

    def numbers(self, table: Table) -> FloatArray:
        """Give the numbers of a table."""
        scales = self._scales.items()
        return np.column_stack([(_numbers(table[name], gap, codes) - m) / s for name, (gap, codes, m, s) in scales])


def _numbers(column: Column, gap: float, codes: Mapping[Hashable, int]) -> FloatArray:
    if column.has_order:
        return np.where(column.missing, gap, column.floats())
    there = np.array([*(codes.get(value, len(codes)) for value in column.code_of), gap], dtype=np.float64)
    return np.asarray(there[column.values])  # the last answers for code -1, missing
