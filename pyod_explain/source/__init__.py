"""Rows that need not fit into memory: where they come from, and what of them is kept."""

from pyod_explain.source.arrow_column import (
    arrow_column,
    arrow_table,
    pyarrow,
)
from pyod_explain.source.as_source import LargeTable, as_source
from pyod_explain.source.chunked import ChunkedSource, as_batches
from pyod_explain.source.dask_frame import DaskSource
from pyod_explain.source.engine import (
    Engine,
    InProcess,
    Kernel,
    Total,
    add_there,
    add_up,
    attempt,
    checked,
)
from pyod_explain.source.files import dataset_of_path, files_of
from pyod_explain.source.judge import check_order, judge_of
from pyod_explain.source.part import Part
from pyod_explain.source.population import (
    KeepRows,
    Population,
    Whole,
    default_sample,
    draw_rows,
    put_together,
    read_population,
    read_whole,
)
from pyod_explain.source.sample import draw_numbers
from pyod_explain.source.selected import SelectedSource
from pyod_explain.source.source import (
    CHUNK,
    Chunk,
    Source,
)
from pyod_explain.source.spark_frame import SparkSource
from pyod_explain.source.whole_numbers import (
    frame_with_all_digits,
    lossy,
    with_all_digits,
)

__all__ = [
    "CHUNK",
    "Chunk",
    "ChunkedSource",
    "DaskSource",
    "Engine",
    "InProcess",
    "KeepRows",
    "Kernel",
    "LargeTable",
    "Part",
    "Population",
    "SelectedSource",
    "Source",
    "SparkSource",
    "Total",
    "Whole",
    "add_there",
    "add_up",
    "arrow_column",
    "arrow_table",
    "as_batches",
    "as_source",
    "attempt",
    "check_order",
    "checked",
    "dataset_of_path",
    "default_sample",
    "draw_numbers",
    "draw_rows",
    "files_of",
    "frame_with_all_digits",
    "judge_of",
    "lossy",
    "put_together",
    "pyarrow",
    "read_population",
    "read_whole",
    "with_all_digits",
]
