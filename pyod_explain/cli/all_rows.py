"""Every row with what the rules say of it, as a parquet file: of a source a few at a time, of a table as a whole."""

from __future__ import annotations

from typing import Any, BinaryIO

import pandas as pd

from pyod_explain._files import Writer
from pyod_explain._optional import optional
from pyod_explain.explanation import Explanation
from pyod_explain.result.match import read_rows
from pyod_explain.result.said import Said
from pyod_explain.source import Source

__all__ = ["row_writer"]


def row_writer(explanation: Explanation, rows: pd.DataFrame | Source) -> tuple[Writer, list[str]]:
    """Give what writes every row with its group and the rule that puts it there; and the columns that become text.

    Parameters
    ----------
    explanation : has the rules.
    rows : the table as it was read, or where its rows can be read again.
    """
    parquet = optional("pyarrow.parquet", "to write parquet files", extra="arrow")
    reader: Any
    changed: list[str] = []
    if isinstance(rows, pd.DataFrame):
        cells, changed = _as_arrow(rows)
        said = Said(explanation.summary, "beside", tuple(cells.schema.names))
        # Of the table itself: what Arrow holds may be texts where rules speak of numbers.
        for name, column in zip(said.names, said.of_table(read_rows(explanation.summary, rows)), strict=True):
            cells = cells.append_column(name, column)
        reader = cells.to_reader()
    else:
        reader = explanation.transform(rows)

    def write(file: BinaryIO) -> None:
        with parquet.ParquetWriter(file, reader.schema) as out:
            for batch in reader:
                out.write_batch(batch)

    return write, changed


def _as_arrow(frame: pd.DataFrame) -> tuple[Any, list[str]]:
    """Give a table as Arrow holds it; columns of mixed types are written as text, and named."""
    pa = optional("pyarrow", "to write parquet files", extra="arrow")
    changed = []
    for name in frame.columns:
        try:
            pa.Array.from_pandas(frame[name])
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):  # how Arrow refuses mixed types
            changed.append(name)
    texts = {name: frame[name].astype(object).map(str, na_action="ignore") for name in changed}
    return pa.Table.from_pandas(frame.assign(**texts)), changed
