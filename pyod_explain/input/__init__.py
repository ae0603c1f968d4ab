"""Input: what the user passes, read once: the table, which rows are outliers and who says so, aligned row by row.

- a table: `read` (`columns`, `times`, `categories`) makes a `Table` of what the user has; `values` compares exactly;
- one value for each row: `alignment`, `labels`, `row_counts`; `content_order` sorts rows by their content;
- outliers: `label_reader` reads labels, scores or a detector (`detector`, `training_rows`) as `Outliers`.
"""

from pyod_explain.input.alignment import named_column, no_such_column, one_per_row, row_order, same_number_of_rows
from pyod_explain.input.arrow import (
    arrow_column,
    arrow_table,
    check_cells,
    frame_from_arrow,
    pyarrow,
    schema_without_views,
    without_views,
)
from pyod_explain.input.categories import sort_key
from pyod_explain.input.columns import read_column, wide
from pyod_explain.input.content_order import by_content, sample_rows
from pyod_explain.input.detector import (
    carried_data,
    detector_input,
    fingerprint,
    is_adengine_result,
    is_detector,
    read_detector,
    without_feature_names,
)
from pyod_explain.input.errors import infinite_cells, list_values, missing_columns, name_list, short_name
from pyod_explain.input.groups import Groups
from pyod_explain.input.label_reader import LabelReader, find_outliers
from pyod_explain.input.labels import REJECTED, Outliers, labels_in_column, read_labels, read_scores
from pyod_explain.input.read import as_frame, as_table, column_names, frame_of, has_names
from pyod_explain.input.row_counts import (
    draw_rows,
    partition_in_turn,
    random_partition,
    read_counts,
    read_row_counts,
    robust_scale,
    split_mixed_rows,
)
from pyod_explain.input.table import CONDITION_CACHE_BYTES, MIN_CACHED_CONDITIONS, Column, Evaluated, Kind, Table
from pyod_explain.input.times import durations, moments, times_of_day
from pyod_explain.input.training_rows import MAX_COMPARED_ROWS, MAX_SCORED_ROWS, are_training_rows
from pyod_explain.input.values import (
    EXACT_UP_TO,
    HASH_MULTIPLIER,
    UNITS,
    Bound,
    Number,
    as_decimal,
    decimal_bound,
    double_bound,
    from_utc,
    has_hash,
    nan_safe_key,
    plain_number,
    plain_value,
    to_utc,
    whole_bound,
    zone_name,
)
