"""Groups: which outliers belong together."""

from pyod_explain.groups.kmeans import Points, ask_clusterer, embed, kmeans, main_directions
from pyod_explain.groups.split import (
    all_together,
    choose_groups,
    number_by_name,
    number_by_size,
    split_by_reasons,
    split_outliers,
)
from pyod_explain.input import Groups
