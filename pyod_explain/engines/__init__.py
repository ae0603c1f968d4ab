"""Engines: who maps a kernel over the parts of a source and adds up, when it is not this process."""

from pyod_explain.engines.engine_of import engine_of
from pyod_explain.engines.on_dask import OnDask

__all__ = ["OnDask", "engine_of"]
