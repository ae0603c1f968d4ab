"""What the tools do, on files that are there: explain, ask about a row, compare. Runs in the worker."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._advice import in_a_shell
from pyod_explain._printable import one_line
from pyod_explain.cli.command import explain_table, how_of
from pyod_explain.cli.compare import read_report
from pyod_explain.cli.console import calm
from pyod_explain.cli.detectors import detector_table
from pyod_explain.cli.input_file import read_file
from pyod_explain.cli.mcp.asked import command_of, in_arguments, options_of
from pyod_explain.cli.mcp.parquet_size import check_parquet
from pyod_explain.cli.usage import UsageError
from pyod_explain.cli.wording import in_flags
from pyod_explain.exceptions import FileError, PyodExplainError
from pyod_explain.explanation import Explanation, with_metadata
from pyod_explain.result import file_facts

__all__ = ["SAVED", "VIEWS", "Desk"]

VIEWS: dict[str, Callable[[Explanation, str], str]] = {
    "text": lambda e, _: str(e),
    "headline": lambda e, _: e.headline,
    "markdown": lambda e, _: e.to_markdown(),
    "json": lambda e, _: e.to_json(rows=False),
    "sql": lambda e, table: e.to_sql(table),
}
SAVED: dict[str, Callable[[Explanation, str], str]] = {
    ".html": lambda e, _: e.to_html(),
    ".json": lambda e, _: e.to_json(),
    ".md": VIEWS["markdown"],
    ".sql": VIEWS["sql"],
    ".txt": lambda e, _: f"{e}\n",
}
MOST_KEPT = 2  # explanations, so that a question about a row need not find the rules again


@dataclass
class _Explained:
    """An explanation, the table that it is of, and what was noted on the way."""

    explanation: Explanation
    table: pd.DataFrame
    notes: list[str] = field(default_factory=list)


class Desk:
    """Answers one request after another, and remembers the last explanations."""

    def __init__(self) -> None:
        self.kept: dict[Any, _Explained] = {}

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Do what is asked: give texts, or an error in a sentence.

        Parameters
        ----------
        request : the `task` and what it needs; see the methods of that name.
        """
        tasks = {
            "explain": self.explain,
            "row": self.row,
            "compare": self.compare,
            "detectors": self.detectors,
            "save": self.save,
        }
        try:
            with in_a_shell(), calm(verbose=False):
                return {"texts": [_encodable(text) for text in tasks[request["task"]](request) if text]}
        except (PyodExplainError, ImportError, OSError) as error:
            return {"error": in_arguments(one_line(str(error)))}  # one_line escapes what cannot be encoded
        except Exception as error:  # noqa: BLE001 - whatever it is, the client gets a sentence, and the next answer
            return {"error": f"{type(error).__name__}: {one_line(str(error))} (not foreseen)"}

    def explain(self, request: Mapping[str, Any]) -> Sequence[str]:
        """Explain a table in the `view` that is asked for; then notes, and the command that does the same."""
        found = self._explained(request)
        view = VIEWS.get(request["view"])
        if view is None:
            raise UsageError(f"`view` must be one of {', '.join(VIEWS)}, got {request['view']!r}.")
        return [view(found.explanation, _table_name(request["file"])), _remarks(found, request)]

    def save(self, request: Mapping[str, Any]) -> Sequence[str]:
        """Give the content of a report, in the format of its `ending`."""
        found = self._explained(request)
        text = SAVED[request["ending"]](found.explanation, _table_name(request["file"]))
        if text != _encodable(text):
            raise PyodExplainError("The report has letters that no file in UTF-8 can hold; a column or value has them.")
        return [text]

    def row(self, request: Mapping[str, Any]) -> Sequence[str]:
        """Say why a row is an outlier or comes nearest to what, by a report that is read or made now."""
        found = self._reported(request) if "report" in request else self._explained(request)
        position = _position(found.table, request["row"])
        # Where in the table its rows were is not kept in a report; there the row's name must do.
        which = {"label": found.table.index[position]} if "report" in request else {"position": position}
        asked = found.explanation.for_row(X=found.table, **which)
        texts = [str(asked)]
        if asked.outlier and asked.matching:
            texts.append(str(found.explanation.counterfactual(X=found.table, **which)))
        cells = found.table.iloc[position]
        shown = ", ".join(one_line(f"{name} = {cell}") for name, cell in cells.items())
        return ["\n".join(texts), f"The row: {shown}", *([] if "report" in request else [_remarks(found, request)])]

    @staticmethod
    def compare(request: Mapping[str, Any]) -> Sequence[str]:
        """Tell what changed from one report to another."""
        before, after = read_report(request["before"]), read_report(request["after"])
        return [before.compare(after).to_text(rows=request["rows"])]

    @staticmethod
    def detectors(_: Mapping[str, Any]) -> Sequence[str]:
        """List PyOD's detectors for tables."""
        return [detector_table()]

    def _explained(self, request: Mapping[str, Any]) -> _Explained:
        arguments, path = request["arguments"], request["file"]
        key = (_fingerprint(path), repr(sorted(arguments.items())))
        found = self.kept.pop(key, None)
        if found is None:
            check_parquet(path, request["most"])
            found = _explain(path, arguments, request["shown"])
        self.kept[key] = found  # the latest last
        while len(self.kept) > MOST_KEPT:
            self.kept.pop(next(iter(self.kept)))
        return found

    @staticmethod
    def _reported(request: Mapping[str, Any]) -> _Explained:
        report = read_report(request["report"])
        options = options_of(request["arguments"], request["file"])
        check_parquet(options.data, request["most"])
        table = read_file(options.data, how_of(options))
        if options.index is not None:
            if options.index not in table.columns:
                raise UsageError(f"--index: the table has no column {options.index!r}.")
            table = table.set_index(options.index)
        return _Explained(report, table)


