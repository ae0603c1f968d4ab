"""A run over many rows that is interrupted ends soon, and leaves no process, no file and no part of an output."""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np
import pandas as pd
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
pe.explain("y", chunks, sample=500, progress=told)
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


def test_writing_every_row(tmp_path):
    folder, out = tmp_path / "rows", tmp_path / "said.parquet"
    folder.mkdir()
    marked = (np.arange(5_000) % 100 == 7).astype(int)
    pd.DataFrame({"a": np.arange(5_000) % 89 + 900 * marked, "y": marked}).to_parquet(folder / "1.parquet")
    out.write_bytes(b"before")
    code = """
import sys, time
from pyod_explain.cli import start
import importlib
scan = importlib.import_module("pyod_explain.result.scan")
real = scan.rule_columns
def slow(*arguments):
    sys.__stdout__.write("writing\\n")
    sys.__stdout__.flush()
    time.sleep(30)
    return real(*arguments)
scan.rule_columns = slow
sys.exit(start.main())
"""
    arguments = (folder, "--labels", "y", "--sample", "500", "--no-validate", "--quiet", "-o", out)
    process = start_process(*arguments, code=code, cwd=tmp_path)
    _, err = interrupt(process, b"writing\n")
    assert (process.returncode, err.splitlines()[-1]) == (130, "pyod-explain: interrupted")
    assert out.read_bytes() == b"before"
    assert {path.name for path in tmp_path.rglob("*")} == {"rows", "1.parquet", "said.parquet"}
