"""The arguments of the command line: which there are, what they mean, and how they are read.

Nothing large is imported here, so that help and the answer to a mistake come at once.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from pyod_explain import __version__
from pyod_explain._printable import one_line

__all__ = ["CHANGES", "NEW", "ROWS", "Parser", "parse"]

USAGE_ERROR = 2
NO_LETTERS = ("idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape")  # of Python, but of no file
# As the rooms that know them name them, which take seconds to import; a test compares.
METHODS = ("mdl", "wccm", "bccm", "pdm", "dtdm")
SOLVERS = ("refined", "greedy", "exact")
DIALECTS = ("ansi", "duckdb", "postgres", "sqlite", "bigquery", "spark")
ROWS = (".parquet", ".pq")  # every row with what the rules say of it
OUTPUTS = (".html", ".md", ".json", ".sql", ".csv", ".txt", ".jsonl", ".yaml", ".yml", *ROWS)

NEW = (".html", ".md", ".txt", ".csv", ".json", ".sql", ".yaml", ".yml")  # what is new
CHANGES = (".html", ".txt", ".csv", ".json")

DESCRIPTION = """\
Find the outliers of a table with a PyOD detector and explain them by a few
readable rules per group."""

EXAMPLES = """\
examples:
  pyod-explain data.csv
  pyod-explain data.csv --detector ECOD --contamination 0.02 -o report.html
  pyod-explain data.parquet --labels is_fraud -o rules.sql --dialect postgres
  pyod-explain orders.csv --labels 'status != ok' -o report.html
  pyod-explain viewers.csv --counts viewers --outlier-counts stalled
  pyod-explain data.csv --index id --drop comment -o report.html -o rules.json
  pyod-explain data.csv --detector KNN --param n_neighbors=20 --placebo
  pyod-explain folder/ --detector ECOD --contamination 0.001 -o report.html
  pyod-explain --now today.csv --before yesterday.csv --drop date -o new.html
  zcat data.csv.gz | pyod-explain - --quiet -o report.md
  pyod-explain demo         explains outliers in a data set of scikit-learn
  pyod-explain detectors    lists PyOD's detectors
  pyod-explain compare      tells what changed from one report (.json) to another
  pyod-explain mcp FOLDER   serves agents by the Model Context Protocol

exit codes: 0 done, 1 something is wrong with the data, 2 with the command;
compare --exit-code ends with 3 if anything changed.
A file named demo, detectors, compare or mcp is read as ./demo and so on."""


class Parser(argparse.ArgumentParser):
    """A parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE_ERROR, f"pyod-explain: {one_line(message)}; see pyod-explain --help\n")


def parse(arguments: list[str]) -> tuple[str, argparse.Namespace, Parser]:
    """Read the arguments: which command is meant ("explain" if none is named), its options, and who complains of them.

    Parameters
    ----------
    arguments : what follows the command's name.
    """
    named = arguments[:1] and arguments[0] in COMMANDS
    command = arguments[0] if named else "explain"
    parser = COMMANDS[command]() if named else main_parser()
    options = parser.parse_args(arguments[1:] if named else arguments)
    if command == "explain" and options.now is None and options.before is None:
        _check_who(options, parser)
    return command, options, parser


def _check_who(options: argparse.Namespace, parser: Parser) -> None:
    """Refuse two answers to which rows are outliers."""
    detects = options.detector or options.contamination is not None or options.param
    if options.labels is not None and detects:
        parser.error("--labels says which rows are outliers: leave out --detector, --contamination and --param")
    if options.outlier_counts is not None and (detects or options.labels is not None):
        parser.error(
            "--outlier-counts says which rows are outliers: leave out --labels, --detector, --contamination and --param"
        )
    keys = [key for key, _ in options.param or []] + ["contamination"] * (options.contamination is not None)
    for key in keys:
        if keys.count(key) > 1:
            parser.error(
                f"--param says twice what {key} is"
                if key != "contamination"
                else "--contamination and --param contamination say the same: leave one out"
            )
    if options.outlier_counts is not None and options.counts is None:
        parser.error("--outlier-counts says how many of --counts are outliers: name that column too")
    if options.outlier_values is not None and options.labels is None:
        parser.error("--outlier-values says which values of --labels are outliers: name that column too")