def _explain(path: str, arguments: Mapping[str, Any], shown: str) -> _Explained:
    notes: list[str] = []
    options = options_of(arguments, path)
    whole = read_file(options.data, how_of(options), notes.append)
    marks = _marks(arguments["rows"], len(whole)) if "rows" in arguments else None
    try:
        explanation, table = explain_table(whole, options, lambda _stage, _done: None, notes.append, marks=marks)
    except FileError:
        raise
    except PyodExplainError as error:
        raise in_flags(error, vars(options)) from error
    command = command_of(arguments, shown)
    facts = {"call": "", **file_facts(path), **({"command": command} if command else {})}
    return _Explained(with_metadata(explanation, **facts), table, notes)


def _marks(rows: Sequence[int], n_rows: int) -> NDArray[np.bool_]:
    """Mark the rows given by their positions."""
    wrong = [row for row in rows if not 0 <= row < n_rows]
    if wrong:
        raise UsageError(f"`rows` must be positions from 0 to {n_rows - 1:,}, of the {n_rows:,} rows, got {wrong[0]}.")
    marks = np.zeros(n_rows, dtype=bool)
    marks[list(rows)] = True
    if marks.all():
        raise UsageError(f"`rows` must leave some rows normal, to tell the outliers from, got all {n_rows:,} rows.")
    return marks


def _position(table: pd.DataFrame, row: str | int) -> int:
    """Find a row by its name, as text or number."""
    found = [i for i, label in enumerate(table.index) if label == row or str(label) == str(row)]
    if not found:
        raise UsageError(
            f"`row` must be the name of a row: {_names(table)}, got {row!r}.\n"
            "Hint: `index` names the column with the names of the rows; without it they are numbered from 0."
        )
    if len(found) > 1:
        raise UsageError(
            f"`row` {row!r} is the name of {len(found):,} rows.\nHint: leave out `index`, and give its number from 0."
        )
    return found[0]


def _names(table: pd.DataFrame) -> str:
    if isinstance(table.index, pd.RangeIndex):
        return f"a number from 0 to {len(table) - 1:,}"
    return f"one of {', '.join(repr(str(one)) for one in table.index[:3])}{', ...' if len(table) > 3 else ''}"


def _remarks(found: _Explained, request: Mapping[str, Any]) -> str:
    lines = [f"note: {in_arguments(one_line(text))}" for text in found.notes]
    command = command_of(request["arguments"], request["shown"])
    return "\n".join([*lines, *([f"The same on the command line: {one_line(command)}"] if command else [])])


def _encodable(text: str) -> str:
    """Write what UTF-8 cannot hold (half a pair of surrogates) as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _table_name(path: str) -> str:
    return Path(path).name.lstrip(".").partition(".")[0] or "data"


def _fingerprint(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
