"""The arguments of the command line: which there are, what they mean, and how they are read."""

from __future__ import annotations

import argparse
import ast
import contextlib
from pathlib import Path
from typing import Any, NoReturn

from pyod_explain._printable import one_line
from pyod_explain.explainers.by_name import METHODS, SOLVERS
from pyod_explain.report.sql import DIALECTS

__all__ = ["Parser", "checks_of", "demo_parser", "detectors_parser", "main_parser"]

USAGE_ERROR = 2
ROWS = (".parquet", ".pq")  # every row with what the rules say of it
OUTPUTS = (".html", ".md", ".json", ".sql", ".csv", ".txt", *ROWS)

DESCRIPTION = """\
Find the outliers of a table with a PyOD detector and explain them by a few
readable rules per group."""

EXAMPLES = """\
examples:
  pyod-explain data.csv
  pyod-explain data.csv --detector ECOD --contamination 0.02 -o report.html
  pyod-explain data.parquet --labels is_fraud -o rules.sql --dialect postgres
  pyod-explain viewers.csv --counts viewers --outlier-counts stalled
  pyod-explain data.csv --index id --drop comment -o report.html -o rules.json
  pyod-explain data.csv --detector KNN --param n_neighbors=20 --placebo
  pyod-explain folder/ --detector ECOD --contamination 0.001 -o report.html
  zcat data.csv.gz | pyod-explain - --quiet -o report.md
  pyod-explain demo         explains outliers in a data set of scikit-learn
  pyod-explain detectors    lists PyOD's detectors

exit codes: 0 done, 1 something is wrong with the data, 2 with the command.
A file named demo or detectors is read as ./demo or ./detectors."""


