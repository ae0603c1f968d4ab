"""How one file is written: a new one down to the disk, or what is there already and is never replaced."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from pyod_explain._files.target import Target
from pyod_explain._files.temporary import create

__all__ = ["Writer", "sync_folder", "write_new", "write_through"]

Writer = Callable[[BinaryIO], Any]  # writes to an open file


def write_new(path: Path, write: Writer, target: Target) -> None:
    """Write a new file, down to the disk; with the rights of the old one, or those that any new file gets."""
    with create(path, 0o666 if target.old is None else 0o600) as file:
        write(file)
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


def write_through(target: Target, write: Writer) -> None:
    """Write to what is never replaced: a stream, a pipe, a device or a socket."""
    if target.stream is not None:
        _flush()
        with os.fdopen(target.stream, "wb", closefd=False) as stream:  # at the place that printing has reached
            write(stream)
    elif target.old is not None and stat.S_ISSOCK(target.old.st_mode):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(target.path))
            with connection.makefile("wb") as stream:
                write(stream)
    else:
        with os.fdopen(os.open(target.given, os.O_WRONLY), "wb") as file:  # neither made nor emptied
            write(file)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()


def sync_folder(folder: Path) -> None:
    """Have the renames on the disk; some systems do not know that of folders."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
