"""`pyod-explain compare`: what changed from one report to another, and an exit code for a job that runs every night."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pyod_explain._atomic import Content
from pyod_explain.cli.console import note
from pyod_explain.cli.outputs import publish
from pyod_explain.cli.row_files import formula_note
from pyod_explain.exceptions import FileError, PyodExplainError
from pyod_explain.explanation import Explanation
from pyod_explain.report import Changes, to_csv

__all__ = ["CHANGED", "read_report", "run_compare"]

CHANGED = 3  # 1 and 2 tell that something is wrong


def run_compare(options: argparse.Namespace) -> int:
    """Print and write what changed; return the exit code.

    Parameters
    ----------
    options : the arguments.
    """
    before, after = map(read_report, (options.before, options.after))
    changes = before.compare(after)
    notes: list[str] = []
    contents = [(path, _render(changes, path, options, notes)) for path in options.output]
    publish(contents, [] if options.quiet and contents else [changes.to_text(rows=options.rows)])
    if not options.quiet:
        for text in [*notes, *(f"wrote {path}" for path in options.output)]:
            note(text)
    return CHANGED if options.exit_code and changes.changed else 0


def read_report(path: str) -> Explanation:
    """Read a report; an error names the file and what to do, in the words of the shell.

    Parameters
    ----------
    path : a file that -o FILE.json wrote.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name, or bytes that are no text
        why = "it is not text" if isinstance(error, UnicodeError) else getattr(error, "strerror", None) or error
        raise FileError(f"The report {path} could not be read: {why}.") from error
    try:
        return Explanation.from_json(text)
    except PyodExplainError as error:
        why = str(error).partition("\nHint: ")[0].rstrip(".")
        raise PyodExplainError(
            f"The file {path} is not a report that compare can read: {why}.\n"
            "Hint: pyod-explain data.csv -o report.json writes one."
        ) from error


def _render(changes: Changes, path: Path, options: argparse.Namespace, notes: list[str]) -> Content:
    suffix = path.suffix.lower()
    if suffix == ".html":
        return changes.to_html(rows=options.rows)
    if suffix == ".csv":
        text, changed = to_csv(changes.to_frame())
        notes += formula_note(changed, path)
        return text
    if suffix == ".json":
        return json.dumps(changes.to_dict(rows=options.rows), indent=2) + "\n"
    return changes.to_text(rows=options.rows) + "\n"
