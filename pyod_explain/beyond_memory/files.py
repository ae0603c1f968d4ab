"""Parquet files and Arrow datasets as a `Source`, read file by file, a few batches ahead."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from pyod_explain._validate import optional
from pyod_explain.beyond_memory.source import ROWS_PER_CHUNK, Partition, Source
from pyod_explain.exceptions import FileError, shown
from pyod_explain.input import pyarrow

ROWS_PER_TASK = 2**20  # rows that one task of an engine reads: a larger file is split by its row groups
BATCHES_AHEAD = 4  # batches that are read while others are counted: more of them only take memory
BATCH_BYTES = 2**24  # of a batch of numbers: of many columns it has fewer rows
SCAN_OPTIONS = {"batch_readahead": BATCHES_AHEAD, "fragment_readahead": 1}
PARQUET_SUFFIXES = (".parquet", ".pq", ".parq")


class DatasetSource(Source):
    """A `pyarrow.dataset.Dataset`.

    Parameters
    ----------
    dataset : the dataset.
    name : what to call it in a message.
    """

    def __init__(self, dataset: Any, name: str = "the dataset") -> None:
        self.dataset, self.name = dataset, name

    def read_schema(self) -> Any:
        return self.dataset.schema

    @cached_property
    def n_rows(self) -> int | None:
        if not self._is_plain:
            return None
        try:
            return int(self.dataset.count_rows())
        except _errors() as error:
            raise _unreadable(self.name, error) from error

    @cached_property
    def _is_plain(self) -> bool:
        """False if rows are filtered: then the files are no longer what is to be read."""
        try:
            next(iter(self.dataset.get_fragments()), None)
        except ValueError:  # how pyarrow refuses
            return False
        return True

    def batches(self, columns: list[str]) -> Iterator[Any]:
        if not self._is_plain:
            yield from _read(self.dataset, {}, columns, self.name)
            return
        for fragment in self.dataset.get_fragments():
            yield from FragmentSource(fragment, self.dataset.schema, self.name).batches(columns)

    def parts(self, columns: list[str]) -> list[Partition] | None:  # noqa: ARG002 - they are chosen where they are read
        if not self._is_plain:
            return None
        start, found = 0, []
        for fragment in self.dataset.get_fragments():
            for piece in _split(fragment):
                found.append(Partition(FragmentSource(piece, self.dataset.schema, self.name), start))
                start += piece.count_rows()
        return found


class FragmentSource(Source):
    """Rows of one file, which another process reads.

    Parameters
    ----------
    fragment : the file, or some row groups of it, as `pyarrow.dataset` has them.
    schema : that of all files.
    name : what to call all of them in a message.
    """

    def __init__(self, fragment: Any, schema: Any, name: str) -> None:
        self.fragment, self.schema, self.name = fragment, schema, name

    def read_schema(self) -> Any:
        return self.schema

    def batches(self, columns: list[str]) -> Iterator[Any]:
        return _read(self.fragment, {"schema": self.schema}, columns, getattr(self.fragment, "path", "") or self.name)


def _split(fragment: Any) -> list[Any]:
    """Split a file by its row groups, if it is large."""
    large = getattr(fragment, "row_groups", None) is not None and fragment.count_rows() > ROWS_PER_TASK
    return list(fragment.split_by_row_group()) if large else [fragment]


def _read(rows: Any, options: dict[str, Any], columns: list[str], where: str) -> Iterator[Any]:
    """Give batches; one that cannot be read is an error that names the file."""
    size = min(ROWS_PER_CHUNK, max(BATCH_BYTES // (8 * max(len(columns), 1)), 1))
    try:
        yield from rows.to_batches(columns=columns, batch_size=size, **SCAN_OPTIONS, **options)
    except _errors() as error:
        raise _unreadable(where, error) from error


def _errors() -> tuple[type[Exception], ...]:
    """What reading may raise."""
    return OSError, ValueError, pyarrow().ArrowException


def _unreadable(where: str, error: Exception) -> FileError:
    hint = "write the file again, or leave it out; nothing was counted."
    return FileError(f"The file {where} could not be read: {error}", hint=hint)


def dataset_of_path(path: str | os.PathLike[str]) -> DatasetSource:
    """Open a parquet file, a folder of them, or those that a pattern such as `data/*.parquet` matches.

    Parameters
    ----------
    path : of the file or folder, or the pattern. Folders may be partitioned (`year=2024/`), which is a column;
        those above what is asked for are not. `~` is the user's own folder.
    """
    text = os.path.expanduser(os.fspath(path))  # noqa: PTH111 - a Path would drop the slash of "file/", which is no file
    arrow = optional("pyarrow.dataset", "to read parquet files", extra="arrow")
    files = files_of(text)
    how = {"format": "parquet", "partitioning": "hive", "partition_base_dir": _base(text)}
    try:
        return DatasetSource(arrow.dataset(files, schema=_schema(arrow.dataset(files, **how)), **how), text)
    except FileError:
        raise
    except _errors() as error:
        raise _unreadable(text, error) from error


def files_of(text: str) -> list[str]:
    """List the files that a path, a folder or a pattern means, in the order of their names; others are not read."""
    path = Path(text)
    if os.path.isfile(text):  # noqa: PTH113 - a Path raises where a name is too long to be one
        return [text]
    if os.path.isdir(text):  # noqa: PTH112 - as above
        inside = (one for one in path.rglob("*") if one.suffix.lower() in PARQUET_SUFFIXES and one.is_file())
        found = sorted(str(one) for one in inside if not _hidden(one.relative_to(path)))
        if not found:
            hint = f"Their names end in {', '.join(PARQUET_SUFFIXES)}; other formats are not read from folders."
            raise FileError(f"The folder {shown(text)} has no parquet files.", hint=hint)
        return found
    found = sorted(one for one in glob.glob(text, recursive=True) if Path(one).is_file())  # noqa: PTH207 - any pattern
    if not found:
        elsewhere = "of another machine pass a dataset: pyarrow.dataset.dataset(...)."
        hint = elsewhere if "://" in text else f"the path is seen from the folder {Path.cwd()}."
        raise FileError(f"There is no file or folder {shown(text)}, and no file matches it as a pattern.", hint=hint)
    return found


def _base(text: str) -> str | None:
    """Give the folder below which the names of folders are values: that which was named, or in which a pattern is.

    As it is written, since files are compared with it as they are written; None for the folder where we are.
    """
    if Path(text).is_dir():
        return str(Path(text))
    fixed = text if Path(text).is_file() else re.split(r"[*?[]", text, maxsplit=1)[0]
    return os.path.dirname(fixed) or None  # noqa: PTH120 - a Path would drop "./"


def _hidden(path: Path) -> bool:
    """Tell whether a file, or a folder that it is in, is a by-product of some engine."""
    return any(part.startswith(("_", ".")) and "=" not in part for part in path.parts)


def _schema(dataset: Any) -> Any:
    """Give a schema that has what all files hold: in one of them a column may have had nothing but nulls."""
    pa, metadata, found = pyarrow(), dataset.schema.metadata, dataset.schema
    for fragment in dataset.get_fragments():
        try:
            theirs = fragment.physical_schema
            try:
                found = pa.unify_schemas([found, theirs], promote_options="permissive")
            except pa.ArrowTypeError:  # encoded texts in one file, plain ones in another
                found = pa.unify_schemas([_decoded(found), _decoded(theirs)], promote_options="permissive")
        except _errors() as error:
            raise _unreadable(fragment.path, error) from error
    return found.with_metadata(metadata)


def _decoded(schema: Any) -> Any:
    pa = pyarrow()
    types = [one.type.value_type if pa.types.is_dictionary(one.type) else one.type for one in schema]
    return pa.schema(list(zip(schema.names, types, strict=True)))
