"""Files that are written whole or not at all: to a temporary file beside the target, which then replaces it."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from pyod_explain.exceptions import FileError, ParameterError

Content = str | bytes | Callable[[BinaryIO], object]


def write_file(path: str | os.PathLike[str], content: Content) -> None:
    """Write a file; if that fails, an older file of this name stays as it was.

    A link stays a link, and permissions stay. A pipe or a device is written to directly.

    Parameters
    ----------
    path : the file; `"-"` is standard output.
    content : a text, which is written as UTF-8; bytes; or a function that writes to the open file.
    """
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise ParameterError("path", "a str or a Path", got=path)
    name = os.fspath(path)
    if name == "-":
        sys.stdout.flush()
        _write(sys.stdout.buffer, content, name)
        sys.stdout.buffer.flush()
        return
    try:
        mode = _mode(Path(name))
        target = Path(os.path.realpath(name))
        if mode is not None and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            with target.open("wb") as file:
                _write(file, content, name)
        else:
            _replace(target, mode, content, name)
    except FileError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise FileError(f"{name} could not be written: {getattr(error, 'strerror', None) or error}.") from error


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _replace(target: Path, mode: int | None, content: Content, name: str) -> None:
    if mode is None:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    elif stat.S_ISDIR(mode) or not os.access(target, os.W_OK):
        raise FileError(f"{name} could not be written: it is {'a folder' if stat.S_ISDIR(mode) else 'read-only'}.")
    handle, temporary = tempfile.mkstemp(prefix=".pyod-explain-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            _write(file, content, name)
        Path(temporary).chmod(stat.S_IMODE(mode))
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _write(file: BinaryIO, content: Content, name: str) -> None:
    if callable(content):
        content(file)
        return
    try:
        file.write(content.encode() if isinstance(content, str) else content)
    except UnicodeEncodeError as error:
        raise FileError(
            f"{name} could not be written: {error.object[error.start]!r} is not a character of UTF-8.",
            hint="Rename the column or the value that has it.",
        ) from error
