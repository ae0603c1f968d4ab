"""Rows that do not fit into memory: sources, a sample of them, counting kernels, engines, and rescoring."""

from pyod_explain.beyond_memory.engines import Engine, LocalEngine
from pyod_explain.beyond_memory.files import files_of
from pyod_explain.beyond_memory.kernels import CountKernel, SignatureKernel
from pyod_explain.beyond_memory.labels import ChunkLabeler, check_row_order
from pyod_explain.beyond_memory.large_table import LargeTable, as_source, choose_engine
from pyod_explain.beyond_memory.population import Population, default_sample, read_into_memory, read_population
from pyod_explain.beyond_memory.rescore import rescore_on_all_rows
from pyod_explain.beyond_memory.source import Chunk, SelectedSource, Source
