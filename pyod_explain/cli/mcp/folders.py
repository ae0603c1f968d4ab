"""The folders that the server was started with, and the only files that it opens: those inside them.

A path is refused by its spelling before the file system is asked about it, so that nobody learns from the answer what
there is elsewhere, and no other machine is called on. Then it is followed through links, and must still be inside. Then
it is opened from its folder down, a step at a time and through no link, so that a link that is put in place meanwhile
is not followed either. Windows has no such steps; there the file is looked up once more after it was opened.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyod_explain._printable import visible
from pyod_explain.exceptions import FileError

__all__ = ["Folders", "Place"]

BY_STEPS = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
PLAIN = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
READ = os.O_RDONLY | PLAIN | getattr(os, "O_NONBLOCK", 0)  # else a pipe would be waited for
MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | PLAIN
DOWN = os.O_RDONLY | PLAIN | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)  # a folder, and no link
MOST_FILES = 200  # that are listed
MOST_SEEN = 20_000  # files and folders that are looked at for it


@dataclass(frozen=True)
class Place:
    """A path inside one of the folders: the real folder, and the way from there, without links."""

    folder: Path
    steps: tuple[str, ...]

    @property
    def path(self) -> Path:
        return self.folder.joinpath(*self.steps)


class Folders:
    """The folders whose files may be read.

    Parameters
    ----------
    folders : as the user names them; each must be there.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self.given = tuple(Path(os.path.abspath(one)) for one in folders)  # noqa: PTH100 - Path.absolute keeps ..
        # Of two of which one is inside the other, files are opened from the outer one, through no link on the way.
        self.real = tuple(sorted((Path(os.path.realpath(one)) for one in self.given), key=lambda one: len(one.parts)))
        for name, given in zip(folders, self.given, strict=True):
            if not given.is_dir():
                raise FileError(f"{visible(name)} must be a folder, whose files may be read; there is none.")

    def find(self, path: str) -> Place:
        """Find a file by its path, in one of the folders or from the root.

        Parameters
        ----------
        path : as the client writes it.
        """
        spelled = self._spelled(path)
        inside = [place for one in spelled if (place := self._followed(one)) is not None]
        if not inside:
            raise self._outside(path)
        there = {place.path: place for place in inside if os.path.lexists(place.path)}
        if not there:
            raise FileError(f"There is no file {visible(path)} in {self}.")
        if len(there) > 1:
            both = " and ".join(visible(str(one)) for one in there)
            raise FileError(f"{visible(path)} may be {both}.\nHint: give the whole path.")
        return next(iter(there.values()))

    def find_new(self, path: str) -> Place:
        """Find where a new file of this path would be: inside an existing folder, and nothing there yet.

        Parameters
        ----------
        path : as the client writes it.
        """
        for one in self._spelled(path):
            parent = self._followed(one.parent)
            if parent is not None and one.name and parent.path.is_dir():
                if os.path.lexists(parent.path / one.name):
                    raise FileError(f"{visible(path)} is there already, and nothing is overwritten: name another file.")
                return Place(parent.folder, (*parent.steps, one.name))
        if not any(self._followed(one.parent) for one in self._spelled(path)):
            raise self._outside(path)
        raise FileError(f"The folder of {visible(path)} must be there; it is not, and none is made.")

    @contextlib.contextmanager
    def open(self, place: Place) -> Iterator[int]:
        """Open a file for reading and give its descriptor; it is a plain file, inside its folder.

        Parameters
        ----------
        place : what `find` found.
        """
        with _opened(place, READ) as (descriptor, _):
            kind = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(kind):
                what = "a folder" if stat.S_ISDIR(kind) else "no plain file"
                raise FileError(f"{visible(str(place.path))} is {what}: name a file.")
            self._look_again(descriptor, place)
            yield descriptor

    @contextlib.contextmanager
    def create(self, place: Place) -> Iterator[int]:
        """Make a new file and give its descriptor; it is gone again if writing it fails.

        Parameters
        ----------
        place : what `find_new` found.
        """
        with _opened(place, MAKE) as (descriptor, parent):
            try:
                self._look_again(descriptor, place)
                yield descriptor
            except BaseException:
                with contextlib.suppress(OSError):
                    if parent is None:
                        place.path.unlink()
                    else:
                        os.unlink(place.steps[-1], dir_fd=parent)
                raise

    def files(self) -> tuple[list[str], bool]:
        """List the files by their paths, each with its size, those of a folder before those inside its folders.

        Links are not listed, though one that leads to a file inside may be read; nor what is hidden by a dot.

        Returns
        -------
        The lines, and whether there are more.
        """
        lines: list[str] = []
        seen = 0
        for folder in dict.fromkeys(self.real):
            for root, folders, names in os.walk(folder):
                folders[:] = sorted(one for one in folders if not one.startswith("."))
                seen += 1
                if seen > MOST_SEEN:
                    return lines, True
                for name in sorted(names):
                    seen += 1
                    if seen > MOST_SEEN or len(lines) == MOST_FILES:
                        return lines, True
                    line = _line(Path(root, name))
                    if line is not None:
                        lines.append(line)
        return lines, False

    def __str__(self) -> str:
        return " or ".join(visible(str(one)) for one in self.given)

    def _spelled(self, path: str) -> list[Path]:
        """Write a path from the root, in each folder it may be in, without asking the file system; none if outside."""
        if not path or "\0" in path:
            raise FileError("A path must be the name of a file, got " + ("nothing." if not path else "a null byte."))
        try:
            os.fsencode(path)
        except UnicodeError:
            raise FileError(f"{visible(path)} is no path: it has letters that no file's name has.") from None
        if os.name == "nt" and ":" in os.path.splitdrive(path)[1]:
            raise self._outside(path)  # a stream beside the file's content
        spelled = dict.fromkeys(Path(os.path.abspath(folder / path)) for folder in self.given)  # noqa: PTH100
        inside = [one for one in spelled if any(one.is_relative_to(folder) for folder in (*self.given, *self.real))]
        if not inside:
            raise self._outside(path)
        return inside

    def _followed(self, path: Path) -> Place | None:
        """Follow the links of a path; None if they lead outside."""
        try:
            real = Path(os.path.realpath(path))
        except (OSError, ValueError):
            return None
        for folder in self.real:
            if real.is_relative_to(folder):
                return Place(folder, real.relative_to(folder).parts)
        return None

    def _look_again(self, descriptor: int, place: Place) -> None:
        """Refuse a file that was opened at once and is not the one that is there without any link."""
        if BY_STEPS:
            return
        same = self._followed(place.path) == place
        if not same or not os.path.samestat(os.fstat(descriptor), place.path.lstat()):
            raise self._outside(str(place.path))

    def _outside(self, path: str) -> FileError:
        return FileError(f"{visible(path)} is outside the folders that may be read: {self}.")


