"""Benchmarks are scripts beside the package: the folder is put on the path for as long as a test runs."""

from importlib import import_module
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BENCHMARKS = HERE.parents[1] / "benchmarks"


@pytest.hookimpl(tryfirst=True)  # before pytest drops what is slow
def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("slow")


@pytest.fixture
def benchmark_module(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module
