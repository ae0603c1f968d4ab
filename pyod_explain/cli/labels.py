from dataclasses import dataclass
from typing import Any
import pandas as pd
from pyod_explain.exceptions import ParameterError
from pyod_explain.cli.marking.mark import find_test, mark_outliers, free_mark
from pyod_explain.cli.marking.marked_source import MarkedSource
from pyod_explain.cli.marking.tally import Tally, tally_of_source
@dataclass(frozen=True)
class Marked:
    data: Any
    column: str
    condition: Any
    notes: tuple
def check_label_column(data, column):
    if isinstance(data, pd.DataFrame) and not pd.api.types.is_numeric_dtype(data[column]):
        raise ParameterError("labels", "a column of numbers", got=column, hint="--where")
def mark_rows(data, where, *, keep=()):
    notes=[]
    if isinstance(data, pd.DataFrame):
        t = find_test(list(data.columns), lambda n: Tally.of(data[n]), where, None, notes.append)
        f, name = mark_outliers(data, t, keep=t.column in keep)
        return Marked(f, name, t, tuple(notes))
    t = find_test(data.columns, lambda n: tally_of_source(data, n), where, None, notes.append)
    m = free_mark(t, data.columns)
    from pyod_explain.source import SelectedSource
    s = MarkedSource(data, t, m)
    return Marked(s if t.column in keep else SelectedSource(s, [c for c in s.columns if c != t.column]), m, t, tuple(notes))
