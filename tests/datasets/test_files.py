"""Where a data file is found: in a folder, in the cache, at UCI; and what is said where it is not."""

from __future__ import annotations

import errno
import gzip
import hashlib
import http.server
import io
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from archives import zipped
from folders import snapshot

from pyod_explain import _progress
from pyod_explain.datasets.files import CACHE_VARIABLE, Archive, DataFile, as_csv, cache_folder, content
from pyod_explain.exceptions import PyodExplainError

TEXT = b"age,job\n58,cook\n"


def data_file(name: str = "tiny.csv.gz", member: str = "tiny.data", text: bytes = TEXT) -> DataFile:
    return DataFile(name, member, hashlib.sha256(text).hexdigest(), lambda data: as_csv(data, separator=b";"))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path, list[str]]]:
    """A web server on this machine: its address, the folder that it serves, and the requests that it got."""
    folder = tmp_path / "served"
    folder.mkdir()
    requests: list[str] = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(folder))  # handed on as they come

        def log_message(self, *_: object) -> None:
            requests.append(self.path)

        def send_header(self, keyword: str, value: str) -> None:
            if keyword != "Content-Length" or "silent" not in self.path:  # UCI does not always tell the total
                super().send_header(keyword, value)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}", folder, requests
        running.shutdown()
        thread.join()


def test_a_download_is_converted_kept_and_not_repeated(cache: Path, server: tuple[str, Path, list[str]]) -> None:
    address, folder, requests = server
    (folder / "tiny+data.zip").write_bytes(zipped(tiny_DOT_data=b'"age";"job"\r\n58;"cook"\r\n'))
    archive = Archive(f"{address}/tiny+data.zip", (data_file(),))
    assert content(archive, archive.files[0]) == TEXT
    assert gzip.decompress((cache / "tiny.csv.gz").read_bytes()) == TEXT
    assert [path.name for path in cache.iterdir()] == ["tiny.csv.gz"]  # no partial files
    assert content(archive, archive.files[0]) == TEXT
    assert requests == ["/tiny+data.zip"]


def test_one_download_serves_all_files_of_an_archive(cache: Path, server: tuple[str, Path, list[str]]) -> None:
    address, folder, requests = server
    (folder / "two.zip").write_bytes(zipped(sub__TINY_DOT_data=TEXT, book_DOT_csv=b"a;b\r", other=b"damaged"))
    book = data_file("book.csv", "book.csv", b"a,b\n")
    archive = Archive(f"{address}/two.zip", (data_file(), book, data_file("other.csv", "other")))
    assert content(archive, archive.files[0]) == TEXT
    assert content(archive, book) == b"a,b\n"
    assert len(requests) == 1
    assert sorted(path.name for path in cache.iterdir()) == ["book.csv", "tiny.csv.gz"]
    with pytest.raises(PyodExplainError, match="must have the SHA-256 checksum"):
        content(archive, archive.files[2])


def test_an_archive_inside_the_archive_is_searched(cache: Path) -> None:
    cache.mkdir()
    inner = zipped(tiny_DOT_data=TEXT)
    (cache / "outer.zip").write_bytes(zipped(empty_DOT_zip=zipped(), inner_DOT_zip=inner))
    file = data_file()
    assert content(Archive("https://example.invalid/outer.zip", (file,)), file) == TEXT


