"""Tags: what an instance can be said to be, and the makers that find tags worth saying about a group of outliers."""

from pyod_explain.input import Relation
from pyod_explain.tags.categories import MOST_NAMED, named_values
from pyod_explain.tags.condition import Condition, Op
from pyod_explain.tags.cuts import simplest
from pyod_explain.tags.evaluation import (
    Part,
    beyond,
    bound_of,
    evaluate,
    on_the_clock,
    part_of,
)
from pyod_explain.tags.forest import ForestRules
from pyod_explain.tags.given import GivenTags
from pyod_explain.tags.identifiers import choose_identifiers, find_identifiers
from pyod_explain.tags.items import (
    Items,
    find_items,
    is_category,
    only_ordered,
)
from pyod_explain.tags.itemsets import Itemsets
from pyod_explain.tags.language import Language
from pyod_explain.tags.lists import ListPrices, extra_bits
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
from pyod_explain.tags.mining import (
    ALGORITHMS,
    MOST_LONG,
    combine,
    frequent,
    in_different_places,
    most_longer,
)
from pyod_explain.tags.ordered import (
    TAILS,
    between,
    sides,
    threshold,
)
from pyod_explain.tags.packed import pack_tags
from pyod_explain.tags.plain import Plain
from pyod_explain.tags.prune import Evidence, choose
from pyod_explain.tags.relation_screen import (
    KEPT,
    Look,
    screen,
)
from pyod_explain.tags.relations import wanted
from pyod_explain.tags.shortlist import (
    Place,
    Shortlist,
    place_of,
)
from pyod_explain.tags.statements import Statement, statements
from pyod_explain.tags.tag import (
    Tag,
    require_columns,
    unique_features,
)
from pyod_explain.tags.tagset import (
    TagMaker,
    TagSet,
    clashing_column,
    join_tags,
)
from pyod_explain.tags.value_counts import (
    ValueCounts,
    comparable,
    count_values,
    gain,
    value_of,
)
from pyod_explain.tags.wording import (
    WEEKDAYS,
    value_text,
    value_texts,
)

__all__ = [
    "ALGORITHMS",
    "KEPT",
    "MOST_LONG",
    "MOST_NAMED",
    "TAILS",
    "WEEKDAYS",
    "Condition",
    "Evidence",
    "ForestRules",
    "GivenTags",
    "Items",
    "Itemsets",
    "Language",
    "ListPrices",
    "Look",
    "Op",
    "Part",
    "Place",
    "Plain",
    "Relation",
    "Shortlist",
    "Statement",
    "Tag",
    "TagMaker",
    "TagSet",
    "ValueCounts",
    "between",
    "beyond",
    "bound_of",
    "check_labels",
    "check_relations",
    "choose",
    "choose_identifiers",
    "clashing_column",
    "combine",
    "comparable",
    "count_values",
    "evaluate",
    "extra_bits",
    "few_of",
    "find_identifiers",
    "find_items",
    "frequent",
    "gain",
    "growing_maker",
    "in_different_places",
    "is_category",
    "join_given",
    "join_tags",
    "listed_relations",
    "make_tags",
    "most_longer",
    "named_values",
    "offered_to_all",
    "on_the_clock",
    "only_ordered",
    "pack_tags",
    "part_of",
    "place_of",
    "relations_without",
    "require_columns",
    "screen",
    "sides",
    "simplest",
    "spoken_of",
    "statements",
    "tags_about",
    "threshold",
    "unique_features",
    "value_of",
    "value_text",
    "value_texts",
    "wanted",
    "without_columns",
]
