"""Which rows match which rules, by how much the others miss them, and what each column contributes."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain.beyond_memory import Chunk, Source
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Column, Number, Table, arrow_table, as_table, pyarrow
from pyod_explain.result.group import Rule
from pyod_explain.result.summary import ColumnFacts, Summary
from pyod_explain.tags import Condition

NOT_ASKED = np.iinfo(np.int64).max  # more than any rule has conditions


def read_rows(summary: Summary, X: Any) -> Table:
    """Read the columns that the rules name, whatever else is in the table; refuse one that lacks some."""
    table = as_table(X, only=summary.rule_columns)
    table.require(summary.rule_columns)
    return table


def match_rules(summary: Summary, table: Table) -> BoolArray:
    """Tell for each row (of the result) and each rule (columns) whether the rule covers it."""
    columns = [rule.tag.covers(table) for rule in summary.rules]
    return np.array(columns, dtype=bool).reshape(len(columns), table.n_rows).T


def group_of(summary: Summary, table: Table) -> IntArray:
    """Give each row 0, or the group of the most precise rule that covers it; of equally precise ones the first."""
    return np.array([*(rule.group for rule in summary.rules), 0], dtype=np.int64)[best_rule(summary, table)]


def best_rule(summary: Summary, table: Table, matches: BoolArray | None = None) -> IndexArray:
    """Give each row the position of the most precise rule that covers it, -1 if none does; of equals the first.

    Parameters
    ----------
    summary : has the rules.
    table : the rows.
    matches : what `match_rules` gave, perhaps without some matches; it is called if None.
    """
    matches = match_rules(summary, table) if matches is None else matches
    if not summary.rules:
        return np.full(table.n_rows, -1, dtype=np.intp)
    order = np.argsort([-rule.precision for rule in summary.rules], kind="stable")
    return np.where(matches.any(axis=1), order[matches[:, order].argmax(axis=1)], -1)


def nearest_rules(rules: Sequence[Rule], table: Table, s: Summary, asked: BoolArray) -> tuple[IndexArray, FloatArray]:
    """Give each row the rule that it misses by least, -1 where none is asked, and its distance from meeting it.

    That is the rule of which fewest conditions fail, then the one at the smallest distance, then the first. Distances
    are in typical differences of the columns between normals; 1 for each condition on what has no order.

    Parameters
    ----------
    rules : the rules.
    table : the rows, with the columns that the rules name.
    s : facts on the columns, to compare a distance in one with a distance in another.
    asked : rows by rules: True where the rule is asked of the row.
    """
    rows = np.arange(table.n_rows)
    if not rules:
        return np.full(table.n_rows, -1, dtype=np.intp), np.zeros(table.n_rows)
    count, far = np.zeros(asked.shape, dtype=np.int64), np.zeros(asked.shape)
    for j, rule in enumerate(rules):
        for condition in rule.tag.sorted:
            fails = ~condition.holds(table[condition.column])
            count[:, j] += fails
            far[fails, j] += _distances(condition, table[condition.column], s.facts(condition.axis), fails)
    count[~asked] = NOT_ASKED
    far = np.where(count == count.min(axis=1, keepdims=True), np.minimum(far, sys.float_info.max), np.inf)
    nearest = far.argmin(axis=1)
    return np.where(asked.any(axis=1), nearest, -1), far[rows, nearest]


def _distances(condition: Condition, column: Column, facts: ColumnFacts, rows: BoolArray) -> FloatArray:
    """Distance of these cells from meeting a condition, in typical differences of the column; 1 if unordered."""
    ordered = condition.axis == condition.column and condition.op in ("<", "<=", ">", ">=", "between")
    if not ordered or not column.has_order or column.kind != facts.kind:
        return np.ones(int(rows.sum()))
    ends = condition.value if condition.op == "between" else (condition.value,)
    cells = column.floats()[rows]
    with np.errstate(over="ignore"):  # what is infinite is the largest float in the end
        far = np.min([np.abs(cells - _as_float(end, facts)) for end in ends], axis=0) / facts.scale
    return np.where(np.isnan(far), 1.0, far)


def distance(old: Any, new: Any, facts: ColumnFacts) -> float:
    """Difference of two values in typical differences of the column; 1 for anything unordered."""
    if old is None or new is None or facts.kind not in ("number", "datetime", "timedelta"):
        return 1.0
    return abs(_as_float(new, facts) - _as_float(old, facts)) / facts.scale


def _as_float(value: Any, facts: ColumnFacts) -> float:
    """Give a value of an ordered column as a float: as it is, or in nanoseconds; NaN for what is no number."""
    if facts.kind == "number":
        return float(value) if isinstance(value, Number) else math.nan
    return float(_stamp(value, facts).value)


def _stamp(value: Any, facts: ColumnFacts) -> Any:
    if facts.kind == "timedelta":
        return pd.Timedelta(value)
    stamp = pd.Timestamp(value)
    is_local = facts.timezone is not None and stamp.tzinfo is None
    return stamp.tz_localize(facts.timezone) if is_local else stamp


def contributions(summary: Summary, table: Table, columns: Sequence[str]) -> pd.DataFrame:
    """Give for each row and column the bits of the matching rules that the column accounts for.

    Parameters
    ----------
    summary : has the rules, and how rare each of their conditions is.
    table : the rows, with the columns that the rules name.
    columns : names of the columns of the result; those that no rule names get 0.
    """
    place = {name: i for i, name in enumerate(columns)}
    each = np.zeros((len(summary.rules), len(columns)))
    for j, rule in enumerate(summary.rules):
        for name, bits in _bits_by_column(rule, summary).items():
            each[j, place[name]] = bits
    return pd.DataFrame(match_rules(summary, table).astype(np.float64) @ each, index=table.index, columns=list(columns))


def rule_bits(normals: float, total: int) -> float:
    """Bits by which a rule tells a row from the normals: how rare it is among them.

    One normal is added to both numbers, so that a rule that no normal matches has a finite number of bits.

    >>> rule_bits(0, 1023), rule_bits(1023, 1023)
    (10.0, 0.0)
    """
    return math.log2((total + 1) / (normals + 1))


def _bits_by_column(rule: Rule, summary: Summary) -> dict[str, float]:
    """Split the bits of a rule among its columns, by the bits that each of its conditions has alone.

    A condition on two columns gives half to each. Where no condition has any bits, all get the same.
    """
    profiles = [profile for group in summary.groups for profile in group.profiles]
    pairs = (pair for one in profiles for pair in zip(one.conditions, one.matching, strict=True))
    alone = {condition: share for condition, (_, share) in pairs}
    bits = {c: rule_bits(alone.get(c, 1.0) * rule.total_normals, rule.total_normals) for c in rule.tag.sorted}
    whole, total = sum(bits.values()), rule_bits(rule.n_normals, rule.total_normals)
    result: dict[str, float] = {}
    for condition, own in bits.items():
        part = total * (own / whole if whole > 0 else 1 / len(bits))
        for name in condition.columns:
            result[name] = result.get(name, 0.0) + part / len(condition.columns)
    return result


# --- rows beyond memory ----------------------------------------------------------------------------------------


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
    groups = np.array([*(rule.group for rule in summary.rules), 0], dtype=np.int64)
    texts = pa.array([rule.text for rule in summary.rules], pa.string())

    def batches() -> Iterator[Any]:
        for chunk in source.chunks(names):
            if summary.rule_columns:
                table = arrow_table(chunk.batch, summary.rule_columns)
            else:
                table = Table({}, pd.RangeIndex(chunk.n_rows))
            best = best_rule(summary, table)
            rule, text = pa.array(best + 1, pa.int64(), mask=best < 0), texts.take(pa.array(best, mask=best < 0))
            columns = [*_cast(chunk, fields), pa.array(groups[best]), rule, text]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


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
