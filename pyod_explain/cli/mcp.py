"""The command `pyod-explain mcp`, and the folders that it serves: the only files that the server opens are inside them.

Help and mistakes are answered before the SDK is imported.

A path is checked twice. Its spelling must lead into a folder, before the file system is asked about it. Followed
through links it must still be inside.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from pyod_explain.cli.parser import Parser
from pyod_explain.exceptions import FileError, visible

MAX_LISTED = 200  # files
MAX_VISITED = 20_000  # files and folders


def serve_agents(arguments: Sequence[str]) -> int:
    """Serve agents by the Model Context Protocol until the client leaves."""
    parser = Parser(
        "mcp",
        description="Serve agents by the Model Context Protocol, on standard input and output. Only files\n"
        "in the folders are read, and none is written without --write.",
    )
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="folder whose files, at any depth, may be read")
    parser.add_argument("--write", action="store_true", help="allow new reports in the folders; nothing is overwritten")
    parser.add_argument("--max-mb", type=int, default=200, metavar="N", help="largest file to read (default: 200)")
    options = parser.parse_args(arguments)
    from pyod_explain.cli.mcp_server import serve

    serve(options.folders, write=options.write, max_bytes=options.max_mb * 1_000_000)
    return 0


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
        """Read a file that `find` gave; it must be a regular file of at most so many bytes."""
        with _open(path, "rb") as file:
            data: bytes = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise FileError(f"{visible(str(path))} has more than {max_bytes:,} bytes.")
        return data

    def create(self, path: Path, data: bytes) -> None:
        """Write a new file where `find_new` found its place; nothing is overwritten."""
        with _open(path, "xb") as file:
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
            raise FileError(f"{visible(path)} is outside the served folders.")
        return found


def _is_inside(path: Path, folders: Sequence[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _open(path: Path, mode: str) -> IO[bytes]:
    try:
        if path.is_file() or not path.exists():  # to open a pipe would wait for its writer
            return path.open(mode)
    except OSError as error:
        raise FileError(f"{visible(str(path))} could not be opened: {error.strerror or error}.") from error
    raise FileError(f"{visible(str(path))} is not a regular file.")
