"""CSV that a spreadsheet shows and does not run."""

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain.report.frame import escape_formulas, to_csv

SIGNS = "=+-@＝＋－＠"  # noqa: RUF001 - the full-width signs are the point


@given(st.text(st.sampled_from(list("=+-@＝＠\t\r\n ;,a1'\"\0")), max_size=8))  # noqa: RUF001 - likewise
def test_no_cell_starts_a_formula_and_nothing_else_changes(text):
    safe = escape_formulas(text)
    assert not safe.startswith(("\t", "\r", "\n"))
    cells = [safe]
    for end in ";\t\r\n":  # wherever a spreadsheet may end a cell
        cells = [part for cell in cells for part in cell.split(end)]
    assert not any(cell.lstrip(" \0").startswith(tuple(SIGNS)) for cell in cells)
    assert escape_formulas(safe) == safe
    if not any(sign in text for sign in (*SIGNS, "\t", "\r", "\n")):
        assert safe == text


def test_numbers_are_no_formulas():
    frame = pd.DataFrame({"=h": ["-3 <= x <= 5", "plain", None], "n": [-1.5, 2.0, 0.0]})
    text, changed = to_csv(frame)
    assert text == '"\'=h","n"\n"\'-3 <= x <= 5",-1.5\n"plain",2.0\n"",0.0\n'
    assert changed == 2


def test_no_column_is_lost_where_two_names_become_one():
    assert to_csv(pd.DataFrame({"=a": [1], "'=a": [2]})) == ('"\'=a","\'=a"\n1,2\n', 1)
