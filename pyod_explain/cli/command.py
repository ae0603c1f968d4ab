"""What the command line does: read the table, call `explain`, print and write. `start` calls it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._advice import in_a_shell
from pyod_explain._progress import Step
from pyod_explain.api import explain
from pyod_explain.beyond_memory import Source
from pyod_explain.cli.compare import run_compare
from pyod_explain.cli.console import Check, calm, note, progress
from pyod_explain.cli.demo import run_demo
from pyod_explain.cli.detectors import detector_table, fit_detector, make_detector
from pyod_explain.cli.encode import encode
from pyod_explain.cli.input_file import TEXTS, format_of, read_file
from pyod_explain.cli.many_rows import explain_rows, may_be_many, read_rows
from pyod_explain.cli.marking.mark import find_test, mark_outliers
from pyod_explain.cli.marking.tally import Tally
from pyod_explain.cli.new import check_new, deliver_new, names_of
from pyod_explain.cli.outputs import check_files, check_outputs, deliver
from pyod_explain.cli.parser import Parser, parse
from pyod_explain.cli.reading import How, Say, ignore
from pyod_explain.cli.usage import UsageError
from pyod_explain.cli.wording import in_flags
from pyod_explain.exceptions import FileError, PyodExplainError
from pyod_explain.explainers import explainer_of
from pyod_explain.explanation import Explanation
from pyod_explain.input import Table, as_table, name_list
from pyod_explain.new_rows import NewRows, explain_new
from pyod_explain.result import file_facts
from pyod_explain.tags import check_labels

__all__ = ["explain_table", "how_of", "run"]


def run(arguments: list[str], check: Check) -> int:
    """Do what the arguments ask for; return the exit code.

    Parameters
    ----------
    arguments : what follows the command's name.
    check : called now and then; raises KeyboardInterrupt if the user has interrupted and nobody noticed.
    """
    with in_a_shell():
        return _run(arguments, check)


def _run(arguments: list[str], check: Check) -> int:
    command, options, parser = parse(arguments)
    options.command = shlex.join(["pyod-explain", *arguments])
    if command == "detectors":
        print(detector_table())
        return 0
    if command == "demo":
        check_outputs(options, parser)
        return run_demo(options, check)
    if command == "compare":
        check_files(options, parser, options.before, options.after)
        return run_compare(options)
    if options.now is not None or options.before is not None:
        check_new(options, parser)
        _check_text_flags(options, parser, options.now, options.before)
        return _in_flags(_explain_new, options, check)
    if options.data is None:
        parser.error("name the table to read, or --now and --before two of them")
    _check_text_flags(options, parser, options.data)
    _check_sample(options, parser)
    check_outputs(options, parser)
    return _in_flags(_explain_file, options, check)


def _in_flags(work: Callable[[argparse.Namespace, Check], int], options: argparse.Namespace, check: Check) -> int:
    """Do it, and tell what is wrong in the words of the command line."""
    try:
        return work(options, check)
    except FileError:
        raise
    except PyodExplainError as error:
        raise in_flags(error, vars(options)) from error


def _check_text_flags(options: argparse.Namespace, parser: Parser, *paths: str) -> None:
    """Refuse what is said of text files and cannot be meant, as another format has no separator to be told."""
    text = [flag for flag in ("sep", "encoding") if getattr(options, flag) is not None]
    cells = [flag for flag in ("decimal", "header", "na") if getattr(options, flag) is not None]
    cells += ["raw"] if options.raw else []
    for path in paths:
        kind = "folder" if Path(path).is_dir() else format_of(path) or "csv"
        if text and kind not in TEXTS:
            parser.error(f"--{text[0]} is for files of text such as .csv, which {path} is not")
        if cells and kind not in (*TEXTS, "xlsx"):
            parser.error(f"--{cells[0]} is for files of text such as .csv and for .xlsx, which {path} is not")
        if options.sheet is not None and kind != "xlsx" and path != "-":
            parser.error(f"--sheet is for .xlsx, which {path} is not")


def _check_sample(options: argparse.Namespace, parser: Parser) -> None:
    """Refuse a sample of what is read as a whole."""
    if options.sample is not None and not may_be_many(options.data):
        parser.error(
            f"--sample is for parquet files, which are read a part at a time; all rows of {options.data} are used"
        )


def _explain_file(options: argparse.Namespace, check: Check) -> int:
    with calm(verbose=options.verbose):
        rows = read_rows(options)
    if isinstance(rows, Source):
        with progress(options, check) as step, calm(verbose=options.verbose):
            explanation = with_checks(explain_rows(rows, options, step, settings_of(options)), options, step)
        check()
        return deliver(explanation, options, rows, sql_table=options.sql_table or _name_of(options.data))
    if isinstance(rows, pd.DataFrame):
        whole = rows
    else:
        whole = read_file(options.data, how_of(options), ignore if options.quiet else note)
    with progress(options, check) as step:
        explanation, _ = explain_table(whole, options, step, ignore if options.quiet else note)
    check()
    return deliver(explanation, options, whole, sql_table=options.sql_table or _name_of(options.data))


def explain_table(
    whole: pd.DataFrame, options: argparse.Namespace, step: Step, say: Say, *, marks: NDArray[np.bool_] | None = None
) -> tuple[Explanation, pd.DataFrame]:
    """Explain a table as the arguments say; also give the table with the columns and row names that were chosen.

    Parameters
    ----------
    whole : the table as it was read.
    options : the arguments.
    step : told how far it is.
    say : told what a person might not expect.
    marks : true for outliers, where neither a column nor a detector says so.
    """
    if len(whole) == 1:
        raise PyodExplainError("The table has one row, and no other to tell it from.")
    frame, options = _mark(whole, options, say)
    frame = _choose_columns(frame, options)
    _note_identifiers(frame, say)
    with calm(verbose=options.verbose):
        explanation = with_checks(_explain(frame, options, step, marks), options, step)
    if options.labels is not None and options.labels not in whole.columns:  # a test, which made the column
        explanation = explanation.marked_where(options.labels)
    return explanation, frame


def _explain_new(options: argparse.Namespace, check: Check) -> int:
    """Read two tables and tell what is in the one and was not in the other."""
    say = ignore if options.quiet else note
    tables = (read_file(path, how_of(options), say) for path in (options.now, options.before))
    now, before = (_choose_columns(one, options) for one in tables)
    with progress(options, check) as step, calm(verbose=options.verbose):
        settings = {name: value for name, value in settings_of(options).items() if name not in ("groups", "counts")}
        found = explain_new(now, before, names=names_of(options.now, options.before), progress=step, **settings)
        checked = with_checks(found.explanation, options, step)
        found = NewRows(checked, replace(found.words, summary=checked.summary))
    check()
    facts = {
        name: "; ".join(file_facts(path).values()) for name, path in (("now", options.now), ("before", options.before))
    }
    found = found.noting(call="", command=options.command, **facts)
    return deliver_new(found, options, sql_table=options.sql_table or _name_of(options.now))


def _name_of(data: str) -> str:
    """Name the table of SQL after its file: without endings, nor the dot that hides it."""
    name = "" if data == "-" else Path(data).name.lstrip(".").partition(".")[0]
    return name or "data"


def _mark(frame: pd.DataFrame, options: argparse.Namespace, say: Say) -> tuple[pd.DataFrame, argparse.Namespace]:
    """Mark the outliers in a column of true and false, if the labels are words or a test, and name it as the labels."""
    if options.labels is None:
        return frame, options
    test = find_test(
        list(frame.columns), lambda name: Tally.of(frame[name]), options.labels, options.outlier_values, say
    )
    if test is None:
        return frame, options
    keep = test.column in (options.index, options.groups, options.counts)
    frame, name = mark_outliers(frame, test, keep=keep)
    # The column that is tested is gone, and need be neither chosen nor dropped.
    chosen = {
        key: [[one for one in names if keep or one != test.column] for names in getattr(options, key) or []] or None
        for key in ("only", "drop", "ban")
    }
    return frame, argparse.Namespace(**{**vars(options), **chosen, "labels": name})


def how_of(options: argparse.Namespace) -> How:
    """Give what the user says of a text file."""
    na = tuple(word for words in options.na or [] for word in words)
    return How(options.sep, options.decimal, options.encoding, options.header, na, options.raw, options.sheet)


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """Give the arguments of `explain` that say how."""
    return {
        "groups": options.groups,
        "method": _method(options),
        "max_length": options.max_length,
        "id_columns": options.identifiers,
        "negations": options.negations,
        "relations": options.relations,
        **({} if options.simplify is None else {"detail": options.simplify}),
        "exclude": [name for names in options.ban or [] for name in names],
        "random_state": options.seed,
        "counts": options.counts,
    }


def _method(options: argparse.Namespace) -> Any:
    names = ("solver", "weight", "max_tags", "max_uncovered")
    if options.solver == "refined" and all(getattr(options, name) is None for name in names[1:]):
        return options.method
    return explainer_of(options.method, min_lift=1.0, **{name: getattr(options, name) for name in names})


def with_checks(explanation: Explanation, options: argparse.Namespace, step: Step) -> Explanation:
    """Add held-out figures and a placebo test, where they are asked for."""
    if options.validate:
        explanation = explanation.validate(options.validate, random_state=options.seed, progress=step)
    if options.placebo:
        explanation = explanation.control(options.placebo, random_state=options.seed, progress=step)
    return explanation


def _explain(
    frame: pd.DataFrame, options: argparse.Namespace, step: Step, marks: NDArray[np.bool_] | None = None
) -> Explanation:
    settings = settings_of(options)
    if marks is not None:
        return explain(marks, frame, progress=step, **settings)
    if options.labels is not None:
        return explain(options.labels, frame, progress=step, **settings)
    if options.outlier_counts is not None:
        return explain(X=frame, outlier_counts=options.outlier_counts, progress=step, **settings)
    detector, matrix, table = _detect(frame, options, step)
    return explain(detector, matrix, features=table, progress=step, **settings)


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
        raise UsageError("No column is left for the detector.")
    matrix = encode(replace(table, columns=seen))
    fit_detector(detector, matrix, params)
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
            raise UsageError(f"The table has no column {name!r}; it has {name_list(list(frame.columns))}.")
    if only:
        frame = frame[[name for name in frame.columns if name in {*only, *special}]]
    frame = frame.drop(columns=[name for name in drop if name in frame.columns and name not in special])
    if options.index is not None:
        frame = frame.set_index(options.index)
    if not set(frame.columns) - {options.labels, options.counts, options.outlier_counts, options.groups}:
        raise UsageError("No column is left to explain with.")
    return frame


def _note_identifiers(frame: pd.DataFrame, say: Say) -> None:
    for name in frame.columns:
        if len(frame) > 20 and pd.api.types.is_string_dtype(frame[name]) and frame[name].is_unique:
            say(
                f"column {name!r} has another value in every row; "
                f"--index {name} makes it the rows' names, --drop {name} leaves it out"
            )
