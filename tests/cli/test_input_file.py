"""Tables from files and from standard input."""

import gzip
import json
import sys
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyod_explain import PyodExplainError
from pyod_explain.cli.input_file import read_file


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet", "csv.gz", "tsv.gz", "jsonl.gz"])
def test_files_of_any_kind_give_the_same_table(frame, tmp_path, ending):
    path = tmp_path / f"data.{ending}"
    kind = ending.partition(".")[0]
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind in ("jsonl", "json"):
        text = frame.to_json(orient="records", lines=kind == "jsonl", date_format="iso")
        path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    else:
        frame.to_csv(path, sep="," if kind == "csv" else "\t", index=False)
    found = read_file(str(path))
    assert found.columns.tolist() == frame.columns.tolist()
    assert found["amount"].tolist()[:5] == frame["amount"].tolist()[:5]
    assert found["kind"].isna().tolist() == frame["kind"].isna().tolist()
    assert str(found["day"].dtype).startswith("datetime64")
    assert found["day"].dt.strftime("%Y-%m-%d").tolist() == frame["day"].dt.strftime("%Y-%m-%d").tolist()


def test_a_byte_order_mark_is_not_part_of_a_name(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfa,b\n1,2\n")
    assert read_file(str(tmp_path / "a.csv")).columns.tolist() == ["a", "b"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_of_json_ends_where_json_says(tmp_path, end):
    texts = ["one\u2028line", "one\u2029line", "one\x85line"]
    lines = [json.dumps({"a": text}, ensure_ascii=False) for text in texts]
    (tmp_path / "a.jsonl").write_bytes((end.join(lines) + end).encode())
    assert read_file(str(tmp_path / "a.jsonl"))["a"].tolist() == texts


def test_excel_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(PyodExplainError, match="pip install openpyxl"):
        read_file(str(tmp_path / "a.xlsx"))


def test_text_that_only_looks_like_dates_stays_text(tmp_path):
    (tmp_path / "a.csv").write_text("d,e,f\n2024-02-31,2024-01-01,2024-01-01\n2024-01-01,x,2024-01-01T10:00:00+02:00\n")
    found = read_file(str(tmp_path / "a.csv"))
    assert found["d"].tolist() == ["2024-02-31", "2024-01-01"]
    assert found["e"].tolist() == ["2024-01-01", "x"]
    assert found["f"].tolist() == ["2024-01-01", "2024-01-01T10:00:00+02:00"]


def test_times_with_zones_are_times(tmp_path):
    text = "a,b\n2024-01-01T10:00:00+02:00,2024-01-01T10:00:00+01:00\n2024-07-01T10:00:00+02:00,2024-07-01 10:00Z\n"
    (tmp_path / "a.csv").write_text(text)
    found = read_file(str(tmp_path / "a.csv"))
    assert found["a"].dt.hour.tolist() == [10, 10]
    assert found["b"].dt.hour.tolist() == [9, 10]  # zones differ: all on the clock of UTC


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("[1, 2, 3]", "got 1"),
        ("null", "got None"),
        ('[{"a": 1}, null]', "got None"),
        ('{"a": 1}\n[2]\n', r"got \[2\]"),
        ('{"a": [1, 2], "b": [3, 4]}', "got an object that has columns"),
        ('{"a": {"0": 1, "1": 2}}', "got an object that has columns"),
    ],
)
def test_json_without_an_object_for_each_row_is_refused(tmp_path, text, got):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(PyodExplainError, match=rf"must have an object for each row, .*{got}\.\nHint: pandas writes"):
        read_file(str(tmp_path / "a.json"))


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv"])
def test_whole_numbers_keep_their_digits_beside_gaps(tmp_path, ending):
    many = [2**60 + 1, None, -(2**53) - 1]
    path = tmp_path / f"a.{ending}"
    if ending == "parquet":
        table = pa.table({"id": many, "n": [1, None, 3], "x": [0.5, None, 2.0**60], "k": list("abc")})
        pq.write_table(table, path)
    elif ending == "jsonl":
        lines = [{"id": many[0], "x": 0.5}, {"id": None, "x": None}, {"x": 2.0**60, "id": many[2]}, {"x": 1}]
        path.write_text("\n".join(map(json.dumps, lines)))
    else:
        path.write_text(f"id,n,x\n{many[0]},1,0.5\n,,\n{many[2]},3,2\n")
    read = read_file(str(path))
    assert read["id"].dropna().tolist() == [many[0], many[2]]
    assert read["x"].dtype == "float64"
