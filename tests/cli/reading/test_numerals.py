"""Numbers as people write them."""

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain.cli.reading.cells import ZERO, _shapes, read_cells
from pyod_explain.cli.reading.notes import Notes
from pyod_explain.cli.reading.numerals import MISSING_WORDS, PLAIN, UNIT, numeral, tells


def written(cents, *, decimal, group, unit, before, brackets):
    """Write a number by hand, slowly: the reference."""
    whole, part = divmod(abs(cents), 100)
    digits = str(whole)
    groups = []
    while digits:
        digits, last = digits[:-3], digits[-3:]
        groups.insert(0, last)
    body = group.join(groups) + f"{decimal}{part:02d}"
    body = f"{unit}{body}" if before else f"{body} {unit}".strip()
    return body if cents >= 0 else f"({body})" if brackets else f"-{body}"


@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=8, unique=True),
    st.sampled_from([(".", ","), (",", "."), (",", "\u00a0"), (".", "'"), (",", " "), (".", "")]),
    st.sampled_from(["", "$", "€", "EUR", "%", "zł", "US$", "Fr."]),
    st.booleans(),
    st.booleans(),
)
def test_what_is_written_is_read(cents, signs, unit, before, brackets):
    decimal, group = signs
    texts = [written(c, decimal=decimal, group=group, unit=unit, before=before, brackets=brackets) for c in cents]
    assert {tells(text) for text in texts} == {decimal}  # two decimals tell the sign
    notes = Notes()
    frame = pd.DataFrame({"a": [*texts, "?"]})
    found = read_cells(frame, None, told=False, notes=notes)["a"]
    assert found.tolist()[:-1] == [c / 100 for c in cents]
    assert pd.isna(found.iloc[-1])
    assert notes.missing == {"a": ["?"]}
    assert frame["a"].tolist() == [*texts, "?"]  # the table is as it was


@pytest.mark.parametrize(
    "text",
    ["", "x", "1.2.3", "1,2,3", "12,34", "1,23", "1 2", "1$2", "--5", "$", "%", "1e", "2024-01-01", "12:30", "5 kg"],
)
def test_what_is_no_number_with_a_point(text):
    assert re.fullmatch(numeral("."), text) is None


@pytest.mark.parametrize(("text", "sign"), [("1,234", "?"), ("0,123", ","), ("1.234", "?"), ("12,34", ","), ("7", "?")])
def test_which_sign_a_number_tells(text, sign):
    assert tells(text) == sign


PIECES = st.sampled_from([*"0123456789.,-+()' \n%$€", "EUR", "e5", "\u00a0", "\u0664", "?", "#div/0!", "kg", "\u2212"])


@given(st.lists(st.lists(PIECES, max_size=8).map("".join), max_size=5))
def test_a_text_is_what_its_shape_is(texts):
    shapes = _shapes(texts)
    assert len(shapes) == len(texts)
    for text, shape in zip(texts, shapes, strict=True):
        assert tells(shape) == tells(text)
        assert (shape.strip().lower() in MISSING_WORDS) == (text.strip().lower() in MISSING_WORDS)
        for pattern in (PLAIN, ZERO, numeral("."), numeral(",")):
            assert bool(re.fullmatch(pattern, shape)) == bool(re.fullmatch(pattern, text))
        assert re.findall(UNIT, shape) == re.findall(UNIT, text)
