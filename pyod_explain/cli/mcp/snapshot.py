"""Copies of the files that a call reads, in a folder of their own: what was checked is what is read, and no more.

The work is done on the copy, so that nobody can change the file between the check and the reading, and a file that
grows meanwhile, or never ends, is read up to the limit alone.
"""

from __future__ import annotations

import gzip
import os
import zipfile
import zlib
from pathlib import Path

from pyod_explain._printable import visible
from pyod_explain.cli.mcp.folders import Folders, Place
from pyod_explain.exceptions import FileError

__all__ = ["copy_file"]

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
                raise _too_large(place, limit, "")
            out.write(chunk)
    if _unpacked(copy, limit) > limit:
        raise _too_large(place, limit, " once it is decompressed")


def _too_large(place: Place, limit: int, when: str) -> FileError:
    return FileError(
        f"{visible(str(place.path))} has more than {limit / 1e6:,.0f} MB{when}, which is the most that is read here.\n"
        "Hint: start the server with a larger --max-mb, or run pyod-explain on the file itself."
    )


def _unpacked(path: Path, limit: int) -> int:
    """Count the bytes that gzip or zip (.xlsx) would give, up to just beyond the limit."""
    with path.open("rb") as file:
        start = file.read(4)
    try:
        if start[:2] == b"\x1f\x8b":
            return _streamed(path, limit)
        if start == b"PK\x03\x04":
            with zipfile.ZipFile(path) as archive:
                return sum(one.file_size for one in archive.infolist())
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile):  # damaged: whoever reads it says so
        return 0
    return 0


def _streamed(path: Path, limit: int) -> int:
    total = 0
    with gzip.open(path) as stream:
        while total <= limit and (chunk := stream.read(CHUNK)):
            total += len(chunk)
    return total
