"""The report and the files that the user asked for: checked before the work, and written all or none after it."""

from __future__ import annotations

import argparse
import glob
from fnmatch import fnmatch
from pathlib import Path

import pandas as pd

from pyod_explain._atomic import Content, write_file
from pyod_explain._optional import optional
from pyod_explain.beyond_memory import Source
from pyod_explain.cli.all_rows import row_writer
from pyod_explain.cli.console import note
from pyod_explain.cli.parser import ROWS, Parser
from pyod_explain.cli.row_files import formula_note, tells_rows, text_notes, write_lines
from pyod_explain.explanation import Explanation
from pyod_explain.report import to_csv
from pyod_explain.result import file_facts

__all__ = ["check_files", "check_outputs", "check_views", "deliver", "is_suite", "publish"]

STDIN = 0
CHECKS = (".sql", ".yaml", ".yml", ".expectations")


def check_outputs(options: argparse.Namespace, parser: Parser) -> None:
    """Notice before the work what would be wrong with the files after it.

    Parameters
    ----------
    options : the arguments.
    parser : complains of them.
    """
    if options.append and not any(tells_rows(path) for path in options.output):
        parser.error("--append needs a file with a line for each row: -o rows.csv, -o rows.parquet or -o rows.jsonl")
    check_views(options, parser)
    source = getattr(options, "data", None)
    check_files(options, parser, *([] if source is None else _read_files(source)))
    tables = [path for path in options.output if path.suffix.lower() in ROWS]
    if tables:
        optional("pyarrow.parquet", "to write parquet files", extra="arrow")
    for path in tables:
        if source is not None and _is_inside(path, source):
            parser.error(f"-o {path} is in the folder that is read, and would be read the next time")


def check_views(options: argparse.Namespace, parser: Parser) -> None:
    """Refuse what is said of files that are not written; fill in the dialect that is usual.

    Parameters
    ----------
    options : the arguments.
    parser : complains of them.
    """
    given = {
        "--rows": (options.rows, (".html", ".md"), "-o report.html or -o report.md"),
        "--examples": (options.examples, (".html",), "-o report.html"),
        "--dialect": (options.dialect is not None, CHECKS, "-o rules.sql, -o rules.yaml or -o expectations.json"),
        "--sql-table": (options.sql_table is not None, CHECKS, "-o rules.sql, -o rules.yaml or -o expectations.json"),
    }
    written = {".expectations" if is_suite(path) else path.suffix.lower() for path in options.output}
    for flag, (said, endings, example) in given.items():
        if said and not written & set(endings):
            parser.error(f"{flag} needs a file that it is for: {example}")
    if options.sql_table == "":
        parser.error("--sql-table must be a name, got ''")
    options.dialect = options.dialect or "ansi"


def is_suite(path: Path) -> bool:
    """Tell whether a file gets a suite of Great Expectations: by its name, `expectations.json` or one that ends so."""
    return path.suffix.lower() == ".json" and path.stem.lower().endswith("expectations")


def check_files(options: argparse.Namespace, parser: Parser, *sources: str | int) -> None:
    """Notice before the work what is wrong with the files themselves: named twice, read as well, or where we print.

    Parameters
    ----------
    options : the arguments.
    parser : complains of them.
    sources : the files that are read.
    """
    targets = [path.resolve() for path in options.output]
    for k, (path, target) in enumerate(zip(options.output, targets, strict=True)):
        if target in targets[:k]:
            parser.error(f"-o {options.output[targets.index(target)]} and -o {path} are the same file")
        if any(isinstance(one, str) and Path(one).resolve() == target for one in sources):
            parser.error(f"-o {path} is the file that is read; it would be lost")


def _read_files(source: str) -> list[str | int]:
    """List the files that are read: one, those of a folder, or those that a pattern matches."""
    if source == "-":
        return [STDIN]
    if Path(source).is_dir():
        return [str(path) for path in Path(source).rglob("*")]
    return [source, *glob.glob(source, recursive=True)]  # noqa: PTH207 - any pattern


def _is_inside(path: Path, source: str) -> bool:
    """Tell whether rows that are written would be among those that are read."""
    if Path(source).is_file():
        return False
    real, folder = path.resolve(), Path(source).resolve()
    if folder.is_dir():
        return folder in real.parents
    # Folders of any depth may be none at all, which fnmatch does not know; and it takes "*" for several.
    pattern = folder.as_posix()  # Windows writes other slashes
    return real.match(pattern) or ("**" in pattern and fnmatch(real.as_posix(), pattern.replace("**/", "*")))


def deliver(
    explanation: Explanation,
    options: argparse.Namespace,
    rows: pd.DataFrame | Source,
    *,
    sql_table: str,
    closing: str = "",
) -> int:
    """Print, then write the files.

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
        content: Content
        if tells_rows(path):
            content = write_lines(explanation, rows, path, append=options.append, notes=notes)
        elif path.suffix.lower() in ROWS:
            content, changed = row_writer(explanation, rows)
            notes += text_notes(changed, path)
        else:
            content = _render(explanation, path, options, sql_table, notes)
        contents.append((path, content))
    texts = [] if options.quiet and contents else [str(explanation)]
    publish(contents, texts + ([closing] if closing and not options.quiet else []))
    if not options.quiet:
        for text in [*notes, *(f"wrote {path}" for path, _ in contents)]:
            note(text)
    if options.verbose:
        for stage, seconds in explanation.timings.items():
            note(f"{stage}: {seconds:.2f} s")
    return 0


def publish(contents: list[tuple[Path, Content]], texts: list[str]) -> None:
    """Print the texts, then write the files.

    Parameters
    ----------
    contents : what is written where.
    texts : what is printed.
    """
    closed: BrokenPipeError | None = None
    try:
        for text in texts:
            print(text, flush=True)
    except BrokenPipeError as error:
        closed = error
    for path, content in contents:
        write_file(path, content)
    if closed is not None:
        raise closed


def _render(explanation: Explanation, path: Path, options: argparse.Namespace, sql_table: str, notes: list[str]) -> str:
    suffix = path.suffix.lower()
    if suffix == ".html":
        return explanation.to_html(rows=options.rows, examples=options.examples)
    if suffix == ".md":
        return explanation.to_markdown(rows=options.rows)
    if suffix in (".yaml", ".yml"):
        return explanation.to_dbt(sql_table, dialect=options.dialect)
    if is_suite(path):
        return explanation.to_expectations(sql_table, dialect=options.dialect)
    if suffix == ".json":
        return explanation.to_json()
    if suffix == ".sql":
        return explanation.to_sql(sql_table, dialect=options.dialect)
    if suffix == ".csv":
        text, changed = to_csv(explanation.to_frame())
        notes += formula_note(changed, path)
        return text
    return f"{explanation}\n"
