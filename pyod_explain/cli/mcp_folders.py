"""The folders that the MCP server serves: the only files that it opens are inside them.

A path is checked three times. Its spelling must lead into a folder, before the file system is asked about it. Followed
through links it must still be inside. What was opened is checked again before it is read or written, so that a link
that is put in place after the check leads nowhere.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyod_explain.exceptions import FileError, visible

OPEN_FILES = Path("/proc/self/fd")  # links to the files that this process has open, on Linux
# Opening a pipe must not wait for its writer.
READ_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
OPENS_IN_FOLDERS = os.open in os.supports_dir_fd
FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
MAX_LISTED = 200  # files
MAX_VISITED = 20_000  # files and folders


class Folders:
    """The folders whose files may be read.

    Parameters
    ----------
    folders : paths of existing folders.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self.given = tuple(Path(os.path.abspath(one)) for one in folders)  # noqa: PTH100 - Path.absolute keeps ..
        self.real = tuple(sorted({Path(os.path.realpath(one)) for one in self.given}))
        for name, folder in zip(folders, self.given, strict=True):
            if not folder.is_dir():
                raise FileError(f"{visible(name)} is not a folder.")

    def find(self, path: str) -> Path:
        """Find an existing file by its path, relative to a folder or absolute; give its path without links."""
        found = [one for one in self._resolve(path) if os.path.lexists(one)]
        if len(found) > 1:
            raise FileError(f"{visible(path)} is in several folders.", hint="Give the absolute path.")
        if not found:
            raise FileError(f"There is no file {visible(path)} in the served folders.")
        return found[0]

    def find_new(self, path: str) -> Path:
        """Find the place of a new file: in an existing folder, where nothing of this name is."""
        name = os.path.basename(path)  # noqa: PTH119 - Path("x/.").name is x
        parents = [one for one in self._resolve(os.path.dirname(path) or ".") if one.is_dir()]  # noqa: PTH120 - as typed
        if name in ("", ".", "..") or not parents:
            raise FileError(f"{visible(path)} is not a file in an existing folder.")
        if os.path.lexists(parents[0] / name):
            raise FileError(f"{visible(path)} exists already, and nothing is overwritten.")
        return parents[0] / name

    def read(self, path: Path, max_bytes: int) -> bytes:
        """Read a file whole; it must be a regular file inside a folder, of at most so many bytes."""
        with self._opened(path, READ_FLAGS) as descriptor, open(descriptor, "rb", closefd=False) as file:
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise FileError(f"{visible(str(path))} has more than {max_bytes:,} bytes.")
        return data

    def create(self, path: Path, data: bytes) -> None:
        """Write a new file; nothing is overwritten.

        The folder is opened and checked, and the file is made in what was opened: a link that is put in its place
        meanwhile has no effect. Windows cannot do that; there the file is made by its path.
        """
        with contextlib.ExitStack() as stack:
            folder = None
            if OPENS_IN_FOLDERS:
                folder = stack.enter_context(self._opened(path.parent, FOLDER_FLAGS, "folder"))
            try:
                descriptor = os.open(path if folder is None else path.name, CREATE_FLAGS, 0o666, dir_fd=folder)
            except OSError as error:
                raise _not_opened(path, error) from error
            with open(descriptor, "wb") as file:  # noqa: PTH123 - it is open already
                file.write(data)

    def files(self) -> tuple[list[str], bool]:
        """List the files with their sizes, without links and hidden ones; and tell whether there are more."""
        lines: list[str] = []
        n_visited = 0
        for root, folders, names in (found for folder in self.real for found in os.walk(folder)):
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

    def _resolve(self, path: str) -> list[Path]:
        """Give the real paths that may be meant and are inside a folder; refuse a path that leads outside."""
        try:
            os.fsencode(path)
        except UnicodeError:
            path = "\0"
        if not path or "\0" in path:
            raise FileError(f"{visible(path)!r} is not a path of a file.")
        spelled = [Path(os.path.abspath(folder / path)) for folder in self.given]  # noqa: PTH100 - see above
        if os.name == "nt" and ":" in os.path.splitdrive(path)[1]:
            spelled = []  # an alternate stream of a file
        inside = (one for one in spelled if _is_inside(one, (*self.given, *self.real)))
        real = dict.fromkeys(Path(os.path.realpath(one)) for one in inside)
        found = [one for one in real if _is_inside(one, self.real)]
        if not found:
            raise _outside(path)
        return found

    @contextlib.contextmanager
    def _opened(self, path: Path, flags: int, kind: str = "regular file") -> Iterator[int]:
        """Open a file or a folder; refuse another kind, and what is outside."""
        try:
            descriptor = os.open(path, flags)
        except OSError as error:
            raise _not_opened(path, error) from error
        try:
            opened = os.fstat(descriptor)
            if not (stat.S_ISDIR if kind == "folder" else stat.S_ISREG)(opened.st_mode):
                raise FileError(f"{visible(str(path))} is not a {kind}.")
            if OPEN_FILES.is_dir():
                inside = _is_inside((OPEN_FILES / str(descriptor)).readlink(), self.real)
            else:
                inside = Path(os.path.realpath(path)) == path and os.path.samestat(opened, path.lstat())
            if not inside:
                raise _outside(str(path))
            yield descriptor
        finally:
            os.close(descriptor)


def _is_inside(path: Path, folders: Sequence[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _outside(path: str) -> FileError:
    return FileError(f"{visible(path)} is outside the served folders.")


def _not_opened(path: Path, error: OSError) -> FileError:
    return FileError(f"{visible(str(path))} could not be opened: {error.strerror or error}.")
