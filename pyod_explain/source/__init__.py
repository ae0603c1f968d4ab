"""Rows that need not fit into memory: where they come from, and what of them is kept."""

from pyod_explain.source.as_source import as_source
from pyod_explain.source.source import Chunk, Source

__all__ = ["Chunk", "Source", "as_source"]
