"""Tables from files: each is read as a person reads it, or refused."""

import codecs
import gzip
import io
import json
import zipfile

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain.cli import read
from pyod_explain.cli.request import Request
from pyod_explain.exceptions import FileError, ParameterError, PyodExplainError

NAN = float("nan")
FEB_29 = pd.Timestamp(2024, 2, 29, 10)
PLAIN = "name,size,price\nx,1,2.5\ny,2,3.5\nz,3,4.5\n"
TABLE = {"name": ["x", "y", "z"], "size": [1, 2, 3], "price": [2.5, 3.5, 4.5]}
GERMAN = "name;größe;preis\nx;1;2,5\ny;2;3,5\nz;3;4,5\n"
GERMAN_TABLE = {"name": ["x", "y", "z"], "größe": [1, 2, 3], "preis": [2.5, 3.5, 4.5]}
ADDRESSES = "".join(f"10.{k}00.200.123;1.{k}59\n" for k in range(1, 5))

# What is in the file, the table, and a word of its only note; None for no note.
READ = {
    "plain": (PLAIN, TABLE, None),
    "byte order mark": (codecs.BOM_UTF8 + PLAIN.encode(), TABLE, None),
    "old mac line ends": (PLAIN.replace("\n", "\r"), TABLE, None),
    "blank lines": ("\n\n" + PLAIN.replace("\n", "\n\n"), TABLE, None),
    "tab": (PLAIN.replace(",", "\t"), TABLE, None),
    "spaces": (PLAIN.replace(",", "   "), TABLE, None),
    "a space after each comma": ('a, "b, c"\n1, "x, y"\n2, "z"\n', {"a": [1, 2], "b, c": ["x, y", "z"]}, None),
    "decimal comma": (GERMAN.encode(), GERMAN_TABLE, "decimal sign"),
    "utf-16": (GERMAN.encode("utf-16"), GERMAN_TABLE, "decimal sign"),
    "cp1252": ("name,a\nMuñoz,1\nJoão,2\n".encode("cp1252"), {"name": ["Muñoz", "João"], "a": [1, 2]}, "cp1252"),
    "cp1252 in a short file": ("größe,a\n1,2\n3,4\n".encode("cp1252"), {"größe": [1, 3], "a": [2, 4]}, "cp1252"),
    "quoted": ('"a","b"\n"x, ""y""","1"\n"z\nw","2"\n', {"a": ['x, "y"', "z\nw"], "b": [1, 2]}, None),
    "no header": ("5.1,x\n4.9,y\n", {"column_1": [5.1, 4.9], "column_2": ["x", "y"]}, "holds names"),
    "years as names": ("land,2019,2020\nx,1,2\ny,3,4\n", {"land": ["x", "y"], "2019": [1, 3], "2020": [2, 4]}, "names"),
    "separators at all line ends": ("a,b,\n1,x,\n2,y,\n", {"a": [1, 2], "b": ["x", "y"]}, None),
    "row numbers of pandas": (",a,b\n0,1,x\n1,2,y\n", {"a": [1, 2], "b": ["x", "y"]}, "numbers the rows"),
    "twice the same name": ("a,a,b\n1,2,3\n4,5,6\n", {"a": [1, 4], "a.1": [2, 5], "b": [3, 6]}, None),
    "codes": ("zip,a\n00123,0\n123,0.5\n45,-7\n", {"zip": ["00123", "123", "45"], "a": [0, 0.5, -7]}, "'00123'"),
    "accounts of 25 digits": (
        "a,b\n1234567890123456789012345,1\n1234567890123456789012346,2\n",
        {"a": ["1234567890123456789012345", "1234567890123456789012346"], "b": [1, 2]},
        "digits",
    ),
    "64 bits": (f"a,b\n{2**63},{2**53 + 1}\n1,\n", {"a": [2**63, 1], "b": [2**53 + 1, pd.NA]}, None),
    "beyond all doubles": ("a,b\n1e999,1\n2,2\n", {"a": ["1e999", "2"], "b": [1, 2]}, "digits"),
    "missing numbers": ("a\n1.5\nNA\nNone\nnull\nn/a\n2\n", {"a": [1.5, *[NAN] * 4, 2]}, None),
    "missing texts": ("land,b\nNA,1\nDE,\nNone,3\n", {"land": ["NA", "DE", "None"], "b": [1, NAN, 3]}, None),
    "question marks": ("a,b\n1,x\n?,?\n3,y\n", {"a": ["1", "?", "3"], "b": ["x", "?", "y"]}, "{arg_na}"),
    "addresses": ("host;a\n" + ADDRESSES, {"host": [f"10.{k}00.200.123" for k in range(1, 5)],
                                           "a": [1.159, 1.259, 1.359, 1.459]}, "thousands"),
    "dollars": ('a,b\nx,"$1,179.60"\ny,-$3\n', {"a": ["x", "y"], "b": [1179.6, -3]}, "'$1,179.60'"),
    "percent": ("a,b\nx,12 %\ny,7%\n", {"a": ["x", "y"], "b": [12, 7]}, "'12 %'"),
    "thousands": ('a\n"1,234"\n"1,234,567"\n', {"a": [1234, 1234567]}, "'1,234'"),
    "thousands or decimals": ('a,b\n"1,234",1.5\n"5,678",2.5\n', {"a": ["1,234", "5,678"], "b": [1.5, 2.5]}, "may sep"),
    "two currencies": ("a,b\nx,$5\ny,€3\n", {"a": ["x", "y"], "b": ["$5", "€3"]}, "same signs"),
    "two decimal signs": ("a;b\n1.5;1,5\n2.5;2,5\n", {"a": [1.5, 2.5], "b": ["1,5", "2,5"]}, "same signs"),
    "booleans": ("a,b\nTrue,true\nFalse,NA\n", {"a": [True, False], "b": [True, pd.NA]}, None),
    "dates": ("d\n2024-01-31\nNA\n2024-02-29 10:00\n", {"d": [pd.Timestamp(2024, 1, 31), None, FEB_29]}, None),
    "other dates": ("d,a\n01/02/2024,1\n31/12/2024,2\n", {"d": ["01/02/2024", "31/12/2024"], "a": [1, 2]}, "date"),
}  # fmt: skip


