"""Which rows the user marks as outliers: a column of 0 and 1 or of two words, or a test such as `status != ok`."""

from pyod_explain.cli.marking.mark import find_test, mark_outliers

__all__ = ["find_test", "mark_outliers"]
