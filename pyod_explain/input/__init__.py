"""Input: what the user passes, read once: the table, the outliers and who says so, everything row by row aligned.

The values are `table.Table` (with its `Column`s), `outliers.Outliers` and `verdict.Verdict`.
What makes them, in the order of the data:

- a table: `read` takes it apart (`read_frame`: Polars and Arrow), `read_column` decides what each column is
  (`read_numbers`, `read_times`, `read_categories`); `exact`, `clock` and `scale` say what a number, a moment and a
  typical difference are;
- one value for each row: `alignment`, `arrays`, `row_order`; `labels`, `scores`, `weights`, or a `named_column`;
- a detector: `read_verdict` (`detector_verdict`, `adengine`), `training_rows` (`same_scores`), `detector_outliers`;
- `find_outliers` asks whoever of these knows; a `fingerprint` of the detector's labels tells a later fit.
"""
