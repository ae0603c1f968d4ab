"""The command `pyod-explain`: `main` chooses one of `commands`, `run` does the work, `outputs` writes the files."""

from pyod_explain.cli.main import main
