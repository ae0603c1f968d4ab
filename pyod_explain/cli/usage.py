"""A mistake in the command that only shows beside the table: a column or a value that it does not have."""

from __future__ import annotations

from pyod_explain.exceptions import PyodExplainError

__all__ = ["UsageError"]


class UsageError(PyodExplainError):
    """What the command asks for cannot be done with this table; exit code 2."""
