"""The paper's tables in a hurry: its figures, ours, nothing said and a placebo, and a verdict on each claim."""

import multiprocessing
import os
from dataclasses import replace
from pathlib import Path

import pytest


@pytest.fixture
def heart_file():
    folder = os.environ.get("PYOD_EXPLAIN_DATA")
    if folder is None or not (Path(folder) / "heart_cleveland.csv.gz").is_file():
        pytest.skip("needs the file of Heart Disease: name its folder in PYOD_EXPLAIN_DATA")
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("learners run in forked processes, which this system has not")


@pytest.fixture
def hasty(methods):
    """A grid that is still smaller than that of the quick run."""
    return replace(methods.QUICK, n_trees=10, n_itemsets=60, weights=(1, 5), budgets=((1, 0.9),), exact_seconds=1.0)


@pytest.fixture
def heart(methods, hasty, heart_file):
    return methods.Problem("heart", hasty)


def test_the_quick_run_prints_both_figures_and_a_verdict_on_each_claim(
    paper, hasty, heart_file, capsys, tmp_path, monkeypatch
):
    monkeypatch.setattr(paper, "QUICK", hasty)
    paper.main(["--quick", "--learners", "tree", "--cache", str(tmp_path)])
    first = capsys.readouterr().out
    lines = [line.split("  ")[0] for line in first.splitlines()]
    for name in ("tree", "DTDM", "D-WCCM", "D-BCCM", "MDL", "nothing said", "placebo: MDL"):
        assert name in lines
    parameters = lines[next(i for i, line in enumerate(lines) if line.startswith("Table 4")) :]
    assert {"nothing said", "placebo: D-WCCM", "placebo: D-BCCM"} <= set(parameters)
    claims = [line for line in first.splitlines() if line.startswith("- ")]
    assert len(claims) == 3 * 3 + 4
    assert all(sum(v in line for v in (": holds", ": does not hold", ": cannot be told")) == 1 for line in claims)
    paper.main(["--quick", "--learners", "tree", "--cache", str(tmp_path), "--markdown"])  # all of it was kept
    again = capsys.readouterr().out
    assert [line for line in again.splitlines() if line.startswith("- ")] == claims
    assert again.count("| --- | --- |") == 2


def test_the_best_of_a_grid_is_the_one_with_the_fewest_bits(methods, heart):
    best = methods.ours(heart, "D-WCCM", "greedy", "forest")
    each = [
        methods.one("D-WCCM", "", methods.WCCM(weight=weight, solver="greedy"), heart.forest)
        for weight in heart.grid.weights
    ]
    assert best.mdl == min(line.mdl for line in each)
    assert best.setting["weight"] in heart.grid.weights
    exact = methods.ours(heart, "D-WCCM", "exact", "forest", best)
    assert exact.setting == best.setting
    assert exact.remark == "proved" or exact.remark.startswith("time out at 1 s")
