"""The command `pyod-explain`: `main` chooses the subcommand, `run` does the work, `outputs` writes the files."""

from pyod_explain.cli.main import main
