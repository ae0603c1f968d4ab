"""Groups: which outliers belong together."""

from pyod_explain.groups.split import all_together, choose_groups, split_by_reasons, split_outliers
from pyod_explain.input import Groups