def read_data(data, path, **options):
    return read.read_data(data, path, Request(path, **options))


def read_file(path):
    return read.read_file(str(path), Request(str(path)))[0]


def check(found, table):
    expected = pd.DataFrame(table)
    assert found.columns.tolist() == expected.columns.tolist()
    for name in expected:
        text = expected[name].map(lambda cell: isinstance(cell, str)).any()
        assert pd.api.types.is_numeric_dtype(found[name]) == (not text and expected[name].dtype.kind != "M"), name
        cells, wanted = (one.astype(object).where(one.notna(), None).tolist() for one in (found[name], expected[name]))
        assert cells == wanted


@pytest.mark.parametrize("kind", READ)
def test_a_file_is_read_as_a_person_reads_it(kind):
    text, table, word = READ[kind]
    frame, notes = read_data(text if isinstance(text, bytes) else text.encode(), "ugly.csv")
    check(frame, table)
    assert [word in f"{note.template} {note}" for note in notes] == ([] if word is None else [True]), notes


def test_other_letters_are_recognised():
    pytest.importorskip("charset_normalizer")
    data = ("名前,都市,a\n" + "太郎,東京,1\n花子,大阪,2\n" * 9).encode("cp932")
    frame, notes = read_data(data, "a.csv")
    assert frame.iloc[1].tolist() == ["花子", "大阪", 2]
    assert [note.values["encoding"] for note in notes] == ["cp932"]


# What is in the file, and a word of the error.
REFUSED = {
    "empty": ("", "is empty"),
    "a byte order mark alone": (codecs.BOM_UTF8, "is empty"),
    "only a header": ("a,b,c\n", "no rows"),
    "no separator fits": ("a;b\n1\n2\n", "{arg_sep}"),
    "a longer row": ("a,b\n1,2\n3,4,5\n6,7\n8\n", "lines 3 (3), 5 (1)"),
    "an open quotation mark": ('a,b\n1,"x\n2,y\n', "quotation mark"),
    "zeros": (b"\0\0\0a,b\n1,2\n", "zero bytes"),
    "half a character": (codecs.BOM_UTF16_LE + b"a\0,\0b", "utf-16"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_file_is_refused(kind):
    text, word = REFUSED[kind]
    with pytest.raises(PyodExplainError) as caught:
        read_data(text if isinstance(text, bytes) else text.encode(), "ugly.csv")
    assert word in f"{caught.value} {getattr(caught.value.hint, 'template', '')}"


TOLD = [
    ("a b\nx  2\n", {"sep": "space"}, {"a": ["x"], "b": [2]}),
    ('a\n"1,234"\n"5,678"\n', {"decimal": "."}, {"a": [1234, 5678]}),
    ('a\n"1,234"\n"5,678"\n', {"decimal": ","}, {"a": [1.234, 5.678]}),
    ("a;b\n1.459;x\n5.678;y\n", {"decimal": ","}, {"a": [1459, 5678], "b": ["x", "y"]}),
    ("a;b\n1.5;x\n2.5;y\n", {"decimal": ","}, {"a": ["1.5", "2.5"], "b": ["x", "y"]}),
    ("a,b\nx,y\n", {"header": False}, {"column_1": ["a", "x"], "column_2": ["b", "y"]}),
    ("a,b\n1,NA\n-999,-\n", {"na": ("-999", "NA")}, {"a": [1, NAN], "b": [None, "-"]}),
]


@pytest.mark.parametrize(("text", "options", "table"), TOLD)
def test_options_decide(text, options, table):
    check(read_data(text.encode(), "told.csv", **options)[0], table)


@pytest.mark.parametrize(("name", "value"), [("sep", "ab"), ("sep", '"'), ("sheet", "x")])
def test_wrong_options_are_refused(name, value):
    with pytest.raises(ParameterError, match=f"^`{name}`"):
        read_data(PLAIN.encode(), "a.csv", **{name: value})


texts = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\0", exclude_categories=["Cs", "Cc"]), min_size=1
).map(lambda text: f"t{text}")
columns = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=3),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3),
    st.lists(texts, min_size=3, max_size=3),
)


