"""The command `pyod-explain`."""

from pyod_explain.cli.start import main

__all__ = ["main"]