def main_parser() -> Parser:
    """Make the parser of `pyod-explain FILE`."""
    parser = Parser(
        "pyod-explain",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"pyod-explain {__version__}")
    parser.add_argument(
        "data",
        nargs="?",
        help="the table: .csv, .tsv, .parquet, .jsonl, .xlsx (also .gz), a folder or pattern of parquet files, "
        "or - for standard input",
    )
    _add_reading(parser)
    who = parser.add_argument_group("which rows are outliers")
    who.add_argument("--detector", metavar="NAME", help="PyOD's name of the detector (default: IForest)")
    who.add_argument("--contamination", type=_fraction, metavar="SHARE", help="share of outliers (default: 0.1)")
    who.add_argument("--param", action="append", type=_key_value, metavar="KEY=VALUE", help="parameter of the detector")
    who.add_argument(
        "--labels",
        metavar="COLUMN",
        help="column that marks outliers, by 1 and 0 or two words, or a test of it: 'status != ok', 'amount > 100', "
        "'status in fraud,chargeback'; no detector",
    )
    who.add_argument(
        "--outlier-values", type=_names, metavar="VALUES", help="values in --labels of outliers, comma-separated"
    )
    who.add_argument("--counts", metavar="COLUMN", help="column that tells how many rows each row stands for")
    who.add_argument(
        "--outlier-counts", metavar="COLUMN", help="column that tells how many of these are outliers; no detector"
    )
    new = parser.add_argument_group("what is new: two tables instead of one")
    new.add_argument("--now", metavar="FILE", help="the table to tell about")
    new.add_argument("--before", metavar="FILE", help="the table that it is compared with")
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
    how.add_argument("--method", choices=METHODS, default="mdl", help="what to optimise (default: mdl)")
    how.add_argument("--solver", choices=SOLVERS, default="refined", help="default: refined")
    how.add_argument("--weight", type=_number, metavar="X", help="wccm: cost of an outlier that is missed")
    how.add_argument("--max-tags", type=_draws, metavar="N", help="most rules a group")
    how.add_argument(
        "--max-uncovered", type=_fraction, metavar="SHARE", help="bccm: share of a group that may be missed"
    )
    how.add_argument("--max-length", type=_draws, default=3, metavar="N", help="most conditions in a rule (default: 3)")
    how.add_argument(
        "--no-negations", dest="negations", action="store_false", help='no "is not" or "is none of" in rules'
    )
    how.add_argument(
        "--simplify",
        type=_fraction,
        metavar="SHARE",
        help="share of the bits saved that may be given up for brevity, 0 for none (default: by how much is saved)",
    )
    relations = how.add_mutually_exclusive_group()
    relations.add_argument(
        "--relations",
        action="store_true",
        default="auto",
        help="rules may relate two columns: outlet - inlet < 4.5 (default: where bits are counted)",
    )
    relations.add_argument(
        "--no-relations", dest="relations", action="store_false", default="auto", help="they may not"
    )
    how.add_argument(
        "--sample",
        type=_draws,
        metavar="N",
        help="normal rows of a folder to look for rules in; all are counted (default: what fits into 256 MB)",
    )
    _add_checks(how)
    how.add_argument("--seed", type=_count, default=0, metavar="N", help="default: 0")
    _add_outputs(parser)
    return parser


def demo_parser() -> Parser:
    """Make the parser of `pyod-explain demo`."""
    parser = Parser("pyod-explain demo", description="Explain outliers in a data set that ships with scikit-learn.")
    _add_checks(parser)
    _add_outputs(parser)
    return parser


