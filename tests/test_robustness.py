"""Each of the odd inputs in tests/hostile is explained truly or refused clearly."""

import pytest
from hostile import CASES
from hostile.run import run
from hostile.truth import untrue

from pyod_explain import explain

pytestmark = pytest.mark.no_cover


@pytest.mark.parametrize("case", CASES, ids=[one.name[:60] for one in CASES])
def test_odd_input_is_explained_truly_or_refused_clearly(case):
    result = run(case)
    assert not result.problem, f"{result.problem}\n{result.outcome}"


def test_a_false_rule_would_be_found_out():
    (case,) = [one for one in CASES if one.name == "X: an array"]
    arguments = case.make()
    explanation = explain(arguments["detector"], arguments["X"])
    assert untrue(explanation, "text", case, arguments) == ""
    moved = {**arguments, "X": arguments["X"][::-1]}
    assert "untrue" in untrue(explanation, "text", case, moved)
