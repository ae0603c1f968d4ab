"""Every row with what the rules say of it, as a parquet file: of a source a few at a time, of a table as a whole."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pyod_explain._atomic import Content
from pyod_explain.beyond_memory import Source
from pyod_explain.cli.parquet import as_arrow, parquet_writer
from pyod_explain.explanation import Explanation
from pyod_explain.result import Said, read_rows

__all__ = ["row_writer"]


def row_writer(explanation: Explanation, rows: pd.DataFrame | Source) -> tuple[Content, dict[str, str]]:
    """Give what writes every row with its group and the rule that puts it there; and why columns become text.

    Parameters
    ----------
    explanation : has the rules.
    rows : the table as it was read, or where its rows can be read again.
    """
    reader: Any
    changed: dict[str, str] = {}
    if isinstance(rows, pd.DataFrame):
        cells, changed = as_arrow(rows, index=True)
        said = Said(explanation.summary, "beside", tuple(cells.schema.names))
        # Of the table itself: what Arrow holds may be texts where rules speak of numbers.
        for name, column in zip(said.names, said.of_table(read_rows(explanation.summary, rows)), strict=True):
            cells = cells.append_column(name, column)
        reader = cells.to_reader()
    else:
        reader = explanation.transform(rows)
    return parquet_writer(reader), changed
