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
from pyod_explain.input import pyarrow, schema_without_views, without_views

ROWS_PER_TASK = 2**20  # rows that one task of an engine reads: a larger file is parted by its row groups
BATCHES_AHEAD = 4  # batches that are read while others are counted: more of them only take memory
BATCH_BYTES = 2**24  # of a batch, about: of many columns, or of long texts, it has fewer rows
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
        self.dataset = dataset
        self.name = name

    @cached_property
    def schema(self) -> Any:
        return schema_without_views(self.dataset.schema)

    @cached_property
    def n_rows(self) -> int | None:
        if not self._is_plain:
            return None
        try:
            return int(self.dataset.count_rows())
        except _errors() as error:
            raise _unreadable(self.name, error) from error

    @property
    def files(self) -> list[str]:
        """The files, where there are any: an engine may read them itself."""
        return list(getattr(self.dataset, "files", [])) if self._is_plain else []

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
            size = _rows_of(8 * len(columns))
            found = self.dataset.to_batches(columns=columns, batch_size=size, **SCAN_OPTIONS)
            yield from without_views(_readable(found, self.name))
            return
        for fragment in self.dataset.get_fragments():
            yield from _read(fragment, self.dataset.schema, columns, self.name)

    def parts(self, columns: list[str]) -> list[Partition] | None:  # noqa: ARG002 - they are chosen where they are read
        if not self._is_plain:
            return None
        start, found = 0, []
        for fragment in self.dataset.get_fragments():
            for piece, n_rows in _pieces(fragment, self.name):
                found.append(Partition(FragmentSource(piece, self.dataset.schema, self.name), start, self.range_index))
                start += n_rows
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
        self.fragment, self.name = fragment, name
        self._schema = schema

    @property
    def schema(self) -> Any:
        return schema_without_views(self._schema)

    @cached_property
    def range_index(self) -> None:
        """None: these are some of the rows that the schema speaks of."""

    def batches(self, columns: list[str]) -> Iterator[Any]:
        yield from _read(self.fragment, self._schema, columns, self.name)


def _pieces(fragment: Any, name: str) -> Iterator[tuple[Any, int]]:
    """Split a file by its row groups, if it is large; say how many rows each piece has."""
    path = getattr(fragment, "path", "") or name
    try:
        groups = getattr(fragment, "row_groups", None)
        if groups is None:  # no parquet
            yield fragment, int(fragment.count_rows())
            return
        lengths = [int(group.num_rows) for group in groups]
        if sum(lengths) <= ROWS_PER_TASK:
            yield fragment, sum(lengths)
            return
        which: list[int] = []
        for i, length in enumerate(lengths):
            if which and sum(lengths[j] for j in which) + length > ROWS_PER_TASK:
                yield fragment.subset(row_group_ids=[groups[j].id for j in which]), sum(lengths[j] for j in which)
                which = []
            which.append(i)
        yield fragment.subset(row_group_ids=[groups[j].id for j in which]), sum(lengths[j] for j in which)
    except _errors() as error:
        raise _unreadable(path, error) from error


def _read(fragment: Any, schema: Any, columns: list[str], name: str) -> Iterator[Any]:
    path = getattr(fragment, "path", "") or name
    try:
        found = fragment.to_batches(schema=schema, columns=columns, batch_size=_batch_size(fragment), **SCAN_OPTIONS)
    except _errors() as error:
        raise _unreadable(path, error) from error
    yield from without_views(_readable(found, path))


def _batch_size(fragment: Any) -> int:
    """Give the number of rows to read at once, by what the file says of how many bytes they take."""
    groups = getattr(fragment, "row_groups", None) or []
    return _rows_of(max((one.total_byte_size / one.num_rows for one in groups if one.num_rows), default=1))


def _rows_of(n_bytes: float) -> int:
    return int(min(ROWS_PER_CHUNK, max(BATCH_BYTES // max(n_bytes, 1), 1)))


def _readable(batches: Iterator[Any], where: str) -> Iterator[Any]:
    """Give batches; one that cannot be read is an error that names the file."""
    try:
        yield from batches
    except _errors() as error:
        raise _unreadable(where, error) from error


def _errors() -> tuple[type[Exception], ...]:
    """What reading may raise."""
    return OSError, ValueError, pyarrow().ArrowException


def _unreadable(where: str, error: Exception) -> FileError:
    return FileError(
        f"The file {where} could not be read: {error}",
        hint="write the file again, or leave it out; nothing was counted.",
    )


def dataset_of_path(path: str | os.PathLike[str]) -> DatasetSource:
    """Open a parquet file, a folder of them, or those that a pattern such as `data/*.parquet` matches.

    Parameters
    ----------
    path : of the file or folder, or the pattern. Folders may be parted by values (`year=2024/`), which are a column;
        those above what is asked for are not. `~` is the user's own folder.
    """
    text = os.path.expanduser(os.fspath(path))  # noqa: PTH111 - a Path would drop the slash of "file/", which is no file
    arrow = optional("pyarrow.dataset", "to read parquet files", extra="arrow")
    files = files_of(text)
    how = {"format": "parquet", "partitioning": "hive", "partition_base_dir": _base(text)}
    try:
        found = arrow.dataset(files, **how)
        return DatasetSource(arrow.dataset(files, schema=_schema(found), **how), text)
    except FileError:
        raise
    except _errors() as error:
        raise _unreadable(text, error) from error


def files_of(text: str) -> list[str]:
    """List the files that a path, a folder or a pattern means, in the order of their names; others are not read."""
    path = Path(text)
    if os.path.isfile(text):  # noqa: PTH113 - a Path raises where a name is too long to be one
        return [text]
    if os.path.isdir(text):  # noqa: PTH112
        inside = (one for one in path.rglob("*") if one.suffix.lower() in PARQUET_SUFFIXES and one.is_file())
        found = sorted(str(one) for one in inside if not _hidden(one.relative_to(path)))
        if not found:
            raise FileError(
                f"The folder {shown(text)} has no parquet files.",
                hint=f"Their names end in {', '.join(PARQUET_SUFFIXES)}; other formats are not read from folders.",
            )
        return found
    found = sorted(one for one in glob.glob(text, recursive=True) if Path(one).is_file())  # noqa: PTH207 - any pattern
    if not found:
        elsewhere = "of another machine pass a dataset: pyarrow.dataset.dataset(...)" if "://" in text else None
        raise FileError(
            f"There is no file or folder {shown(text)}, and no file matches it as a pattern.",
            hint=f"{elsewhere or f'the path is seen from the folder {Path.cwd()}'}.",
        )
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
