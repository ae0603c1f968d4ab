"""Files as people have them, each read right or refused with a sentence."""

import codecs

import numpy as np
import pandas as pd
import pytest

from pyod_explain.cli.input_file import read_file
from pyod_explain.cli.reading import How
from pyod_explain.cli.usage import UsageError

PLAIN = "name,size,price\nx,1,2.5\ny,2,3.5\nz,3,4.5\n"
TABLE = {"name": ["x", "y", "z"], "size": [1, 2, 3], "price": [2.5, 3.5, 4.5]}
GERMAN = "name;größe;preis\nx;1;2,5\ny;2;3,5\nz;3;4,5\n"
GERMAN_TABLE = {"name": ["x", "y", "z"], "größe": [1, 2, 3], "preis": [2.5, 3.5, 4.5]}
NAN = float("nan")

# What is in the file, the table that it is, and a word of the note on it; None for no note.
READ = {
    "plain": (PLAIN, TABLE, None),
    "byte order mark": (codecs.BOM_UTF8 + PLAIN.encode(), TABLE, None),
    "windows line ends": (PLAIN.replace("\n", "\r\n"), TABLE, None),
    "old mac line ends": (PLAIN.replace("\n", "\r"), TABLE, None),
    "no line end": (PLAIN.rstrip(), TABLE, None),
    "blank lines": ("\n\n" + PLAIN.replace("\n", "\n\n"), TABLE, None),
    "semicolon": (PLAIN.replace(",", ";"), TABLE, "columns are parted by ';'"),
    "tab": (PLAIN.replace(",", "\t"), TABLE, "columns are parted by a tab"),
    "pipe": (PLAIN.replace(",", "|"), TABLE, "columns are parted by '|'"),
    "spaces": (PLAIN.replace(",", "   "), TABLE, "columns are parted by spaces"),
    "excel says its separator": ("sep=;\n" + PLAIN.replace(",", ";"), TABLE, "columns are parted by ';'"),
    "a space after each comma": (PLAIN.replace(",", ", "), TABLE, None),
    "decimal comma": (GERMAN.encode(), GERMAN_TABLE, "',' is the decimal sign, as in column 'preis' ('2,5')"),
    "utf-16": (GERMAN.encode("utf-16"), GERMAN_TABLE, "',' is the decimal sign"),
    "utf-16 little end first, no mark": (GERMAN.encode("utf-16-le"), GERMAN_TABLE, "read as utf-16-le"),
    "utf-16 big end first": (codecs.BOM_UTF16_BE + GERMAN.encode("utf-16-be"), GERMAN_TABLE, "decimal sign"),
    "utf-32": (GERMAN.encode("utf-32"), GERMAN_TABLE, "decimal sign"),
    "latin-1": (GERMAN.encode("latin-1"), GERMAN_TABLE, "is not UTF-8 and was read as cp1252"),
    "cp1252": ("a,b\n1,5 €\n2,7 €\n".encode("cp1252"), {"a": [1, 2], "b": [5, 7]}, "'5 €' is 5"),
    "a stray byte": ("a,b\nä,1\nö,2\n".encode() + b"\xff,3\n", {"a": ["ä", "ö", "�"], "b": [1, 2, 3]}, "1 place"),
    "quoted": ('"a","b"\n"x, ""y""","1"\n"z\nw","2"\n', {"a": ['x, "y"', "z\nw"], "b": [1, 2]}, None),
    "apostrophes": ("'a','b'\n'x, y','1'\n'z','2'\n", {"a": ["x, y", "z"], "b": [1, 2]}, None),
    "escaped quotes": ('a,b\n"x \\"y, z\\"",1\n"w",2\n', {"a": ['x "y, z"', "w"], "b": [1, 2]}, None),
    "no header": ("5.1,x\n4.9,y\n", {"column_1": [5.1, 4.9], "column_2": ["x", "y"]}, "--header"),
    "years as names": ("land,2019,2020\nx,1,2\ny,3,4\n", {"land": ["x", "y"], "2019": [1, 3], "2020": [2, 4]}, None),
    "numbers as names": ("0,1\n5.5,6\n7.5,8\n", {"0": [5.5, 7.5], "1": [6, 8]}, None),
    "separators at line ends": ("a;b\n1;x;\n2;y;\n", {"a": [1, 2], "b": ["x", "y"]}, "parted by ';'"),
    "separators everywhere": ("a,b,\n1,x,\n2,y,\n", {"a": [1, 2], "b": ["x", "y"]}, None),
    "row numbers of pandas": (",a,b\n0,1,x\n1,2,y\n", {"a": [1, 2], "b": ["x", "y"]}, "numbers the rows"),
    "row names of R": ('"a" "b"\n"r1" 1 5\n"r2" 2 6\n', {"a": [1, 2], "b": [5, 6]}, "parted by spaces"),
    "twice the same name": ("a,a,b\n1,2,3\n4,5,6\n", {"a": [1, 4], "a.1": [2, 5], "b": [3, 6]}, "is named 'a'"),
    "a name is missing": ("a,,b\n1,2,3\n4,5,6\n", {"a": [1, 4], "column_2": [2, 5], "b": [3, 6]}, None),
    "question marks": (
        "a,b\n1,x\n?,?\n3,y\n",
        {"a": [1, NAN, 3], "b": ["x", "?", "y"]},
        "'?' read as missing in column 'a'",
    ),
    "many words": (
        "a\n1.5\n-\nN/A\nunknown\n n.a.\n2\n",
        {"a": [1.5, *[NAN] * 4, 2]},
        "'-', 'unknown', 'n.a.' read as",
    ),
    "dollars": ('a,b\nx,"$1,179.60"\ny,$3\n', {"a": ["x", "y"], "b": [1179.6, 3]}, "('$1,179.60' is 1179.6)"),
    "percent": ("a,b\nx,12 %\ny,7%\n", {"a": ["x", "y"], "b": [12, 7]}, "('12 %' is 12)"),
    "euros": ("a;b\nx;1.234,5 EUR\ny;7 EUR\n", {"a": ["x", "y"], "b": [1234.5, 7]}, "('1.234,5 EUR' is 1234.5)"),
    "thin thousands": ("a;b\nx;1\u202f234,5\ny;7\n", {"a": ["x", "y"], "b": [1234.5, 7]}, "is 1234.5)"),
    "swiss thousands": ("a,b\nx,1'234.5\ny,7\n", {"a": ["x", "y"], "b": [1234.5, 7]}, "is 1234.5)"),
    "accounting": ('a,b\nx,"(1,234.50)"\ny,"7.00"\n', {"a": ["x", "y"], "b": [-1234.5, 7]}, "is -1234.5)"),
    "indian thousands": ('a,b\nx,"12,34,567"\ny,7\n', {"a": ["x", "y"], "b": [1234567, 7]}, "is 1234567)"),
    "thousands by the column": ('a\n"1,234"\n"1,234,567"\n', {"a": [1234, 1234567]}, "('1,234' is 1234)"),
    "thousands by other columns": (
        'a,b\n"1,234",1.5\n"5,678",2.5\n',
        {"a": [1234, 5678], "b": [1.5, 2.5]},
        "sign of other",
    ),
    "decimals by other columns": ("a;b\n1.234;1,5\n5.678;2,5\n", {"a": [1234, 5678], "b": [1.5, 2.5]}, "sign of other"),
    "nobody can tell": (
        'a,b\n"1,234",x\n"5,678",y\n',
        {"a": ["1,234", "5,678"], "b": ["x", "y"]},
        "may be 1234 or 1.234",
    ),
    "two currencies": ("a,b\nx,$5\ny,€3\n", {"a": ["x", "y"], "b": ["$5", "€3"]}, "'b' ($, €) left as text"),
    "shares of two kinds": ("a,b\nx,12 %\ny,0.5\n", {"a": ["x", "y"], "b": ["12 %", "0.5"]}, "left as text"),
    "a list in a cell": ("a,b\nx;y,1\nz;w,2\n", {"a": ["x;y", "z;w"], "b": [1, 2]}, None),
    "short rows": ("a,b,c\n1,x,5\n2,y\n", {"a": [1, 2], "b": ["x", "y"], "c": [5, NAN]}, None),
    "remarks": ("# made by hand\n# in 2024\na,b\n1,x\n2,y\n", {"a": [1, 2], "b": ["x", "y"]}, "2 lines that begin"),
    "a remark like a row": ("# by x,2\na,b\n1,x\n2,y\n", {"a": [1, 2], "b": ["x", "y"]}, "1 line that begins"),
    "a remark on one column": ("# by x\na\n1\n2\n", {"a": [1, 2]}, "1 line that begins"),
    "a remark above texts": (
        "# all of them, unsorted\nname,town\nx,Oslo\ny,Rome\n",
        {"name": ["x", "y"], "town": ["Oslo", "Rome"]},
        "1 line that begins with '#' left out",
    ),
    "names above texts": (
        "# name,home town\nx,Oslo\ny,Rome\nx,Oslo\n",
        {"# name": ["x", "y", "x"], "home town": ["Oslo", "Rome", "Oslo"]},
        "the line that begins with '#' right above the rows names the columns",
    ),
    "whole numbers of 16 digits and more": (
        'a,b,c\n"9,007,199,254,740,993","18,446,744,073,709,551,615",-9007199254740993\n"1,000",2,5\n',
        {"a": [2**53 + 1, 1000], "b": [2**64 - 1, 2], "c": [-(2**53) - 1, 5]},
        "'9,007,199,254,740,993' is 9007199254740993",
    ),
    "the end of a file of DOS": (PLAIN.replace("\n", "\r\n") + "\x1a", TABLE, None),
    "the end of a file of DOS in a line": (PLAIN.rstrip() + "\x1a\r\n", TABLE, None),
    "a remark above numbers": ("#a,b\n0,1\n5,3\n", {"#a": [0, 5], "b": [1, 3]}, None),
    "spaces before quotes": ('a, "b, c"\n1, "x, y"\n2, "z"\n', {"a": [1, 2], "b, c": ["x, y", "z"]}, None),
    "a remark that is the header": ("# made\n#a,b\n1,x\n2,y\n", {"#a": [1, 2], "b": ["x", "y"]}, "1 line that begins"),
    "separators above": (",,\n,,\na,b,c\n1,2,x\n3,4,y\n", {"a": [1, 3], "b": [2, 4], "c": ["x", "y"]}, None),
    "separators below": (
        "a,b\n1,x\n2,y\n,\n,\n",
        {"a": [1, 2], "b": ["x", "y"]},
        "2 lines of separators",
    ),
    "a row of units": (
        "a,b\nkg,x\n" + "".join(f"{k},y\n" for k in range(20)),
        {"a": ["kg", *map(str, range(20))], "b": ["x", *["y"] * 20]},
        "column 'a' ('kg') left as text: not all are numbers",
    ),
    "spaces around names": (" a ;b\n1;x\n2;y\n", {"a": [1, 2], "b": ["x", "y"]}, "parted by ';'"),
    "dates": (
        "d,a\n2024-01-31,1\n2024-02-29,2\n",
        {"d": pd.to_datetime(["2024-01-31", "2024-02-29"]), "a": [1, 2]},
        None,
    ),
}