@given(st.lists(columns, min_size=1, max_size=4), st.sampled_from(",;\t|"), st.sampled_from(".,"), st.booleans())
def test_what_pandas_writes_comes_back(cells, sep, decimal, told):
    frame = pd.DataFrame({f"c{k}": column for k, column in enumerate(cells)})
    text = frame.to_csv(index=False, sep=sep, decimal=decimal, lineterminator="\n")
    found = read_data(text.encode(), "a.csv", sep=sep, decimal=decimal if told else None)[0]
    for name in frame:
        if told or decimal == "." or frame[name].dtype.kind != "f":
            assert found[name].tolist() == frame[name].tolist()
        else:  # a comma may separate thousands: then it stays text
            assert found[name].dtype.kind != "f" or found[name].tolist() == frame[name].tolist()


def test_the_first_rows_do_not_decide_alone():
    n = 3000
    lines = [f"{k},{k % 100},{k % 10}" for k in range(n)]
    lines[n - 3], lines[n - 2] = f"{n - 3},NA,5", f"{n - 2},7,late"
    frame, notes = read_data(("a,b,c\n" + "\n".join(lines)).encode(), "long.csv")
    assert frame["a"].tolist() == list(range(n))
    assert frame["b"].isna().sum() == 1
    assert frame["c"].tolist()[:3] == ["0", "1", "2"]
    assert [note.values["example"] for note in notes] == ["'late'"]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet", "xlsx", "csv.gz", "jsonl.gz"])
def test_files_of_any_format_give_the_same_table(frame, tmp_path, ending):
    path = tmp_path / f"data.{ending}"
    kind = ending.partition(".")[0]
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind == "xlsx":
        frame.to_excel(path, index=False)
    elif kind in ("jsonl", "json"):
        text = frame.to_json(orient="records", lines=kind == "jsonl", date_format="iso")
        path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    else:
        frame.to_csv(path, sep="," if kind == "csv" else "\t", index=False)
    found = read_file(path)
    assert found.columns.tolist() == frame.columns.tolist()
    assert found["amount"].tolist()[:5] == frame["amount"].tolist()[:5]
    assert found["kind"].isna().tolist() == frame["kind"].isna().tolist()
    assert found["day"].dt.strftime("%Y-%m-%d").tolist() == frame["day"].dt.strftime("%Y-%m-%d").tolist()


@pytest.mark.parametrize("lines", [True, False])
def test_standard_input_is_recognised_by_its_content(frame, monkeypatch, lines):
    text = frame.to_json(orient="records", lines=True, date_format="iso") if lines else frame.to_csv(index=False)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(text.encode()))))
    assert read_file("-")["odd"].tolist() == frame["odd"].tolist()


def test_what_cannot_be_opened_is_a_file_error(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path, "a\0b.csv"):
        with pytest.raises(FileError, match="could not be read"):
            read_file(path)


@pytest.mark.parametrize(("name", "data"), [("a.xyz", b"a"), ("a.csv", b"\x1f\x8b\x08rest"), ("a.parquet", b"PAR1"),
                                            ("a.xlsx", b"PK\x03\x04"), ("a.json", b"{"), ("a.json", b"[1, 2]"),
                                            ("a.json", b'{"a": 1}\n[2]'), ("a.json", b"null")])  # fmt: skip
def test_content_that_is_not_of_its_format_is_refused(name, data):
    with pytest.raises(PyodExplainError, match=name):
        read_data(data, name)


