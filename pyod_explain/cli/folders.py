"""The folders that the MCP server serves: the only files that it opens are inside them.

A path is checked three times. Its spelling must lead into a folder, before the file system is asked about it. Followed
through links it must still be inside. It is then opened from the folder down, one step at a time and through no link,
so that a link that is put in place after the check is not followed. Windows cannot open files step by step; there the
opened file is compared with the one that was checked.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyod_explain.exceptions import FileError, visible

CAN_STEP = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
OPEN_FILE = os.O_RDONLY | BINARY | getattr(os, "O_NONBLOCK", 0)  # opening a pipe must not wait for its writer
OPEN_FOLDER = os.O_RDONLY | BINARY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
CREATE_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY
MAX_LISTED = 200  # files
MAX_VISITED = 20_000  # files and folders


@dataclass(frozen=True)
class Place:
    """A path inside a folder: the real folder, and the steps from there, none of them a link."""

    folder: Path
    steps: tuple[str, ...]

    @property
    def path(self) -> Path:
        return self.folder.joinpath(*self.steps)


class Folders:
    """The folders whose files may be read.

    Parameters
    ----------
    folders : paths of existing folders.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self.given = tuple(Path(os.path.abspath(one)) for one in folders)  # noqa: PTH100 - Path.absolute keeps ..
        # The outermost folder first: files are opened from there, through no link on the way.
        self.real = tuple(sorted({Path(os.path.realpath(one)) for one in self.given}, key=lambda one: len(one.parts)))
        for name, folder in zip(folders, self.given, strict=True):
            if not folder.is_dir():
                raise FileError(f"{visible(name)} is not a folder.")

    def __str__(self) -> str:
        return " or ".join(visible(str(one)) for one in self.given)

    def find(self, path: str) -> Place:
        """Find an existing file by its path, relative to a folder or absolute."""
        places = [self._follow(one) for one in self._spell(path)]
        found = {place.path: place for place in places if place is not None and os.path.lexists(place.path)}
        if len(found) > 1:
            raise FileError(f"{visible(path)} is in several folders.", hint="Give the absolute path.")
        if found:
            return next(iter(found.values()))
        raise self._outside(path) if not any(places) else FileError(f"There is no file {visible(path)} in {self}.")

    def find_new(self, path: str) -> Place:
        """Find the place of a new file: in an existing folder, where nothing of this name is."""
        parents = [(self._follow(one.parent), one.name) for one in self._spell(path)]
        for parent, name in parents:
            if parent is not None and name and parent.path.is_dir():
                if os.path.lexists(parent.path / name):
                    raise FileError(f"{visible(path)} exists already, and nothing is overwritten.")
                return Place(parent.folder, (*parent.steps, name))
        inside = any(parent is not None for parent, _ in parents)
        raise FileError(f"The folder of {visible(path)} does not exist.") if inside else self._outside(path)

    def read(self, place: Place, max_bytes: int) -> bytes:
        """Read a file whole; it must be a regular file inside its folder, of at most so many bytes."""
        with self._opened(place, OPEN_FILE) as descriptor:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise FileError(f"{visible(str(place.path))} is not a regular file.")
            with os.fdopen(os.dup(descriptor), "rb") as file:
                data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise FileError(f"{visible(str(place.path))} has more than {max_bytes:,} bytes.")
        return data

    def create(self, place: Place, data: bytes) -> None:
        """Write a new file; nothing is overwritten."""
        with self._opened(place, CREATE_FILE) as descriptor, os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(data)

    def files(self) -> tuple[list[str], bool]:
        """List the files with their sizes, without links and hidden ones; and tell whether there are more."""
        lines: list[str] = []
        n_visited = 0
        for folder in self.real:
            for root, folders, names in os.walk(folder):
                folders[:] = sorted(one for one in folders if not one.startswith("."))
                n_visited += 1 + len(names)
                for path in (Path(root, name) for name in sorted(names) if not name.startswith(".")):
                    with contextlib.suppress(OSError):  # removed meanwhile
                        found = path.lstat()
                        if stat.S_ISREG(found.st_mode):
                            lines.append(f"{visible(str(path))}  {found.st_size:,} bytes")
                if len(lines) > MAX_LISTED or n_visited > MAX_VISITED:
                    return lines[:MAX_LISTED], True
        return lines, False

    def _spell(self, path: str) -> list[Path]:
        """Give the absolute paths that may be meant and are inside a folder, without asking the file system."""
        try:
            os.fsencode(path)
        except UnicodeError:
            path = "\0"
        if not path or "\0" in path:
            raise FileError(f"{visible(path)!r} is not a path of a file.")
        if os.name == "nt" and ":" in os.path.splitdrive(path)[1]:
            raise self._outside(path)  # an alternate stream of a file
        spelled = dict.fromkeys(Path(os.path.abspath(folder / path)) for folder in self.given)  # noqa: PTH100
        inside = [one for one in spelled if any(one.is_relative_to(folder) for folder in (*self.given, *self.real))]
        if not inside:
            raise self._outside(path)
        return inside

    def _follow(self, path: Path) -> Place | None:
        """Follow the links of a path; None if they lead outside."""
        try:
            real = Path(os.path.realpath(path))
        except (OSError, ValueError):
            return None
        folder = next((one for one in self.real if real.is_relative_to(one)), None)
        return None if folder is None else Place(folder, real.relative_to(folder).parts)

    @contextlib.contextmanager
    def _opened(self, place: Place, flags: int) -> Iterator[int]:
        """Open a file, and check that what was opened is inside."""
        try:
            descriptor = _open_in_steps(place, flags) if CAN_STEP else os.open(place.path, flags, 0o666)
        except OSError as error:
            raise FileError(f"{visible(str(place.path))} could not be opened: {error.strerror or error}.") from error
        try:
            is_same = CAN_STEP or (
                self._follow(place.path) == place and os.path.samestat(os.fstat(descriptor), place.path.lstat())
            )
            if not is_same:
                if flags & os.O_CREAT:
                    place.path.unlink()
                raise self._outside(str(place.path))
            yield descriptor
        finally:
            os.close(descriptor)

    def _outside(self, path: str) -> FileError:
        return FileError(f"{visible(path)} is outside the served folders: {self}.")


def _open_in_steps(place: Place, flags: int) -> int:
    """Open a file from its folder down, through no link."""
    here = os.open(place.folder, OPEN_FOLDER)
    for i, step in enumerate(place.steps, start=1):
        try:
            last = i == len(place.steps)
            below = os.open(step, flags | os.O_NOFOLLOW if last else OPEN_FOLDER, 0o666, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here
