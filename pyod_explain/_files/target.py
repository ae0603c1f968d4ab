"""What a path stands for, and whether it can be written; nothing is changed by the look."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from pyod_explain._files.temporary import probe, reason
from pyod_explain.exceptions import FileError, PyodExplainError

__all__ = ["Target", "find_twins", "is_stdout", "same_file", "target_of"]


@dataclass(frozen=True)
class Target:
    """What a path stands for.

    Attributes
    ----------
    given : the path as it was given, for messages.
    path : the same with all links followed.
    old : what is there now, or None.
    stream : number of the stream of this process that it is (1 or 2, as with /dev/stdout), or None.
    """

    given: str
    path: Path
    old: os.stat_result | None
    stream: int | None

    @property
    def special(self) -> bool:
        """Whether it is written to as it is: a stream, a pipe, a device or a socket."""
        return self.stream is not None or (self.old is not None and not stat.S_ISREG(self.old.st_mode))


def target_of(path: str | os.PathLike[str]) -> Target:
    """Look at what is there, and refuse what cannot be written; nothing is changed.

    Parameters
    ----------
    path : the file to write.
    """
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise PyodExplainError(f"`path` must be a str or a Path, got {path!r}.")
    given = os.fspath(path)
    try:
        real = Path(os.path.realpath(given))
        old = _stat(given)
        target = Target(given, real, old, _stream(old))
        _check(target)
    except FileError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a null byte
        raise FileError(f"The file {given!r} cannot be written: {reason(error)}.") from error
    return target


def _stat(path: str | Path) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 - a Path would drop the slash of "file/", which is no file
    except FileNotFoundError:
        return None


def _stream(found: os.stat_result | None) -> int | None:
    """Tell which of our output streams a file is; to replace it would lose what is printed later."""
    if found is None:
        return None
    for number in (1, 2):
        with suppress(OSError):  # a closed stream
            if os.path.samestat(found, os.fstat(number)):
                return number
    return None


def _check(target: Target) -> None:
    if target.stream is not None:
        return
    if target.old is None and (target.given.endswith(("/", os.sep)) or not Path(target.given).name):
        raise FileError(f"The file {target.given} must have a name, got a folder's.")
    if target.old is not None and stat.S_ISDIR(target.old.st_mode):
        raise FileError(f"The file {target.given} must not be a folder.")
    if target.old is not None and not os.access(target.given, os.W_OK):
        raise FileError(f"The file {target.given} must be writable; it is read-only.")
    if not target.special:
        _check_folder(target)


def _check_folder(target: Target) -> None:
    """Try whether a file can be put beside the target; rights alone do not tell."""
    folder = target.path.parent
    if not folder.is_dir():
        raise FileError(f"The folder of {target.given} must exist.")
    try:
        with probe(folder):
            pass
    except OSError as error:
        raise FileError(
            f"The folder of {target.given} must be writable, since files are put in place whole: {reason(error)}."
        ) from error


def find_twins(targets: Sequence[Target]) -> tuple[Target, Target] | None:
    """Find two targets that are one file, by whatever names.

    Parameters
    ----------
    targets : the files to write.
    """
    return next((pair for pair in combinations(targets, 2) if _same_target(*pair)), None)


def _same_target(one: Target, other: Target) -> bool:
    if one.old is not None and other.old is not None:
        return os.path.samestat(one.old, other.old)
    if one.old is not None or other.old is not None:
        return False
    if one.path == other.path:
        return True
    return one.path.parent == other.path.parent and _alike(one.path.name, other.path.name, one.path.parent)


def _alike(one: str, other: str, folder: Path) -> bool:
    """Tell whether two names of files yet to be made are one in a folder that ignores case."""
    if one.casefold() != other.casefold():
        return False
    with probe(folder) as lower:
        return lower.with_name(lower.name.upper()).exists()


def same_file(target: Target, path: str | int) -> bool:
    """Tell whether a target is a file that is read: the same by any link, name or spelling.

    Parameters
    ----------
    target : a file to write.
    path : the file that is read, or the number of the stream that it is read from.
    """
    if target.old is None or not stat.S_ISREG(target.old.st_mode):
        return False  # a terminal is read from and written to
    try:
        return os.path.samestat(target.old, os.stat(path))  # noqa: PTH116 - a Path cannot be the number of a stream
    except (OSError, ValueError):  # nothing there; who reads it says so
        return False


def is_stdout(target: Target) -> bool:
    """Tell whether a target is the regular file that standard output goes to."""
    return target.stream == 1 and target.old is not None and stat.S_ISREG(target.old.st_mode)