@pytest.mark.parametrize("kind", READ)
def test_it_is_read_as_a_person_reads_it(tmp_path, kind):
    text, table, note = READ[kind]
    path = tmp_path / "ugly.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    notes = []
    found = read_file(str(path), say=notes.append)
    expected = pd.DataFrame(table)
    assert found.columns.tolist() == expected.columns.tolist()
    for name in expected:
        if expected[name].dtype.kind in "if":
            assert found[name].dtype.kind in "if", name
            np.testing.assert_array_equal(found[name].to_numpy(float), expected[name].to_numpy(float))
        else:
            assert found[name].tolist() == expected[name].tolist()
    assert (note is None) == (notes == []), notes
    assert note is None or note in "\n".join(notes)


# What is in the file and what is said of it.
REFUSED = {
    "empty": ("", "is empty."),
    "blank": (" \n\r\n ", "is empty."),
    "a byte order mark alone": (codecs.BOM_UTF8, "is empty."),
    "only a header": ("a,b,c\n", "has a header and no rows."),
    "no separator fits": ("a;b\n1\n2\n", "has one column, named 'a;b', which holds what parts columns elsewhere"),
    "a longer row": (
        "a,b\n1,2\n3,4,5\n",
        "has 3 cells in line 3 and 2 in the lines before. Hint: quote texts that hold ','",
    ),
    "decimal commas between commas": ("a,b\n1,5,2\n1,7,3\n", "has a column more than names for them"),
    "a title": ("Sales of 2024\n\na,b,c\n1,2,3\n", "names 1 column in its first line, but has 3 in those below"),
    "an open quote": ('a,b\n1,"x\n2,y\n', "has a quotation mark in or near line 2 that is not closed."),
    "a title of two columns": (
        "Sales of 2024\na,b\n1,2\n3,4\n",
        "names 1 column in its first line, but has 2 in those",
    ),
    "lines in quotes": ('"a;b"\n"1;2"\n"3;4"\n', "its lines are in quotation marks as a whole"),
    "colons": ("a:b\n1:2\n3:4\n", "has one column, named 'a:b', which holds what parts columns elsewhere"),
    "separators": (",,\n,,\n", "has nothing but separators."),
    "one long cell": ("a" * 200_000, "has a cell of more than 100,000 letters. Hint: is a quotation mark not closed?"),
    "zeros": (b"\0\0\0\0\0\0a,b\n1,2\n", "must be text, got bytes that are none"),
    "excel": (b"PK\x03\x04rest", "is an Excel or zip file, not a table of text"),
    "old excel": (b"\xd0\xcf\x11\xe0rest", "is an old Excel file, not a table of text"),
    "parquet": (b"PAR1rest", "is a parquet file, not a table of text. Hint: rename it to .parquet."),
    "a web page": ("<!DOCTYPE html><html>Sign in</html>", "is a web page, not a table of text"),
    "half of a letter": (codecs.BOM_UTF16_LE + b"a\0,\0b", "begins like utf-16-le, but is not"),
}


