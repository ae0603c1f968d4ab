"""What the paper says of its figures is asked of figures: its own agree, others are judged by what they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def trends(benchmark_module):
    return benchmark_module("paper_trends")


@pytest.fixture
def paper(benchmark_module):
    return benchmark_module("paper_lines")


@pytest.mark.parametrize("name", ["readmission", "census", "heart"])
def test_what_the_paper_says_holds_of_what_it_prints(trends, paper, name):
    lines = {one.method: one for one in paper.printed(name).lines}
    found = [trends.lowest_mdl(lines), trends.purer(lines, "D-WCCM"), trends.purer(lines, "D-BCCM")]
    assert [one.holds for one in found] == [True] * 3
    assert all("holds here" in str(one) for one in found)


def test_the_printed_parameters_move_as_the_paper_says(trends, paper):
    assert [one.holds for one in trends.parameter_trends(paper.printed("parameters").lines)] == [True] * 4


def test_a_method_with_fewer_bits_than_bccm_ends_the_claim(trends, paper):
    lines = {one.method: one for one in paper.printed("census").lines}
    lines["BRS"] = replace(lines["BRS"], mdl=4_906.0)
    found = trends.lowest_mdl(lines)
    assert found.holds is False
    assert "does not hold here" in str(found)
    assert "BRS 4,906" in str(found)


def test_a_method_without_a_figure_is_named_and_decides_nothing(trends, paper):
    lines = {one.method: one for one in paper.printed("census").lines}
    lines["BRS"] = paper.Line("BRS", "samples", remark="stopped")
    assert trends.lowest_mdl(lines).holds
    assert "BRS no figure" in trends.lowest_mdl(lines).figures
    lines["D-BCCM"] = paper.Line("D-BCCM", "greedy, forest", remark="no answer at any setting")
    assert trends.lowest_mdl(lines).holds is None
    assert "cannot be told here" in str(trends.lowest_mdl(lines))


@pytest.mark.parametrize(("figures", "holds"), [([0.5, 0.4, 0.4], True), ([0.5, 0.4, 0.41], False), ([0.5] * 3, False)])
def test_a_figure_that_goes_back_or_nowhere_is_no_trend(trends, paper, figures, holds):
    lines = [one for one in paper.printed("parameters").lines if one.method == "D-WCCM"]
    moved = [replace(one, measures={**one.measures, "FUO": [value]}) for one, value in zip(lines, figures, strict=True)]
    others = [one for one in paper.printed("parameters").lines if one.method != "D-WCCM"]
    assert trends.parameter_trends([*moved, *others])[0].holds is holds


def test_a_setting_without_an_answer_leaves_the_question_open(trends, paper):
    lines = paper.printed("parameters").lines
    lines[-1] = replace(lines[-1], measures={})
    found = trends.parameter_trends(lines)
    assert found[2].holds is None
    assert "0.8: no answer" in found[2].figures
    assert found[3].holds
