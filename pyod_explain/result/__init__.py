"""The result: everything that a report says, as plain values, and the questions that can be asked of it."""

from pyod_explain.result.any_row import ask_row
from pyod_explain.result.attachment import Attachment, holder_of
from pyod_explain.result.basis import (
    Basis,
    Recipe,
    need,
    restore,
)
from pyod_explain.result.chance import (
    check_placebo,
    look_at_chance,
    placebo,
)
from pyod_explain.result.checked import (
    Holdout,
    Placebo,
    Validation,
)
from pyod_explain.result.collect import (
    collect,
    collect_nothing,
    outlier_cells,
)
from pyod_explain.result.compare import DRIFT, compare
from pyod_explain.result.comparison import Comparison, RuleChange
from pyod_explain.result.contributions import contributions, rule_bits
from pyod_explain.result.counterfactual import Counterfactual, counterfactual
from pyod_explain.result.distance import distance
from pyod_explain.result.examples import Example, choose_examples
from pyod_explain.result.facts import Facts
from pyod_explain.result.group import (
    GroupExplanation,
    Profile,
    Rule,
    renamed,
)
from pyod_explain.result.locate import locate
from pyod_explain.result.match import (
    group_of,
    match_frame,
    match_rules,
    read_rows,
)
from pyod_explain.result.match_source import (
    read_beside,
    read_groups,
    read_matches,
)
from pyod_explain.result.misses import Misses, misses
from pyod_explain.result.order import by_what_they_add
from pyod_explain.result.origin import STALE, Origin
from pyod_explain.result.pairs import (
    Pair,
    choose_pairs,
    greedy_choice,
)
from pyod_explain.result.percent_points import (
    Points,
    has_days_alone,
    points_of,
)
from pyod_explain.result.pictures import (
    ACROSS,
    DOWN,
    Dot,
    Picture,
    take_pictures,
)
from pyod_explain.result.provenance import (
    call_facts,
    file_facts,
    today,
)
from pyod_explain.result.row import RowExplanation, explain_row
from pyod_explain.result.rows import COLUMNS
from pyod_explain.result.said import Said, free_name
from pyod_explain.result.significance import significance
from pyod_explain.result.summary import (
    NEARLY,
    WHERE,
    ColumnFacts,
    Summary,
)
from pyod_explain.result.told_source import read_contributions, read_told
from pyod_explain.result.tradeoff import (
    standing,
    tradeoff,
    tradeoff_of,
)
from pyod_explain.result.two_tables import matches_text, sizes_text
from pyod_explain.result.validation import (
    Part,
    deal_folds,
    find_again,
    relatives,
    validate,
)
from pyod_explain.result.which_rows import asked_all, to_rows
from pyod_explain.result.words import (
    alike,
    cell_text,
    count,
    number,
    percent,
    short_value,
)

__all__ = [
    "ACROSS",
    "COLUMNS",
    "DOWN",
    "DRIFT",
    "NEARLY",
    "STALE",
    "WHERE",
    "Attachment",
    "Basis",
    "ColumnFacts",
    "Comparison",
    "Counterfactual",
    "Dot",
    "Example",
    "Facts",
    "GroupExplanation",
    "Holdout",
    "Misses",
    "Origin",
    "Pair",
    "Part",
    "Picture",
    "Placebo",
    "Points",
    "Profile",
    "Recipe",
    "RowExplanation",
    "Rule",
    "RuleChange",
    "Said",
    "Summary",
    "Validation",
    "alike",
    "ask_row",
    "asked_all",
    "by_what_they_add",
    "call_facts",
    "cell_text",
    "check_placebo",
    "choose_examples",
    "choose_pairs",
    "collect",
    "collect_nothing",
    "compare",
    "contributions",
    "count",
    "counterfactual",
    "deal_folds",
    "distance",
    "explain_row",
    "file_facts",
    "find_again",
    "free_name",
    "greedy_choice",
    "group_of",
    "has_days_alone",
    "holder_of",
    "locate",
    "look_at_chance",
    "match_frame",
    "match_rules",
    "matches_text",
    "misses",
    "need",
    "number",
    "outlier_cells",
    "percent",
    "placebo",
    "points_of",
    "read_beside",
    "read_contributions",
    "read_groups",
    "read_matches",
    "read_rows",
    "read_told",
    "relatives",
    "renamed",
    "restore",
    "rule_bits",
    "short_value",
    "significance",
    "sizes_text",
    "standing",
    "take_pictures",
    "to_rows",
    "today",
    "tradeoff",
    "tradeoff_of",
    "validate",
]