def test_there_are_forty_of_them():
    assert len(READ) + len(REFUSED) >= 40


# The file, what the user says of it, and what it then is.
TOLD = [
    ("a;b\n1;2\n", How(sep=";"), {"a": [1], "b": [2]}),
    ("a:b\n1:2\n", How(sep=":"), {"a": [1], "b": [2]}),
    ("a b\nx  2\n", How(sep=r"\s+"), {"a": ["x"], "b": [2]}),
    ('a\n"1,234"\n"5,678"\n', How(decimal="."), {"a": [1234, 5678]}),
    ('a\n"1,234"\n"5,678"\n', How(decimal=","), {"a": [1.234, 5.678]}),
    ("a;b\n1.234;x\n5.678;y\n", How(decimal=","), {"a": [1234, 5678], "b": ["x", "y"]}),
    ("a,b\n1.5,x\n2.5,y\n", How(decimal=","), {"a": ["1.5", "2.5"], "b": ["x", "y"]}),
    ("имя,b\nж,1\n".encode("cp1251"), How(encoding="cp1251"), {"имя": ["ж"], "b": [1]}),
    ("a,b\nx,1\n".encode("utf-16"), How(encoding="utf-16"), {"a": ["x"], "b": [1]}),
    ("a,b\nx,y\n", How(header=False), {"column_1": ["a", "x"], "column_2": ["b", "y"]}),
    ("1,2\n3,4\n", How(header=True), {"1": [3], "2": [4]}),
    ("a,b\n1,x\n-999,-\n", How(na=("-999", "-")), {"a": [1, NAN], "b": ["x", None]}),
    ("a,b\n1,$5\n?,$6\n", How(raw=True), {"a": ["1", "?"], "b": ["$5", "$6"]}),
    ("a,b\n1,NA\nN/A,x\n2,\n", How(raw=True), {"a": ["1", "N/A", "2"], "b": ["NA", "x", None]}),
    ("a,b\n1,NA\nN/A,x\n2,y\n", How(raw=True, na=("N/A",)), {"a": [1, NAN, 2], "b": ["NA", "x", "y"]}),
    ('a\n"1,5"\n"2,5"\n', How(raw=True), {"a": ["1,5", "2,5"]}),
    ('a\n"1,5"\n"2,5"\n', How(raw=True, decimal=","), {"a": [1.5, 2.5]}),
]


