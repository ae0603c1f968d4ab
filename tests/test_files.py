"""Files are written whole and together, through links and into pipes, and are left as they were if anything fails."""

import asyncio
import errno
import os
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Explanation, PyodExplainError, _files, explain
from pyod_explain._files import find_twins, staged, target_of, write_file
from pyod_explain.datasets import files as data_files
from pyod_explain.exceptions import FileError
from pyod_explain.report.spreadsheet import defused, to_csv

ROOT = Path(__file__).parent.parent
IS_NOT_ROOT = getattr(os, "geteuid", lambda: 1)() != 0


@pytest.fixture(scope="module")
def explanation():
    return explain([0] * 50 + [1] * 3, pd.DataFrame({"amount": [*range(50), 900, 950, 990]}))


def snapshot(folder):
    """Everything in a folder that a user could notice."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = path.lstat().st_mode
        content = path.readlink() if path.is_symlink() else path.read_bytes() if stat.S_ISREG(kind) else None
        found[path.name] = (kind, content)
    return found


def write_all(contents):
    with staged(contents) as batch:
        batch.commit()


def run_python(code, *arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": ""}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], env=environment, capture_output=True, check=False, **options
    )


# --- all or none ------------------------------------------------------------------------------------------------------


def make_folder(folder, kinds):
    """Make a target of each kind; give their paths."""
    paths = []
    for i, kind in enumerate(kinds):
        path = folder / f"target{i}"
        if kind in ("old", "read by all"):
            path.write_text(f"old {i}")
            path.chmod(0o640 if kind == "old" else 0o644)
        elif kind == "link":
            (folder / f"far{i}").write_text(f"old {i}")
            path.symlink_to(f"far{i}")
        elif kind == "link to nothing":
            path.symlink_to(f"far{i}")
        paths.append(path)
    return paths


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
            module = getattr(_files, owner)
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
        assert not [name for name in after if name.startswith(_files.PREFIX)]


class Interrupter:
    """Sends a real signal to this process at the n-th line that is executed in `_files.py`."""

    def __init__(self, at):
        self.at = at
        self.lines = 0

    def __call__(self, frame, event, _):
        if frame.f_code.co_filename != _files.__file__:
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                signal.raise_signal(signal.SIGINT)
        return self


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # a file just opened, dropped by the interrupt, and so closed
def test_an_interrupt_at_any_line_leaves_all_or_nothing_and_no_trace(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)  # hundreds of them would take seconds
    handlers = [signal.getsignal(one) for one in _files.HELD]
    both = (tmp_path / "a", tmp_path / "b")
    at, outcomes = 0, set()
    tracer = sys.gettrace()
    while True:
        at += 1
        for path in both:
            path.unlink(missing_ok=True)
        both[0].write_text("old")
        interrupter, interrupted = Interrupter(at), False
        try:
            sys.settrace(interrupter)
            write_all([(path, "new") for path in both])
        except KeyboardInterrupt:
            interrupted = True
        finally:
            sys.settrace(tracer)
        found = {path.name: path.read_text() for path in tmp_path.iterdir()}
        assert found in ({"a": "old"}, {"a": "new", "b": "new"}), f"line event {at}"
        assert [signal.getsignal(one) for one in _files.HELD] == handlers, f"line event {at}"
        assert interrupted == (interrupter.lines >= at)
        outcomes.add((interrupted, found["a"]))
        if not interrupted:
            break
    assert outcomes == {(True, "old"), (True, "new"), (False, "new")}


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
    monkeypatch.setattr("pyod_explain.explanation.to_json", lambda *_, **__: '{"column": "a\ud800"}')
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


def test_the_page_is_refused_before_the_work(explanation, tmp_path, monkeypatch):
    monkeypatch.setattr(Explanation, "validate", lambda *_: pytest.fail("work before the check"))
    with pytest.raises(PyodExplainError, match="The folder of"):
        explanation.to_html(tmp_path / "none" / "r.html")


# --- what is there ----------------------------------------------------------------------------------------------------


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


def test_a_reader_of_a_pipe_that_leaves_early_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: path.open("rb").close())
    reader.start()
    with pytest.raises(FileError, match=f"{path} could not be written: Broken pipe. No file was changed"):
        write_all([(path, "x" * 1_000_000), (tmp_path / "r", "beside")])
    reader.join(10)
    assert snapshot(tmp_path).keys() == {"pipe"}


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


def test_a_device_is_written_to(tmp_path):
    write_file("/dev/null", "away")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    (tmp_path / "r").write_text("old")
    with pytest.raises(FileError, match="No space left"):
        write_all([(tmp_path / "r", "new"), ("/dev/full", "x")])
    assert snapshot(tmp_path).keys() == {"r"}
    assert (tmp_path / "r").read_text() == "old"


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


# --- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none/r", "The folder of .*none/r must exist"),
        ("folder", "must not be a folder"),
        ("new/", "must have a name"),
        ("file/r", "cannot be written: Not a directory"),
        ("loop", "cannot be written: Too many levels of symbolic links"),
        ("a\0b", "cannot be written: embedded null byte"),
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


def test_a_path_must_be_a_path(explanation):
    for wrong in (3, b"r.json", ["r.json"], True):
        with pytest.raises(PyodExplainError, match="`path` must be a str or a Path"):
            explanation.to_json(wrong)


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


# --- signals ----------------------------------------------------------------------------------------------------------


def test_a_signal_that_ends_the_process_leaves_no_temporary_file(tmp_path):
    code = (
        "import os, sys, signal; from pyod_explain._files import staged\n"
        "with staged([(sys.argv[1], 'new')]) as batch:\n"
        "    assert len(os.listdir(os.path.dirname(sys.argv[1]))) == 2\n"
        "    os.kill(os.getpid(), getattr(signal, sys.argv[2]))\n"
        "    batch.commit()\n"
    )
    path = tmp_path / "r"
    path.write_text("old")
    for name in ("SIGTERM", "SIGHUP"):
        done = run_python(code, path, name)
        assert done.returncode == -getattr(signal, name)
        assert done.stderr == b""
        assert snapshot(tmp_path).keys() == {"r"}
        assert path.read_text() == "old"


def test_a_handler_of_the_users_own_stays(tmp_path):
    received = []
    before = signal.signal(signal.SIGTERM, lambda *_: received.append(1))
    try:
        with staged([(tmp_path / "r", "new")]) as batch:
            signal.raise_signal(signal.SIGTERM)
            batch.commit()
        assert received == [1]
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (tmp_path / "r").read_text() == "new"


def test_a_signal_that_had_to_wait_is_answered_once_also_by_an_event_loop(tmp_path, monkeypatch):
    replace = Path.replace

    def told(self, target):
        signal.raise_signal(signal.SIGTERM)
        return replace(self, target)

    async def write():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, answered.append, 1)
        write_file(tmp_path / "r", "new")
        await asyncio.sleep(0.05)
        asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)

    answered = []
    monkeypatch.setattr(Path, "replace", told)
    asyncio.run(write())
    assert answered == [1]
    assert (tmp_path / "r").read_text() == "new"


def test_files_are_written_where_python_takes_another_thread_for_the_main_one(tmp_path):
    code = (
        "import _thread, sys, time\n"
        "assert 'threading' not in sys.modules  # it takes the thread that imports it for the main one\n"
        "ended = []\n"
        "def write():\n"
        "    try:\n"
        "        from pyod_explain._files import write_file\n"
        "        write_file(sys.argv[1], 'new')\n"
        "    finally: ended.append(1)\n"
        "_thread.start_new_thread(write, ())\n"
        "while not ended: time.sleep(0.01)\n"
    )
    done = run_python(code, tmp_path / "r", timeout=60)
    assert done.stderr == b""
    assert (tmp_path / "r").read_text() == "new"


def test_files_are_written_without_what_only_some_systems_have(tmp_path):
    code = (
        "import os, signal, socket, sys\n"
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


def test_files_are_written_from_any_thread(tmp_path):
    thread = threading.Thread(target=write_file, args=(tmp_path / "r", "new"))
    thread.start()
    thread.join()
    assert (tmp_path / "r").read_text() == "new"


# --- the cache of data files ------------------------------------------------------------------------------------------


def test_the_cache_keeps_no_part_of_a_file(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv(data_files.CACHE_VARIABLE, str(tmp_path))
    file = data_files.DataFile("a.csv", "a", "", bytes)

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    data_files._store(file, b"text")
    assert "could not be kept" in caplog.text
    assert snapshot(tmp_path) == {}
    monkeypatch.undo()
    monkeypatch.setenv(data_files.CACHE_VARIABLE, str(tmp_path))
    data_files._store(file, b"text")
    assert (tmp_path / "a.csv").read_bytes() == b"text"


# --- spreadsheets -----------------------------------------------------------------------------------------------------

SIGNS = "=+-@＝＋－＠"  # noqa: RUF001 - the full-width signs are the point


@given(st.text(st.sampled_from(list("=+-@＝＠\t\r\n ;,a1'\"\0")), max_size=8))  # noqa: RUF001 - likewise
def test_no_cell_starts_a_formula_and_nothing_else_changes(text):
    safe = defused(text)
    assert not safe.startswith(("\t", "\r", "\n"))
    cells = [safe]
    for end in ";\t\r\n":  # wherever a spreadsheet may end a cell
        cells = [part for cell in cells for part in cell.split(end)]
    assert not any(cell.lstrip(" \0").startswith(tuple(SIGNS)) for cell in cells)
    assert defused(safe) == safe
    if not any(sign in text for sign in (*SIGNS, "\t", "\r", "\n")):
        assert safe == text


def test_numbers_are_no_formulas():
    frame = pd.DataFrame({"=h": ["-3 <= x <= 5", "plain", None], "n": [-1.5, 2.0, 0.0]})
    text, changed = to_csv(frame)
    assert text == '"\'=h","n"\n"\'-3 <= x <= 5",-1.5\n"plain",2.0\n"",0.0\n'
    assert changed == 2
