"""What only some systems have: tests of it are skipped elsewhere, with this reason."""

import os
import socket
from pathlib import Path

import pytest

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
needs_sockets = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no sockets with names here")
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device here that is always full")
needs_streams = pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="standard output has no name here")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="it takes away what only POSIX has")
