"""Parquet files and Arrow datasets as a `Source`, read file by file, a few batches ahead."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from pyod_explain._optional import optional
from pyod_explain._validate import shown
from pyod_explain.exceptions import FileError
from pyod_explain.source.arrow_column import pyarrow
from pyod_explain.source.source import CHUNK, Source

__all__ = ["DatasetSource", "dataset_of_path"]

AHEAD = 4  # batches that are read while others are counted: more of them only take memory
PARQUET = (".parquet", ".pq", ".parq")


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

    @property
    def schema(self) -> Any:
        return self.dataset.schema

    @cached_property
    def n_rows(self) -> int | None:
        return int(self.dataset.count_rows()) if self._is_plain else None

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
        how = {"columns": columns, "batch_size": CHUNK, "batch_readahead": AHEAD, "fragment_readahead": 1}
        if not self._is_plain:
            yield from _readable(self.dataset.to_batches(**how), self.name)
            return
        for fragment in self.dataset.get_fragments():
            path = getattr(fragment, "path", "") or self.name
            try:
                found = fragment.to_batches(schema=self.schema, **how)
            except _errors() as error:
                raise _unreadable(path, error) from error
            yield from _readable(found, path)


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
        f"`X` must be files that can be read, but {where} cannot: {error}\n"
        "Hint: write the file again, or leave it out; nothing was counted."
    )


def dataset_of_path(path: str | os.PathLike[str]) -> DatasetSource:
    """Open a parquet file, a folder of them, or those that a pattern such as `data/*.parquet` matches.

    Parameters
    ----------
    path : of the file or folder, or the pattern. Folders may be parted by values (`year=2024/`), which are a column.
    """
    text = os.fspath(path)
    arrow = optional("pyarrow.dataset", "to read parquet files", extra="arrow")
    files, base = _files(text), text if Path(text).is_dir() else None
    how = {"format": "parquet", "partitioning": "hive", "partition_base_dir": base}
    try:
        found = arrow.dataset(files, **how)
        return DatasetSource(arrow.dataset(files, schema=_schema(found), **how), text)
    except FileError:
        raise
    except _errors() as error:
        raise _unreadable(text, error) from error


def _files(text: str) -> list[str]:
    """List the files that are meant, in the order of their names."""
    path = Path(text)
    if path.is_file():
        return [text]
    if path.is_dir():
        inside = (one for one in path.rglob("*") if one.suffix in PARQUET and one.is_file())
        found = sorted(str(one) for one in inside if not _hidden(one.relative_to(path)))
        if not found:
            raise FileError(
                f"`X` must be a folder of parquet files, got {shown(text)}, which has none.\n"
                f"Hint: their names end in {', '.join(PARQUET)}; other tables are read by pandas or Polars first."
            )
        return found
    found = sorted(one for one in glob.glob(text, recursive=True) if Path(one).is_file())  # noqa: PTH207 - any pattern
    if not found:
        raise FileError(
            f"`X` must be the path of a parquet file, of a folder of them, or a pattern that matches some, got "
            f"{shown(text)}, where there is nothing.\nHint: the path is seen from the folder {Path.cwd()}."
        )
    return found


def _hidden(path: Path) -> bool:
    """Tell whether a file, or a folder that it is in, is a by-product of some engine."""
    return any(part.startswith(("_", ".")) and "=" not in part for part in path.parts)


def _schema(dataset: Any) -> Any:
    """Give a schema that has what all files hold: in one of them a column may have had nothing but nulls."""
    theirs = []
    for fragment in dataset.get_fragments():
        try:
            theirs.append(fragment.physical_schema)
        except _errors() as error:
            raise _unreadable(fragment.path, error) from error
    pa, all_of_them = pyarrow(), [dataset.schema, *theirs]
    try:
        found = pa.unify_schemas(all_of_them, promote_options="permissive")
    except pa.ArrowTypeError:  # encoded texts in one file, plain ones in another
        found = pa.unify_schemas([_decoded(one) for one in all_of_them], promote_options="permissive")
    return found.with_metadata(dataset.schema.metadata)


def _decoded(schema: Any) -> Any:
    pa = pyarrow()
    types = [one.type.value_type if pa.types.is_dictionary(one.type) else one.type for one in schema]
    return pa.schema(list(zip(schema.names, types, strict=True)))
