"""Names of the columns of a text file: from its first line, or given to them; each once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.cli.reading.how import Say
from pyod_explain.cli.reading.layout import Layout
from pyod_explain.cli.reading.notes import columns_named
from pyod_explain.exceptions import PyodExplainError

__all__ = ["drop_fillers", "names_of"]


def names_of(layout: Layout, name: str, *, sniffed: bool, say: Say) -> list[str]:
    """Give a name to each column: what the first line says, `column_3` where that is nothing, `a.1` for a second `a`.

    Parameters
    ----------
    layout : how the file is laid out, with its first rows.
    name : what to call the file.
    sniffed : whether there is a header was found out, not told.
    say : told of names that the file does not have.
    """
    first, body = layout.rows[0], layout.rows[1:]
    width = max((len(row) for row in layout.rows), default=0)
    if not layout.header:
        if sniffed:
            known = "column_1" if width == 1 else f"column_1 to column_{width}"
            say(f"the first line looks like the others, and columns are named {known}; --header makes it their names")
        return [f"column_{k + 1}" for k in range(width)]
    most = Counter(map(len, body)).most_common(1)[0][0] if body else 0
    if most > len(first) + 1 or (most == 2 and len(first) == 1 and not layout.ends_with_sep):
        raise PyodExplainError(
            f"{name} names {len(first):,} column{'s' if len(first) > 1 else ''} in its first line, but has "
            f"{most:,} in those below.\nHint: remove lines before the table, or say what parts columns with --sep."
        )
    given = [cell.strip(" \t") or f"column_{k + 1}" for k, cell in enumerate(first)]
    if layout.ends_with_sep:
        given.append(f"column_{len(given) + 1}")
    return _each_once(given, say)


def _each_once(given: list[str], say: Say) -> list[str]:
    taken, names, renamed = set(given), [], {}
    seen: set[str] = set()
    for wanted in given:
        found, k = wanted, 0
        while found in seen or (k and found in taken):
            k += 1
            found = f"{wanted}.{k}"
        if k:
            renamed[found] = wanted
        seen.add(found)
        names.append(found)
    if renamed:
        twice = ", ".join(map(repr, list(dict.fromkeys(renamed.values()))[:6]))
        new = columns_named(renamed).partition(" ")[2]
        say(f"more than one column is named {twice}; from the second on called {new}")
    return names


def drop_fillers(frame: pd.DataFrame, layout: Layout, say: Say) -> pd.DataFrame:
    """Leave out columns without a name that are empty, as separators at the end of lines make them, or number the rows.

    Parameters
    ----------
    frame : the table.
    layout : how the file is laid out.
    say : told of row numbers.
    """
    if not layout.header:
        return frame
    first = layout.rows[0]
    nameless = [k for k in range(frame.shape[1]) if k >= len(first) or not first[k].strip()]
    fillers = [k for k in nameless if frame.iloc[:, k].isna().all()]
    if 0 in nameless and frame.shape[1] > 1 and _numbers_rows(frame.iloc[:, 0]):
        say("the first column has no name and numbers the rows; it was left out")
        fillers.append(0)
    return frame.drop(columns=frame.columns[fillers]) if fillers else frame


def _numbers_rows(column: pd.Series[Any]) -> bool:
    if len(column) < 2 or not pd.api.types.is_integer_dtype(column):
        return False
    counted = column.to_numpy(dtype=np.int64) - np.arange(len(column))
    return bool(np.isin(counted[0], (0, 1)) and (counted == counted[0]).all())
