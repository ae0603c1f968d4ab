"""Files are written whole or not at all."""

import os
import stat
import threading

import pytest

from pyod_explain._atomic import write_file
from pyod_explain.exceptions import FileError


def snapshot(folder):
    """Everything in a folder that a user could notice."""
    return {path.name: (path.lstat().st_mode, path.is_dir() or path.read_bytes()) for path in folder.rglob("*")}


@pytest.mark.parametrize("content", ["grün\n", "grün\n".encode(), lambda file: file.write("grün\n".encode())])
def test_a_file_is_written_and_replaced(tmp_path, content):
    for old in (None, "old"):
        path = tmp_path / "r.txt"
        if old:
            path.write_text(old)
        write_file(path, content)
        assert path.read_bytes() == "grün\n".encode()
    assert [one.name for one in tmp_path.iterdir()] == ["r.txt"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    (tmp_path / "r.txt").write_text("old")
    before = snapshot(tmp_path)

    def fail(file):
        file.write(b"half")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_file(tmp_path / "r.txt", fail)
    with pytest.raises(FileError, match="utf-8"):
        write_file(tmp_path / "r.txt", "\ud800")
    assert snapshot(tmp_path) == before


def test_permissions_stay_and_new_files_get_the_usual_ones(tmp_path):
    (tmp_path / "old").write_text("old")
    (tmp_path / "old").chmod(0o640)
    (tmp_path / "usual").write_text("")
    for name in ("old", "new"):
        write_file(tmp_path / name, "new")
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o640
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to("real")
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()))
    reader.start()
    write_file(tmp_path / "pipe", "new")
    reader.join()
    assert read == ["new"]
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("name", ["none/r", "folder", "file/r", "a\0b", "x" * 300])
def test_what_cannot_be_written_is_named(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old")
    before = snapshot(tmp_path)
    with pytest.raises(FileError, match="could not be written") as caught:
        write_file(f"{tmp_path}/{name}", "new")
    assert name in str(caught.value)
    assert snapshot(tmp_path) == before


def test_a_read_only_file_is_refused(tmp_path, monkeypatch):
    (tmp_path / "r").write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(FileError, match="read-only"):
        write_file(tmp_path / "r", "new")
