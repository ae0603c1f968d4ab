"""Files are written whole and together, and are left as they were if anything fails."""

import errno
import os
import shutil
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from folders import make_folder, snapshot, write_all
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Explanation, PyodExplainError, explain
from pyod_explain._files import PREFIX
from pyod_explain.exceptions import FileError


@pytest.fixture(scope="module")
def explanation():
    return explain([0] * 50 + [1] * 3, pd.DataFrame({"amount": [*range(50), 900, 950, 990]}))


KINDS = st.lists(st.sampled_from(["old", "read by all", "new", "link", "link to nothing"]), min_size=1, max_size=4)

CALLS = ["os.open", "os.fsync", "os.link", "os.fdopen", "shutil.copy2", "Path.replace", "shutil.copystat", "os.chown"]


@settings(max_examples=150)
@given(
    kinds=KINDS, fail_at=st.integers(0, 25), links=st.booleans(), fault=st.sampled_from([OSError, KeyboardInterrupt])
)
def test_whatever_call_fails_all_files_are_written_or_none_is_touched(kinds, fail_at, links, fault):
    done, armed = [], [True]

    def faulty(name, real):
        def call(*arguments, **options):
            if name == "os.link" and not links:
                raise OSError(errno.EPERM, "no hard links here")
            done.append(name)
            if armed[0] and len(done) == fail_at:
                armed[0] = False  # what is put back can be put back
                raise fault(errno.EIO, "broken disk") if fault is OSError else fault
            return real(*arguments, **options)

        return call

    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        folder = Path(place)
        paths = make_folder(folder, kinds)
        before = snapshot(folder)
        for name in CALLS:
            owner, _, attribute = name.partition(".")
            module = {"os": os, "shutil": shutil, "Path": Path}[owner]
            patch.setattr(module, attribute, faulty(name, getattr(module, attribute)))
        try:
            write_all([(path, f"new {i}") for i, path in enumerate(paths)])
            failed = False
        except (FileError, KeyboardInterrupt):
            failed = True
        patch.undo()
        after = snapshot(folder)
        if failed:
            # The folder is synced last, when all is in place; an interrupt there is one that came after.
            in_place = [path.read_text() == f"new {i}" if path.exists() else False for i, path in enumerate(paths)]
            assert after == before or (all(in_place) and fault is KeyboardInterrupt)
        else:
            assert [path.read_text() for path in paths] == [f"new {i}" for i in range(len(paths))]
            assert {name: one[0] for name, one in after.items() if name in before} == {
                name: one[0] for name, one in before.items()
            }
        assert not [name for name in after if name.startswith(PREFIX)]


def test_a_rename_that_fails_in_the_middle_is_undone(tmp_path, monkeypatch):
    paths = make_folder(tmp_path, ["old", "new", "old"])
    before = snapshot(tmp_path)
    real = Path.replace

    def replace(self, target):
        if target == paths[2]:
            raise OSError(errno.EBUSY, "busy")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(FileError, match=r"target2 could not be written: busy\. No file was changed\."):
        write_all([(path, "new") for path in paths])
    assert snapshot(tmp_path) == before


def test_what_cannot_be_put_back_is_kept_beside(tmp_path, monkeypatch):
    paths = make_folder(tmp_path, ["old", "old"])
    real = Path.replace
    done = []

    def replace(self, target):
        done.append(target)
        if len(done) > 1:
            raise OSError(errno.EIO, "broken disk")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(FileError, match=r"could not be put back .* what it was is in (\S+)\.") as caught:
        write_all([(path, "new") for path in paths])
    kept = str(caught.value).rpartition(" in ")[2].removesuffix(".")
    assert Path(kept).read_text() == "old 0"


def test_a_text_that_utf8_cannot_hold_leaves_the_old_file(explanation, tmp_path, monkeypatch):
    monkeypatch.setattr("pyod_explain.report.views.to_json", lambda *_, **__: '{"column": "a\ud800"}')
    path = tmp_path / "r.json"
    path.write_text("old")
    with pytest.raises(PyodExplainError, match=r"must be text that UTF-8 can hold, got '\\ud800'"):
        explanation.to_json(path)
    assert path.read_text() == "old"
    assert snapshot(tmp_path).keys() == {"r.json"}


@pytest.mark.parametrize("method", ["to_json", "to_html", "to_markdown"])
def test_exports_leave_the_old_file_if_the_disk_is_full(explanation, tmp_path, monkeypatch, method):
    path = tmp_path / "r"
    path.write_text("old")

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match=r"r could not be written: No space left on device\. No file was changed\."):
        getattr(explanation, method)(path)
    assert snapshot(tmp_path).keys() == {"r"}
    assert path.read_text() == "old"


def test_exports_write_what_they_return(explanation, tmp_path):
    for method in ("to_json", "to_html", "to_markdown"):
        text = getattr(explanation, method)(str(tmp_path / method))
        assert (tmp_path / method).read_bytes().decode() == text
    assert Explanation.from_json(tmp_path / "to_json") == explanation


def test_a_page_for_a_folder_that_is_not_there_is_refused(explanation, tmp_path):
    with pytest.raises(PyodExplainError, match="The folder of"):
        explanation.to_html(tmp_path / "none" / "r.html")


def test_a_path_must_be_a_path(explanation):
    for wrong in (3, b"r.json", ["r.json"], True):
        with pytest.raises(PyodExplainError, match="`path` must be a str or a Path"):
            explanation.to_json(wrong)
