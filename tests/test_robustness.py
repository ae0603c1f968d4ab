"""The table of odd inputs in benchmarks/robustness.py, each as a test."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest


def load():
    """Load the script by its path, since benchmarks are no package."""
    path = Path(__file__).parents[1] / "benchmarks" / "robustness.py"
    spec = importlib.util.spec_from_file_location("robustness", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["robustness"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


robustness = load()


@pytest.mark.parametrize("case", robustness.CASES, ids=[one.name[:60] for one in robustness.CASES])
def test_odd_input_is_explained_truly_or_refused_clearly(case):
    result = robustness.run(case)
    assert not result.problem, f"{result.problem}\n{result.outcome}"


def test_the_table_is_long_enough():
    refused = [one for one in robustness.CASES if one.refused]
    assert len(robustness.CASES) >= 150
    assert len(refused) >= 50
    assert len({one.name for one in robustness.CASES}) == len(robustness.CASES)


def test_a_false_rule_would_be_found_out():
    (case,) = [one for one in robustness.CASES if one.name == "X: an array"]
    arguments = case.make()
    explanation = robustness.explain(arguments["detector"], arguments["X"])
    assert robustness.untrue(explanation, "text", case, arguments) == ""
    moved = {**arguments, "X": arguments["X"][::-1]}
    assert "untrue" in robustness.untrue(explanation, "text", case, moved)
