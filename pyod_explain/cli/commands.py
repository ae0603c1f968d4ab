"""The subcommands of `pyod-explain`, and what they print besides the report.

What takes seconds to import is imported when a command needs it, so that help and mistakes are answered at once.
"""

from __future__ import annotations

import contextlib
import io
import shlex
import sys
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pyod_explain._progress import Step, start
from pyod_explain.cli.mcp import serve_agents
from pyod_explain.cli.parser import EXIT_CODE, Parser, add_outputs, diff_request, explain_request, output_options
from pyod_explain.cli.request import SHELL, Notify, OutputOptions, Request, no_notify
from pyod_explain.exceptions import FileError, PyodExplainError, one_line, render

if TYPE_CHECKING:
    from pyod_explain.explanation import Explanation
    from pyod_explain.report import Changes

CHANGED = 3  # an exit code; 1 and 2 mean errors
CHANGE_SUFFIXES = (".html", ".txt", ".csv", ".json")
DEMO_OPENING = """\
Data: 569 breast tumours, 30 measurements of the cell nuclei of each (Breast
Cancer Wisconsin, ships with scikit-learn). The detector, PyOD's IForest, does
not see which tumours are malignant.
"""


def explain_table(arguments: Sequence[str]) -> int:
    """Explain the outliers of a table; write the files and print the report."""
    return _explain("explain", *explain_request(arguments), arguments)


def diff_tables(arguments: Sequence[str]) -> int:
    """Describe what is new in a table; write the files and print the report."""
    return _explain("diff", *diff_request(arguments), arguments)


def _explain(command: str, request: Request, options: OutputOptions, arguments: Sequence[str]) -> int:
    from pyod_explain.cli.outputs import check_outputs, write_rows
    from pyod_explain.cli.run import file_metadata, run, run_diff
    from pyod_explain.explanation import with_metadata, with_words

    check_outputs(options, [path for path in (request.path, request.before) if path is not None])
    notify = _notify(options)
    with _working(options) as step:
        if request.before is None:
            result = run(request, notify=notify, step=step)
            explanation = result.explanation.rename(options.names)
            write_rows(result, options, notify)
        else:
            explanation = run_diff(request, notify=notify, step=step).rename(options.names)
    metadata = file_metadata(request, shlex.join(["pyod-explain", command, *arguments]))
    _publish(with_metadata(with_words(explanation, SHELL), **metadata), options)
    changed = any(one.significant for one in explanation.summary.changes or ())
    return CHANGED if options.exit_code and changed else 0


def compare_reports(arguments: Sequence[str]) -> int:
    """Print and write what changed from one report to another."""
    parser = Parser(
        "compare",
        description="Show which rules are new, gone or changed between two reports.",
        epilog="exit codes: 0 done, 1 error, 2 wrong command; with --exit-code 3 if a rule is new, gone or changed.",
    )
    parser.add_argument("before", metavar="A.json", help="the earlier report, written by -o FILE.json")
    parser.add_argument("after", metavar="B.json", help="the later report")
    parser.add_argument("--exit-code", action="store_true", help=EXIT_CODE)
    add_outputs(parser, CHANGE_SUFFIXES)
    given = parser.parse_args(arguments)
    options = output_options(given)
    from pyod_explain.cli.outputs import check_outputs

    paths = [given.before, given.after]
    check_outputs(options, paths)
    contents = []
    for path in paths:
        try:
            contents.append(Path(path).read_bytes())
        except (OSError, ValueError) as error:  # ValueError: a null byte in the name
            raise FileError(f"{path} could not be read: {getattr(error, 'strerror', None) or error}.") from error
    before, after = map(parse_report, contents, paths)
    changes = before.compare(after)
    _publish(changes, options)
    return CHANGED if options.exit_code and changes.changed else 0


def parse_report(data: bytes, path: str) -> Explanation:
    """Read a report that was written as JSON; an error names the file.

    Parameters
    ----------
    data : the content of the file.
    path : its name in messages.
    """
    from pyod_explain.explanation import Explanation

    try:
        return Explanation.from_json(data.decode("utf-8-sig"))
    except ValueError as error:
        raise PyodExplainError(
            f"{path} is not a report of this version.", hint="`-o report.json` writes one."
        ) from error


def list_detectors(arguments: Sequence[str]) -> int:
    """Print PyOD's detectors for tables."""
    Parser("detectors", description="List PyOD's detectors for tables.").parse_args(arguments)
    from pyod_explain.cli.detectors import detector_table

    print(detector_table())
    return 0


def show_demo(arguments: Sequence[str]) -> int:
    """Explain the outliers of a data set of scikit-learn."""
    parser = Parser("demo", description="Explain outliers in a data set that ships with scikit-learn.")
    add_outputs(parser)
    request = Request("tumours.csv", groups=2)
    options = output_options(parser.parse_args(arguments), request)
    from sklearn.datasets import load_breast_cancer

    from pyod_explain.cli.outputs import check_outputs
    from pyod_explain.cli.run import explain_rows

    check_outputs(options)
    data = load_breast_cancer(as_frame=True)
    if not options.quiet:
        print(DEMO_OPENING)
    with _working(options) as step:
        explanation = explain_rows(data.data, request, step=step).explanation.rename(options.names)
    _publish(explanation, options)
    if not options.quiet:
        malignant = data.target == 0
        groups = [malignant[malignant.index.isin(group.rows)] for group in explanation.groups]
        parts = [f"{one.sum()} of {len(one)} in group {k}" for k, one in enumerate(groups, start=1)]
        text = (
            "For comparison, the diagnosis, which neither the detector nor the rules saw: malignant are "
            f"{', '.join(parts)}, and {malignant.sum()} of all {len(malignant)}."
        )
        print("\n" + textwrap.fill(text, 80))
    return 0


COMMANDS = {
    "explain": explain_table,
    "diff": diff_tables,
    "compare": compare_reports,
    "detectors": list_detectors,
    "demo": show_demo,
    "mcp": serve_agents,
}


def print_line(text: str) -> None:
    """Print a line on standard error; nothing where that is closed."""
    if sys.stderr is not None:  # print would take standard output instead
        with contextlib.suppress(OSError, ValueError):
            print(one_line(text), file=sys.stderr, flush=True)


def _notify(options: OutputOptions) -> Notify:
    """Give a function that prints a note on standard error, in the words of the command line."""
    return no_notify if options.quiet else lambda note: print_line(f"note: {render(note, SHELL)}")


def _publish(report: Explanation | Changes, options: OutputOptions) -> None:
    """Write the report to the output files, and print it."""
    from pyod_explain.cli.outputs import WRITERS, write_reports

    write_reports(report, options, _notify(options))
    if not (options.quiet and options.outputs):
        print(WRITERS[".txt"](report, options, no_notify), end="")


@contextlib.contextmanager
def _working(options: OutputOptions) -> Iterator[Step]:
    """Show a bar on a terminal; hide what other packages print."""
    on_terminal = sys.stderr is not None and sys.stderr.isatty() and not options.quiet
    with start(on_terminal) as step, hide_output():
        yield step


@contextlib.contextmanager
def hide_output() -> Iterator[None]:
    """Keep prints and warnings of other packages away from the report."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
