"""Reports: views of an explanation. Each is a function of the finished result and computes nothing new."""

from pyod_explain.report.frame import to_csv, without_formulas
from pyod_explain.report.html import to_snippet
from pyod_explain.report.interactive import rows_part
from pyod_explain.report.json import from_dict, from_json
from pyod_explain.report.plots import draw, plot_detail
from pyod_explain.report.sql import write_rule
from pyod_explain.report.sql_dialects import DIALECTS
from pyod_explain.report.text import to_text
from pyod_explain.report.views import Changes, Views, written
