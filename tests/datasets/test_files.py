"""The cache of data files."""

import errno
import hashlib
import os
import zipfile

from folders import snapshot

from pyod_explain.datasets.files import CACHE_VARIABLE, Archive, DataFile, content


def test_the_cache_keeps_no_part_of_a_file(tmp_path, monkeypatch, caplog):
    cache = tmp_path / "cache"
    cache.mkdir()
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("a", b"text")
    file = DataFile("a.csv", "a", hashlib.sha256(b"text").hexdigest(), bytes)
    archive = Archive((tmp_path / "a.zip").as_uri(), (file,))

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv(CACHE_VARIABLE, str(cache))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert content(archive, file) == b"text"
    assert "could not be kept" in caplog.text
    assert snapshot(cache) == {}
    assert content(archive, file) == b"text"
    assert (cache / "a.csv").read_bytes() == b"text"
