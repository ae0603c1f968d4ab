"""Input: what the user passes, read once: the table, which rows are outliers and who says so, aligned row by row.

- a table: `read` (`arrow`, `columns`, `times`, `categories`) makes a `Table` of what the user has, `values` compares
  exactly;
- one value for each row: `alignment`, `row_counts`;
- outliers: `labels` reads labels, scores or a detector (`detector`) as `Outliers`.
"""

from pyod_explain.input.alignment import one_per_row, row_order
from pyod_explain.input.arrow import arrow_column, arrow_table, check_cells, frame_from_arrow, pyarrow
from pyod_explain.input.categories import sort_key
from pyod_explain.input.columns import read_column, stack
from pyod_explain.input.detector import detector_input, fingerprint, read_detector, without_feature_names
from pyod_explain.input.labels import Groups, LabelReader, Outliers, read_labels
from pyod_explain.input.read import as_frame, as_table, check_distinct_names, column_names, frame_of, has_names
from pyod_explain.input.row_counts import draw_rows, partition_in_turn, random_partition, robust_scale, split_mixed_rows
from pyod_explain.input.table import Column, Kind, Table, by_content, number_distinct, sample_rows
from pyod_explain.input.values import EXACT_UP_TO, Number, name_list, nan_safe_key, plain_number, plain_value, to_utc
