"""Text files as people have them: letters, layout and cells; what was found out is told."""

from pyod_explain.cli.reading.how import How, Say, ignore
from pyod_explain.cli.reading.text_table import read_text
from pyod_explain.cli.reading.workbook import read_workbook

__all__ = ["How", "Say", "ignore", "read_text", "read_workbook"]
