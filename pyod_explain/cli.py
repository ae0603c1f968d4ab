"""The command line: parse, call `explain`, print and write."""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
import signal
import sys
import tempfile
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd

from pyod_explain._progress import Bar
from pyod_explain.detectors import list_detectors, make_detector
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.explanation import Explanation
from pyod_explain.input_file import encode, read_file
from pyod_explain.pipeline import METHODS, SOLVERS, explain
from pyod_explain.report.sql import DIALECTS

__all__ = ["main"]

DATA_ERROR, USAGE_ERROR, INTERRUPTED = 1, 2, 130
OUTPUTS = (".html", ".md", ".json", ".sql", ".csv", ".txt")

DESCRIPTION = """\
Find the outliers of a table with a PyOD detector and explain them by a few
readable rules per group."""

EXAMPLES = """\
examples:
  pyod-explain data.csv
  pyod-explain data.csv --detector ECOD --contamination 0.02 -o report.html
  pyod-explain data.parquet --labels is_fraud -o rules.sql --dialect postgres
  pyod-explain data.csv --index id --drop comment -o report.html -o rules.json
  pyod-explain data.csv --detector KNN --param n_neighbors=20 --placebo
  zcat data.csv.gz | pyod-explain - --quiet -o report.md
  pyod-explain demo         explains outliers in a data set of scikit-learn
  pyod-explain detectors    lists PyOD's detectors

exit codes: 0 done, 1 something is wrong with the data, 2 with the command.
A file named demo or detectors is read as ./demo or ./detectors."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output has seen enough
        with contextlib.suppress(OSError, ValueError, io.UnsupportedOperation):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (PyodExplainError, OSError, ImportError) as error:
        return _complain(str(error), DATA_ERROR)
    except Exception as error:
        if "--verbose" in arguments:
            raise
        kind = type(error).__name__
        return _complain(f"{kind}: {error} (not foreseen; --verbose shows where it happened)", DATA_ERROR)


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["detectors"]:
        _detectors_parser().parse_args(arguments[1:])
        print(_detector_table())
        return 0
    if arguments[:1] == ["demo"]:
        return _demo(_demo_parser().parse_args(arguments[1:]))
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.labels is not None and (options.detector or options.contamination is not None or options.param):
        parser.error("--labels says which rows are outliers: leave out --detector, --contamination and --param")
    return _explain_file(options)


def _complain(message: str, code: int) -> int:
    """Say what is wrong in one line."""
    print(f"pyod-explain: {' '.join(message.split())}", file=sys.stderr)
    return code


# --- arguments --------------------------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """A parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE_ERROR, f"pyod-explain: {message}; see pyod-explain --help\n")


def _parser() -> _Parser:
    parser = _Parser(
        "pyod-explain",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "data", help="the table: .csv, .tsv, .parquet, .jsonl, .xlsx (also .gz), or - for standard input"
    )
    who = parser.add_argument_group("which rows are outliers")
    who.add_argument("--detector", metavar="NAME", help="PyOD's name of the detector (default: IForest)")
    who.add_argument("--contamination", type=_fraction, metavar="SHARE", help="share of outliers (default: 0.1)")
    who.add_argument("--param", action="append", type=_key_value, metavar="KEY=VALUE", help="parameter of the detector")
    who.add_argument("--labels", metavar="COLUMN", help="column with 1 for outliers and 0 for others; no detector")
    columns = parser.add_argument_group("columns")
    columns.add_argument("--index", metavar="COLUMN", help="column with the names of the rows")
    columns.add_argument("--drop", action="append", type=_names, metavar="COLUMNS", help="leave out, comma-separated")
    columns.add_argument("--only", action="append", type=_names, metavar="COLUMNS", help="use only, comma-separated")
    how = parser.add_argument_group("how to explain")
    how.add_argument("--groups", type=_groups, default="auto", metavar="N", help="number of groups, a column, or auto")
    how.add_argument("--method", choices=tuple(METHODS), default="mdl", help="what to optimise (default: mdl)")
    how.add_argument("--solver", choices=SOLVERS, default="refined", help="default: refined")
    how.add_argument("--weight", type=float, metavar="X", help="wccm: cost of an outlier that is missed")
    how.add_argument("--max-tags", type=int, metavar="N", help="most rules a group")
    how.add_argument(
        "--max-uncovered", type=_fraction, metavar="SHARE", help="bccm: share of a group that may be missed"
    )
    how.add_argument("--max-length", type=int, default=3, metavar="N", help="most conditions in a rule (default: 3)")
    _add_checks(how)
    how.add_argument("--seed", type=int, default=0, help="default: 0")
    _add_outputs(parser)
    return parser


