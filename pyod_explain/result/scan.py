"""Rows beyond memory with the rule that matches each of them, read lazily."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.beyond_memory import Chunk, Source
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Table, arrow_table, pyarrow
from pyod_explain.result.match import best_rule
from pyod_explain.result.summary import Summary


def scan(summary: Summary, source: Source) -> Any:
    """Give a lazy `pyarrow.RecordBatchReader` of the rows, each with its group, rule number and rule text.

    An index level with a name is a column, one without (`__index_level_0__` in Arrow) is left out.

    Parameters
    ----------
    summary : has the rules.
    source : the rows.
    """
    source.require(summary.rule_columns)
    pa = pyarrow()
    unnamed = [name for name in source.index_columns if name.startswith("__index_level_")]
    names = [name for name in source.schema.names if name not in unnamed]
    fields = _typed_fields(source, names)
    types = {"group": pa.int64(), "rule": pa.int64(), "text": pa.string()}
    schema = pa.schema([*fields, *(pa.field(free_name(name, names), kind) for name, kind in types.items())])

    def batches() -> Iterator[Any]:
        for chunk in source.chunks(names):
            if summary.rule_columns:
                table = arrow_table(chunk.batch, summary.rule_columns)
            else:
                table = Table({}, pd.RangeIndex(chunk.n_rows))
            columns = [*_cast(chunk, fields), *rule_columns(summary, table, ()).values()]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def rule_columns(summary: Summary, table: Table, taken: Collection[str]) -> dict[str, Any]:
    """Give `group` (0 where no rule matches), `rule` (1 is the first) and `text` of each row as Arrow arrays.

    Parameters
    ----------
    summary : has the rules.
    table : the rows, with the columns of the rules.
    taken : names that other columns have; a column gets an underscore if its name is among these.
    """
    pa = pyarrow()
    best = best_rule(summary, table)
    groups = np.array([*(rule.group for rule in summary.rules), 0], dtype=np.int64)
    texts = pa.array([rule.text for rule in summary.rules], pa.string())
    columns = {
        "group": pa.array(groups[best]),
        "rule": pa.array(best + 1, pa.int64(), mask=best < 0),
        "text": texts.take(pa.array(best, mask=best < 0)),
    }
    return {free_name(name, taken): column for name, column in columns.items()}


def free_name(name: str, taken: Collection[str]) -> str:
    """Give a name that no column has: the same, or with underscores after it."""
    while name in taken:
        name += "_"
    return name


def _typed_fields(source: Source, names: Sequence[str]) -> list[Any]:
    """Give the fields of these columns; one that has no type in the source's schema gets it from its cells.

    The first chunk of an iterable may have nulls only, and Dask does not know the types of Python objects. Such
    columns are read once before all others, where the source can be read again.
    """
    pa, schema = pyarrow(), source.schema
    untyped = [name for name in names if pa.types.is_null(schema.field(name).type)]
    if untyped and source.repeatable:
        for batch in source.batches(untyped):
            found = pa.schema([batch.schema.field(name) for name in untyped])
            schema = pa.unify_schemas([schema, found], promote_options="permissive")
    return [pa.field(name, schema.field(name).type) for name in names]


def _cast(chunk: Chunk, fields: Sequence[Any]) -> list[Any]:
    """Give the columns of a chunk in the types of the fields: a reader has one schema."""
    pa = pyarrow()
    columns = []
    for field in fields:
        cells = chunk.batch.column(field.name)
        try:
            columns.append(cells if cells.type == field.type else cells.cast(field.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise PyodExplainError(
                f"All chunks of `X` must have one type for each column, got {cells.type} and {field.type} in column "
                f"{field.name!r}: {error}",
                hint="give the first chunk the wider type.",
            ) from error
    return columns
