"""Interrupts and other signals leave all files or none, and no trace."""

import asyncio
import os
import signal
import sys
import threading
from pathlib import Path

import pytest
from folders import run_python, snapshot, write_all

import pyod_explain._files
from pyod_explain._files import HELD, staged, write_file

FOLDER = Path(pyod_explain._files.__file__).parent


class Interrupter:
    """Sends a real signal to this process at the n-th line that is executed in `pyod_explain/_files`."""

    def __init__(self, at):
        self.at = at
        self.lines = 0

    def __call__(self, frame, event, _):
        if Path(frame.f_code.co_filename).parent != FOLDER:
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                signal.raise_signal(signal.SIGINT)
        return self


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # a file just opened, dropped by the interrupt, and so closed
def test_an_interrupt_at_any_line_leaves_all_or_nothing_and_no_trace(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)  # hundreds of them would take seconds
    handlers = [signal.getsignal(one) for one in HELD]
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
        assert [signal.getsignal(one) for one in HELD] == handlers, f"line event {at}"
        assert interrupted == (interrupter.lines >= at)
        outcomes.add((interrupted, found["a"]))
        if not interrupted:
            break
    assert outcomes == {(True, "old"), (True, "new"), (False, "new")}


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


def test_files_are_written_from_any_thread(tmp_path):
    thread = threading.Thread(target=write_file, args=(tmp_path / "r", "new"))
    thread.start()
    thread.join()
    assert (tmp_path / "r").read_text() == "new"
