"""The arguments of `pyod-explain explain` and `pyod-explain diff`.

Nothing large is imported here, so that help and mistakes in a command are answered at once.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from pyod_explain.cli.request import OutputOptions, Request
from pyod_explain.exceptions import one_line

REPORTS = (".html", ".md", ".json", ".sql", ".csv", ".txt", ".yaml", ".yml")
ROWS = (".csv", ".parquet", ".jsonl", ".xlsx")
# As `report` lists them; importing it takes seconds. A test compares the two.
SQL_DIALECTS = ("ansi", "duckdb", "postgres", "sqlite", "bigquery", "spark")

TABLE_HELP = """the table: .csv, .tsv, .parquet, .jsonl or .xlsx (also with .gz), a folder or pattern of parquet files,
or - for standard input"""
CONDITIONS = "'status != ok', 'amount > 100', 'status in fraud,chargeback'"
MISSING = "texts that mean a missing value, comma-separated"
FOLDS = "number of folds for figures on held-out rows, 0 for none (default: 5)"
KNOWN = """rules that are known: an earlier report (.json) or a table with a column rule (.csv); the search explains the
rest"""
EXIT_CODE = "exit with 3 if a significant rule is new, or a known one changed or is gone by more than chance explains"
GROUPS = "reasons (outliers with the same rules; default), kmeans, a number of k-means groups, or a column"

EXAMPLES = """\
examples:
  pyod-explain data.csv --detector ECOD --contamination 0.02 -o report.html
  pyod-explain data.parquet --labels is_fraud -o rules.sql --dialect postgres
  pyod-explain orders.csv --where 'status != ok' -o report.html
  pyod-explain data.csv --id-column id --drop comment --rows-out outliers.csv
  zcat data.csv.gz | pyod-explain - --quiet -o report.md"""


class Parser(argparse.ArgumentParser):
    """A parser that reports a mistake in one line."""

    def __init__(self, command: str, **options: Any) -> None:
        options["formatter_class"] = argparse.RawDescriptionHelpFormatter
        super().__init__(f"pyod-explain {command}", allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"pyod-explain: {one_line(message)}; see {self.prog} --help\n")


def explain_request(arguments: Sequence[str]) -> tuple[Request, OutputOptions]:
    """Read the arguments of `pyod-explain explain`."""
    parser = Parser(
        "explain",
        description="Find the outliers of a table with a PyOD detector, or take those that are marked,\n"
        "and explain them by a few readable rules per group.",
        epilog=EXAMPLES,
    )
    parser.add_argument("path", metavar="FILE", help=TABLE_HELP)
    _add_reading(parser)
    group = parser.add_argument_group("outliers")
    group.add_argument("--detector", metavar="NAME", help="name of the PyOD detector (default: IForest)")
    group.add_argument("--contamination", type=float, metavar="SHARE", help="expected share of outliers (default: 0.1)")
    pairs = {"dest": "detector_params", "type": _key_value, "metavar": "KEY=VALUE", **REPEATED}
    group.add_argument("--detector-param", **pairs, help="a parameter of the detector; may be repeated")
    labels = "column that marks outliers with 1, or with -1; no detector is fitted"
    group.add_argument("--labels", metavar="COLUMN", help=labels)
    where = f"rows that meet it are the outliers: {CONDITIONS}; no detector is fitted"
    group.add_argument("--where", metavar="CONDITION", help=where)
    group.add_argument("--counts", metavar="COLUMN", help="column with the number of rows that each row stands for")
    group.add_argument("--outlier-counts", metavar="COLUMN", help="column with the number of these that are outliers")
    _add_search(parser, one_table=True)
    group = add_outputs(parser)
    rows_out = f"write the outliers with their rules ({' '.join(ROWS)})"
    group.add_argument("--rows-out", type=lambda text: output_path(text, ROWS), metavar="FILE", help=rows_out)
    group.add_argument("--exit-code", action="store_true", help=EXIT_CODE)
    group.add_argument("--all-rows", action="store_true", help="write all rows to --rows-out, not only the outliers")
    options = parser.parse_args(arguments)
    request = _to_request(options)
    if options.exit_code and options.known is None:
        parser.error("--exit-code needs --known FILE")
    if options.all_rows and options.rows_out is None:
        parser.error("--all-rows needs --rows-out FILE")
    return request, output_options(options, request)


def diff_request(arguments: Sequence[str]) -> tuple[Request, OutputOptions]:
    """Read the arguments of `pyod-explain diff`."""
    parser = Parser("diff", description="Describe what is new in a table, compared with an earlier one.")
    parser.add_argument("path", metavar="NOW", help="the table to describe")
    parser.add_argument("before", metavar="BEFORE", help="the earlier table")
    _add_reading(parser)
    _add_search(parser, one_table=False)
    add_outputs(parser)
    options = parser.parse_args(arguments)
    if Path(options.path) == Path(options.before):
        parser.error("NOW and BEFORE are the same file")
    request = _to_request(options)
    return request, output_options(options, request)


def add_outputs(parser: Parser, suffixes: Sequence[str] = REPORTS) -> Any:
    """Add the flags of output files and notes; give their group."""
    group = parser.add_argument_group("output")
    files = {"dest": "outputs", "type": lambda text: output_path(text, suffixes), "metavar": "FILE", **REPEATED}
    written = f"write the report in the format of the suffix ({' '.join(suffixes)}); may be repeated"
    group.add_argument("-o", "--output", **files, help=written)
    if ".sql" in suffixes:
        dialect = "SQL dialect of .sql and .yaml (default: ansi)"
        group.add_argument("--dialect", choices=SQL_DIALECTS, default="ansi", help=dialect)
        group.add_argument("--interactive", action="store_true", help="let a reader of .html look at rows of the table")
        names = {"dest": "names", "type": _group_name, "metavar": "NUMBER=NAME", **REPEATED}
        group.add_argument("--name", **names, help="what to call a group, such as 2=Tolls; may be repeated")
    group.add_argument("--title", metavar="TEXT", help="title of .html and .md")
    quiet = "no notes, no progress; no printed report if -o is given"
    group.add_argument("-q", "--quiet", action="store_true", help=quiet)
    return group


def output_options(options: argparse.Namespace, request: Request | None = None) -> OutputOptions:
    """Collect the flags of output files."""
    given = {name: value for name, value in vars(options).items() if name in OutputOptions.__dataclass_fields__}
    table = "data" if request is None else request.table_name
    names = dict(given.get("names", ()))
    return OutputOptions(**{**given, "outputs": tuple(options.outputs), "names": names}, table=table)


def output_path(text: str, suffixes: Sequence[str]) -> Path:
    """Read the path of an output file; its suffix must be one of these."""
    path = Path(text)
    if path.suffix.lower() not in suffixes or not text.endswith(path.name):
        raise argparse.ArgumentTypeError(f"must end in {', '.join(suffixes)}, got {text!r}")
    return path


def _add_reading(parser: Parser) -> None:
    group = parser.add_argument_group("reading text files and workbooks (detected automatically unless given)")
    group.add_argument("--sep", metavar="CHAR", help="column separator: one character, tab or space")
    group.add_argument("--decimal", choices=(".", ","), help="decimal sign; the other one separates thousands")
    group.add_argument("--na", action="extend", default=[], type=_words, metavar="WORDS", help=MISSING)
    header = "whether the first line names the columns"
    group.add_argument("--header", action=argparse.BooleanOptionalAction, help=header)
    group.add_argument("--sheet", metavar="NAME", help="sheet of an .xlsx file (default: the first)")


def _add_search(parser: Parser, *, one_table: bool) -> None:
    group = parser.add_argument_group("columns and rules")
    group.add_argument("--drop", **COLUMNS, help="columns to leave out entirely, comma-separated")
    exclude = "columns to keep out of the rules, comma-separated; a detector still sees them"
    group.add_argument("--exclude", **COLUMNS, help=exclude)
    if one_table:
        group.add_argument("--id-column", metavar="COLUMN", help="column with the names of the rows")
        group.add_argument("--groups", type=_groups, default="reasons", metavar="HOW", help=GROUPS)
        group.add_argument("--known", metavar="FILE", help=KNOWN)
    group.add_argument("--validate", type=int, default=5, metavar="N", help=FOLDS)
    group.add_argument("--seed", type=int, default=0, metavar="N", help="seed of random numbers (default: 0)")


def _to_request(options: argparse.Namespace) -> Request:
    given = {name: value for name, value in vars(options).items() if name in Request.__dataclass_fields__}
    lists = {name: tuple(given[name]) for name in ("na", "drop", "exclude")}
    return Request(**{**given, **lists, "detector_params": dict(given.get("detector_params", ()))})


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _groups(text: str) -> str | int:
    return int(text) if text.isdecimal() else text


def _group_name(text: str) -> tuple[int, str]:
    number, equals, name = text.partition("=")
    if not equals or not number.isdecimal():
        raise argparse.ArgumentTypeError(f"must be NUMBER=NAME, got {text!r}")
    return int(number), name


def _key_value(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"must be KEY=VALUE, got {text!r}")
    try:
        return key, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return key, value  # a word, as in method=largest


REPEATED: dict[str, Any] = {"action": "append", "default": []}
COLUMNS: dict[str, Any] = {"action": "extend", "default": [], "type": _words, "metavar": "COLUMNS"}
