"""Tables as parquet files: whatever pandas has in a column, it is written, and what had to change is told."""

from __future__ import annotations

from typing import Any, BinaryIO

import pandas as pd

from pyod_explain._atomic import Content
from pyod_explain._optional import optional

__all__ = ["as_arrow", "parquet_writer"]


def parquet_writer(reader: Any) -> Content:
    """Give what writes rows as a parquet file, batch by batch.

    Parameters
    ----------
    reader : an Arrow reader of record batches.
    """
    parquet = optional("pyarrow.parquet", "to write parquet files", extra="arrow")

    def write(file: BinaryIO) -> None:
        with parquet.ParquetWriter(file, reader.schema) as out:
            for batch in reader:
                out.write_batch(batch)

    return write


def as_arrow(frame: pd.DataFrame, *, index: bool) -> tuple[Any, dict[str, str]]:
    """Give a table as Arrow holds it, and why some columns became text: Arrow's columns have one type.

    Parameters
    ----------
    frame : the table.
    index : its row labels are columns, too, unless they only count.
    """
    pa = optional("pyarrow", "to write parquet files", extra="arrow")
    why = {}
    for name in frame.columns:
        try:
            pa.Array.from_pandas(frame[name])
        except UnicodeEncodeError:
            why[name] = "it has halves of characters, written as escapes"
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):  # how Arrow refuses mixed types
            why[name] = "it has values of several types"
    texts = {name: frame[name].astype(object).map(_text, na_action="ignore") for name in why}
    return pa.Table.from_pandas(frame.assign(**texts), preserve_index=None if index else False), why


def _text(value: Any) -> str:
    return str(value).encode("utf-8", "backslashreplace").decode()