@pytest.mark.parametrize(("text", "how", "table"), TOLD)
def test_what_the_user_says_counts(tmp_path, text, how, table):
    path = tmp_path / "told.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = read_file(str(path), how)
    expected = pd.DataFrame(table)
    found, expected = (one.astype(object).where(one.notna(), None) for one in (found, expected))
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_a_separator_beyond_ascii_warns_of_nothing(tmp_path, recwarn):
    (tmp_path / "a.csv").write_text("a\u00a7b\n1\u00a7x\n2\u00a7y\n", encoding="utf-8")
    found = read_file(str(tmp_path / "a.csv"), How(sep="\u00a7"))
    assert found.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}
    assert not recwarn.list


def test_an_encoding_that_it_is_not_is_said(tmp_path):
    (tmp_path / "a.csv").write_bytes("a\nä\n".encode("latin-1"))
    with pytest.raises(UsageError, match=r"--encoding: the file .*a\.csv is not utf-8: .*\nHint: leave it out"):
        read_file(str(tmp_path / "a.csv"), How(encoding="utf-8"))


@pytest.mark.parametrize("raw", [False, True])
def test_gaps_take_no_digit_from_whole_numbers(tmp_path, raw):
    (tmp_path / "a.csv").write_text(f"a,b,c\n{2**53 + 1},1e20,{2**53 + 1}.5\n,,\n{2**53},2,3\n")
    frame = read_file(str(tmp_path / "a.csv"), How(raw=raw))
    assert frame["a"].tolist() == [2**53 + 1, pd.NA, 2**53]
    assert [str(frame[name].dtype) for name in "bc"] == ["float64"] * 2
    if not raw:
        (tmp_path / "a.csv").write_text(f'a\n"${2**53 + 1:,}"\n?\n$7\n')
        assert read_file(str(tmp_path / "a.csv"))["a"].tolist() == [2**53 + 1, pd.NA, 7]


