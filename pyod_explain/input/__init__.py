"""Input: what the user passes, read once: the table, the outliers and who says so, everything row by row aligned."""
