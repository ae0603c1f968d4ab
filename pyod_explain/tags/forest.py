"""`ForestRules`: short paths of a random forest that tells a group from the rest (the paper's tags)."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

from pyod_explain.groups import Groups
from pyod_explain.table import Table
from pyod_explain.tags.maker import TagSet

__all__ = ["ForestRules"]


class ForestRules(BaseEstimator):
    """Tags that are paths of a random forest."""

    def __init__(self, n_rules: int = 2000, max_length: int = 3, *, random_state: Any = 0) -> None:
        self.n_rules = n_rules
        self.max_length = max_length
        self.random_state = random_state

    def make(self, table: Table, groups: Groups) -> TagSet:
        raise NotImplementedError
