"""What the rules say of rows beyond memory, batch by batch, as somebody reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.table import Table
from pyod_explain.result.match import best_rule, group_of, match_rules
from pyod_explain.result.summary import Summary
from pyod_explain.source import Chunk, Source
from pyod_explain.source.arrow_column import arrow_table, pyarrow

__all__ = ["read_beside", "read_groups", "read_matches"]


def read_groups(summary: Summary, source: Source) -> Any:
    """Give the group of each row, 0 where no rule matches: a reader with the column `group`."""
    pa = pyarrow()
    schema = pa.schema([("group", pa.int64())])
    return _reader(summary, source, schema, lambda table, _: [pa.array(group_of(summary, table))])


def read_matches(summary: Summary, source: Source) -> Any:
    """Tell which rules match each row: a reader with a column for each rule, named by group and rule."""
    pa = pyarrow()
    schema = pa.schema([(rule.name, pa.bool_()) for rule in summary.rules])
    return _reader(summary, source, schema, lambda table, _: [pa.array(one) for one in match_rules(summary, table).T])


def read_beside(summary: Summary, source: Source) -> Any:
    """Give the rows, each with its group, the rule that decides and its text.

    A reader of the columns of the source and `group`, `rule` and `text`; a name that the source has already gets an
    underscore.
    """
    pa = pyarrow()
    theirs = list(source.schema)
    names = [_free(name, source.schema.names) for name in ("group", "rule", "text")]
    types = [pa.int64(), pa.int64(), pa.string()]
    ours = [pa.field(name, kind) for name, kind in zip(names, types, strict=True)]
    schema = pa.schema([*theirs, *ours], metadata=source.schema.metadata)
    groups = np.array([*(rule.group for rule in summary.rules), 0], dtype=np.int64)
    texts = pa.array([rule.text for rule in summary.rules], pa.string())

    def said(table: Table, chunk: Chunk) -> list[Any]:
        best = best_rule(summary, table)
        rules = pa.array(best + 1, mask=best < 0)
        which = pa.array(best, mask=best < 0)
        return [*_cast(chunk, source.schema), pa.array(groups[best]), rules, texts.take(which)]

    return _reader(summary, source, schema, said)


def _reader(summary: Summary, source: Source, schema: Any, said: Callable[[Table, Chunk], list[Any]]) -> Any:
    needed = summary.rule_columns
    source.require(needed)
    columns = source.schema.names if any(name in schema.names for name in source.schema.names) else needed
    pa = pyarrow()

    def batches() -> Iterator[Any]:
        for chunk in source.chunks(columns or source.columns[:1]):
            yield pa.RecordBatch.from_arrays(said(arrow_table(chunk.batch, needed), chunk), schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _cast(chunk: Chunk, schema: Any) -> list[Any]:
    """Give the columns of a chunk in the types of the first one, as a reader has them."""
    pa = pyarrow()
    found = []
    for field in schema:
        cells = chunk.batch.column(field.name)
        try:
            found.append(cells if cells.type == field.type else cells.cast(field.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise PyodExplainError(
                f"All chunks of `X` must have one type for each column, got {cells.type} and {field.type} in column "
                f"{field.name!r}: {error}\nHint: give the first chunk the wider type."
            ) from error
    return found


def _free(name: str, taken: list[str]) -> str:
    """Give a name that no column has."""
    while name in taken:
        name += "_"
    return name
