"""The CSV text of a public data file, wherever it is: in the user's folder, in the cache, or at UCI.

Each file is looked for in the folder that PYOD_EXPLAIN_DATA names, then in the cache (the folder that
PYOD_EXPLAIN_CACHE names, else `pyod_explain` in the user's cache folder), under its own name or inside UCI's zip
archive, put there as downloaded. Failing that, the archive is downloaded and the file kept in the cache. What comes
out is the same text to the byte whichever way it came, and its checksum says so.
"""

from __future__ import annotations

import gzip
import hashlib
import http.client
import io
import logging
import os
import sys
import urllib.request
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pyod_explain._atomic import write_file
from pyod_explain._progress import start
from pyod_explain.exceptions import PyodExplainError

__all__ = ["Archive", "DataFile", "as_csv", "cache_folder", "content"]

logger = logging.getLogger(__name__)

DATA_VARIABLE = "PYOD_EXPLAIN_DATA"
CACHE_VARIABLE = "PYOD_EXPLAIN_CACHE"
_CHUNK = 1 << 16
_TIMEOUT = 30.0  # seconds without any answer


@dataclass(frozen=True)
class DataFile:
    """A data file as we keep it.

    Attributes
    ----------
    name : of the file in a folder; compressed if it ends in `.gz`.
    member : name of the file that UCI's archive has instead, in any folder or archive inside it, in any case.
    sha256 : checksum of the text, decompressed (compressed bytes differ between versions of gzip).
    convert : turns UCI's bytes into our text.
    """

    name: str
    member: str
    sha256: str
    convert: Callable[[bytes], bytes]


@dataclass(frozen=True)
class Archive:
    """A zip archive at a public address, and the files that we take from it."""

    url: str
    files: tuple[DataFile, ...]

    @property
    def name(self) -> str:
        """Name under which a browser saves it."""
        return PurePosixPath(self.url).name


def content(archive: Archive, file: DataFile) -> bytes:
    """Return the text of the file, downloaded only if no folder has it."""
    for folder in _folders():
        if (folder / file.name).is_file():
            return _checked(_read(folder / file.name), file, str(folder / file.name))
        if (folder / archive.name).is_file():
            return _extracted((folder / archive.name).read_bytes(), file, str(folder / archive.name))
    downloaded = _download(archive, file)
    text = _extracted(downloaded, file, archive.url)
    _store(file, text)
    for other in archive.files:
        if other != file:
            _store_if_good(other, downloaded, archive)
    return text


# --- folders --------------------------------------------------------------------------------------------------------


def _folders() -> list[Path]:
    given = os.environ.get(DATA_VARIABLE)
    return [*([Path(given).expanduser()] if given else []), cache_folder()]


