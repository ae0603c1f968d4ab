"""Groups: which outliers belong together."""

from pyod_explain.groups.cluster import kmeans
from pyod_explain.groups.groups import Groups, all_together, number_by_size
from pyod_explain.groups.points import main_directions
from pyod_explain.groups.split import split_outliers

__all__ = ["Groups", "all_together", "kmeans", "main_directions", "number_by_size", "split_outliers"]
