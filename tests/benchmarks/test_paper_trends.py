"""What the paper says of its figures is asked of figures: its own agree, others are judged by what they are."""

from dataclasses import replace

import pytest


@pytest.mark.parametrize("name", ["readmission", "census", "heart"])
def test_what_the_paper_says_holds_of_what_it_prints(trends, paper_lines, name):
    lines = {one.method: one for one in paper_lines.printed(name).lines}
    found = [trends.lowest_mdl(lines), trends.purer(lines, "D-WCCM"), trends.purer(lines, "D-BCCM")]
    assert [one.holds for one in found] == [True] * 3
    assert all("holds here" in str(one) for one in found)


def test_the_printed_parameters_move_as_the_paper_says(trends, paper_lines):
    assert [one.holds for one in trends.parameter_trends(paper_lines.printed("parameters").lines)] == [True] * 4


def test_a_method_with_fewer_bits_than_bccm_ends_the_claim(trends, paper_lines):
    lines = {one.method: one for one in paper_lines.printed("census").lines}
    lines["BRS"] = replace(lines["BRS"], mdl=4_906.0)
    found = trends.lowest_mdl(lines)
    assert found.holds is False
    assert "does not hold here" in str(found)
    assert "BRS 4,906" in str(found)


@pytest.mark.parametrize(("figures", "holds"), [([0.5, 0.4, 0.4], True), ([0.5, 0.4, 0.41], False), ([0.5] * 3, False)])
def test_a_figure_that_goes_back_or_nowhere_is_no_trend(trends, paper_lines, figures, holds):
    lines = [one for one in paper_lines.printed("parameters").lines if one.method == "D-WCCM"]
    moved = [replace(one, measures={**one.measures, "FUO": [value]}) for one, value in zip(lines, figures, strict=True)]
    others = [one for one in paper_lines.printed("parameters").lines if one.method != "D-WCCM"]
    assert trends.parameter_trends([*moved, *others])[0].holds is holds