def compare_parser() -> Parser:
    """Make the parser of `pyod-explain compare`."""
    parser = Parser(
        "pyod-explain compare",
        description="Tell what changed from one report to another: rules that are new, gone or drifted.",
        epilog="exit codes: 0 done, 1 a file is wrong, 2 the command is; with --exit-code 3 if anything changed.",
        allow_abbrev=False,
    )
    parser.add_argument("before", help="the earlier report, as -o FILE.json wrote it")
    parser.add_argument("after", help="the later one")
    parser.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        type=_changes_output,
        metavar="FILE",
        help=f"write {' '.join(CHANGES)}; may be repeated",
    )
    parser.add_argument("--rows", action="store_true", help="say which rows changed their group, by their labels")
    parser.add_argument(
        "--exit-code", action="store_true", help="end with 3 if a rule is new, gone, changed or drifted"
    )
    parser.add_argument("--quiet", action="store_true", help="no notes, and nothing printed if there is an output file")
    return parser


def detectors_parser() -> Parser:
    """Make the parser of `pyod-explain detectors`."""
    return Parser("pyod-explain detectors", description="List PyOD's detectors for tables.")


def mcp_parser() -> Parser:
    """Make the parser of `pyod-explain mcp`."""
    parser = Parser(
        "pyod-explain mcp",
        description="Serve agents by the Model Context Protocol, on standard input and output. Only files in the "
        "folders are read, and none is written without --write.",
        allow_abbrev=False,
    )
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="whose files may be read, with all folders inside")
    parser.add_argument("--write", action="store_true", help="new reports may be written there; nothing is overwritten")
    parser.add_argument(
        "--max-mb", type=_draws, default=200, metavar="N", help="largest file that is read, in MB (default: 200)"
    )
    parser.add_argument(
        "--max-seconds", type=_draws, default=300, metavar="N", help="longest time a call may take (default: 300)"
    )
    parser.add_argument(
        "--max-chars", type=_draws, default=20_000, metavar="N", help="longest text of an answer (default: 20000)"
    )
    return parser


COMMANDS = {"demo": demo_parser, "detectors": detectors_parser, "compare": compare_parser, "mcp": mcp_parser}


def _add_reading(parser: argparse.ArgumentParser) -> None:
    text = parser.add_argument_group("text files (.csv and the like) and .xlsx; all of it is found out if not said")
    text.add_argument("--sep", type=_separator, metavar="CHAR", help="what parts columns: , ; | tab or space")
    text.add_argument("--decimal", choices=(".", ","), help="decimal sign; the other then parts thousands")
    text.add_argument("--encoding", type=_encoding, metavar="NAME", help="such as utf-8, utf-16, cp1252, shift_jis")
    header = text.add_mutually_exclusive_group()
    header.add_argument("--header", action="store_true", default=None, help="the first line names the columns")
    header.add_argument("--no-header", dest="header", action="store_false", default=None, help="it does not")
    text.add_argument("--na", action="append", type=_words, metavar="WORDS", help="these mean missing, comma-separated")
    text.add_argument(
        "--raw",
        action="store_true",
        help="leave texts as they are: '?' and 'NA' are not missing, '$1,179.60' no number",
    )
    text.add_argument("--sheet", metavar="NAME", help="sheet of .xlsx to read (default: the first with a table)")