def _demo_parser() -> _Parser:
    parser = _Parser("pyod-explain demo", description="Explain outliers in a data set that ships with scikit-learn.")
    _add_checks(parser)
    _add_outputs(parser)
    return parser


def _detectors_parser() -> _Parser:
    return _Parser("pyod-explain detectors", description="List PyOD's detectors for tables.")


def _add_checks(group: Any) -> None:
    group.add_argument("--validate", type=int, default=5, metavar="N", help="parts to check the rules by (default: 5)")
    group.add_argument("--no-validate", dest="validate", action="store_const", const=None, help="do not check them")
    group.add_argument(
        "--placebo", type=int, nargs="?", const=5, metavar="N", help="repeat with random rows N times (default: 5)"
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
        help=f"write {' '.join(OUTPUTS)}; may be repeated",
    )
    out.add_argument(
        "--rows", action="store_true", help="list unexplained rows in .html and .md; only totals otherwise"
    )
    out.add_argument("--dialect", choices=tuple(DIALECTS), default="ansi", help="of .sql (default: ansi)")
    out.add_argument("--sql-table", metavar="NAME", help="table that .sql selects from (default: the file's name)")
    out.add_argument(
        "--quiet", action="store_true", help="no notes or progress, and no report if there is an output file"
    )
    out.add_argument("--verbose", action="store_true", help="more notes on standard error")


def _fraction(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"must be a share from 0 to 1, got {text}")
    return value


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


def _groups(text: str) -> str | int:
    return int(text) if text.isdecimal() else text


