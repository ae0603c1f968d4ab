"""Tags: what an instance can be said to be, and the makers that find tags worth saying about a group of outliers."""

from pyod_explain.input.relation import Relation
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.forest import ForestRules
from pyod_explain.tags.given import GivenTags
from pyod_explain.tags.identifiers import choose_identifiers
from pyod_explain.tags.itemsets import Itemsets
from pyod_explain.tags.language import Language
from pyod_explain.tags.make import (
    check_labels,
    check_relations,
    few_of,
    growing_maker,
    join_given,
    listed_relations,
    make_tags,
    offered_to_all,
    relations_without,
    spoken_of,
    tags_about,
    without_columns,
)
from pyod_explain.tags.tag import Tag
from pyod_explain.tags.tagset import TagMaker, TagSet

__all__ = [
    "Condition",
    "ForestRules",
    "GivenTags",
    "Itemsets",
    "Language",
    "Relation",
    "Tag",
    "TagMaker",
    "TagSet",
    "check_labels",
    "check_relations",
    "choose_identifiers",
    "few_of",
    "growing_maker",
    "join_given",
    "listed_relations",
    "make_tags",
    "offered_to_all",
    "relations_without",
    "spoken_of",
    "tags_about",
    "without_columns",
]
