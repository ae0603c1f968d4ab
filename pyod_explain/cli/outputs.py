"""The report and the files that the user asked for: checked before the work, and written all or none after it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from pyod_explain._files import Content, Writer, find_twins, is_stdout, same_file, staged, target_of
from pyod_explain._optional import optional
from pyod_explain.cli.console import note
from pyod_explain.cli.parser import ROWS, Parser
from pyod_explain.explanation import Explanation
from pyod_explain.report.spreadsheet import to_csv
from pyod_explain.result.provenance import file_facts
from pyod_explain.source import Source

__all__ = ["check_outputs", "deliver"]

STDIN = 0


def check_outputs(options: argparse.Namespace, parser: Parser) -> None:
    """Notice before the work what would be wrong with the files after it.

    Parameters
    ----------
    options : the arguments.
    parser : complains of them.
    """
    targets = [target_of(path) for path in options.output]
    if (twins := find_twins(targets)) is not None:
        parser.error(f"-o {twins[0].given} and -o {twins[1].given} are the same file")
    if any(target.path.suffix.lower() in ROWS for target in targets):
        optional("pyarrow.parquet", "to write parquet files", extra="arrow")
    source = getattr(options, "data", None)
    for target in targets:
        if source is not None and same_file(target, STDIN if source == "-" else source):
            parser.error(f"-o {target.given} is the file that is read; it would be lost")
        if source is not None and _is_inside(target.path, source):
            parser.error(f"-o {target.given} is in the folder that is read, and would be read the next time")
        if is_stdout(target) and not options.quiet:
            parser.error(f"-o {target.given} is where the report is printed; add --quiet, or name another file")


def _is_inside(path: Path, source: str) -> bool:
    """Tell whether rows that are written would be among those that are read."""
    folder = Path(source)
    return path.suffix.lower() in ROWS and folder.is_dir() and folder.resolve() in path.resolve().parents


def deliver(
    explanation: Explanation,
    options: argparse.Namespace,
    rows: pd.DataFrame | Source,
    *,
    sql_table: str,
    closing: str = "",
) -> int:
    """Write all files aside, print, and put the files in place: an error or interrupt leaves all of them as they were.

    A reader of the report who leaves early does not want the files any less.

    Parameters
    ----------
    explanation : what to write.
    options : the arguments.
    rows : the table as it was read, which is written with what the rules say of each row, if that is asked for.
    sql_table : the table that SQL selects from.
    closing : what to print after the report.
    """
    data = getattr(options, "data", None)
    facts = {"file": "standard input"} if data == "-" else {} if data is None else file_facts(data)
    explanation = explanation.noting(call="", command=options.command, **facts)
    notes: list[str] = []
    contents: list[tuple[Path, Content]] = []
    for path in options.output:
        beside = path.suffix.lower() in ROWS
        contents.append(
            (path, _row_writer(explanation, rows) if beside else _render(explanation, path, options, sql_table, notes))
        )
    closed: BrokenPipeError | None = None
    with staged(contents) as batch:
        try:
            if not (options.quiet and contents):
                print(explanation, flush=True)
            if closing and not options.quiet:
                print(closing, flush=True)
        except BrokenPipeError as error:
            closed = error
        try:
            batch.commit()
        except KeyboardInterrupt:
            if not batch.committed:
                raise  # else it came too late: all is done
    if closed is not None:
        raise closed
    if not options.quiet:
        for text in [*notes, *(f"wrote {path}" for path, _ in contents)]:
            note(text)
    if options.verbose:
        for stage, seconds in explanation.timings.items():
            note(f"{stage}: {seconds:.2f} s")
    return 0


def _row_writer(explanation: Explanation, rows: pd.DataFrame | Source) -> Writer:
    """Give what writes every row with its group and the rule that puts it there, a few at a time."""
    parquet = optional("pyarrow.parquet", "to write parquet files", extra="arrow")
    reader: Any = explanation.transform([rows] if isinstance(rows, pd.DataFrame) else rows)

    def write(file: BinaryIO) -> None:
        with parquet.ParquetWriter(file, reader.schema) as out:
            for batch in reader:
                out.write_batch(batch)

    return write


def _render(explanation: Explanation, path: Path, options: argparse.Namespace, sql_table: str, notes: list[str]) -> str:
    suffix = path.suffix.lower()
    if suffix == ".html":
        return explanation.to_html(rows=options.rows, examples=options.examples)
    if suffix == ".md":
        return explanation.to_markdown(rows=options.rows)
    if suffix == ".json":
        return explanation.to_json()
    if suffix == ".sql":
        return explanation.to_sql(sql_table, dialect=options.dialect)
    if suffix == ".csv":
        text, changed = to_csv(explanation.to_frame())
        if changed:
            notes.append(
                f"{changed} text{'s' if changed > 1 else ''} in {path} would be run as a formula by a spreadsheet; "
                "an apostrophe stands before it"
            )
        return text
    return f"{explanation}\n"
