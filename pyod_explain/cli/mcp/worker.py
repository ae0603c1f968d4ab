"""The process that does the work: a request a line on standard input, an answer a line on what was standard output."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading

__all__ = ["main"]


def main() -> int:
    """Answer requests until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server is interrupted, and ends us
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)  # what any package prints is no answer
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    from pyod_explain.cli.mcp.work import Desk

    desk, home = Desk(), os.getcwd()  # noqa: PTH109
    while True:
        request = json.loads(requests.get())
        os.chdir(request["folder"])  # of the copies, so that messages have the names of files alone
        try:
            answer = desk.answer(request)
        finally:
            os.chdir(home)  # else Windows could not remove them
        out.write(f"{json.dumps(answer)}\n")
        out.flush()


def _listen(requests: queue.SimpleQueue[bytes]) -> None:
    """Pass on what is asked; end the process with the server, in the midst of work too."""
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
