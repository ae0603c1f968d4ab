"""`untrue`: what a printed explanation says that is not so, by evaluating every rule cell by cell and exactly."""

import decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from exactly import COMPARE, fraction
from scipy import sparse

from hostile.case import Case
from pyod_explain import DatePart, Explanation, PyodExplainError


def untrue(explanation: Explanation, text: str, one: Case, arguments: dict[str, Any]) -> str:
    """Evaluate every rule on the user's own table; return what is not as printed, or nothing."""
    labels = np.asarray(one.labels)
    features = arguments.get("features")
    columns = columns_of(arguments["X"] if features is None else features)
    if not text or explanation.n_rows != len(labels):
        return "not about these rows"
    if explanation.n_outliers != int((labels == 1).sum()) or explanation.summary.n_normals != int((labels == 0).sum()):
        return "other numbers of outliers and normals"
    if sorted(explanation._origin.positions.tolist()) != np.flatnonzero(labels == 1).tolist():
        return "other outliers"
    group = np.where(labels == 0, 0, -1)
    group[explanation._origin.positions.tolist()] = [one.number for one in explanation.groups for _ in range(one.size)]
    for rule in explanation.rules:
        holds = np.ones(len(labels), dtype=bool)
        for condition in rule.tag.conditions:
            holds &= satisfied(columns[condition.axis], condition)
        counts = [int((holds & (group == wanted)).sum()) for wanted in (rule.group, 0)]
        others = int((holds & (group > 0) & (group != rule.group)).sum())
        printed = [rule.n_outliers, rule.n_normals]
        if [*counts, others] != [*printed, rule.n_others]:
            return f"untrue: {str(rule.tag)[:60]} has {counts} and {others}, printed {printed} and {rule.n_others}"
    return ""


def changed_on_the_way(explanation: Explanation, arguments: dict[str, Any]) -> str:
    """Write the explanation as JSON and read it back; return what differs, or nothing. It may be refused, by column."""
    try:
        again = Explanation.from_json(explanation.to_json().encode())
    except PyodExplainError as error:
        return "" if "JSON cannot keep" in str(error) else f"JSON: {error}"
    if str(again) != str(explanation):
        return "another text after JSON"
    if again.to_dict() != explanation.to_dict():
        return "other data after JSON"
    X = arguments.get("features", arguments["X"])
    X = X.collect() if isinstance(X, pl.LazyFrame) else X  # of which the answer would be lazy, too
    named = {column for rule in explanation.rules for column in rule.tag.columns}
    if named <= set(columns_of(X)) and again.predict(X).tolist() != explanation.predict(X).tolist():
        return "other rows match after JSON"
    return ""


def columns_of(X: Any) -> dict[str, pd.Series]:
    """Give the columns of the user's table by their printed names, cells untouched."""
    X = X.collect() if isinstance(X, pl.LazyFrame) else X
    if isinstance(X, pl.DataFrame):
        return {name: pd.Series(X[name].to_list(), dtype=object) for name in X.columns}
    if isinstance(X, pa.Table | pa.RecordBatch):
        return {name: pd.Series(X.column(name).to_pylist(), dtype=object) for name in X.schema.names}
    if isinstance(X, pd.DataFrame):
        return {str(name): X.iloc[:, i].reset_index(drop=True) for i, name in enumerate(X.columns)}
    array = X.toarray() if sparse.issparse(X) else X
    if isinstance(array, np.ma.MaskedArray):
        array = array.filled(np.nan)
    frame = pd.DataFrame(np.asarray(array))
    return {f"x{i}": frame.iloc[:, i] for i in range(frame.shape[1])}


def exact(value: Any) -> Any:
    """Give numbers as fractions, which compare exactly whatever their types; anything else as it is."""
    number = isinstance(value, int | float | decimal.Decimal | np.number) and not isinstance(value, bool)
    return fraction(value) if number else value


def satisfied(cells: pd.Series, condition: Any) -> np.ndarray:
    """Evaluate one condition the plain way: cell by cell."""
    missing = cells.isna().to_numpy(dtype=bool)
    if condition.op in ("missing", "present"):
        return missing if condition.op == "missing" else ~missing
    return np.array([not gone and _one(cell, condition) for cell, gone in zip(cells, missing, strict=True)], dtype=bool)


def _one(cell: Any, condition: Any) -> bool:
    value = condition.value
    if isinstance(cell, pd.Period):
        cell = cell.to_timestamp()
    if isinstance(value, pd.Timestamp) or (isinstance(value, tuple) and value and isinstance(value[0], pd.Timestamp)):
        cell = pd.Timestamp(cell)
    if isinstance(condition.column, DatePart):
        cell = pd.Timestamp(cell).hour if condition.column.part == "hour" else pd.Timestamp(cell).dayofweek
    cell = exact(cell)
    value = tuple(exact(one) for one in value) if isinstance(value, tuple) else exact(value)
    if condition.op == "between":
        return bool(value[0] <= cell <= value[1])
    if condition.op in ("in", "not in", "rare"):
        return bool(cell in value) == (condition.op == "in")
    return bool(COMPARE[condition.op](cell, value))
