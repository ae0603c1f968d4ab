"""What a file of an explanation is: its schema, and the errors for one that is not as `to_json` writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError

__all__ = ["SCHEMA", "VERSION", "damaged", "incomplete"]

SCHEMA = "pyod_explain.explanation"
VERSION = 1
HINT = "Hint: the text was changed or cut after to_json() wrote it; write it again from the explanation."


def damaged(path: str, rule: str, got: Any) -> PyodExplainError:
    """Build the error for a part of a file that is not as `to_json` writes it.

    Parameters
    ----------
    path : where, such as `groups[2].rules[0].n_normals`.
    rule : what it must be.
    got : what it is.
    """
    found = "an object" if isinstance(got, Mapping) else "a list" if isinstance(got, list) else shown(got)
    return PyodExplainError(f"`{path}` of the explanation must be {rule}, got {found}.\n{HINT}")


def incomplete(path: str) -> PyodExplainError:
    """Build the error for a part of a file that is not there."""
    return PyodExplainError(f"The explanation is incomplete: `{path}` is not there.\n{HINT}")
