"""What a path stands for: what cannot be written is refused, and two names of one file are noticed."""

import errno
import os
import tempfile
from pathlib import Path

import pytest
from folders import run_python, snapshot, write_all

from pyod_explain._files import find_twins, target_of, write_file
from pyod_explain.exceptions import FileError

IS_NOT_ROOT = getattr(os, "geteuid", lambda: 1)() != 0


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none/r", "The folder of .*none/r must exist"),
        ("folder", "must not be a folder"),
        ("new/", "must have a name"),
        ("file/r", "cannot be written: Not a directory"),
        ("loop", "cannot be written: Too many levels of symbolic links"),
        ("a\0b", "cannot be written: .*embedded null"),
        ("x" * 300, "cannot be written: File name too long"),
    ],
)
def test_what_cannot_be_written_is_refused_by_its_name(tmp_path, path, message):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old")
    (tmp_path / "loop").symlink_to("loop")
    before = snapshot(tmp_path)
    with pytest.raises(FileError, match=message):
        write_file(f"{tmp_path}/{path}", "new")
    assert snapshot(tmp_path) == before


def test_a_name_as_long_as_names_may_be_is_written(tmp_path):
    path = tmp_path / ("x" * 255)
    write_file(path, "new")
    assert path.read_text() == "new"


def test_read_only_files_and_folders_are_refused(tmp_path, monkeypatch):
    """Root may write everywhere, so the system's answer is put in its mouth."""
    (tmp_path / "r").write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)
        with pytest.raises(FileError, match="r must be writable; it is read-only"):
            write_file(tmp_path / "r", "new")

    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FileError, match=r"The folder of .*r must be writable.*: Permission denied"):
        write_file(tmp_path / "r", "new")
    assert (tmp_path / "r").read_text() == "old"


@pytest.mark.skipif(IS_NOT_ROOT, reason="only root can become somebody else")
def test_somebody_elses_folder_is_refused():
    code = (
        "import os, sys; from pyod_explain._files import write_file; from pyod_explain import PyodExplainError\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "for path in sys.argv[1:]:\n"
        "    try: write_file(path, 'new')\n"
        "    except PyodExplainError as error: print(error)"
    )
    # A folder of its own, the only one whose rights it changes: pytest's are shared, and closed to others on purpose.
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        (folder / "r").write_text("old")
        (folder / "r").chmod(0o644)
        said = run_python(code, folder / "r", folder / "new").stdout.decode()
        assert "must be writable; it is read-only" in said
        assert "The folder of" in said
        assert snapshot(folder).keys() == {"r"}


def test_the_same_file_twice_is_noticed_by_any_name(tmp_path, monkeypatch):
    (tmp_path / "r").write_text("old")
    (tmp_path / "link").symlink_to("r")
    os.link(tmp_path / "r", tmp_path / "hard")
    (tmp_path / "gone").symlink_to("new")
    (tmp_path / "here").symlink_to(".")
    monkeypatch.chdir(tmp_path)
    for one, other in [
        (tmp_path / "r", "r"),
        ("r", "./here/r"),
        ("r", "link"),
        ("r", "hard"),
        ("new", "here/new"),
        ("gone", "new"),
    ]:
        with pytest.raises(FileError, match="must be two files"):
            write_all([(one, "1"), (other, "2")])
    assert find_twins([target_of("r"), target_of("R"), target_of("new"), target_of("NEW")]) is None
    monkeypatch.setattr(Path, "exists", lambda self: self.name.isupper())  # a folder that ignores case
    assert find_twins([target_of("new"), target_of("NEW")]) is not None
