"""Reports: views of an explanation. Each is a function of the finished result and computes nothing new."""

from pyod_explain.report.frame import escape_formulas, to_csv, to_frame
from pyod_explain.report.html import (
    MAX_PAGE_BYTES,
    to_html,
    to_snippet,
)
from pyod_explain.report.json import (
    SCHEMA,
    VERSION,
    from_dict,
    from_json,
    to_dict,
)
from pyod_explain.report.markdown import to_markdown
from pyod_explain.report.plots import draw
from pyod_explain.report.sentences import (
    answer_group,
    headline_text,
    placebo_sentence,
    proof_sentence,
    validation_sentence,
)
from pyod_explain.report.sql import to_sql, write_rule
from pyod_explain.report.sql_dialects import DIALECTS
from pyod_explain.report.text import to_text
from pyod_explain.report.views import Changes, Views
