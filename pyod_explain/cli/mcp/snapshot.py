"""Copies of the files that a call reads, in a folder of their own: what was checked is what is read, and no more.

The work is done on the copy, so that nobody can change the file between the check and the reading, and a file that
grows meanwhile, or never ends, is read up to the limit alone.
"""

from __future__ import annotations

import gzip
import os
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import IO

from pyod_explain._printable import visible
from pyod_explain.cli.mcp.folders import Folders, Place
from pyod_explain.exceptions import FileError

__all__ = ["copy_file", "too_large"]

CHUNK = 2**20


def copy_file(folders: Folders, place: Place, target: Path, limit: int) -> None:
    """Copy a file that may be read.

    Parameters
    ----------
    folders : which files may be read.
    place : the file.
    target : a folder, where the copy is put under the file's own name.
    limit : the most bytes it may have, also once it is decompressed.
    """
    copy = target / place.steps[-1] if place.steps else target / "folder"
    with folders.open(place) as descriptor, copy.open("xb") as out:
        left = limit
        while chunk := os.read(descriptor, CHUNK):
            left -= len(chunk)
            if left < 0:
                raise too_large(visible(str(place.path)), limit, "")
            out.write(chunk)
    if _unpacked(copy, limit) > limit:
        raise too_large(visible(str(place.path)), limit)


def too_large(name: str, limit: int, when: str = " once it is decompressed") -> FileError:
    """Say that a file is beyond the limit, and what to do.

    Parameters
    ----------
    name : what to call the file.
    limit : the most bytes it may have.
    when : in which state it is beyond.
    """
    return FileError(
        f"{name} has more than {limit / 1e6:,.0f} MB{when}, which is the most that is read here.\n"
        "Hint: start the server with a larger --max-mb, or run pyod-explain on the file itself."
    )


def _unpacked(path: Path, limit: int) -> int:
    """Count the bytes that gzip, zip (.xlsx) or a zip inside gzip would give, up to just beyond the limit."""
    try:
        with path.open("rb") as file:
            if file.read(2) != b"\x1f\x8b":
                return _zipped(file)
            with gzip.open(path) as stream, tempfile.TemporaryFile(dir=path.parent) as inner:
                while inner.tell() <= limit and (chunk := stream.read(CHUNK)):
                    inner.write(chunk)
                return inner.tell() if inner.tell() > limit else max(inner.tell(), _zipped(inner))
    except (
        OSError,
        EOFError,
        ValueError,
        RuntimeError,
        zlib.error,
        zipfile.BadZipFile,
    ):  # damaged: whoever reads it says so
        return 0


def _zipped(file: IO[bytes]) -> int:
    """Count what a zip says it has, which is the most that is read of it; it may begin later than the file."""
    if not zipfile.is_zipfile(file):
        return 0
    with zipfile.ZipFile(file) as archive:
        return sum(one.file_size for one in archive.infolist())
