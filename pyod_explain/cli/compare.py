"""`pyod-explain compare`: what changed from one report to another, and an exit code for a job that runs every night."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pyod_explain._files import Content
from pyod_explain.cli.console import note
from pyod_explain.cli.outputs import formula_note, publish
from pyod_explain.explanation import Explanation
from pyod_explain.report.changes import Changes
from pyod_explain.report.spreadsheet import to_csv

__all__ = ["CHANGED", "run_compare"]

CHANGED = 3  # 1 and 2 tell that something is wrong


def run_compare(options: argparse.Namespace) -> int:
    """Print and write what changed; return the exit code.

    Parameters
    ----------
    options : the arguments.
    """
    before, after = (Explanation.from_json(Path(one)) for one in (options.before, options.after))
    changes = before.compare(after)
    notes: list[str] = []
    contents = [(path, _render(changes, path, options, notes)) for path in options.output]
    publish(contents, [] if options.quiet and contents else [changes.to_text(rows=options.rows)])
    if not options.quiet:
        for text in [*notes, *(f"wrote {path}" for path in options.output)]:
            note(text)
    return CHANGED if options.exit_code and changes.changed else 0


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