def test_limits(tmp_path):
    data = b"a,b,c\n" + b"1,2,3\n" * 100
    for options in ({"max_rows": 99}, {"max_columns": 2}, {"max_bytes": 100}):
        for path, content in (("a.csv", data), ("a.csv.gz", gzip.compress(data))):
            with pytest.raises(PyodExplainError, match="more than"):
                read_data(content, path, **options)
    assert len(read_data(data, "a.csv", max_rows=100, max_columns=3)[0]) == 100
    pd.DataFrame({"a": range(100), "b": 1}).to_parquet(tmp_path / "a.parquet")
    for options in ({"max_rows": 99}, {"max_columns": 1}, {"max_bytes": 100}):
        with pytest.raises(PyodExplainError, match="more than"):
            read_data((tmp_path / "a.parquet").read_bytes(), "a.parquet", **options)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_of_json_ends_where_json_says(end):
    texts = ["one\u2028line", "one\u2029line", "one\x85line"]
    data = end.join(json.dumps({"a": text}, ensure_ascii=False) for text in texts).encode()
    assert read_data(data, "a.jsonl")[0]["a"].tolist() == texts


def test_json_with_other_names_on_each_line_is_refused():
    data = "\n".join(f'{{"k{k}": 1}}' for k in range(15_000)).encode()
    with pytest.raises(PyodExplainError, match="columns"):
        read_data(data, "a.jsonl")


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv"])
def test_whole_numbers_keep_their_digits_beside_gaps(tmp_path, ending):
    many = [2**60 + 1, None, -(2**53) - 1]
    path = tmp_path / f"a.{ending}"
    if ending == "parquet":
        pq.write_table(pa.table({"id": many, "x": [0.5, None, 2.0**60]}), path)
    elif ending == "jsonl":
        path.write_text("\n".join(map(json.dumps, [{"id": many[0], "x": 0.5}, {"x": None}, {"x": 2, "id": many[2]}])))
    else:
        path.write_text(f"id,x\n{many[0]},0.5\n,\n{many[2]},2\n")
    frame = read_file(path)
    assert frame["id"].dropna().tolist() == [many[0], many[2]]
    assert frame["x"].dtype == "float64"


def test_times_with_zones_are_times():
    text = "a,b\n2024-01-01T10:00:00+02:00,2024-01-01T10:00:00+01:00\n2024-07-01T10:00:00+02:00,2024-07-01 10:00Z\n"
    found = read_data(text.encode(), "a.csv")[0]
    assert found["a"].dt.hour.tolist() == [10, 10]
    assert found["b"].dt.hour.tolist() == [9, 10]  # zones differ: UTC


def workbook(*sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


def test_a_workbook():
    rows = [[], [None, "id", "zip", "when", "x"], [None, 1, "007", pd.Timestamp("2024-01-01"), 0.5]]
    data = workbook(("data", [*rows, [], [None, 2, "123", pd.Timestamp("2024-01-02"), "#DIV/0!"]]), ("empty", []))
    frame, notes = read_data(data, "a.xlsx")
    assert frame.columns.tolist() == ["id", "zip", "when", "x"]
    assert frame["zip"].tolist() == ["007", "123"]
    assert [frame[name].dtype.kind for name in ("id", "when", "x")] == ["i", "M", "f"]
    assert any("{arg_sheet}" in note.template for note in notes)
    with pytest.raises(ParameterError, match=r"^`sheet`"):
        read_data(data, "a.xlsx", sheet="other")
    with pytest.raises(PyodExplainError, match="empty"):
        read_data(data, "a.xlsx", sheet="empty")


def test_formulas_without_results_are_refused():
    for rows in ([["a", "b"], [1, "=A2+1"], [2, "=A3+1"]], [["a", "b"], [1, 5], [2, "=A3+1"]]):
        with pytest.raises(PyodExplainError, match=r"formula .* B\d"):
            read_data(workbook(("s", rows)), "a.xlsx")
    with pytest.raises(PyodExplainError, match="above"):
        read_data(workbook(("s", [["Sales"], ["a", "b", "c"], [1, 2, 3], [4, 5, 6]])), "a.xlsx")


@pytest.mark.parametrize("step", [1, 17_000])
def test_a_small_workbook_of_distant_cells_is_refused(step):
    """A few kilobytes hold cells in the last column, and in rows up to the last."""
    new = io.BytesIO()
    rows = "".join(f'<row r="{k}"><c r="XFD{k}"><v>1</v></c></row>' for k in range(1, 1_020_000, step)[:2000])
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = f'<worksheet xmlns="{space}"><dimension ref="A1:XFD1048576"/><sheetData>{rows}</sheetData></worksheet>'
    with zipfile.ZipFile(io.BytesIO(workbook(("s", [[1]])))) as old, zipfile.ZipFile(new, "w") as archive:
        for part in old.namelist():
            archive.writestr(part, sheet if "worksheets" in part else old.read(part))
    with pytest.raises(PyodExplainError, match="cells"):
        read_data(new.getvalue(), "a.xlsx")
