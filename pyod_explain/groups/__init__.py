"""Groups: which outliers belong together."""

from pyod_explain.groups.cluster import ask_clusterer, kmeans
from pyod_explain.groups.groups import (
    Groups,
    all_together,
    number_by_name,
    number_by_size,
)
from pyod_explain.groups.points import (
    Points,
    embed,
    main_directions,
)
from pyod_explain.groups.split import split_outliers

__all__ = [
    "Groups",
    "Points",
    "all_together",
    "ask_clusterer",
    "embed",
    "kmeans",
    "main_directions",
    "number_by_name",
    "number_by_size",
    "split_outliers",
]
