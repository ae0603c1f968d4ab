"""Tags: conjunctions of conditions, and the makers that find candidates for a group of outliers."""

from pyod_explain.tags.condition import Condition, Op, evaluate, on_the_clock
from pyod_explain.tags.cuts import simplest
from pyod_explain.tags.forest import ForestRules, paths_of
from pyod_explain.tags.identifiers import choose_identifiers, find_identifiers
from pyod_explain.tags.items import find_items
from pyod_explain.tags.itemsets import Itemsets, Shortlist
from pyod_explain.tags.make import GivenTags, fast_variant, growing_maker, make_tags, union_of_tags
from pyod_explain.tags.price import Prices, log2_binomial, log_star
from pyod_explain.tags.rule_text import PARSERS, SIGN, parse_cell, read_rule, split_condition
from pyod_explain.tags.tag import (
    Statement,
    Tag,
    TagSet,
    needed,
    pack_tags,
    require_columns,
    statements,
    unique_features,
)
from pyod_explain.tags.terms import WEEKDAYS, DatePart, DerivedTerm, Relation, Term, value_text, value_texts
from pyod_explain.tags.value_counts import count_values, gain, lifted
