"""What the command line does: parse, call `explain`, print and write. `cli.py` starts it."""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn, TextIO

import pandas as pd

from pyod_explain._files import find_twins, is_stdout, same_file, staged, target_of
from pyod_explain._printable import one_line, visible
from pyod_explain._progress import Bar
from pyod_explain.cli.detectors import list_detectors, make_detector
from pyod_explain.cli.input_file import encode, read_file
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.explainers.by_name import METHODS, SOLVERS
from pyod_explain.explanation import Explanation
from pyod_explain.pipeline import explain
from pyod_explain.report.spreadsheet import to_csv
from pyod_explain.report.sql import DIALECTS

__all__ = ["run"]

Check = Callable[[], None]
USAGE_ERROR, STDIN = 2, 0
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


def run(arguments: list[str], check: Check) -> int:
    """Do what the arguments ask for; return the exit code.

    Parameters
    ----------
    arguments : what follows the command's name.
    check : called now and then; raises KeyboardInterrupt if the user has interrupted and nobody noticed.
    """
    if arguments[:1] == ["detectors"]:
        _detectors_parser().parse_args(arguments[1:])
        print(_detector_table())
        return 0
    if arguments[:1] == ["demo"]:
        parser = _demo_parser()
        options = parser.parse_args(arguments[1:])
        _check_outputs(options, parser)
        return _demo(options, check)
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.labels is not None and (options.detector or options.contamination is not None or options.param):
        parser.error("--labels says which rows are outliers: leave out --detector, --contamination and --param")
    _check_outputs(options, parser)
    return _explain_file(options, check)


# --- arguments --------------------------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """A parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE_ERROR, f"pyod-explain: {one_line(message)}; see pyod-explain --help\n")


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
    path = Path(text)  # which forgets a slash at the end
    if path.suffix.lower() not in OUTPUTS or not text.endswith(path.name):
        raise argparse.ArgumentTypeError(f"must end in {', '.join(OUTPUTS)}, got {text!r}")
    return path


# --- explaining a file ------------------------------------------------------------------------------------------------


def _explain_file(options: argparse.Namespace, check: Check) -> int:
    with _calm(verbose=options.verbose):
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
    with _progress(options, check) as step, _calm(verbose=options.verbose):
        if options.labels is not None:
            explanation = explain(options.labels, frame, progress=step, **settings)
        else:
            hidden = [options.groups] if options.groups in frame.columns and options.groups != "auto" else []
            detector, matrix = _detect(frame.drop(columns=hidden), options, step)
            explanation = explain(detector, matrix, features=frame, rows="train", progress=step, **settings)
    name = options.sql_table or ("data" if options.data == "-" else Path(options.data).name.partition(".")[0])
    check()
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
    """Say something on standard error; if nobody can hear it, the work goes on."""
    if sys.stderr is not None:  # print would take standard output instead
        with contextlib.suppress(OSError):
            print(f"note: {one_line(text)}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _progress(options: argparse.Namespace, check: Check) -> Iterator[Callable[[str, float], None]]:
    """Show a bar on a terminal, and nothing elsewhere; verbosely, the time that each stage took."""
    started = time.monotonic()
    bar = Bar() if sys.stderr is not None and sys.stderr.isatty() and not options.quiet else None

    def step(stage: str, done: float) -> None:
        check()
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
    """Keep warnings and prints of other packages away from the report, and their names of columns from the terminal."""
    errors = _VisibleStream(sys.stderr)
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(errors if verbose else io.StringIO()):
        if verbose:
            yield
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield


class _VisibleStream(io.TextIOBase):
    """Passes on what other packages print, each line of it visibly."""

    def __init__(self, stream: TextIO | None) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        if self.stream is not None:
            with contextlib.suppress(OSError):  # nobody can hear it
                self.stream.write("\n".join(visible(line) for line in text.split("\n")))
        return len(text)

    def flush(self) -> None:
        if self.stream is not None:
            with contextlib.suppress(OSError):
                self.stream.flush()


# --- output -----------------------------------------------------------------------------------------------------------


def _check_outputs(options: argparse.Namespace, parser: _Parser) -> None:
    """Notice before the work what would be wrong with the files after it."""
    targets = [target_of(path) for path in options.output]
    if (twins := find_twins(targets)) is not None:
        parser.error(f"-o {twins[0].given} and -o {twins[1].given} are the same file")
    source = getattr(options, "data", None)
    for target in targets:
        if source is not None and same_file(target, STDIN if source == "-" else source):
            parser.error(f"-o {target.given} is the file that is read; it would be lost")
        if is_stdout(target) and not options.quiet:
            parser.error(f"-o {target.given} is where the report is printed; add --quiet, or name another file")


def _deliver(explanation: Explanation, options: argparse.Namespace, *, sql_table: str, closing: str = "") -> int:
    """Write all files aside, print, and put the files in place: an error or interrupt leaves all of them as they were.

    A reader of the report who leaves early does not want the files any less.
    """
    notes: list[str] = []
    texts = [(path, _render(explanation, path, options, sql_table, notes)) for path in options.output]
    closed: BrokenPipeError | None = None
    with staged(texts) as batch:
        try:
            if not (options.quiet and texts):
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
        for note in [*notes, *(f"wrote {path}" for path, _ in texts)]:
            _note(note)
    if options.verbose:
        for stage, seconds in explanation.timings.items():
            _note(f"{stage}: {seconds:.2f} s")
    return 0


def _render(explanation: Explanation, path: Path, options: argparse.Namespace, sql_table: str, notes: list[str]) -> str:
    suffix = path.suffix.lower()
    if suffix == ".html":
        return explanation.to_html(rows=options.rows)
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


# --- demo and detectors -----------------------------------------------------------------------------------------------


def _demo(options: argparse.Namespace, check: Check) -> int:
    """Explain what is unusual about tumours to a detector that is not told which are malignant."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer(as_frame=True)
    if not options.quiet:
        print(
            "Data: 569 breast tumours, 30 measurements of the cell nuclei of each (Breast\n"
            "Cancer Wisconsin, ships with scikit-learn). The detector, PyOD's IForest, is not\n"
            "told which tumours are malignant.\n"
        )
    with _progress(options, check) as step, _calm(verbose=options.verbose):
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
    check()
    closing = _diagnoses(explanation, data.target == 0)
    return _deliver(explanation, options, sql_table=options.sql_table or "tumours", closing=closing)


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
