"""`pyod-explain compare`: what changed from one report to another, with an exit code for scheduled jobs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pyod_explain.cli.console import print_note
from pyod_explain.cli.parser import Parser, add_outputs, output_options
from pyod_explain.cli.request import no_notify
from pyod_explain.exceptions import FileError, PyodExplainError

if TYPE_CHECKING:
    from pyod_explain.explanation import Explanation

CHANGED = 3  # the exit code; 1 and 2 mean errors
CHANGES = (".html", ".txt", ".csv", ".json")


def main(arguments: Sequence[str]) -> int:
    """Print and write what changed; return the exit code."""
    parser = Parser(
        "compare",
        description="Show which rules are new, gone, changed or drifted between two reports.",
        epilog="exit codes: 0 done, 1 error, 2 wrong command; with --exit-code 3 if anything changed.",
    )
    parser.add_argument("before", metavar="A.json", help="the earlier report, written by -o FILE.json")
    parser.add_argument("after", metavar="B.json", help="the later report")
    parser.add_argument(
        "--exit-code", action="store_true", help="exit with 3 if a rule is new, gone, changed or drifted"
    )
    add_outputs(parser, CHANGES)
    given = parser.parse_args(arguments)
    options = output_options(given)
    from pyod_explain.cli.outputs import WRITERS, check_outputs, write_reports

    check_outputs(options, [given.before, given.after])
    changes = _read_report(given.before).compare(_read_report(given.after))
    write_reports(changes, options, no_notify if options.quiet else print_note)
    if not (options.quiet and options.outputs):
        print(WRITERS[".txt"](changes, options, no_notify), end="")
    return CHANGED if given.exit_code and changes.changed else 0


def _read_report(path: str) -> Explanation:
    try:
        return parse_report(Path(path).read_bytes(), path)
    except (OSError, ValueError) as error:
        if isinstance(error, PyodExplainError):
            raise
        raise FileError(f"{path} could not be read: {getattr(error, 'strerror', None) or error}.") from error


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
    except (UnicodeDecodeError, PyodExplainError) as error:
        why = error.problem if isinstance(error, PyodExplainError) else "it is not UTF-8 text."
        raise PyodExplainError(
            f"{path} is not a report: {str(why).partition(chr(10))[0]}", hint="`-o report.json` writes one."
        ) from error
