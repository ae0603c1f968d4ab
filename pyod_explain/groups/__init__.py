"""Groups: which outliers belong together."""
