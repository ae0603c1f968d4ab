"""The summary as JSON, and back. The schema is versioned and described in docs/report.md.

`text` turns JSON text into plain data (dicts, lists, numbers, texts) and back, `write` and `read` plain data into a
summary and back. Every value that JSON has no word for (dates, tuples, infinities) is an object with a `type`, so that
what is read back equals what was written: see `values`, and `value_types` for the list of them. What is read is checked
twice: that each field has the type that it is declared with (`read`), and that all of them together make sense
(`consistency`).
"""

from pyod_explain.report.json.read import from_dict
from pyod_explain.report.json.schema import SCHEMA, VERSION
from pyod_explain.report.json.text import from_json, read_json, to_json
from pyod_explain.report.json.write import to_dict

__all__ = ["SCHEMA", "VERSION", "from_dict", "from_json", "read_json", "to_dict", "to_json"]
