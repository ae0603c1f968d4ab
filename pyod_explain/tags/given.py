"""`GivenTags`: the user's own tags, as a boolean table, a sparse matrix, a list of `Tag`s or a column of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.groups import Groups
from pyod_explain.table import Column, Table
from pyod_explain.tags.maker import TagSet
from pyod_explain.tags.tag import Condition, Tag, unique_features

__all__ = ["GivenTags"]


class GivenTags(BaseEstimator):
    """The user's own tags.

    Parameters
    ----------
    tags : a boolean DataFrame or array, a scipy sparse matrix (rows of the table by tags), a list of `Tag`s, or
        the name of a column whose cells are collections of labels.
    names : names of the tags of a matrix; tag0, tag1, ... by default.
    """

    def __init__(self, tags: Any, names: Sequence[str] | None = None) -> None:
        self.tags = tags
        self.names = names

    def make(self, table: Table, groups: Groups) -> TagSet:
        if isinstance(self.tags, Sequence) and all(isinstance(tag, Tag) for tag in self.tags):
            tags = tuple(dict.fromkeys(self.tags))
            table.require(dict.fromkeys(column for tag in tags for column in tag.columns))
            return TagSet(tags, unique_features(tags))
        frame = self.tags
        columns = {
            str(name): Column(str(name), "boolean", frame[name].to_numpy(dtype=bool).astype(np.int32),
                              np.zeros(len(frame), dtype=bool), (False, True))
            for name in frame.columns
        }
        tags = tuple(Tag.of(Condition(name, "==", True)) for name in columns)
        return TagSet(tags, len(tags), columns=columns)