def _output(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() not in OUTPUTS:
        raise argparse.ArgumentTypeError(f"must end in {', '.join(OUTPUTS)}, got {text!r}")
    return path


# --- explaining a file ------------------------------------------------------------------------------------------------


def _explain_file(options: argparse.Namespace) -> int:
    _check_outputs(options.output)
    frame = read_file(options.data)
    frame = _choose_columns(frame, options)
    if not options.quiet:
        _note_identifiers(frame)
    settings = {
        "groups": options.groups,
        "method": options.method,
        "solver": options.solver,
        "weight": options.weight,
        "max_tags": options.max_tags,
        "max_uncovered": options.max_uncovered,
        "max_length": options.max_length,
        "random_state": options.seed,
        "validate": options.validate,
        "control": None if options.placebo is None else "placebo",
        "n_draws": options.placebo or 1,
    }
    with _progress(options) as step, _calm(verbose=options.verbose):
        if options.labels is not None:
            explanation = explain(options.labels, frame, progress=step, **settings)
        else:
            hidden = [options.groups] if options.groups in frame.columns and options.groups != "auto" else []
            detector, matrix = _detect(frame.drop(columns=hidden), options, step)
            explanation = explain(detector, matrix, features=frame, rows="train", progress=step, **settings)
    name = options.sql_table or ("data" if options.data == "-" else Path(options.data).name.partition(".")[0])
    return _deliver(explanation, options, sql_table=name)


def _detect(frame: pd.DataFrame, options: argparse.Namespace, step: Callable[[str, float], None]) -> tuple[Any, Any]:
    """Fit the detector on the encoded table."""
    step("detector", 0.0)
    params = dict(options.param or [])
    contamination = 0.1 if options.contamination is None else options.contamination
    detector = make_detector(options.detector or "IForest", params, contamination=contamination, seed=options.seed)
    matrix = encode(frame)
    try:
        detector.fit(matrix)
    except Exception as error:
        raise PyodExplainError(
            f"{type(detector).__name__} could not be fitted: {error}\nHint: try another --detector, or other --param."
        ) from error
    return detector, matrix


def _choose_columns(frame: pd.DataFrame, options: argparse.Namespace) -> pd.DataFrame:
    only = [name for names in options.only or [] for name in names]
    drop = [name for names in options.drop or [] for name in names]
    special = [name for name in (options.index, options.labels) if name is not None]
    if isinstance(options.groups, str) and options.groups != "auto":
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
            _note(
                f"column {name!r} has another value in every row; "
                f"--index {name} makes it the rows' names, --drop {name} leaves it out"
            )


def _note(text: str) -> None:
    print(f"note: {text}", file=sys.stderr)


@contextlib.contextmanager
def _progress(options: argparse.Namespace) -> Iterator[Callable[[str, float], None]]:
    """Show a bar on a terminal, and nothing elsewhere; verbosely, the time that each stage took."""
    started = time.monotonic()
    bar = Bar() if sys.stderr.isatty() and not options.quiet else None

    def step(stage: str, done: float) -> None:
        if bar is not None:
            bar(stage, done)
        elif options.verbose:
            _note(f"{time.monotonic() - started:6.1f} s  {stage} {done:.0%}")

    try:
        yield step
    finally:
        if bar is not None:
            bar.close()


@contextlib.contextmanager
def _calm(*, verbose: bool) -> Iterator[None]:
    """Keep warnings and prints of other packages away from the report."""
    if verbose:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    else:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield


# --- output -----------------------------------------------------------------------------------------------------------


def _check_outputs(paths: Sequence[Path]) -> None:
    """Notice before the work that a file cannot be written after it."""
    for path in paths:
        if not path.absolute().parent.is_dir():
            raise PyodExplainError(f"The folder of {path} must exist.")


def _deliver(explanation: Explanation, options: argparse.Namespace, *, sql_table: str) -> int:
    """Render everything first, then write the files, then print: an error leaves nothing half done."""
    texts = [(path, _render(explanation, path, options, sql_table)) for path in options.output]
    for path, text in texts:
        write_whole(path, text)
    if not (options.quiet and texts):
        print(explanation)
    if not options.quiet:
        for path, _ in texts:
            _note(f"wrote {path}")
    if options.verbose:
        for stage, seconds in explanation.timings.items():
            _note(f"{stage}: {seconds:.2f} s")
    return 0


def _render(explanation: Explanation, path: Path, options: argparse.Namespace, sql_table: str) -> str:
    suffix = path.suffix.lower()
    if suffix == ".html":
        return explanation.to_html(rows=options.rows, validate=options.validate)
    if suffix == ".md":
        return explanation.to_markdown(rows=options.rows)
    if suffix == ".json":
        return explanation.to_json()
    if suffix == ".sql":
        return explanation.to_sql(sql_table, dialect=options.dialect)
    if suffix == ".csv":
        return str(explanation.to_frame().to_csv(index=False))
    return f"{explanation}\n"


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or, if anything stops us, as it was before."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.absolute().parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(temporary).chmod(_usual_mode(path))
        Path(temporary).replace(path)
    except BaseException:  # Ctrl-C too
        Path(temporary).unlink(missing_ok=True)
        raise


def _usual_mode(path: Path) -> int:
    """Give the rights that a new file would have; a temporary file is its owner's alone."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


# --- demo and detectors -----------------------------------------------------------------------------------------------


def _demo(options: argparse.Namespace) -> int:
    """Explain what is unusual about tumours to a detector that is not told which are malignant."""
    from sklearn.datasets import load_breast_cancer

    _check_outputs(options.output)
    data = load_breast_cancer(as_frame=True)
    if not options.quiet:
        print(
            "Data: 569 breast tumours, 30 measurements of the cell nuclei of each (Breast\n"
            "Cancer Wisconsin, ships with scikit-learn). The detector, PyOD's IForest, is not\n"
            "told which tumours are malignant.\n"
        )
    with _progress(options) as step, _calm(verbose=options.verbose):
        step("detector", 0.0)
        detector = make_detector("IForest", {}, contamination=0.1, seed=0).fit(encode(data.data))
        explanation = explain(
            detector,
            encode(data.data),
            features=data.data,
            groups=2,
            validate=options.validate,
            control=None if options.placebo is None else "placebo",
            n_draws=options.placebo or 1,
            progress=step,
        )
    code = _deliver(explanation, options, sql_table=options.sql_table or "tumours")
    if not options.quiet:
        print(_diagnoses(explanation, data.target == 0))
    return code


def _diagnoses(explanation: Explanation, malignant: pd.Series[bool]) -> str:
    groups = [malignant[malignant.index.isin(group.rows)] for group in explanation.groups]
    parts = [f"{one.sum()} of {len(one)} in group {k}" for k, one in enumerate(groups, start=1)]
    text = (
        "For comparison, the diagnosis, which neither the detector nor the rules saw: malignant are "
        f"{', '.join(parts)}, and {malignant.sum()} of all {len(malignant)}."
    )
    return "\n" + textwrap.fill(text, 80)


def _detector_table() -> str:
    infos = list_detectors()
    width = max(len(info.name) for info in infos)
    lines = []
    for info in infos:
        need = f"needs {', '.join(info.missing)}: " if info.missing else ""
        lines.append(f"{info.name:<{width}}  {textwrap.shorten(need + info.about, 78 - width, placeholder='...')}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
