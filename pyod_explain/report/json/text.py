"""From plain data to JSON text and back: what JSON reads in two ways is neither written nor read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NoReturn

from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.report.json.read import from_dict
from pyod_explain.report.json.write import to_dict
from pyod_explain.result import Summary

__all__ = ["from_json", "read_json", "to_json"]

_HALF = re.compile("[\ud800-\udfff]")  # half of a character of UTF-16, which UTF-8 cannot write
_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def to_json(s: Summary, *, rows: bool = True, indent: int | None = 2) -> str:
    """Write the summary as JSON."""
    text = json.dumps(to_dict(s, rows=rows), ensure_ascii=False, indent=indent, allow_nan=False) + "\n"
    halves = _HALVES.search(text)
    if halves is not None:
        around = text[max(halves.start() - 20, 0) : halves.end() + 20]
        raise PyodExplainError(
            f"The text {shown(around)} cannot be written as JSON: two halves of a character (surrogates) would be read "
            "as one.\nHint: repair the text with text.encode('utf-16', 'surrogatepass').decode('utf-16')."
        )
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def read_json(text: str | bytes | Path) -> Summary:
    """Read a summary: the text, or the file at a path."""
    return from_json(_content(text) if isinstance(text, Path) else text)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        raise PyodExplainError(
            f"`text` of from_json() must be JSON or the path of a file that can be read, got {shown(path)}: {error}."
        ) from error


def from_json(text: str | bytes | bytearray) -> Summary:
    """Read a summary from JSON text, and refuse what `to_json` would not write."""
    if not isinstance(text, str | bytes | bytearray):
        raise PyodExplainError(
            f"`text` of from_json() must be JSON text or a Path, got {type(text).__name__}.\n"
            "Hint: Explanation.from_dict() reads what to_dict() returned."
        )
    try:
        if not isinstance(text, str):
            text = text.decode("utf-8")
        data = json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=_object_of_pairs, parse_constant=_refuse_constant
        )
    except PyodExplainError:
        raise
    except ValueError as error:  # undecodable bytes and numbers of thousands of digits are ValueErrors too
        raise PyodExplainError(
            f"The text must be JSON as written by to_json(), got something else: {error}.\n"
            "Hint: to read a file, pass its path: Explanation.from_json(Path('explanation.json'))."
        ) from None
    except RecursionError:
        raise PyodExplainError(
            "The text must be JSON as written by to_json(), got lists or objects that are nested too deep to read."
        ) from None
    return from_dict(data)


def _object_of_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise PyodExplainError(
            f"The text must be JSON as written by to_json(), got an object with the key {shown(twice)} more than once."
        )
    return result


def _refuse_constant(word: str) -> NoReturn:
    raise PyodExplainError(
        f"The text must be JSON as written by to_json(), got {word}, which is no number of JSON.\n"
        'Hint: to_json() writes it as {"type": "float", "value": "nan"} (or "inf", "-inf").'
    )
