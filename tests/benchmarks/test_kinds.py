"""Known kinds: what is said of them is counted as by hand."""

import numpy as np
import pandas as pd


def test_two_kinds_that_are_plain_to_see_are_found_and_told_apart(kinds):
    X = pd.DataFrame({"a": [*range(400), *[900] * 30, *[7] * 30], "b": [*["x"] * 430, *["y"] * 30]})
    names = pd.Series(["normal"] * 400 + ["far"] * 30 + ["other"] * 30)
    found = kinds.judge(X, names)
    assert (found["precision"], found["AMI"], found["conditions"]) == (1.0, 1.0, 2)
    assert found["bits"] == 2 * kinds.CONDITION_BITS  # nothing is wrong


def test_a_kind_is_found_if_a_rule_has_all_of_it_and_no_normal_row(kinds):
    X = pd.DataFrame({"a": np.arange(500.0)})
    whole = pd.DataFrame({"far": X["a"] >= 450, "odd": (X["a"] >= 450) & (X["a"] % 2 == 1)})
    exact, _ = kinds.found_exactly(X, whole, 10)
    assert exact == {"far": True, "odd": True}
    torn = pd.DataFrame({"far": X["a"] >= 450, "one more": X["a"].isin([3.0, 499.0])})
    assert kinds.found_exactly(X, torn, 10)[0] == {"far": True, "one more": False}
