"""The command `pyod-explain`: chooses the subcommand, and prints errors."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from pyod_explain import __version__
from pyod_explain.cli.commands import COMMANDS, print_line
from pyod_explain.cli.request import SHELL
from pyod_explain.exceptions import ParameterError, PyodExplainError

ERROR, USAGE_ERROR, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141
HELP = """\
usage: pyod-explain [explain] FILE [options]
       pyod-explain COMMAND [arguments]

Explain the outliers of a table by a few readable rules per group.

commands (pyod-explain COMMAND --help shows the options):
  explain FILE        find or take the outliers of a table, and explain them
  diff NOW BEFORE     describe what is new in a table, compared with an earlier one
  compare A.json B.json
                      show what changed from one report to another
  detectors           list PyOD's detectors
  demo                explain outliers whose causes are known
  mcp FOLDER ...      serve agents by the Model Context Protocol

options:
  -h, --help          show this help
  --version           show the version

exit codes: 0 done, 1 error, 2 wrong command, 3 --exit-code found something new or changed.
To explain a file that is named like a command, write ./demo or explain demo."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code.

    Parameters
    ----------
    argv : the arguments; those of the process by default.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if argv is None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # for terminals that cannot show all characters
    try:
        code = _run_command(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # as the Python documentation recommends: the reader of the output has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except KeyboardInterrupt:
        print_line("pyod-explain: interrupted")
        return INTERRUPTED
    except PyodExplainError as error:
        print_line(f"pyod-explain: {error.render(SHELL)}")
        is_usage = isinstance(error, ParameterError) and SHELL.argument(error.argument).startswith("-")
        return USAGE_ERROR if is_usage else ERROR
    except (OSError, ImportError) as error:
        print_line(f"pyod-explain: {error}")
        return ERROR
    except Exception as error:  # noqa: BLE001 - a bug; the user gets one line, which says where to look
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"unexpected error in line {place.lineno} of {Path(place.filename).name}; please report it"
        print_line(f"pyod-explain: {type(error).__name__}: {error} ({where})")
        return ERROR
    return code


def _run_command(arguments: list[str]) -> int:
    first = arguments[0] if arguments else ""
    if first in ("-h", "--help"):
        print(HELP)
        return 0
    if first == "--version":
        print(f"pyod-explain {__version__}")
        return 0
    if not arguments:
        print_line("pyod-explain: name the table to explain; see pyod-explain --help")
        return USAGE_ERROR
    return COMMANDS[first](arguments[1:]) if first in COMMANDS else COMMANDS["explain"](arguments)
