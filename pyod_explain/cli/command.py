"""What the command line does: read the table, call `explain`, print and write. `start` calls it."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from pyod_explain._progress import Step
from pyod_explain.cli.console import Check, calm, note, progress
from pyod_explain.cli.demo import run_demo
from pyod_explain.cli.detectors import detector_table, make_detector
from pyod_explain.cli.encode import encode
from pyod_explain.cli.input_file import read_file
from pyod_explain.cli.many_rows import explain_rows, read_rows
from pyod_explain.cli.outputs import check_outputs, deliver
from pyod_explain.cli.parser import checks_of, demo_parser, detectors_parser, main_parser
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.explanation import Explanation
from pyod_explain.input.read import as_table
from pyod_explain.input.table import Table
from pyod_explain.pipeline import explain
from pyod_explain.source import Source
from pyod_explain.tags import check_labels

__all__ = ["run"]


def run(arguments: list[str], check: Check) -> int:
    """Do what the arguments ask for; return the exit code.

    Parameters
    ----------
    arguments : what follows the command's name.
    check : called now and then; raises KeyboardInterrupt if the user has interrupted and nobody noticed.
    """
    if arguments[:1] == ["detectors"]:
        detectors_parser().parse_args(arguments[1:])
        print(detector_table())
        return 0
    if arguments[:1] == ["demo"]:
        parser = demo_parser()
        options = parser.parse_args(arguments[1:])
        options.command = shlex.join(["pyod-explain", *arguments])
        check_outputs(options, parser)
        return run_demo(options, check)
    parser = main_parser()
    options = parser.parse_args(arguments)
    options.command = shlex.join(["pyod-explain", *arguments])
    detects = options.detector or options.contamination is not None or options.param
    if options.labels is not None and detects:
        parser.error("--labels says which rows are outliers: leave out --detector, --contamination and --param")
    if options.outlier_counts is not None and (detects or options.labels is not None):
        parser.error(
            "--outlier-counts says which rows are outliers: leave out --labels, --detector, --contamination and --param"
        )
    if options.outlier_counts is not None and options.counts is None:
        parser.error("--outlier-counts says how many of --counts are outliers: name that column too")
    check_outputs(options, parser)
    return _explain_file(options, check)


def _explain_file(options: argparse.Namespace, check: Check) -> int:
    with calm(verbose=options.verbose):
        rows = read_rows(options)
    if isinstance(rows, Source):
        with progress(options, check) as step, calm(verbose=options.verbose):
            explanation = explain_rows(rows, options, step, settings_of(options))
        check()
        return deliver(explanation, options, rows, sql_table=options.sql_table or _name_of(options.data))
    whole = rows if isinstance(rows, pd.DataFrame) else read_file(options.data)
    frame = _choose_columns(whole, options)
    if not options.quiet:
        _note_identifiers(frame)
    with progress(options, check) as step, calm(verbose=options.verbose):
        explanation = _explain(frame, options, step)
    check()
    return deliver(explanation, options, whole, sql_table=options.sql_table or _name_of(options.data))


def _name_of(data: str) -> str:
    """Name the table of SQL after its file: without endings, nor the dot that hides it."""
    name = "" if data == "-" else Path(data).name.lstrip(".").partition(".")[0]
    return name or "data"


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """Give the arguments of `explain` that say how."""
    return {
        "groups": options.groups,
        "method": options.method,
        "solver": options.solver,
        "weight": options.weight,
        "max_tags": options.max_tags,
        "max_uncovered": options.max_uncovered,
        "max_length": options.max_length,
        "identifiers": options.identifiers,
        "negations": options.negations,
        "relations": options.relations,
        **({} if options.simplify is None else {"simplify": options.simplify}),
        "keep": _listed(options.keep),
        "ban": _listed(options.ban),
        "random_state": options.seed,
        "counts": options.counts,
        **checks_of(options),
    }


def _explain(frame: pd.DataFrame, options: argparse.Namespace, step: Step) -> Explanation:
    settings = settings_of(options)
    if options.labels is not None:
        return explain(options.labels, frame, progress=step, **settings)
    if options.outlier_counts is not None:
        return explain(X=frame, outlier_counts=options.outlier_counts, progress=step, **settings)
    detector, matrix, table = _detect(frame, options, step)
    return explain(detector, matrix, features=table, rows="train", progress=step, **settings)


def _listed(lists: list[list[str]] | None) -> list[str] | None:
    return None if lists is None else [name for names in lists for name in names]


def _detect(frame: pd.DataFrame, options: argparse.Namespace, step: Step) -> tuple[Any, NDArray[Any], Table]:
    """Read the table and fit the detector on it, encoded and without the columns that name groups and count rows."""
    step("detector", 0.0)
    params = dict(options.param or [])
    contamination = 0.1 if options.contamination is None else options.contamination
    detector = make_detector(options.detector or "IForest", params, contamination=contamination, seed=options.seed)
    table = as_table(frame)
    check_labels("auto", table)  # a column of lists, of which no detector makes numbers: refused before it is fitted
    aside = {options.groups, options.counts} - {"auto", "reasons"}
    seen = {name: column for name, column in table.columns.items() if name not in aside}
    if not seen:
        raise PyodExplainError("No column is left for the detector.")
    matrix = encode(replace(table, columns=seen))
    try:
        detector.fit(matrix)
    except Exception as error:
        raise PyodExplainError(
            f"{type(detector).__name__} could not be fitted: {error}\nHint: try another --detector, or other --param."
        ) from error
    return detector, matrix, table


def _choose_columns(frame: pd.DataFrame, options: argparse.Namespace) -> pd.DataFrame:
    only = [name for names in options.only or [] for name in names]
    drop = [name for names in options.drop or [] for name in names]
    named = (options.index, options.labels, options.counts, options.outlier_counts)
    special = [name for name in named if name is not None]
    if isinstance(options.groups, str) and options.groups not in ("auto", "reasons"):
        special.append(options.groups)
    for name in [*special, *only, *drop]:
        if name not in frame.columns:
            raise PyodExplainError(
                f"The table has no column {name!r}; it has {', '.join(map(repr, frame.columns[:12]))}."
            )
    if only:
        frame = frame[[name for name in frame.columns if name in {*only, *special}]]
    frame = frame.drop(columns=[name for name in drop if name not in special])
    if options.index is not None:
        frame = frame.set_index(options.index)
    if not frame.shape[1]:
        raise PyodExplainError("No column is left to explain with.")
    return frame


def _note_identifiers(frame: pd.DataFrame) -> None:
    for name in frame.columns:
        if len(frame) > 20 and pd.api.types.is_string_dtype(frame[name]) and frame[name].is_unique:
            note(
                f"column {name!r} has another value in every row; "
                f"--index {name} makes it the rows' names, --drop {name} leaves it out"
            )
