"""What to do next, in the language of who asked: a call in Python, a flag in the shell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["advice", "in_a_shell"]

_SHELL: ContextVar[bool] = ContextVar("shell", default=False)


@contextmanager
def in_a_shell() -> Iterator[None]:
    """Give advice for the command line inside this block."""
    before = _SHELL.set(True)
    try:
        yield
    finally:
        _SHELL.reset(before)


def advice(python: str, shell: str) -> str:
    """Choose the words.

    Parameters
    ----------
    python : for who called a function.
    shell : for who typed a command.

    Examples
    --------
    >>> print(advice("explain(..., validate=5)", "--validate 5"))
    explain(..., validate=5)
    >>> with in_a_shell():
    ...     print(advice("explain(..., validate=5)", "--validate 5"))
    --validate 5
    """
    return shell if _SHELL.get() else python
