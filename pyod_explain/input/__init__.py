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

from pyod_explain.input.adengine import carried_data, is_result
from pyod_explain.input.alignment import (
    one_per_row,
    row_order,
    same_number_of_rows,
)
from pyod_explain.input.clock import (
    UNITS,
    from_utc,
    to_utc,
    zone_name,
)
from pyod_explain.input.content_order import by_content
from pyod_explain.input.copies import (
    in_lines,
    read_copies,
    read_counts,
)
from pyod_explain.input.detector_outliers import labelled
from pyod_explain.input.detector_verdict import detector_input, nameless
from pyod_explain.input.errors import (
    infinite_cells,
    missing_columns,
    name_list,
    short_name,
    some,
)
from pyod_explain.input.evaluated import (
    FEWEST,
    ROOM,
    Evaluated,
)
from pyod_explain.input.exact import (
    Bound,
    Number,
    as_decimal,
    decimal_bound,
    double_bound,
    equal_to_itself,
    has_hash,
    plain_number,
    plain_value,
    whole_bound,
)
from pyod_explain.input.find_outliers import find_outliers
from pyod_explain.input.fingerprint import fingerprint
from pyod_explain.input.labels import labels_in_column, read_labels
from pyod_explain.input.named_column import named_column
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.read import (
    EXACT_UP_TO,
    as_frame,
    as_table,
    column_names,
    has_names,
)
from pyod_explain.input.read_categories import sort_key
from pyod_explain.input.read_column import read_column
from pyod_explain.input.read_numbers import wide
from pyod_explain.input.read_times import (
    durations,
    moments,
    times_of_day,
)
from pyod_explain.input.read_verdict import verdict_of
from pyod_explain.input.row_sample import sample_rows
from pyod_explain.input.same_scores import (
    agree,
    correlation,
    differ,
    some_equal,
)
from pyod_explain.input.scale import robust_scale
from pyod_explain.input.scores import read_scores
from pyod_explain.input.table import (
    Column,
    Kind,
    Table,
)
from pyod_explain.input.training_rows import (
    SAMPLE,
    WHOLE,
    are_training_rows,
)
from pyod_explain.input.verdict import Verdict, ask
from pyod_explain.input.weights import row_weights

__all__ = [
    "EXACT_UP_TO",
    "FEWEST",
    "ROOM",
    "SAMPLE",
    "UNITS",
    "WHOLE",
    "Bound",
    "Column",
    "Evaluated",
    "Kind",
    "Number",
    "Outliers",
    "Table",
    "Verdict",
    "agree",
    "are_training_rows",
    "as_decimal",
    "as_frame",
    "as_table",
    "ask",
    "by_content",
    "carried_data",
    "column_names",
    "correlation",
    "decimal_bound",
    "detector_input",
    "differ",
    "double_bound",
    "durations",
    "equal_to_itself",
    "find_outliers",
    "fingerprint",
    "from_utc",
    "has_hash",
    "has_names",
    "in_lines",
    "infinite_cells",
    "is_result",
    "labelled",
    "labels_in_column",
    "missing_columns",
    "moments",
    "name_list",
    "named_column",
    "nameless",
    "one_per_row",
    "plain_number",
    "plain_value",
    "read_column",
    "read_copies",
    "read_counts",
    "read_labels",
    "read_scores",
    "robust_scale",
    "row_order",
    "row_weights",
    "same_number_of_rows",
    "sample_rows",
    "short_name",
    "some",
    "some_equal",
    "sort_key",
    "times_of_day",
    "to_utc",
    "verdict_of",
    "whole_bound",
    "wide",
    "zone_name",
]
