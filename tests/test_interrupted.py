"""A run over many rows that is interrupted ends soon, and leaves no process, no file and no part of an output."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest
from command_line import start_process

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent to a process")

EXPLAIN = """
import time
import numpy as np, pandas as pd
import pyod_explain as pe
rows = pd.DataFrame({"a": np.arange(20_000.0), "y": (np.arange(20_000) % 997 == 0).astype(int)})
def chunks():
    for _ in range(100):
        time.sleep(0.01)
        yield rows
def told(stage, share):
    if share > 0 or stage == "reading":
        print(stage, flush=True)
pe.explain("y", pe.LargeTable(chunks, sample=500), progress=told)
"""


def interrupt(process, sign):
    """Wait until a process gives a sign, and interrupt it; give how long it lived on, and what it said."""
    while (line := process.stdout.readline()) != sign:
        assert line, process.stderr.read().decode()
    process.send_signal(signal.SIGINT)
    begun = time.perf_counter()
    _, err = process.communicate(timeout=60)
    return time.perf_counter() - begun, err.decode()


@pytest.mark.parametrize("stage", ["reading", "counting"])
def test_reading_and_counting(stage, tmp_path):
    before = f"import os; os.environ['TMPDIR'] = {str(tmp_path)!r}"
    process = start_process(code=EXPLAIN, cwd=tmp_path, start_new_session=True, before=before)
    seconds, err = interrupt(process, f"{stage}\n".encode())
    assert process.returncode == -signal.SIGINT
    assert err.splitlines()[-1] == "KeyboardInterrupt"
    assert seconds < 20
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)  # nobody is left in its group
