"""`pyod-explain mcp`: explanations for agents, over the Model Context Protocol on standard input and output.

The server (`server`, `tools`) speaks the protocol and decides which files may be read (`folders`); it copies what is
read (`snapshot`) and hands the copies to a process of its own (`process`, `worker`), which does the work (`work`) and
may be ended when that takes too long.
"""
