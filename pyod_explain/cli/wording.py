"""Errors of `explain` in the words of the command line: flags in place of arguments."""

from __future__ import annotations

import re
from collections.abc import Collection

from pyod_explain.cli.usage import UsageError
from pyod_explain.exceptions import PyodExplainError

__all__ = ["in_flags"]

NAMES = {
    "random_state": "seed",
    "n_draws": "placebo",
    "control": "placebo",
    "exclude": "ban",
    "id_columns": "identifiers",
    "detail": "simplify",
    "labels": "labels",
}
ARGUMENT = re.compile(r"`(\w+)(?:=[^`]*)?`(?: of explain\(\))?")
NEW = " of explain_new()"
PLACES = ((" (`detector`)", ""), (" of `X`", ""), ("`X`", "the table"))


def in_flags(error: PyodExplainError, flags: Collection[str]) -> PyodExplainError:
    """Say the same with flags; a sentence that begins with one is about the command, and so a `UsageError`.

    Parameters
    ----------
    error : what `explain` raised.
    flags : the names of the options, as Python writes them.

    Examples
    --------
    >>> error = PyodExplainError("`max_tags` of explain() must be at least 1, got 0.")
    >>> in_flags(error, ["max_tags"])
    UsageError('--max-tags must be at least 1, got 0.')
    """
    message = str(error)
    for place, word in PLACES:
        message = message.replace(place, word)

    def flag(found: re.Match[str]) -> str:
        name = NAMES.get(found[1], found[1])
        return f"--{name.replace('_', '-')}" if name in flags else found[0]

    said = ARGUMENT.sub(flag, message.replace(NEW, ""))
    return UsageError(said) if said.startswith("--") or isinstance(error, UsageError) else PyodExplainError(said)
