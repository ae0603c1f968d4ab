"""Files that are there whole or, if anything stops us, as they were before: several of them together.

Every text is first written to a temporary file beside its target, then all of them are renamed. A link stays a link,
and what it points to is replaced; permissions stay; a pipe, a device or a socket is written to and never replaced. A
temporary file is left behind only if the process is killed without a word to it (SIGKILL, loss of power).

Three things are other than with a plain `open`: the folder must be writable, since a file is put into it; a file that
is mounted by itself, as some containers do, is refused by the system ("busy"), since it cannot be replaced: mount its
folder; and of a file that has several names (hard links) only the one given is replaced, the others keep the old
content.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from types import FrameType
from typing import BinaryIO, NoReturn

from pyod_explain.exceptions import FileError, PyodExplainError

__all__ = ["Staged", "Target", "find_twins", "is_stdout", "same_file", "staged", "target_of", "write_file"]

PREFIX = ".pyod-explain-"  # short, so that it fits wherever the target's own name does
# Signals that end a process at once unless it asks to be told first.
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
HELD = [signal.SIGINT, *ENDING]

_Handler = Callable[[int, FrameType | None], object] | int | None  # as the module `signal` has them


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


# --- what a path stands for -------------------------------------------------------------------------------------------


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
        raise FileError(f"The file {given!r} cannot be written: {_reason(error)}.") from error
    return target


def _stat(path: str | Path) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 - a name such as /dev/stdout is followed by the system, not resolved
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
        with _probe(folder):
            pass
    except OSError as error:
        raise FileError(
            f"The folder of {target.given} must be writable, since files are put in place whole: {_reason(error)}."
        ) from error


@contextmanager
def _probe(folder: Path) -> Iterator[Path]:
    """Make an empty file in a folder, and remove it."""
    probe = _beside(folder / "probe")
    with _held():
        _create(probe, 0o600).close()
        try:
            yield probe
        finally:
            probe.unlink()


def _create(path: Path, mode: int) -> BinaryIO:
    """Make a file with these rights, less those that the umask takes."""
    return open(path, "xb", opener=partial(os.open, mode=mode))


def _beside(path: Path) -> Path:
    return path.with_name(f"{PREFIX}{secrets.token_hex(6)}.tmp")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


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
    with _probe(folder) as probe:
        return probe.with_name(probe.name.upper()).exists()


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
        return os.path.samestat(target.old, os.stat(path))  # noqa: PTH116 - a number of a stream too
    except (OSError, ValueError):  # nothing there; who reads it says so
        return False


def is_stdout(target: Target) -> bool:
    """Tell whether a target is the regular file that standard output goes to."""
    return target.stream == 1 and target.old is not None and stat.S_ISREG(target.old.st_mode)


# --- writing ----------------------------------------------------------------------------------------------------------


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file, whole or not at all.

    Parameters
    ----------
    path : the file to write.
    content : what to write; a text is written as UTF-8.
    """
    with staged([(path, content)]) as batch:
        batch.commit()


@contextmanager
def staged(contents: Sequence[tuple[str | os.PathLike[str], str | bytes]]) -> Iterator[Staged]:
    """Write everything to temporary files; `commit` puts them in place, all or none. What is left over is removed.

    Parameters
    ----------
    contents : files to write, and what to write to each; a text is written as UTF-8.
    """
    texts = [_encoded(path, content) for path, content in contents]
    targets = [target_of(path) for path, _ in contents]
    if (twins := find_twins(targets)) is not None:
        raise FileError(f"{twins[0].given} and {twins[1].given} must be two files; they are one and the same.")
    batch = Staged([_Part(target, data) for target, data in zip(targets, texts, strict=True)])
    guard = _Guard(batch)
    with guard, guard:  # twice, since an interrupt may come between any two steps, also of leaving the first
        guard.watch()
        batch.stage()
        yield batch


def _encoded(path: str | os.PathLike[str], content: str | bytes) -> bytes:
    try:
        return content.encode("utf-8") if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        raise FileError(
            f"The text of {os.fspath(path)} must be text that UTF-8 can hold, got {error.object[error.start]!r} "
            f"in {error.object[max(error.start - 20, 0) : error.end + 20]!r}.\n"
            "Hint: rename the column or the value that has it."
        ) from error


@dataclass
class _Part:
    """A target, what to write to it, and the names of the files that help."""

    target: Target
    data: bytes
    temporary: Path | None = None
    backup: Path | None = None


@dataclass
class Staged:
    """Contents that wait beside their targets until `commit` puts all of them in place.

    Attributes
    ----------
    committed : whether they are in place.
    """

    parts: list[_Part]
    committed: bool = field(default=False)

    def stage(self) -> None:
        """Write what will be renamed; what is written to as it is waits."""
        for part in self.parts:
            if not part.target.special:
                part.temporary = _beside(part.target.path)  # known before it is there, so that it is removed for sure
                with _told(part.target):
                    _write_new(part.temporary, part.data, part.target)

    def commit(self) -> None:
        """Put everything in place; if that fails, put back what was there."""
        for part in self.parts:
            if part.target.special:  # first, since it cannot be undone and may wait for a reader
                with _told(part.target):
                    _write_through(part.target, part.data)
        regular = [part for part in self.parts if part.temporary is not None]
        with _held():
            self._rename(regular)
            self.committed = True
        for folder in {part.target.path.parent for part in regular}:
            _sync_folder(folder)

    @staticmethod
    def _rename(parts: list[_Part]) -> None:
        placed: list[_Part] = []
        try:
            if len(parts) > 1:  # a single rename happens or does not
                for part in parts:
                    with _told(part.target):
                        _back_up(part)
            for part in parts:
                with _told(part.target):
                    _replace(part.temporary, part.target.path)
                placed.append(part)
        except BaseException:
            _put_back(placed)
            raise

    def clean(self) -> None:
        """Remove what helped."""
        with _held():
            for part in self.parts:
                for helper in (part.temporary, part.backup):
                    if helper is not None:
                        helper.unlink(missing_ok=True)


