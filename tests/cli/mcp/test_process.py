import os
import subprocess
import sys
import threading
import time

import pytest
from mcp_client import ROOT

from pyod_explain.cli.mcp import process
from pyod_explain.cli.mcp.process import Worker, WorkError

# In place of the real one, which takes seconds to start: it does what it is told.
FAKE = """
import json, os, sys, time
for line in sys.stdin:
    task = json.loads(line)["task"]
    if task == "sleep": time.sleep(60)
    if task == "die": os._exit(3)
    if task == "child":
        child = os.fork()
        if not child: time.sleep(60)
        open(sys.argv[1], "w").write(str(child))
        time.sleep(60)
    if task == "half": os.write(1, b'{"texts": ['), os._exit(3)
    print(json.dumps({"error": "no."} if task == "fail" else {"texts": [str(os.getpid())]}), flush=True)
"""


@pytest.fixture
def worker(monkeypatch):
    monkeypatch.setattr(process, "COMMAND", (sys.executable, "-c", FAKE))
    one = Worker(20)
    yield one
    one.stop()


def test_one_process_answers_all_requests(worker):
    [first] = worker.ask({"task": "pid"})
    with pytest.raises(WorkError, match=r"^no\.$"):
        worker.ask({"task": "fail"})
    assert worker.ask({"task": "pid"}) == [first]
    assert int(first) != os.getpid()


def test_what_takes_too_long_is_ended_and_the_next_request_answered(worker):
    worker.start()
    worker.seconds, started = 0.5, time.monotonic()
    with pytest.raises(WorkError, match=r"longer than 0.5 seconds and was stopped"):
        worker.ask({"task": "sleep"})
    assert time.monotonic() - started < 20
    worker.seconds = 20
    assert worker.ask({"task": "pid"})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="groups of processes are of Unix")
def test_what_the_process_started_ends_with_it(worker, tmp_path, monkeypatch):
    """Else it would go on, and keep the pipe open on which the answer is waited for."""
    monkeypatch.setattr(process, "COMMAND", (*process.COMMAND, str(tmp_path / "child")))
    worker.seconds, started = 1, time.monotonic()
    with pytest.raises(WorkError, match="longer than 1 seconds"):
        worker.ask({"task": "child"})
    assert time.monotonic() - started < 30


def test_what_is_given_up_before_its_turn_is_not_asked(worker):
    given_up = threading.Event()
    given_up.set()
    with pytest.raises(WorkError, match="Nobody waits"):
        worker.ask({"task": "sleep"}, given_up)
    assert worker.ask({"task": "pid"})


@pytest.mark.parametrize("task", ["die", "half"])
def test_a_process_that_ends_is_told_and_replaced(worker, task):
    with pytest.raises(WorkError, match="ended early"):
        worker.ask({"task": task})
    assert worker.ask({"task": "pid"})


def test_the_worker_ends_with_its_server_in_the_midst_of_work(tmp_path):
    """As when the server is killed: its end of the pipe is closed."""
    environment = {**os.environ, "PYTHONPATH": ROOT}
    with subprocess.Popen(process.COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as one:
        one.stdin.write(b'{"task": "detectors", "folder": "."}\n')
        one.stdin.close()
        assert one.wait(timeout=60) == 0


def test_a_call_that_is_cancelled_ends_its_work(worker, tmp_path):
    anyio = pytest.importorskip("anyio", reason="needs the package mcp")
    pytest.importorskip("mcp", reason="needs the package mcp")
    from pyod_explain.cli.mcp.folders import Folders
    from pyod_explain.cli.mcp.tools import Limits, Tools

    async def cancelled():
        tools = Tools(Folders([str(tmp_path)]), worker, Limits(), str(tmp_path), ValueError)
        [before] = worker.ask({"task": "pid"})
        with anyio.move_on_after(0.3) as scope:
            await tools._texts({"task": "sleep"}, {})
        assert scope.cancelled_caught
        [after] = await tools._texts({"task": "pid"}, {})
        assert after != before

    anyio.run(cancelled)
    assert list(tmp_path.iterdir()) == []
