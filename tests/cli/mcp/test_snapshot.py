import gzip
import os
import zipfile

import pytest

from pyod_explain.cli.mcp.folders import Folders
from pyod_explain.cli.mcp.snapshot import copy_file
from pyod_explain.exceptions import FileError


@pytest.fixture
def copied(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    folders = Folders([str(tmp_path / "in")])

    def copy(name, content, limit):
        (tmp_path / "in" / name).write_bytes(content)
        copy_file(folders, folders.find(name), tmp_path / "out", limit)
        return (tmp_path / "out" / name).read_bytes()

    return copy


def test_a_file_is_copied_up_to_the_limit_and_no_further(copied):
    assert copied("a.csv", b"x" * 1000, 1000) == b"x" * 1000
    with pytest.raises(FileError, match=r"has more than 0 MB, which is the most"):
        copied("b.csv", b"x" * 1001, 1000)


def test_what_is_small_only_while_it_is_compressed_is_refused(copied, tmp_path):
    packed = gzip.compress(bytes(10**6))
    assert len(packed) < 2000
    assert copied("a.csv.gz", packed, 10**6) == packed
    with pytest.raises(FileError, match="once it is decompressed"):
        copied("b.csv.gz", packed, 10**6 - 1)
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("sheet.xml", bytes(10**6))
    with pytest.raises(FileError, match="once it is decompressed"):
        copied("c.xlsx", (tmp_path / "x.zip").read_bytes(), 10**6 - 1)
    with pytest.raises(FileError, match="once it is decompressed"):
        copied("d.xlsx.gz", gzip.compress((tmp_path / "x.zip").read_bytes()), 10**6 - 1)
    with pytest.raises(FileError, match="once it is decompressed"):  # a zip is found by its end
        copied("e.xlsx", b"before" + (tmp_path / "x.zip").read_bytes(), 10**6 - 1)
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == [
        "a.csv.gz",
        "b.csv.gz",
        "c.xlsx",
        "d.xlsx.gz",
        "e.xlsx",
    ]


@pytest.mark.parametrize("start", [b"\x1f\x8b", b"PK\x03\x04"])
def test_what_is_damaged_is_copied_so_that_its_reader_says_so(copied, start):
    assert copied("a.csv", start + b"junk", 100) == start + b"junk"


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no file without an end here")  # noqa: PTH110
def test_a_device_is_not_read(tmp_path):
    folders = Folders(["/dev"])
    with pytest.raises(FileError, match="no plain file"):
        copy_file(folders, folders.find("zero"), tmp_path, 10)
