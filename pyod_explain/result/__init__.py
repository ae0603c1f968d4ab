"""The result: everything that a report says, as plain values, and the questions that can be asked of it."""

from pyod_explain.result.collect import collect, collect_nothing, outlier_rows
from pyod_explain.result.compare import Comparison, change_lines, compare, new_kinds
from pyod_explain.result.context import STALE, FitContext, OutlierOrigin, attach, need_table
from pyod_explain.result.counterfactual import Counterfactual, counterfactual
from pyod_explain.result.group import GroupExplanation, Rule, renamed
from pyod_explain.result.match import best_rule, contributions, free_name, group_of, match_rules, read_rows, scan
from pyod_explain.result.pairs import ACROSS, DOWN, Picture, choose_pairs, take_pictures
from pyod_explain.result.provenance import call_facts, file_facts, today
from pyod_explain.result.rows import RowExplanation, choose_examples, explain_row, find_row, to_rows
from pyod_explain.result.significance import p_value
from pyod_explain.result.summary import ColumnFacts, Figures, Holdout, Placebo, RuleChange, Summary, Validation
from pyod_explain.result.text import cell_text, count, number, percent, short_value
from pyod_explain.result.validation import DetailPoint, detail_curve, placebo, validate
