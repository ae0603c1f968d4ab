"""How much a parquet file holds: a few bytes of it may stand for billions of cells, or of letters."""

from __future__ import annotations

import gzip
import importlib
import io
from pathlib import Path
from typing import Any

from pyod_explain.beyond_memory import pyarrow
from pyod_explain.cli.input_file import format_of
from pyod_explain.cli.mcp.snapshot import too_large

__all__ = ["check_parquet"]

NUMBER = 8  # bytes that pandas has for a number or date
ROWS = 2**16  # whose texts are counted at a time


def check_parquet(path: str, most: int) -> None:
    """Refuse a parquet file whose cells would have more bytes than may be read; pass over any other file.

    Cells that are numbers are counted by what the file says of itself. Of texts each is read once, in the shape in
    which the file has them, with no copy for a row that repeats another.

    Parameters
    ----------
    path : the file.
    most : bytes.
    """
    if format_of(path) != "parquet":
        return
    arrow = pyarrow()
    try:
        held = _held(_content(Path(path)), most)
    except (arrow.ArrowException, OSError, EOFError):  # damaged: whoever reads it says so
        return
    if held > most:
        raise too_large(f"The file {path}", most)


def _content(path: Path) -> io.BytesIO:
    content = path.read_bytes()
    return io.BytesIO(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)


def _held(content: io.BytesIO, most: int) -> int:
    """Count bytes, up to just beyond the limit."""
    parquet = importlib.import_module("pyarrow.parquet")
    about = parquet.read_metadata(content)
    columns = [about.schema.column(k) for k in range(about.num_columns)]
    held = 0
    for k, column in enumerate(columns):
        parts = [about.row_group(i).column(k) for i in range(about.num_row_groups)]
        width = max(NUMBER, column.length or 0)
        held += max(sum(one.num_values for one in parts) * width, sum(one.total_uncompressed_size for one in parts))
    texts = [one.path for one in columns if one.physical_type == "BYTE_ARRAY"]
    if held > most or not texts:
        return held
    for batch in parquet.ParquetFile(content, read_dictionary=texts).iter_batches(ROWS, columns=texts):
        held += sum(map(_letters, batch.columns))
        if held > most:
            break
    return held


def _letters(cells: Any) -> int:
    """Count the bytes of texts that are kept once each, also inside lists and the like."""
    compute = importlib.import_module("pyarrow.compute")
    kind = pyarrow().types
    if kind.is_dictionary(cells.type):
        return int(compute.sum(compute.binary_length(cells.dictionary).take(cells.indices)).as_py() or 0)
    if kind.is_struct(cells.type):
        return sum(map(_letters, cells.flatten()))
    if kind.is_map(cells.type):
        return _letters(cells.keys) + _letters(cells.items)
    return _letters(cells.flatten()) if kind.is_nested(cells.type) else int(cells.nbytes)