class Parser(argparse.ArgumentParser):
    """A parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE_ERROR, f"pyod-explain: {one_line(message)}; see pyod-explain --help\n")


def main_parser() -> Parser:
    """Make the parser of `pyod-explain FILE`."""
    parser = Parser(
        "pyod-explain",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "data",
        help="the table: .csv, .tsv, .parquet, .jsonl, .xlsx (also .gz), a folder or pattern of parquet files, "
        "or - for standard input",
    )
    who = parser.add_argument_group("which rows are outliers")
    who.add_argument("--detector", metavar="NAME", help="PyOD's name of the detector (default: IForest)")
    who.add_argument("--contamination", type=_fraction, metavar="SHARE", help="share of outliers (default: 0.1)")
    who.add_argument("--param", action="append", type=_key_value, metavar="KEY=VALUE", help="parameter of the detector")
    who.add_argument("--labels", metavar="COLUMN", help="column with 1 for outliers and 0 for others; no detector")
    who.add_argument("--counts", metavar="COLUMN", help="column that tells how many rows each row stands for")
    who.add_argument(
        "--outlier-counts", metavar="COLUMN", help="column that tells how many of these are outliers; no detector"
    )
    columns = parser.add_argument_group("columns")
    columns.add_argument("--index", metavar="COLUMN", help="column with the names of the rows")
    columns.add_argument("--drop", action="append", type=_names, metavar="COLUMNS", help="leave out, comma-separated")
    columns.add_argument(
        "--identifiers",
        type=_identifiers,
        default="auto",
        metavar="COLUMNS",
        help="keep out of the rules, comma-separated, or none (default: those that look like it)",
    )
    columns.add_argument(
        "--keep", action="append", type=_names, metavar="COLUMNS", help="some rule must speak of, comma-separated"
    )
    columns.add_argument(
        "--ban", action="append", type=_names, metavar="COLUMNS", help="no rule may speak of, comma-separated"
    )
    columns.add_argument("--only", action="append", type=_names, metavar="COLUMNS", help="use only, comma-separated")
    how = parser.add_argument_group("how to explain")
    how.add_argument(
        "--groups",
        type=_groups,
        default="reasons",
        metavar="N",
        help="number of groups, a column, auto (k-means) or reasons (the rules make the groups; default)",
    )
    how.add_argument("--method", choices=tuple(METHODS), default="mdl", help="what to optimise (default: mdl)")
    how.add_argument("--solver", choices=SOLVERS, default="refined", help="default: refined")
    how.add_argument("--weight", type=float, metavar="X", help="wccm: cost of an outlier that is missed")
    how.add_argument("--max-tags", type=int, metavar="N", help="most rules a group")
    how.add_argument(
        "--max-uncovered", type=_fraction, metavar="SHARE", help="bccm: share of a group that may be missed"
    )
    how.add_argument("--max-length", type=int, default=3, metavar="N", help="most conditions in a rule (default: 3)")
    how.add_argument(
        "--no-negations", dest="negations", action="store_false", help='no "is not" or "is none of" in rules'
    )
    how.add_argument(
        "--simplify",
        type=_fraction,
        metavar="SHARE",
        help="share of the bits saved that may be given up for brevity, 0 for none (default: by how much is saved)",
    )
    how.add_argument(
        "--relations",
        action=argparse.BooleanOptionalAction,
        default="auto",
        help="may rules relate two columns: outlet - inlet < 4.5 (default: where bits are counted)",
    )
    how.add_argument(
        "--sample",
        type=_draws,
        metavar="N",
        help="normal rows of a folder to look for rules in; all are counted (default: what fits into 256 MB)",
    )
    _add_checks(how)
    how.add_argument("--seed", type=int, default=0, help="default: 0")
    _add_outputs(parser)
    return parser


def demo_parser() -> Parser:
    """Make the parser of `pyod-explain demo`."""
    parser = Parser("pyod-explain demo", description="Explain outliers in a data set that ships with scikit-learn.")
    _add_checks(parser)
    _add_outputs(parser)
    return parser


def detectors_parser() -> Parser:
    """Make the parser of `pyod-explain detectors`."""
    return Parser("pyod-explain detectors", description="List PyOD's detectors for tables.")


def _add_checks(group: Any) -> None:
    group.add_argument("--validate", type=int, default=5, metavar="N", help="parts to check the rules by (default: 5)")
    group.add_argument("--no-validate", dest="validate", action="store_const", const=None, help="do not check them")
    group.add_argument(
        "--placebo", type=_draws, nargs="?", const=5, metavar="N", help="repeat with random rows N times (default: 5)"
    )


def checks_of(options: argparse.Namespace) -> dict[str, Any]:
    """Give the arguments of `explain` that say which checks to make."""
    placebo = {} if options.placebo is None else {"control": "placebo", "n_draws": options.placebo}
    return {"validate": options.validate, **placebo}


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    out = parser.add_argument_group("output")
    out.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        type=_output,
        metavar="FILE",
        help=f"write {' '.join(OUTPUTS)}; may be repeated; parquet is every row with its group and rule",
    )
    out.add_argument(
        "--rows", action="store_true", help="list unexplained rows in .html and .md; only totals otherwise"
    )
    out.add_argument(
        "--examples",
        type=_draws,
        default=0,
        metavar="N",
        help="show up to N rows of each group in .html (default: none)",
    )
    out.add_argument("--dialect", choices=tuple(DIALECTS), default="ansi", help="of .sql (default: ansi)")
    out.add_argument("--sql-table", metavar="NAME", help="table that .sql selects from (default: the file's name)")
    out.add_argument(
        "--quiet", action="store_true", help="no notes or progress, and no report if there is an output file"
    )
    out.add_argument("--verbose", action="store_true", help="more notes on standard error")


def _fraction(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= (value := float(text)) < 1:
            return value
    raise argparse.ArgumentTypeError(f"must be a share from 0 to 1, got {text}")


def _draws(text: str) -> int:
    with contextlib.suppress(ValueError):
        if (value := int(text)) >= 1:
            return value
    raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text}")


def _key_value(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"must be KEY=VALUE, got {text!r}")
    try:
        return key, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return key, value  # a word such as n_neighbors=largest


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _identifiers(text: str) -> str | list[str]:
    return "auto" if text == "auto" else [] if text == "none" else _names(text)


def _groups(text: str) -> str | int:
    return int(text) if text.isdecimal() else text


def _output(text: str) -> Path:
    path = Path(text)  # which forgets a slash at the end
    if path.suffix.lower() not in OUTPUTS or not text.endswith(path.name):
        raise argparse.ArgumentTypeError(f"must end in {', '.join(OUTPUTS)}, got {text!r}")
    return path