@contextmanager
def _told(target: Target) -> Iterator[None]:
    """Name the file in the error of a failed write; a reader of our own output that left early is known by its own."""
    try:
        yield
    except OSError as error:
        if isinstance(error, FileError) or (isinstance(error, BrokenPipeError) and target.stream is not None):
            raise
        raise FileError(f"{target.given} could not be written: {_reason(error)}. No file was changed.") from error


def _write_new(path: Path, data: bytes, target: Target) -> None:
    """Write a new file, down to the disk; with the rights of the old one, or those that any new file gets."""
    with _create(path, 0o666 if target.old is None else 0o600) as file:
        file.write(data)
        file.flush()
        if target.old is not None:
            _keep_owner(path, target.old)
            # Access lists and attributes too: without its list, the mode of a file would mean other rights.
            shutil.copystat(target.path, path)
            os.utime(path)
        os.fsync(file.fileno())


def _keep_owner(path: Path, old: os.stat_result) -> None:
    """Give a file to whom the old one belongs, as far as the writer may; else it is the writer's, as any new one."""
    new = path.stat()
    if new.st_gid != old.st_gid:
        with suppress(PermissionError):  # a member of the group may
            os.chown(path, -1, old.st_gid)
    if new.st_uid != old.st_uid:
        with suppress(PermissionError):  # only root may
            os.chown(path, old.st_uid, -1)


def _write_through(target: Target, data: bytes) -> None:
    if target.stream is not None:
        _flush()
        with os.fdopen(target.stream, "wb", closefd=False) as stream:  # at the place that printing has reached
            stream.write(data)
    elif target.old is not None and stat.S_ISSOCK(target.old.st_mode):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(target.path))
            connection.sendall(data)
    else:
        with os.fdopen(os.open(target.given, os.O_WRONLY), "wb") as file:  # neither made nor emptied
            file.write(data)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()


def _back_up(part: _Part) -> None:
    """Give the old file a second name, or copy it where that is not possible."""
    if part.target.old is None:
        return
    part.backup = _beside(part.target.path)
    try:
        os.link(part.target.path, part.backup)
    except OSError:
        shutil.copy2(part.target.path, part.backup)


def _replace(temporary: Path | None, path: Path) -> None:
    assert temporary is not None  # noqa: S101 - for the type checker: only staged parts come here
    temporary.replace(path)


def _put_back(placed: list[_Part]) -> None:
    for part in reversed(placed):
        try:
            if part.backup is None:
                part.target.path.unlink(missing_ok=True)
            else:
                part.backup.replace(part.target.path)
        except OSError as error:
            kept, part.backup = part.backup, None  # left where it is: it is all there is of the old file
            where = "" if kept is None else f"; what it was is in {kept}"
            raise FileError(
                f"{part.target.given} was written, and could not be put back when another file failed: "
                f"{_reason(error)}{where}."
            ) from error


def _sync_folder(folder: Path) -> None:
    """Have the renames on the disk; some systems do not know that of folders."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# --- signals ----------------------------------------------------------------------------------------------------------


class _EndedError(BaseException):
    """The process was told to end; not an `Exception`, so that nobody takes it for an error of theirs."""


class _Guard:
    """Cleans up, also before a signal ends the process, which then ends by it all the same.

    Only the main thread is told of signals; a handler of the user's own stays. An interrupt (Ctrl-C) needs no handler:
    it is an exception already.
    """

    def __init__(self, batch: Staged) -> None:
        self.batch = batch
        self.watched: list[int] = []
        self.received: list[int] = []

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.batch.clean()
        while self.watched:
            signal.signal(self.watched[-1], signal.SIG_DFL)
            self.watched.pop()
        if self.received:
            signal.raise_signal(self.received[0])

    def watch(self) -> None:
        """Ask to be told of signals that end the process."""
        for one in ENDING if _hears_signals() else ():
            if signal.getsignal(one) == signal.SIG_DFL:
                self.watched.append(one)
                signal.signal(one, self._end)

    def _end(self, number: int, _frame: FrameType | None) -> NoReturn:
        self.received.append(number)
        raise _EndedError


@contextmanager
def _held() -> Iterator[None]:
    """Let signals wait: what is done here is done to the end, and takes no time worth speaking of.

    Interrupts, which are raised wherever they come, are held first and let go last. A handler is called, and its signal
    not sent again: an event loop is told of every signal by the system too, and would answer it twice.
    """
    waiting: dict[int, FrameType | None] = {}

    def note(number: int, frame: FrameType | None) -> None:
        waiting.setdefault(number, frame)

    before = {one: signal.getsignal(one) for one in HELD} if _hears_signals() else {}
    # Ignored signals stay so, and a handler that was not set from Python (None) could not be put back.
    before = {one: found for one, found in before.items() if found not in (signal.SIG_IGN, None)}
    try:
        for one in before:
            signal.signal(one, note)
        yield
    finally:
        for one, handler in reversed(before.items()):
            signal.signal(one, handler)
        for number, frame in waiting.items():
            _answer(before[number], number, frame)


def _answer(handler: _Handler, number: int, frame: FrameType | None) -> None:
    if callable(handler):
        handler(number, frame)
    else:
        signal.raise_signal(number)


def _hears_signals() -> bool:
    """Tell whether Python tells this thread of signals.

    It is tried, since `threading` may take another thread for the main one, as where Python is embedded.
    """
    try:
        signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))
    except (ValueError, TypeError):  # another thread, or a handler that was not set from Python and so is left alone
        return False
    return True
