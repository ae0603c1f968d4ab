"""Letters of a text file: whatever its encoding, it becomes UTF-8."""

from __future__ import annotations

import codecs
import re

from pyod_explain.cli.reading.how import Say, ignore
from pyod_explain.cli.usage import UsageError
from pyod_explain.exceptions import PyodExplainError

__all__ = ["decode"]

MARKS = (  # the longer first: that of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WESTERN = "cp1252"  # Windows' Latin-1: the same letters, and the euro sign and quotation marks besides
START = 4096  # bytes that tell UTF-16 without a mark from a file that is no text
LETTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")


def decode(data: bytes, name: str, encoding: str | None = None, say: Say = ignore) -> bytes:
    """Give the text as UTF-8 without a byte order mark.

    A mark tells the encoding, zeros in every other byte tell UTF-16; what is UTF-8 is taken for that, and anything else
    for Windows-1252, with a note. A few stray bytes in a text that otherwise is UTF-8 do not make it another encoding.

    Parameters
    ----------
    data : the file.
    name : what to call it.
    encoding : what the user says it is; None to find out.
    say : told what was found, where it is not UTF-8.

    Examples
    --------
    >>> decode("Größe".encode("cp1252"), "The file", say=print).decode()
    The file is not UTF-8 and was read as cp1252 (Western European); --encoding says otherwise
    'Größe'
    """
    if encoding is not None:
        return _as_said(data, name, encoding)
    for mark, found in MARKS:
        if data.startswith(mark):
            data = data.removeprefix(mark)
            return data if found == "utf-8" and _is_utf8(data) else _transcoded(data, name, found)
    if (wide := _wide(data[:START])) is not None:
        say(f"{name} has no byte order mark and was read as {wide}; --encoding says otherwise")
        return _transcoded(data, name, wide)
    if b"\0" in data:
        raise PyodExplainError(f"{name} must be text, got bytes that are none.\nHint: is its ending the right one?")
    if _is_utf8(data):
        return data
    strays = len(data.decode("utf-8", "replace").encode().split("\ufffd".encode())) - 1
    if len(LETTER.findall(data)) > strays:
        say(f"{name} has bytes that are not UTF-8 in {strays:,} place{'s' if strays > 1 else ''}, read as '\ufffd'")
        return data.decode("utf-8", "replace").encode()
    say(f"{name} is not UTF-8 and was read as {WESTERN} (Western European); --encoding says otherwise")
    try:
        return data.decode(WESTERN).encode()
    except UnicodeDecodeError:  # five bytes mean nothing there
        return data.decode("latin-1").encode()


def _as_said(data: bytes, name: str, encoding: str) -> bytes:
    # Line ends and digits have a zero in each wide encoding; without any, two letters of another would make one.
    if codecs.lookup(encoding).name.startswith(("utf-16", "utf-32")) and b"\0" not in data:
        raise UsageError(f"--encoding: {name[0].lower()}{name[1:]} is not {encoding}.\nHint: leave it out.")
    try:
        text = data.decode(encoding)
    except UnicodeError as error:
        reason = getattr(error, "reason", None) or error
        raise UsageError(
            f"--encoding: {name[0].lower()}{name[1:]} is not {encoding}: {reason}.\n"
            "Hint: leave it out, or name another."
        ) from error
    return text.removeprefix("\ufeff").encode("utf-8", "replace")


def _transcoded(data: bytes, name: str, encoding: str) -> bytes:
    try:
        return data.decode(encoding).encode()
    except UnicodeError as error:
        raise PyodExplainError(
            f"{name} begins like {encoding}, but is not: {getattr(error, 'reason', None) or error}.\n"
            "Hint: --encoding says what it is."
        ) from error


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _wide(start: bytes) -> str | None:
    """Tell UTF-16 by its zeros: most letters of tables are ASCII, separators and digits always."""
    even, odd = start[0::2].count(0), start[1::2].count(0)
    half = len(start) // 2
    if half < 2 or max(even, odd) < 0.4 * half or min(even, odd) > 0.05 * half:
        return None
    return "utf-16-be" if even > odd else "utf-16-le"
