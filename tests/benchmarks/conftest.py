"""Benchmarks are scripts beside the package: the folder is put on the path for as long as a test runs."""

from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark_module(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module
