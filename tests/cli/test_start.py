"""How the command starts and ends: exit codes, interrupts, readers that leave."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from command_line import ROOT, run, start_process

import pyod_explain


def test_ctrl_c_is_one_line(capsys, csv, monkeypatch):
    def stop(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("pyod_explain.cli.command.explain", stop)
    assert run(capsys, csv, "--labels", "odd", "--index", "id") == (130, "", "pyod-explain: interrupted\n")


def test_what_nobody_foresaw_is_one_line_too_and_a_traceback_if_asked_for(capsys, csv, monkeypatch):
    def fail(*_args, **_options):
        raise ZeroDivisionError("by\nnothing")

    monkeypatch.setattr("pyod_explain.cli.command.explain", fail)
    code, out, err = run(capsys, csv, "--labels", "odd", "--index", "id")
    assert (code, out) == (1, "")
    assert err == "pyod-explain: ZeroDivisionError: by nothing (not foreseen; --verbose shows where it happened)\n"
    code, out, err = run(capsys, csv, "--labels", "odd", "--verbose")
    assert (code, out) == (1, "")
    assert "Traceback" in err
    assert err.endswith("ZeroDivisionError: by\nnothing\n")


def test_ctrl_c_leaves_no_half_file(frame, tmp_path):
    path = tmp_path / "big.csv"
    noise = {f"x{i}": np.random.default_rng(i).normal(size=200) for i in range(20)}
    pd.concat([frame.assign(**noise)] * 40).to_csv(path, index=False)
    process = start_process(path, "--drop", "id", "-o", tmp_path / "r.html", "--placebo", 50, "--verbose")
    while b"groups" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert out == b""
    assert err.splitlines()[-1] == b"pyod-explain: interrupted"
    assert b"Traceback" not in err
    assert [one.name for one in tmp_path.iterdir()] == ["big.csv"]


def test_a_reader_that_leaves_early_is_no_error(csv):
    process = start_process(csv, "--labels", "odd", "--no-validate")
    process.stdout.close()
    err = process.stderr.read()
    process.wait(timeout=60)
    process.stderr.close()
    assert b"Traceback" not in err


def test_nobody_needs_to_read_the_help():
    process = start_process("--help")
    process.stdout.close()
    assert process.stderr.read() == b""
    process.wait(timeout=60)
    process.stderr.close()


def test_letters_that_the_terminal_lacks_are_escaped(frame, tmp_path, monkeypatch):
    frame[["amount", "odd"]].rename(columns={"amount": "größe"}).to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    out, err = start_process(tmp_path / "t.csv", "--labels", "odd", "--no-validate").communicate(timeout=60)
    assert rb"if gr\xf6\xdfe >= " in out
    assert err == b""


READY = """
import sys, pyod_explain.cli.start as cli
class Tell:
    def find_spec(self, name, *_):
        if name == "pyod_explain.cli.command":
            sys.stderr.write("ready\\n")
            sys.stderr.flush()
sys.meta_path.insert(0, Tell())
{more}
sys.exit(cli.main())
"""


def interrupt(csv, *arguments, wait=0.0, more="", times=1, sign=b"ready\n", **options):
    """Start the command, and interrupt it some time after it gave a sign; give its code and what it said since."""
    code = READY.replace("{more}", more)
    process = start_process(csv, "--labels", "odd", "--index", "id", *arguments, code=code, **options)
    while process.stderr.readline() != sign:
        assert process.poll() is None
    for _ in range(times):
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.parametrize("wait", [0.0, 0.02, 0.1, 0.3])
def test_an_interrupt_during_the_imports_is_one_line(csv, tmp_path, wait):
    path = tmp_path / "r.json"
    path.write_text("before")
    assert interrupt(csv, "-o", path, wait=wait) == (130, b"", b"pyod-explain: interrupted\n")
    assert path.read_text() == "before"
    assert {one.name for one in tmp_path.iterdir()} == {"payments.csv", "r.json"}


def test_an_interrupt_inside_an_extension_that_would_print_it_is_one_line_too(csv):
    """numpy's start of other packages' extensions prints what is raised in it, and raises another error."""
    more = """
import os
class Extension:
    def find_spec(self, name, *_):
        if name == "pyod_explain.cli.command":
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                sys.excepthook(*sys.exc_info())
                raise ImportError("numpy._core.multiarray failed to import")
sys.meta_path.insert(1, Extension())
"""
    process = start_process(csv, "--labels", "odd", code=READY.replace("{more}", more))
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"ready\npyod-explain: interrupted\n")


def test_several_interrupts_in_a_row_are_one(csv):
    assert interrupt(csv, wait=0.003, times=5) == (130, b"", b"pyod-explain: interrupted\n")


SWALLOWED = {
    "by a package": "try: time.sleep(60)\n    except: pass",
    "for another error": "try: time.sleep(60)\n    except BaseException as e: raise RuntimeError('lost') from e",
    "by Python, which prints it": "class D:\n        def __del__(self): time.sleep(60)\n    D()",
    "in a string, where Python ends by the signal": "exec('time.sleep(60)')",
}


@pytest.mark.parametrize("swallow", SWALLOWED.values(), ids=SWALLOWED)
def test_an_interrupt_that_is_swallowed_is_not_forgotten(csv, tmp_path, swallow):
    more = f"""
import time
import pyod_explain.cli.command as command
real = command.read_file
def read(*what):
    sys.__stderr__.write("reading\\n")
    sys.__stderr__.flush()
    {swallow}
    return real(*what)
command.read_file = read
"""
    path = tmp_path / "r.json"
    found = interrupt(csv, "-o", path, wait=0.05, more=more, sign=b"reading\n")
    assert found == (130, b"", b"pyod-explain: interrupted\n")
    assert not path.exists()


def test_an_interrupt_while_the_report_waits_for_its_reader_leaves_no_file(csv, tmp_path):
    """The report is printed before the files are put in place, so that 130 means that none was."""
    more = """
import pyod_explain.cli.command as command
from pyod_explain import Explanation
class Long(Explanation):
    def __str__(self):
        sys.stderr.write("printing\\n")
        sys.stderr.flush()
        return "x" * 10**6  # more than a pipe holds
real = command.explain
def explain(*arguments, **options):
    return Long(real(*arguments, **options).summary)
command.explain = explain
"""
    path = tmp_path / "r.json"
    path.write_text("before")
    code, _, err = interrupt(csv, "--no-validate", "-o", path, wait=0.2, more=more, sign=b"printing\n")
    assert (code, err) == (130, b"pyod-explain: interrupted\n")
    assert path.read_text() == "before"
    assert {one.name for one in tmp_path.iterdir()} == {"payments.csv", "r.json"}


def test_a_process_that_ignores_interrupts_goes_on(csv):
    ignore = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    code, out, _ = interrupt(csv, "--no-validate", before=ignore)
    assert code == 0
    assert out.startswith(b"Column 'odd' marks")


def test_the_command_is_ready_for_an_interrupt_before_it_imports_much():
    names = ["numpy", "pandas", "sklearn", "typing", "argparse", "enum", "contextlib"]
    code = f"import sys, pyod_explain.cli.start; print([n for n in {names} if n in sys.modules])"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=True)
    assert done.stdout == b"[]\n"


@pytest.mark.parametrize("module", ["pyod_explain", "pyod_explain.cli"])
def test_the_package_runs_as_the_command(module):
    done = subprocess.run(
        [sys.executable, "-m", module, "--version"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"pyod-explain {pyod_explain.__version__}\n"
