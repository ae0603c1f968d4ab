"""The list of types is closed, and each refuses what it is not rebuilt from."""

import pandas as pd
import pytest

from pyod_explain import Explanation, PyodExplainError, explain

X = pd.DataFrame({"x": [*range(50), 900, 950, 990]})

E = explain([0] * 50 + [1] * 3, X).validate(2).control(2)


def test_an_unknown_type_of_value_is_refused():
    data = E.to_dict()
    data["groups"][0]["rows"] = [{"type": "colour", "value": "red"}]
    with pytest.raises(PyodExplainError, match=r"groups\[0\].rows\[0\].type` .* known: .*, got 'colour'"):
        Explanation.from_dict(data)


def test_an_interval_that_cannot_be_looked_up_is_refused():
    data = E.to_dict()
    data["groups"][0]["rows"][0] = {"type": "interval", "value": [0, 10**400, "left"]}
    with pytest.raises(PyodExplainError, match=r"rows\[0\].value` .* parts of a value of type 'interval'"):
        Explanation.from_dict(data)
