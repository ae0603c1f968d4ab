"""Answers that fit: a long text is cut at the end of a line, and says so."""

from __future__ import annotations

__all__ = ["cut"]


def cut(text: str, most: int) -> str:
    r"""Shorten a text to at most so many characters, and say how much was left out; the sentence is not counted.

    Parameters
    ----------
    text : the answer.
    most : characters.

    Examples
    --------
    >>> print(cut("one\ntwo\nthree", 9))
    one
    two
    [Cut here: 7 of 13 characters are shown.]
    >>> cut("short", 9)
    'short'
    """
    if len(text) <= most:
        return text
    end = text.rfind("\n", 0, most + 1)
    shown = text[: end if end > 0 else most]
    return f"{shown}\n[Cut here: {len(shown):,} of {len(text):,} characters are shown.]"
