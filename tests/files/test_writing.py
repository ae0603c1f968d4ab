"""Links, rights and owners stay; pipes, devices and sockets are written to."""

import os
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from folders import ROOT, run_python, snapshot, write_all
from systems import needs_full, needs_pipes, needs_posix, needs_sockets, needs_streams

from pyod_explain._files import write_file
from pyod_explain.exceptions import FileError

IS_NOT_ROOT = getattr(os, "geteuid", lambda: 1)() != 0


def test_a_link_stays_a_link_and_what_it_points_to_is_written(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "real").write_text("old")
    (tmp_path / "one").symlink_to("deep/real")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    write_file(tmp_path / "two", "new")
    assert (tmp_path / "two").is_symlink()
    assert (tmp_path / "one").is_symlink()
    assert (tmp_path / "deep" / "real").read_text() == "new"
    (tmp_path / "three").symlink_to("deep/made")
    write_file(tmp_path / "three", "new")
    assert (tmp_path / "three").is_symlink()
    assert (tmp_path / "deep" / "made").read_text() == "new"


def test_rights_stay_and_new_files_get_the_usual_ones(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("old")
    old.chmod(0o604)
    before = os.umask(0o027)
    try:
        write_all([(old, "x"), (new, "y")])
    finally:
        os.umask(before)
    assert stat.S_IMODE(old.stat().st_mode) == 0o604
    assert stat.S_IMODE(new.stat().st_mode) == 0o640


def access_list(*entries):
    """A list of rights as Linux stores it: (kind, rights, user)."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="Linux keeps access lists as attributes")
def test_access_lists_and_attributes_stay(tmp_path):
    path = tmp_path / "old"
    path.write_text("old")
    os.utime(path, (0, 0))
    nobody = 0xFFFFFFFF
    rights = access_list((1, 6, nobody), (2, 6, 1234), (4, 4, nobody), (16, 6, nobody), (32, 0, nobody))
    try:
        os.setxattr(path, "system.posix_acl_access", rights)  # a user more may write, the group only read
        os.setxattr(path, "user.note", b"mine")
    except OSError as error:
        pytest.skip(f"this folder keeps no access lists: {error}")
    write_file(path, "new")
    assert os.getxattr(path, "system.posix_acl_access") == rights
    assert os.getxattr(path, "user.note") == b"mine"
    assert path.stat().st_mtime > 0
    assert path.read_text() == "new"


@pytest.mark.skipif(IS_NOT_ROOT, reason="only root can become somebody else")
def test_a_member_of_the_group_keeps_the_file_the_groups():
    code = (
        "import os, sys; from pyod_explain._files import write_file\n"
        "os.setgroups([4321]); os.setgid(65534); os.setuid(65534)\n"
        "write_file(sys.argv[1], 'new')"
    )
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o777)
        path = Path(place, "r")
        path.write_text("old")
        os.chown(path, 0, 4321)
        path.chmod(0o664)
        assert run_python(code, path).stderr == b""
        assert path.read_text() == "new"
        assert (path.stat().st_uid, path.stat().st_gid) == (65534, 4321)


@needs_pipes
def test_a_reader_of_a_pipe_that_leaves_early_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: path.open("rb").close())
    reader.start()
    with pytest.raises(FileError, match=f"{path} could not be written: Broken pipe. No file was changed"):
        write_all([(path, "x" * 1_000_000), (tmp_path / "r", "beside")])
    reader.join(10)
    assert snapshot(tmp_path).keys() == {"pipe"}


@needs_pipes
def test_a_pipe_is_written_to(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    got = []
    reader = threading.Thread(target=lambda: got.append(path.read_text()))
    reader.start()
    write_all([(path, "through"), (tmp_path / "r", "beside")])
    reader.join(10)
    assert got == ["through"]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert (tmp_path / "r").read_text() == "beside"


@needs_sockets
def test_a_socket_is_written_to(tmp_path):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        write_file(path, "through")
        connection, _ = server.accept()
        with connection:
            assert connection.recv(100) == b"through"
    assert stat.S_ISSOCK(path.stat().st_mode)


@needs_full
def test_a_device_is_written_to(tmp_path):
    write_file("/dev/null", "away")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    (tmp_path / "r").write_text("old")
    with pytest.raises(FileError, match="No space left"):
        write_all([(tmp_path / "r", "new"), ("/dev/full", "x")])
    assert snapshot(tmp_path).keys() == {"r"}
    assert (tmp_path / "r").read_text() == "old"


@needs_streams
@pytest.mark.parametrize("kind", ["file", "pipe"])
def test_standard_output_is_written_to_where_printing_is(tmp_path, kind):
    code = (
        "import sys; from pyod_explain._files import write_file\n"
        "print('first'); write_file('/dev/stdout', 'second\\n'); print('third')"
    )
    if kind == "pipe":
        assert run_python(code).stdout == b"first\nsecond\nthird\n"
    else:
        with (tmp_path / "out").open("wb") as out:
            subprocess.run(
                [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=out, check=True
            )
        assert (tmp_path / "out").read_text() == "first\nsecond\nthird\n"
        assert snapshot(tmp_path).keys() == {"out"}


@needs_posix
def test_files_are_written_without_what_only_some_systems_have(tmp_path):
    code = (
        "import os, signal, socket, sys\n"
        "sys.modules['psutil'] = None\n"  # joblib imports it where it is installed, and it needs what is taken away
        "del os.chown, os.fchmod, os.fchown, os.geteuid, os.getuid, signal.SIGHUP, socket.AF_UNIX\n"
        "def refuse(*_): raise OSError(22, 'not here')\n"
        "os.link, open_file = refuse, os.open\n"
        "os.open = lambda path, *a, **k: refuse() if os.path.isdir(path) else open_file(path, *a, **k)\n"
        "from pyod_explain._files import staged\n"
        "with staged([(path, 'new') for path in sys.argv[1:]]) as batch: batch.commit()\n"
        "import pyod_explain.cli.start, pyod_explain.cli.command\n"
    )
    (tmp_path / "old").write_text("old")
    done = run_python(code, tmp_path / "old", tmp_path / "r")
    assert done.stderr == b""
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old": "new", "r": "new"}