def test_the_folder_of_the_user_comes_before_the_cache(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.mkdir()
    (cache / "tiny.csv.gz").write_bytes(b"never read")
    monkeypatch.setenv("PYOD_EXPLAIN_DATA", str(tmp_path))
    (tmp_path / "tiny.csv.gz").write_bytes(gzip.compress(TEXT))
    file = data_file()
    assert content(Archive("https://example.invalid/tiny.zip", (file,)), file) == TEXT


def test_the_cache_follows_the_xdg_rules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PYOD_EXPLAIN_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "pyod_explain"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache_folder() == Path.home() / ".cache" / "pyod_explain"


def test_no_network_says_what_to_put_where(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = data_file()
    archive = Archive((tmp_path / "absent.zip").as_uri(), (file,))
    with pytest.raises(PyodExplainError) as caught:
        content(archive, file)
    message = str(caught.value)
    for part in ("'tiny.csv.gz'", str(cache), archive.url, "PYOD_EXPLAIN_DATA"):
        assert part in message
    monkeypatch.setenv("PYOD_EXPLAIN_DATA", str(tmp_path / "mine"))
    with pytest.raises(PyodExplainError, match=r"into .*mine, or into"):
        content(archive, file)


def test_a_missing_page_is_the_same_error(cache: Path, server: tuple[str, Path, list[str]]) -> None:
    file = data_file()
    with pytest.raises(PyodExplainError, match="downloading it failed: HTTP Error 404") as caught:
        content(Archive(f"{server[0]}/gone.zip", (file,)), file)
    caught.value.__cause__.close()  # the answer of the server, an open file
    assert not cache.exists()


def test_damaged_files_are_errors_that_say_so(cache: Path) -> None:
    cache.mkdir()
    file = data_file()
    archive = Archive("https://example.invalid/tiny.zip", (file,))
    (cache / "tiny.zip").write_bytes(b"<html>please log in</html>")
    with pytest.raises(PyodExplainError, match="must be a zip archive"):
        content(archive, file)
    (cache / "tiny.zip").write_bytes(zipped(other=b""))
    with pytest.raises(PyodExplainError, match=r"must contain a file 'tiny\.data', but it has none"):
        content(archive, file)
    (cache / "tiny.csv.gz").write_bytes(gzip.compress(TEXT)[:-9])
    with pytest.raises(PyodExplainError, match="must be compressed by gzip"):
        content(archive, file)
    (cache / "tiny.csv.gz").write_bytes(gzip.compress(TEXT + b"59,nurse\n"))
    with pytest.raises(PyodExplainError, match=r"(?s)must have the SHA-256 checksum .* got .*Hint: delete it"):
        content(archive, file)


def test_a_cache_that_cannot_be_written_costs_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("PYOD_EXPLAIN_DATA", raising=False)
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("PYOD_EXPLAIN_CACHE", str(tmp_path / "file" / "cache"))
    (tmp_path / "tiny.zip").write_bytes(zipped(tiny_DOT_data=TEXT))
    file = data_file()
    assert content(Archive((tmp_path / "tiny.zip").as_uri(), (file,)), file) == TEXT
    assert "tiny.csv.gz could not be kept" in caplog.text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_only(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny.zip").write_bytes(zipped(tiny_DOT_data=TEXT))
    file = data_file()
    archive = Archive((tmp_path / "tiny.zip").as_uri(), (file,))
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    for stream in (None, io.StringIO(), terminal := Terminal()):
        monkeypatch.setattr(sys, "stderr", stream)
        content(archive, file)
        (cache / "tiny.csv.gz").unlink()
        assert stream is None or stream is terminal or stream.getvalue() == ""
    assert f"\r[{'#' * 24}] 100% tiny.zip, 0.0 MB, " in terminal.getvalue()
    assert terminal.getvalue().endswith(" \r")


def test_a_download_that_fails_leaves_no_bar(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(io.BytesIO):
        headers: ClassVar = {"Content-Length": "8"}

        def read(self, size: int | None = -1, /) -> bytes:
            if found := super().read(size):
                return found
            raise ConnectionResetError("gone")

    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr("urllib.request.urlopen", lambda *_, **__: Broken(b"half"))
    file = data_file()
    with pytest.raises(PyodExplainError, match="downloading it failed: gone"):
        content(Archive("https://example.invalid/tiny.zip", (file,)), file)
    assert " 50% tiny.zip" in terminal.getvalue()
    assert terminal.getvalue().endswith(" \r")
    assert not cache.exists()


def test_progress_without_a_total_counts_what_has_come(
    cache: Path, server: tuple[str, Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, folder, _ = server
    (folder / "silent.zip").write_bytes(zipped(tiny_DOT_data=TEXT, other=bytes(2_500_000)))
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    file = data_file()
    assert content(Archive(f"{address}/silent.zip", (file,)), file) == TEXT
    assert "0% silent.zip, 2.5 MB" in terminal.getvalue()
    assert (cache / "tiny.csv.gz").exists()


def test_the_cache_keeps_no_part_of_a_file(tmp_path, monkeypatch, caplog):
    cache = tmp_path / "cache"
    cache.mkdir()
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("a", b"text")
    file = DataFile("a.csv", "a", hashlib.sha256(b"text").hexdigest(), bytes)
    archive = Archive((tmp_path / "a.zip").as_uri(), (file,))

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv(CACHE_VARIABLE, str(cache))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        assert content(archive, file) == b"text"
    assert "could not be kept" in caplog.text
    assert snapshot(cache) == {}
    assert content(archive, file) == b"text"
    assert (cache / "a.csv").read_bytes() == b"text"