def _add_checks(group: Any) -> None:
    parts = group.add_mutually_exclusive_group()
    parts.add_argument(
        "--validate", type=_parts, default=5, metavar="N", help="parts to check the rules by, 0 for none (default: 5)"
    )
    parts.add_argument(
        "--no-validate", dest="validate", action="store_const", const=None, default=5, help="do not check them"
    )
    group.add_argument(
        "--placebo",
        type=_count,
        nargs="?",
        const=5,
        metavar="N",
        help="repeat with random rows N times, 0 for none (5 if no number follows)",
    )


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    out = parser.add_argument_group("output")
    out.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        type=_output,
        metavar="FILE",
        help=f"write {' '.join(OUTPUTS)}; may be repeated. rows.csv, rows.parquet, any .jsonl: a line for each "
        "outlier; other .csv: a line for each rule; other .parquet: every row with its group and rule; .yaml: data "
        "tests of dbt; expectations.json: a suite of Great Expectations",
    )
    out.add_argument(
        "--append",
        action="store_true",
        help="rows.csv and the like: all rows as they were read, the answer beside them",
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
    out.add_argument(
        "--dialect",
        choices=DIALECTS,
        help="of .sql, .yaml and expectations.json (default: ansi)",
    )
    out.add_argument(
        "--sql-table",
        metavar="NAME",
        help="table that .sql selects from, model of dbt, name of the suite (default: the file's name)",
    )
    out.add_argument(
        "--quiet", action="store_true", help="no notes or progress, and no report if there is an output file"
    )
    out.add_argument("--verbose", action="store_true", help="more notes on standard error")


def _fraction(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= (value := float(text)) < 1:
            return value
    raise argparse.ArgumentTypeError(f"must be a share from 0 to 1, and below 1, got {text}")


def _draws(text: str) -> int:
    return _whole(text, 1)


def _count(text: str) -> int:
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    with contextlib.suppress(ValueError):
        if least <= (value := int(text)) < 2**32:
            return value
    most = " and below 2**32" if text.isdecimal() and int(text) >= 2**32 else ""
    raise argparse.ArgumentTypeError(f"must be a whole number of at least {least}{most}, got {text}")


def _parts(text: str) -> int:
    value = _count(text)
    if value == 1:
        raise argparse.ArgumentTypeError("must be 0, or at least 2 parts of which each is kept aside once, got 1")
    return value


def _number(text: str) -> float:
    with contextlib.suppress(ValueError):
        return float(text)
    raise argparse.ArgumentTypeError(f"must be a number, got {text}")


def _separator(text: str) -> str:
    known = {"tab": "\t", "\\t": "\t", "space": r"\s+", " ": r"\s+", r"\s+": r"\s+", "comma": ",", "semicolon": ";"}
    found = known.get(text.lower(), text)
    if len(found) != 1 and found not in known.values():
        raise argparse.ArgumentTypeError(f"must be one character, tab or space, got {text!r}")
    if found.isalnum() or found in '"\r\n':
        raise argparse.ArgumentTypeError(f"must not be a letter, a digit, a quotation mark or a line end, got {text!r}")
    return found


def _encoding(text: str) -> str:
    must = f"must be an encoding such as utf-8 or cp1252, got {text!r}"
    if text.lower().replace("_", "-") in NO_LETTERS:
        raise argparse.ArgumentTypeError(must)
    try:
        b"    ".decode(text)
    except UnicodeError:
        return text  # four spaces are no text there
    except (LookupError, ValueError):
        raise argparse.ArgumentTypeError(must) from None
    return text


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


def _key_value(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"must be KEY=VALUE, got {text!r}")
    try:
        return key, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return key, value  # a word such as n_neighbors=largest


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError(f"must name at least one, got {text!r}")
    return names


def _identifiers(text: str) -> str | list[str]:
    return "auto" if text == "auto" else [] if text == "none" else _names(text)


def _groups(text: str) -> str | int:
    return int(text) if text.isdecimal() else text


def _output(text: str, endings: Sequence[str] = OUTPUTS) -> Path:
    path = Path(text)  # which forgets a slash at the end
    if path.suffix.lower() not in endings or not text.endswith(path.name):
        raise argparse.ArgumentTypeError(f"must end in {', '.join(endings)}, got {text!r}")
    return path


def _changes_output(text: str) -> Path:
    return _output(text, CHANGES)
