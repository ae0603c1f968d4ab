"""Text that does nothing to a terminal but appear on it."""

from __future__ import annotations

__all__ = ["one_line", "visible"]


def visible(text: str) -> str:
    r"""Write control characters as escapes, so that a name cannot move the cursor or break a line.

    The same goes for what is not seen but changes what is seen: marks that turn the direction of writing, line and
    paragraph separators, spaces other than the usual one, lone surrogates.

    >>> print(visible("a\x1b[31m\nb\u202e"))
    a\x1b[31m\nb\u202e
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def one_line(message: str) -> str:
    r"""Write a message, whose lines are ours, in one line, and what is in it visibly.

    >>> print(one_line("Column a\x1b is empty.\nHint: drop it."))
    Column a\x1b is empty. Hint: drop it.
    """
    return visible(" ".join(part.strip(" \t") for part in message.split("\n")).strip())
