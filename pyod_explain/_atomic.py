"""Files that are written whole or not at all: to a temporary file beside the target, which then replaces it."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
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
    path : the file.
    content : a text, which is written as UTF-8; bytes; or a function that writes to the open file.
    """
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise ParameterError("path", "a str or a Path", got=path)
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not (target.is_file() or target.is_dir()):
            with target.open("wb") as file:
                _write(file, content)
        else:
            _replace(target, content)
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name, a character that UTF-8 lacks
        raise FileError(f"{path} could not be written: {getattr(error, 'strerror', None) or error}.") from error


def _replace(target: Path, content: Content) -> None:
    if target.is_dir() or (target.exists() and not os.access(target, os.W_OK)):
        raise PermissionError(errno.EACCES, "it is a folder" if target.is_dir() else "it is read-only")
    temporary = target.with_name(f".pyod-explain-{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            _write(file, content)
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _write(file: BinaryIO, content: Content) -> None:
    if callable(content):
        content(file)
    else:
        file.write(content.encode() if isinstance(content, str) else content)
