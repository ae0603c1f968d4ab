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


MODULES = {  # by the names of the fixtures that give them
    "descriptions": "harness.descriptions", "detectors": "detectors", "figures": "harness.figures",
    "incidents": "incidents", "kinds": "kinds", "learners": "harness.learners", "methods": "paper_methods",
    "paper": "paper", "paper_lines": "paper_lines", "regress": "regress", "scoring": "harness.score",
    "tables": "harness.cases", "trends": "paper_trends", "uci": "harness.uci",
}  # fmt: skip
for fixture, module in MODULES.items():
    globals()[fixture] = pytest.fixture(name=fixture)(lambda benchmark_module, name=module: benchmark_module(name))
