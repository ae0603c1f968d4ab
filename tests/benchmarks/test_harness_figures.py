"""A figure that got worse is told with both values and what would be let pass; a better one is fine."""

import pytest

KEPT = {"a": 0.5, "b": 0.7}


@pytest.mark.parametrize(
    ("now", "worse"),
    [
        ({"a": 0.5, "b": 0.7}, []),
        ({"a": 0.1, "b": 0.2}, []),
        ({"a": 0.5000004, "b": 0.7}, []),  # kept with six digits
        ({"a": 0.54, "b": 0.66}, []),  # one more, one less
        ({"a": 0.56, "b": 0.6}, ["bits of a: 0.5600, was 0.5000; at most 0.5500 is let pass"]),
        ({"a": 0.54, "b": 0.7}, ["bits, mean of 2 cases: 0.6200, was 0.6000; at most 0.6100 is let pass"]),
        ({"a": 0.5}, ["bits of b: was 0.7000, and is not measured any more"]),
    ],
)
def test_what_got_worse_is_said_by_case_and_by_the_mean(figures, now, worse):
    found = figures.compare("bits", figures.Measure("lower", each=0.05, mean=0.01), KEPT, now)
    assert list(found.worse) == worse


@pytest.mark.parametrize(("value", "passes"), [(120.0, True), (121.0, False)])
def test_a_relative_slack_is_a_share_of_what_was_kept(figures, value, passes):
    found = figures.compare("CPU", figures.Measure("lower", each=0.2, relative=True), {"a": 100.0}, {"a": value})
    assert (not found.worse) == passes


def test_what_cannot_be_measured_here_is_not_worse_and_the_mean_is_of_the_others(figures):
    found = figures.compare("bits", figures.Measure("lower"), KEPT, {"a": 0.5}, left_out={"b"})
    assert not found.worse
    assert found.line.split() == ["bits", "1", "case", "0.5000", "kept", "0.5000", "0", "changed"]
