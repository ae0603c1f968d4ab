"""`CheckError`: which check failed, what it asks for, what was got, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyod_explain._validate import shown

__all__ = ["CheckError", "expect", "no_error"]


class CheckError(AssertionError):
    """A tag maker or explainer breaks the contract; the message says which rule, what was got, and what to do.

    Examples
    --------
    >>> from pyod_explain.checks import check_tag_maker
    >>> class Broken:
    ...     def make(self, table, groups):
    ...         return []
    >>> try:
    ...     check_tag_maker(Broken())
    ... except CheckError as error:
    ...     print(str(error).splitlines()[1])
    Hint: return TagSet(tags, n_items) from pyod_explain.tags.
    """


def expect(held: bool, who: Any, rule: str, got: Any, hint: str) -> None:
    """Raise a `CheckError` unless the rule held.

    >>> expect(False, 3, "`make` must return a TagSet", "a list", "return TagSet(tags, n_items)")
    Traceback (most recent call last):
    pyod_explain.checks.failure.CheckError: 3: `make` must return a TagSet, got a list.
    Hint: return TagSet(tags, n_items).
    """
    if not held:
        raise CheckError(f"{shown(who)}: {rule}, got {got}.\nHint: {hint}.")


@contextmanager
def no_error(who: Any, rule: str, hint: str) -> Iterator[None]:
    """Turn whatever is raised inside into a `CheckError`: the rule is that nothing is."""
    try:
        yield
    except CheckError:
        raise
    except Exception as error:
        raise CheckError(f"{shown(who)}: {rule}, got {type(error).__name__}: {error}\nHint: {hint}.") from error