def cache_folder() -> Path:
    """Return the folder that keeps downloaded files; it need not exist yet."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")  # an empty value counts as not set, by the XDG rules
    return (Path(base) if base else Path.home() / ".cache") / "pyod_explain"


def _read(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix != ".gz":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise PyodExplainError(
            f"The file {path} must be compressed by gzip, but it does not decompress: {error}.\n"
            "Hint: delete it and load again; it is then downloaded."
        ) from error


def _store_if_good(file: DataFile, downloaded: bytes, archive: Archive) -> None:
    try:
        _store(file, _extracted(downloaded, file, archive.url))
    except PyodExplainError as error:  # nobody has asked for this one yet; who does gets the error
        logger.debug("not kept: %s", error)


def _store(file: DataFile, text: bytes) -> None:
    """Keep the text in the cache, whole or not at all; a cache that cannot be written costs only time."""
    data = gzip.compress(text, mtime=0) if file.name.endswith(".gz") else text
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_file(folder / file.name, data)
    except OSError as error:
        logger.warning("%s could not be kept in %s and will be downloaded again: %s", file.name, folder, error)


# --- downloads ------------------------------------------------------------------------------------------------------


def _download(archive: Archive, file: DataFile) -> bytes:
    request = urllib.request.Request(archive.url, headers={"User-Agent": "pyod_explain"})  # noqa: S310 - a constant of ours
    data = bytearray()
    try:
        with start(_on_terminal()) as step, urllib.request.urlopen(request, timeout=_TIMEOUT) as response:  # noqa: S310 - likewise
            total = int(response.headers.get("Content-Length") or 0)  # UCI does not always tell it
            while chunk := response.read(_CHUNK):
                data += chunk
                step(f"{archive.name}, {len(data) / 1e6:.1f} MB", len(data) / total if total else 0.0)
    except (OSError, http.client.HTTPException) as error:
        raise _not_found(archive, file, error) from error
    return bytes(data)


def _on_terminal() -> bool:
    """Tell whether somebody looks at standard error: a log or a pipe needs no bar, and some programs have none."""
    return sys.stderr is not None and sys.stderr.isatty()


def _not_found(archive: Archive, file: DataFile, error: Exception) -> PyodExplainError:
    given = os.environ.get(DATA_VARIABLE)
    folder = given or f"a folder that you name in the variable {DATA_VARIABLE}"
    return PyodExplainError(
        f"The data file {file.name!r} was not found in {' or '.join(str(one) for one in _folders())}, and downloading "
        f"it failed: {error}.\n"
        f"Hint: get {archive.url} with a browser and put it, as it is, into {folder}, or into {cache_folder()}."
    )


# --- from UCI's form to ours ----------------------------------------------------------------------------------------


def _extracted(data: bytes, file: DataFile, where: str) -> bytes:
    try:
        member = _member(data, file.member)
    except zipfile.BadZipFile as error:
        raise PyodExplainError(
            f"{where} must be a zip archive, but it does not open as one: {error}.\n"
            "Hint: a proxy or a login page may have answered in its place; look at it in a browser."
        ) from error
    if member is None:
        raise PyodExplainError(
            f"{where} must contain a file {file.member!r}, but it has none.\n"
            f"Hint: UCI may have rearranged its archive; put {file.name!r} into {cache_folder()} yourself."
        )
    return _checked(file.convert(member), file, where)


def _member(archive: bytes, name: str) -> bytes | None:
    """Find a file by its name alone, then in archives inside the archive."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for path in opened.namelist():
            if PurePosixPath(path).name.lower() == name.lower():
                return opened.read(path)
        for path in opened.namelist():
            if path.lower().endswith(".zip"):
                inner = _member(opened.read(path), name)
                if inner is not None:
                    return inner
    return None


def _checked(text: bytes, file: DataFile, where: str) -> bytes:
    found = hashlib.sha256(text).hexdigest()
    if found != file.sha256:
        raise PyodExplainError(
            f"The content of {file.name!r} from {where} must have the SHA-256 checksum {file.sha256}, got {found}: "
            "it is damaged or another version, and results would not compare.\n"
            "Hint: delete it and load again, so that a new copy is downloaded."
        )
    return text


def as_csv(data: bytes, *, header: str | None = None, separator: bytes = b",") -> bytes:
    r"""Write lines of cells as CSV: header first, a comma between cells, LF after each line.

    Parameters
    ----------
    data : what UCI has. Lines may end in LF, CR or both; empty ones are dropped.
    header : first line to add, if the data has none.
    separator : what stands between the cells there; a blank stands for any number of them. Where it is a comma, the
        lines are CSV already and stay as they are; else quotation marks are dropped.

    Examples
    --------
    >>> as_csv(b"39, State-gov, <=50K\r\n\r\n", header="age,workclass,income", separator=b", ")
    b'age,workclass,income\n39,State-gov,<=50K\n'
    >>> as_csv(b'"age";"job"\n58;"cook"', separator=b";")
    b'age,job\n58,cook\n'
    """
    lines = [line for line in data.splitlines() if line.strip()]
    if separator == b" ":
        lines = [b",".join(line.split()) for line in lines]
    elif separator != b",":
        lines = [line.replace(separator, b",").replace(b'"', b"") for line in lines]
    return b"".join(line + b"\n" for line in ([header.encode()] if header else []) + lines)
