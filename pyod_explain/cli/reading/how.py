"""What the user says of a text file or workbook, so that it need not be found out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["How", "Say", "ignore"]

Say = Callable[[str], None]  # told each reading that a person might not expect


def ignore(text: str) -> None:
    """Hear a note and do nothing."""


@dataclass(frozen=True)
class How:
    r"""How to read a text file or workbook; None is found out from the file.

    Attributes
    ----------
    sep : the character between columns, or `\s+` for any number of spaces.
    decimal : the decimal sign, `.` or `,`; the other then parts thousands.
    encoding : Python's name of the encoding.
    header : whether the first line names the columns.
    na : words that stand for a missing value, in every column.
    raw : leave texts as they are: none is read as a number or a missing value.
    sheet : the sheet of a workbook.
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    na: tuple[str, ...] = ()
    raw: bool = False
    sheet: str | None = None
