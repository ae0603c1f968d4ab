import gzip

import pytest

from pyod_explain.cli.mcp.parquet_size import check_parquet
from pyod_explain.exceptions import FileError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

FEW = 10_000  # bytes, while the cells have a million
TABLES = {
    "numbers": lambda n: {"a": pa.array([1.5] * n)},
    "gaps": lambda n: {"a": pa.nulls(n, pa.float64())},
    "texts": lambda n: {"a": pa.array(["x" * 1000] * (n // 125))},
    "categories": lambda n: {"a": pa.array(["x" * 1000] * (n // 125)).dictionary_encode()},
    "lists": lambda n: {"a": pa.array([["x" * 1000] * 10] * (n // 1250))},
}


@pytest.fixture
def written(tmp_path):
    def write(columns, name="t.parquet"):
        path = tmp_path / name
        pq.write_table(pa.table(columns), path, compression="zstd")
        return path

    return write


@pytest.mark.parametrize("kind", TABLES)
def test_a_few_bytes_that_stand_for_many_are_refused(written, kind):
    path = written(TABLES[kind](125_000))
    assert path.stat().st_size < FEW
    check_parquet(str(path), 2_000_000)
    with pytest.raises(FileError, match=r"has more than 0 MB once it is decompressed.*\nHint: start the server"):
        check_parquet(str(path), 400_000)


def test_so_they_are_inside_gzip(written):
    path = written(TABLES["numbers"](125_000))
    packed = path.with_suffix(".parquet.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(FileError, match="once it is decompressed"):
        check_parquet(str(packed), 400_000)


@pytest.mark.parametrize("content", [b"", b"PAR1junk", b"\x1f\x8bjunk", b"PAR1" + bytes(100) + b"PAR1"])
def test_what_is_damaged_is_left_to_its_reader(tmp_path, content):
    (tmp_path / "t.parquet").write_bytes(content)
    check_parquet(str(tmp_path / "t.parquet"), 1)


def test_other_files_are_passed_over(tmp_path):
    check_parquet(str(tmp_path / "not-there.csv"), 1)
