"""Rows that do not fit into memory: sources, a sample of them, counting kernels, engines, and rescoring."""

from pyod_explain.beyond_memory.arrow import (
    arrow_column,
    arrow_table,
    columns_with_lost_digits,
    frame_from_arrow,
    pyarrow,
    restore_digits,
)
from pyod_explain.beyond_memory.dask import DaskEngine, DaskSource
from pyod_explain.beyond_memory.engines import (
    Engine,
    Kernel,
    LocalEngine,
    Total,
    add_up_remotely,
    raise_failure,
    sum_totals,
    total_or_failure,
)
from pyod_explain.beyond_memory.files import dataset_of_path, files_of
from pyod_explain.beyond_memory.kernels import CountKernel, SignatureKernel, Signatures
from pyod_explain.beyond_memory.labels import check_row_order, labeler_for
from pyod_explain.beyond_memory.large_table import LargeTable, as_source, choose_engine
from pyod_explain.beyond_memory.population import (
    Population,
    SamplingKernel,
    Whole,
    build_population,
    default_sample,
    draw_sample,
    hash_keys,
    read_into_memory,
    read_population,
)
from pyod_explain.beyond_memory.rescore import count_normals, rescore_on_all_rows, shortlist
from pyod_explain.beyond_memory.source import CHUNK, Chunk, Partition, SelectedSource, Source
from pyod_explain.beyond_memory.spark import SparkSource
from pyod_explain.beyond_memory.streams import ChunkedSource, as_batches

__all__ = [
    "CHUNK",
    "Chunk",
    "ChunkedSource",
    "CountKernel",
    "DaskEngine",
    "DaskSource",
    "Engine",
    "Kernel",
    "LargeTable",
    "LocalEngine",
    "Partition",
    "Population",
    "SamplingKernel",
    "SelectedSource",
    "SignatureKernel",
    "Signatures",
    "Source",
    "SparkSource",
    "Total",
    "Whole",
    "add_up_remotely",
    "arrow_column",
    "arrow_table",
    "as_batches",
    "as_source",
    "build_population",
    "check_row_order",
    "choose_engine",
    "columns_with_lost_digits",
    "count_normals",
    "dataset_of_path",
    "default_sample",
    "draw_sample",
    "files_of",
    "frame_from_arrow",
    "hash_keys",
    "labeler_for",
    "pyarrow",
    "raise_failure",
    "read_into_memory",
    "read_population",
    "rescore_on_all_rows",
    "restore_digits",
    "shortlist",
    "sum_totals",
    "total_or_failure",
]
