"""Workbooks of Excel as people have them, each read right or refused with a sentence."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from pyod_explain import PyodExplainError
from pyod_explain.cli.input_file import read_file
from pyod_explain.cli.reading import How

openpyxl = pytest.importorskip("openpyxl", reason="needs openpyxl, the extra [excel]")

HEADER = ["id", "amount", "when", "share", "kind"]
DAY = pd.Timestamp("2024-01-01").to_pydatetime()
BODY = [[i, 10.5 * i, DAY + dt.timedelta(days=i), i / 100, "abc"[i % 3]] for i in range(6)]
TABLE = pd.DataFrame(BODY, columns=HEADER)


def write(path, *rows, fill=None, at=(1, 1)):
    book = openpyxl.Workbook()
    put(book.active, rows or [HEADER, *BODY], at)
    if fill is not None:
        fill(book)
    book.save(path)
    return str(path)


def put(sheet, rows, at=(1, 1)):
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            sheet.cell(at[0] + i, at[1] + j, cell)


def read(path, how=None):
    notes = []
    return read_file(path, how, notes.append), notes


def assert_table(frame, wanted=TABLE):
    pd.testing.assert_frame_equal(frame, wanted, check_dtype=False)


def title(book):
    book.active["A1"] = "Report of May"


def percent(book):
    for row in range(2, 8):
        book.active.cell(row, 4).number_format = "0%"
        book.active.cell(row, 3).number_format = "dd.mm.yy"


def errors(book):
    book.active["B3"], book.active["B4"] = "#DIV/0!", "#N/A"


def gaps(book):
    book.active.insert_rows(4, 2)
    book.active.insert_cols(3)
    book.active.cell(60, 9).number_format = "0.00"


def merged_down(book):
    book.active.merge_cells("E2:E4")


def second_sheet(book):
    put(book.create_sheet("More"), [["x"], [1]])


def empty_sheet_first(book):
    book.create_sheet("Empty", 0)


def hidden_sheet_first(book):
    put(book.create_sheet("Old", 0), [["x", "y"], [1, 2]])
    book["Old"].sheet_state = "hidden"


MERGED = TABLE.assign(kind=["a", "a", "a", *TABLE.kind[3:]])
ERRORS = TABLE.assign(amount=[0.0, np.nan, np.nan, *TABLE.amount[3:]])


@pytest.mark.parametrize(
    ("fill", "at", "wanted", "notes"),
    [
        (None, (1, 1), TABLE, []),
        (None, (5, 4), TABLE, []),
        (percent, (1, 1), TABLE, []),
        (title, (4, 1), TABLE, ["1 row left out before the table ('Report of May')"]),
        (title, (4, 3), TABLE, ["1 row left out before the table ('Report of May')"]),
        (errors, (1, 1), ERRORS, ["2 cells with an error of Excel (#DIV/0!, #N/A) read as missing"]),
        (gaps, (1, 1), TABLE, ["2 empty rows left out"]),
        (merged_down, (1, 1), MERGED, ["2 merged cells read as the one above"]),
        (second_sheet, (1, 1), TABLE, ["the sheet 'Sheet' was read, not 'More'; --sheet NAME reads another"]),
        (empty_sheet_first, (1, 1), TABLE, ["the sheet 'Sheet' was read; --sheet NAME reads another"]),
        (hidden_sheet_first, (1, 1), TABLE, ["the sheet 'Sheet' was read, not 'Old'; --sheet NAME reads another"]),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_it_is_read_as_a_person_sees_it(tmp_path, fill, at, wanted, notes):
    frame, said = read(write(tmp_path / "a.xlsx", fill=fill, at=at))
    assert_table(frame, wanted)
    assert said == notes


def test_a_name_for_several_columns_is_left_out(tmp_path):
    def fill(book):
        book.active.merge_cells("A1:B1")
        book.active.merge_cells("C1:E1")

    frame, notes = read(write(tmp_path / "a.xlsx", ["left", None, "right", None, None], HEADER, *BODY, fill=fill))
    assert_table(frame)
    assert notes == ["1 row left out before the table ('left')"]


def test_texts_are_numbers_as_in_a_text_file(tmp_path):
    path = write(tmp_path / "a.xlsx", ["a", "b"], ["$1,002.50", "?"], ["$3.50", 4], ["n/a", 5])
    frame, notes = read(path)
    assert_table(frame, pd.DataFrame({"a": [1002.5, 3.5, np.nan], "b": [np.nan, 4, 5]}))
    assert any("'$1,002.50' is 1002.5" in note for note in notes)
    raw, notes = read(path, How(raw=True))
    assert raw["a"].tolist() == ["$1,002.50", "$3.50", "n/a"]
    assert notes == []
    named, _ = read(path, How(na=("$3.50",)))
    assert named["a"].isna().tolist() == [False, True, True]


def test_no_header(tmp_path):
    path = write(tmp_path / "a.xlsx", *BODY)
    frame, notes = read(path)
    assert_table(frame, TABLE.set_axis([f"column_{k}" for k in range(1, 6)], axis=1))
    assert notes[0].startswith("the first line looks like the others")
    assert read(path, How(header=True))[0].columns[-1] == "a"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[]], "is empty"),
        ([["a", "b"]], "has a header and no rows"),
        ([["a", "b"], [1, "=A2*2"], [2, "=A3*2"]], "formulas whose results it does not hold, in column 'b'"),
        ([["id", "values", None], [None, "x", "y"], [1, 2, 3], [4, 5, 6]], "names its columns in several rows"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, rows, message):
    with pytest.raises(PyodExplainError, match=message):
        read(write(tmp_path / "a.xlsx", *rows))


def test_a_file_that_is_no_workbook(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04 nonsense")
    with pytest.raises(PyodExplainError, match="could not be read as xlsx"):
        read(str(tmp_path / "a.xlsx"))
