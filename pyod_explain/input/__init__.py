"""Input: what the user passes, read once: the table, which rows are outliers and who says so, aligned row by row.

- a table: `read` (`arrow`, `columns`, `times`, `categories`) makes a `Table` of what the user has, `values` compares
  exactly;
- one value for each row: `alignment`, `row_counts`;
- outliers: `labels` reads labels, scores or a detector (`detector`) as `Outliers`.
"""

from pyod_explain.input.alignment import no_such_column, one_per_row, row_order, same_number_of_rows
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
from pyod_explain.input.columns import read_column, stack
from pyod_explain.input.detector import (
    carried_data,
    detector_input,
    fingerprint,
    is_adengine_result,
    is_detector,
    read_detector,
    without_feature_names,
)
from pyod_explain.input.labels import (
    REJECTED,
    Groups,
    LabelReader,
    Outliers,
    find_outliers,
    labels_in_column,
    read_labels,
)
from pyod_explain.input.read import as_frame, as_table, check_distinct_names, column_names, frame_of, has_names
from pyod_explain.input.row_counts import (
    draw_rows,
    partition_in_turn,
    random_partition,
    read_row_counts,
    robust_scale,
    split_mixed_rows,
)
from pyod_explain.input.table import Column, Kind, Table, by_content, number_distinct, sample_rows
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
    list_values,
    missing_columns,
    name_list,
    nan_safe_key,
    plain_number,
    plain_value,
    short_name,
    to_utc,
    whole_bound,
)