def _line(path: Path) -> str | None:
    if path.name.startswith("."):
        return None
    try:
        found = path.lstat()
    except OSError:  # gone meanwhile
        return None
    return f"{visible(str(path))}  {found.st_size:,} bytes" if stat.S_ISREG(found.st_mode) else None


@contextlib.contextmanager
def _opened(place: Place, flags: int) -> Iterator[tuple[int, int | None]]:
    """Open a file from its folder down, through no link; give it and, where there are such steps, what it is in."""
    open_now: list[int] = []
    try:
        try:
            if BY_STEPS:
                parent, descriptor = _walk(place, flags, open_now)
            else:
                parent, descriptor = None, os.open(place.path, flags, 0o666)
                open_now.append(descriptor)
        except OSError as error:
            raise FileError(
                f"{visible(str(place.path))} could not be {'made' if flags & os.O_CREAT else 'read'}: "
                f"{error.strerror or error}."
            ) from error
        yield descriptor, parent
    finally:
        for one in open_now:
            os.close(one)


def _walk(place: Place, flags: int, open_now: list[int]) -> tuple[int | None, int]:
    """Go down; everything that is open is listed, to be closed."""
    parent: int | None = None
    here = os.open(place.folder, DOWN)
    open_now.append(here)
    for i, step in enumerate(place.steps):
        last = i == len(place.steps) - 1
        parent, here = here, os.open(step, flags | os.O_NOFOLLOW if last else DOWN, 0o666, dir_fd=here)
        open_now.append(here)
    return parent, here
