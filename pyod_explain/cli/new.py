"""`pyod-explain --now FILE --before FILE`: what is in this table and was not in that one."""

from __future__ import annotations

import argparse
from pathlib import Path

from pyod_explain._atomic import Content
from pyod_explain.cli.console import note
from pyod_explain.cli.outputs import check_files, check_views, publish
from pyod_explain.cli.parser import NEW, Parser
from pyod_explain.cli.row_files import formula_note, tells_rows
from pyod_explain.export import to_dbt
from pyod_explain.new_rows import NewRows
from pyod_explain.report import to_csv

__all__ = ["check_new", "deliver_new", "names_of"]

ELSEWHERE = (
    "data",
    "detector",
    "contamination",
    "param",
    "labels",
    "outlier_values",
    "counts",
    "outlier_counts",
    "sample",
)


def check_new(options: argparse.Namespace, parser: Parser) -> None:
    """Notice before the work what does not go with two tables.

    Parameters
    ----------
    options : the arguments.
    parser : complains of them.
    """
    if options.now is None or options.before is None:
        parser.error("--now and --before need each other: name two tables")
    if Path(options.now) == Path(options.before):
        parser.error("--now and --before are the same file")
    for name in ELSEWHERE:
        if getattr(options, name) is not None:
            what = f"the table {options.data}" if name == "data" else f"--{name.replace('_', '-')}"
            parser.error(f"--now and --before say which rows to tell about: leave out {what}")
    if options.groups != "reasons" or options.append or options.rows:
        what = "--append" if options.append else "--rows" if options.rows else "--groups"
        parser.error(f"{what} does not go with --now and --before")
    for path in options.output:
        if path.suffix.lower() not in NEW or tells_rows(path):
            parser.error(f"with --now and --before, -o must end in {', '.join(NEW)}, got {path}")
    if options.examples:
        parser.error("--examples does not go with --now and --before")
    check_views(options, parser)
    check_files(options, parser, options.now, options.before)


def names_of(now: str, before: str) -> tuple[str, str]:
    """Call the tables by the names of their files; by their paths where these are the same.

    >>> names_of("in/today.csv", "in/yesterday.csv"), names_of("b/t.csv", "a/t.csv")
    (('today.csv', 'yesterday.csv'), ('b/t.csv', 'a/t.csv'))
    """
    short = Path(now).name, Path(before).name
    return (now, before) if short[0] == short[1] else short


def deliver_new(found: NewRows, options: argparse.Namespace, *, sql_table: str) -> int:
    """Print and write what is new; return the exit code.

    Parameters
    ----------
    found : what is new.
    options : the arguments.
    sql_table : the table that SQL selects from.
    """
    notes: list[str] = []
    contents = [(path, _render(found, path, options, sql_table, notes)) for path in options.output]
    publish(contents, [] if options.quiet and contents else [str(found)])
    if not options.quiet:
        for text in [*notes, *(f"wrote {path}" for path in options.output)]:
            note(text)
    return 0


def _render(found: NewRows, path: Path, options: argparse.Namespace, sql_table: str, notes: list[str]) -> Content:
    suffix = path.suffix.lower()
    if suffix == ".html":
        return found.to_html()
    if suffix == ".md":
        return found.to_markdown()
    if suffix == ".csv":
        text, changed = to_csv(found.to_frame())
        notes += formula_note(changed, path)
        return text
    if suffix == ".txt":
        return f"{found}\n"
    if suffix == ".sql":
        return found.explanation.to_sql(sql_table, dialect=options.dialect)
    if suffix in (".yaml", ".yml"):
        return to_dbt(found.explanation, sql_table, dialect=options.dialect)
    return found.explanation.to_json()