def test_the_decimal_sign_that_is_told_and_the_one_that_is_there(tmp_path):
    notes = []
    (tmp_path / "a.csv").write_text('a,b\n"1,5",1\n"2,5",2\n7,3\n')
    frame = read_file(str(tmp_path / "a.csv"), How(decimal="."), notes.append)
    assert frame["a"].tolist() == ["1,5", "2,5", "7"]
    assert notes == ["column 'a' ('1,5') left as text: these are numbers with --decimal ,"]


def test_thousands_of_columns_are_read_and_noted(tmp_path):
    wide = pd.DataFrame(np.arange(15_000).reshape(5, 3000) % 7 + 0.5).add_prefix("x")
    wide.to_csv(tmp_path / "wide.csv", index=False)
    notes = []
    found = read_file(str(tmp_path / "wide.csv"), say=notes.append)
    pd.testing.assert_frame_equal(found, wide)
    assert notes == ["3,000 columns may take a while to explain; --only and --drop choose among them"]


def test_words_that_are_missing_among_texts_are_noted(tmp_path):
    (tmp_path / "a.csv").write_text("land,n,kind,gap\nNA,1,x ,\nDE,NA,NA ,u\nNone,3,y ,v\n")
    notes = []
    found = read_file(str(tmp_path / "a.csv"), say=notes.append)
    assert found["land"].isna().tolist() == [True, False, True]
    assert found["kind"].tolist() == ["x ", "NA ", "y "]
    assert notes == ["'NA', 'None' read as missing in column 'land'; --raw leaves the text"]


@pytest.mark.parametrize("odd", ["(-5)", "(+5)", "($-5)", "(\u2212 5)"])
def test_a_sign_in_brackets_may_mean_either_and_stays_text(tmp_path, odd):
    cells = [str(k) for k in range(1, 12)] + [odd]
    (tmp_path / "a.csv").write_text("a,b\n" + "".join(f"{k},{cell}\n" for k, cell in enumerate(cells)))
    notes = []
    found = read_file(str(tmp_path / "a.csv"), say=notes.append)
    assert found["b"].tolist() == cells
    assert notes == [f"column 'b' ({odd!r}) left as text: not all are numbers; --na WORD reads WORD as missing"]


def test_what_shows_late_in_a_long_file_counts(tmp_path):
    n = 60_000
    lines = [f"{k},{k % 100},{k % 10}" for k in range(n)]
    lines[n - 3], lines[n - 2] = f"{n - 3},?,5", f"{n - 2},7,late"
    lines[5] = "5,5,-"
    (tmp_path / "long.csv").write_text("a,b,c\n" + "\n".join(lines) + "\n")
    notes = []
    found = read_file(str(tmp_path / "long.csv"), say=notes.append)
    assert found["a"].tolist() == list(range(n))
    assert found["b"].isna().sum() == 1
    assert found["c"].tolist()[:7] == ["0", "1", "2", "3", "4", "-", "6"]  # text: a word is in it, and so is the dash
    assert notes == [
        "'?' read as missing in column 'b'; --raw leaves the text",
        "column 'c' ('late') left as text: not all are numbers; --na WORD reads WORD as missing",
    ]
