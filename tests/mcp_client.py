"""A client of the official SDK, connected to the command as a subprocess."""

import contextlib
import sys
from pathlib import Path

import pytest

import pyod_explain

ROOT = str(Path(pyod_explain.__file__).parents[1])


@contextlib.contextmanager
def connected(*arguments):
    """Start the server and give a function that calls a tool: whether it failed, and its texts."""
    anyio_thread = pytest.importorskip("anyio.from_thread", reason="needs the package mcp")
    mcp = pytest.importorskip("mcp", reason="needs the package mcp")
    stdio = pytest.importorskip("mcp.client.stdio", reason="needs the package mcp")
    command = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "pyod_explain", "mcp", *arguments], env={"PYTHONPATH": ROOT}
    )

    @contextlib.asynccontextmanager
    async def session():
        # Not the default, which is the `sys.stderr` of the first import: pytest may have replaced it.
        async with stdio.stdio_client(command, errlog=sys.__stderr__) as streams, mcp.ClientSession(*streams) as one:
            await one.initialize()
            yield one

    with anyio_thread.start_blocking_portal() as portal, portal.wrap_async_context_manager(session()) as client:

        def call(name, /, **given):
            result = portal.call(client.call_tool, name, given)
            told = result.model_dump(by_alias=True)
            return told["isError"], [one["text"] for one in told["content"]]

        call.tools = [one.model_dump(by_alias=True) for one in portal.call(client.list_tools).tools]
        yield call
