"""The command `pyod-explain mcp`, without its server: help and mistakes are answered before the SDK is imported."""

from __future__ import annotations

from collections.abc import Sequence

from pyod_explain.cli.parser import Parser


def serve_agents(arguments: Sequence[str]) -> int:
    """Serve agents by the Model Context Protocol until the client leaves."""
    parser = Parser(
        "mcp",
        description="Serve agents by the Model Context Protocol, on standard input and output. Only files\n"
        "in the folders are read, and none is written without --write.",
    )
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="folder whose files, at any depth, may be read")
    parser.add_argument("--write", action="store_true", help="allow new reports in the folders; nothing is overwritten")
    parser.add_argument("--max-mb", type=int, default=200, metavar="N", help="largest file to read (default: 200)")
    options = parser.parse_args(arguments)
    from pyod_explain.cli.mcp_server import serve

    serve(options.folders, write=options.write, max_bytes=options.max_mb * 1_000_000)
    return 0
