"""`make_tags`: from what the user passes as `tags=` to a `TagSet`."""

from __future__ import annotations

from typing import Any

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.groups import Groups
from pyod_explain.table import Table
from pyod_explain.tags.forest import ForestRules
from pyod_explain.tags.given import GivenTags
from pyod_explain.tags.itemsets import Itemsets
from pyod_explain.tags.maker import TagMaker, TagSet

__all__ = ["make_tags"]


def make_tags(tags: Any, table: Table, groups: Groups, *, max_length: int = 3, random_state: Any = 0) -> TagSet:
    """Make the tags that the user's `tags=` argument asks for."""
    if isinstance(tags, str) and tags in ("auto", "itemsets"):
        return Itemsets(max_length=max_length).make(table, groups)
    if isinstance(tags, str) and tags == "forest":
        return ForestRules(max_length=max_length, random_state=random_state).make(table, groups)
    if isinstance(tags, TagMaker):
        return tags.make(table, groups)
    if isinstance(tags, list) or hasattr(tags, "columns"):
        return GivenTags(tags).make(table, groups)
    raise PyodExplainError(f"`tags` must be 'auto', 'itemsets', 'forest' or a maker, got {tags!r}.")
