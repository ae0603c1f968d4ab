import numpy as np
import pytest

from pyod_explain.explainers import SolverError, let_out


def test_the_gate_lets_nothing_out_that_breaks_a_rule_or_contradicts_its_proof():
    facts = {"method": "BCCM", "solver": "exact"}
    with pytest.raises(SolverError, match=r"breaks a rule: Group 1 has 4 tags(.|\n)*Hint"):
        let_out([[0]], 1.0, 1.0, broken=["Group 1 has 4 tags."], **facts)
    with pytest.raises(SolverError, match="objective is inf"):
        let_out([[0]], np.inf, np.inf, broken=[], **facts)
    assert let_out([[0]], 1.0, 1.0, broken=[], **facts).status == "optimal"
    assert let_out([[0]], 1.0, 0.5, broken=[], **facts).status == "feasible"
    wrong = let_out([[0]], 1.0, 2.0, broken=[], **facts)
    assert (wrong.status, wrong.bound) == ("feasible", None)
    assert "it is wrong and was dropped" in wrong.notes[0]
    assert let_out([[0]], 1.0, 1.0, broken=[], violated=["lost"], **facts).status == "violated"
