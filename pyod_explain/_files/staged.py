"""Several files together: written aside, then put in place, all or none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pyod_explain._files.signals import Guard, held
from pyod_explain._files.target import Target, find_twins, target_of
from pyod_explain._files.temporary import beside, reason
from pyod_explain._files.writing import Writer, sync_folder, write_new, write_through
from pyod_explain.exceptions import FileError

__all__ = ["Content", "Staged", "staged", "write_file"]

Content = str | bytes | Writer


def write_file(path: str | os.PathLike[str], content: Content) -> None:
    """Write a file, whole or not at all.

    Parameters
    ----------
    path : the file to write.
    content : what to write; a text is written as UTF-8; a function is called with the open file and writes to it.
    """
    with staged([(path, content)]) as batch:
        batch.commit()


@contextmanager
def staged(contents: Sequence[tuple[str | os.PathLike[str], Content]]) -> Iterator[Staged]:
    """Write everything to temporary files; `commit` puts them in place, all or none. What is left over is removed.

    Parameters
    ----------
    contents : files to write, and what to write to each, as for `write_file`.
    """
    writers = [_writer(path, content) for path, content in contents]
    targets = [target_of(path) for path, _ in contents]
    if (twins := find_twins(targets)) is not None:
        raise FileError(f"{twins[0].given} and {twins[1].given} must be two files; they are one and the same.")
    batch = Staged([_Part(target, write, beside(target.path)) for target, write in zip(targets, writers, strict=True)])
    guard = Guard(batch.clean)
    with guard, guard:  # twice, since an interrupt may come between any two steps, also of leaving the first
        guard.watch()
        batch.stage()
        yield batch


def _writer(path: str | os.PathLike[str], content: Content) -> Writer:
    if not isinstance(content, str | bytes):
        return content
    data = _encoded(path, content) if isinstance(content, str) else content
    return lambda file: file.write(data)


def _encoded(path: str | os.PathLike[str], text: str) -> bytes:
    try:
        return text.encode("utf-8")
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
    write: Writer
    temporary: Path  # known before it is there, so that it is removed for sure
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
        for part in self._regular:
            with _told(part.target):
                write_new(part.temporary, part.write, part.target)

    def commit(self) -> None:
        """Put everything in place; if that fails, put back what was there."""
        for part in self.parts:
            if part.target.special:  # first, since it cannot be undone and may wait for a reader
                with _told(part.target):
                    write_through(part.target, part.write)
        with held():
            self._rename(self._regular)
            self.committed = True
        for folder in {part.target.path.parent for part in self._regular}:
            sync_folder(folder)

    @property
    def _regular(self) -> list[_Part]:
        return [part for part in self.parts if not part.target.special]

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
                    part.temporary.replace(part.target.path)
                placed.append(part)
        except BaseException:
            _put_back(placed)
            raise

    def clean(self) -> None:
        """Remove what helped."""
        with held():
            for part in self._regular:
                part.temporary.unlink(missing_ok=True)
                if part.backup is not None:
                    part.backup.unlink(missing_ok=True)


@contextmanager
def _told(target: Target) -> Iterator[None]:
    """Name the file in the error of a failed write; a reader of our own output that left early is known by its own."""
    try:
        yield
    except OSError as error:
        if isinstance(error, FileError) or (isinstance(error, BrokenPipeError) and target.stream is not None):
            raise
        raise FileError(f"{target.given} could not be written: {reason(error)}. No file was changed.") from error


def _back_up(part: _Part) -> None:
    """Give the old file a second name, or copy it where that is not possible."""
    if part.target.old is None:
        return
    part.backup = beside(part.target.path)
    try:
        os.link(part.target.path, part.backup)
    except OSError:
        shutil.copy2(part.target.path, part.backup)


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
                f"{reason(error)}{where}."
            ) from error
