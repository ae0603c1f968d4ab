"""What tests of the command line share: ways to run it, and characters that would harm a terminal."""

import os
import subprocess
import sys
from pathlib import Path

from pyod_explain.cli import main

ROOT = Path(__file__).parents[1]


def run(capsys, *arguments):
    """Run the command in this process; give its exit code, standard output and standard error."""
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as stopped:
        code = stopped.code
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def start_process(*arguments, code=None):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": ""}
    what = ["-m", "pyod_explain"] if code is None else ["-c", code]
    command = [sys.executable, *what, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


HOSTILE = "\x1b[31m\x07\x7f\x9b2J\u202e\u2028\u2066\x85"


def assert_harmless(text, *, but="\n"):
    assert [c for c in text if not c.isprintable() and c not in but] == []
