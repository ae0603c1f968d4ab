"""Labels off a column: as they are if they are 0 and 1, or by words or a test."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.cli.marking.condition import ColumnTest, name_before, parse_test
from pyod_explain.cli.marking.words import NORMAL, outlier_word
from pyod_explain.cli.reading import Say
from pyod_explain.cli.usage import UsageError
from pyod_explain.input.errors import name_list

__all__ = ["find_test", "mark_outliers"]

SHOWN = 6  # values that a message lists


def mark_outliers(frame: pd.DataFrame, test: ColumnTest, *, keep: bool, say: Say) -> tuple[pd.DataFrame, str]:
    """Put a column that is true for outliers in place of the one that is tested, and give its name.

    Parameters
    ----------
    frame : the table.
    test : true for outliers.
    keep : the column has another use besides; it stays.
    say : told how many rows have no value.
    """
    series = frame[test.column]
    marks = test.matches(series)
    if marks.all() or not marks.any():
        raise UsageError(f"--labels {str(test)!r} must be true for some rows, got {'all' if marks.all() else 'none'}.")
    gaps = int(series.isna().sum())
    if gaps:
        say(f"{gaps:,} row{'s have' if gaps > 1 else ' has'} no value in column {test.column!r}: taken for normal")
    name = str(test)
    while name in frame.columns:
        name += "?"
    place = list(frame.columns).index(test.column)
    marked = frame if keep else frame.drop(columns=[test.column])
    marked = marked.copy(deep=False)
    marked.insert(min(place, marked.shape[1]), name, marks)
    return marked, name


def find_test(frame: pd.DataFrame, labels: str, values: list[str] | None, say: Say) -> ColumnTest | None:
    """Find out how outliers are marked; None for a column that `explain` reads as it is.

    Parameters
    ----------
    frame : the table.
    labels : the column, or a test.
    values : what outliers have there, if the user says so.
    say : told which of two words was taken.
    """
    if labels not in frame.columns:
        test = parse_test(labels, frame.columns)
        if test is None:
            named = name_before(labels)
            if named in frame.columns:
                raise UsageError(
                    f"--labels {labels!r} must compare column {named!r} with a value, got none.\n"
                    f"Hint: --labels {shlex.quote(named)} takes the column as it is"
                )
            raise UsageError(f"--labels: the table has no column {named!r}; it has {name_list(list(frame.columns))}.")
        if values is not None:
            raise UsageError("--outlier-values goes with a column in --labels, not with a test.")
        return test
    if values is not None:
        return ColumnTest(labels, "in", tuple(values))
    series = frame[labels]
    if pd.api.types.is_numeric_dtype(series):
        _check_numbers(series, labels, say)
        return None
    return ColumnTest(labels, "==", (_word(series, labels, say),))


def _word(series: pd.Series[Any], name: str, say: Say) -> str:
    counts = series.value_counts()
    counts = counts[counts > 0]  # a category may have no row
    if len(counts) < 2:
        raise UsageError(
            f"--labels: all rows have {str(counts.index[0])!r} in column {name!r}; some must be outliers."
            if len(counts)
            else f"--labels: column {name!r} is empty."
        )
    word, why = outlier_word({str(word): int(n) for word, n in counts.items()})
    if word is None:
        raise UsageError(_asked(counts, name))
    if series.isna().any():
        raise UsageError(_gaps(series, name, "==", word))
    n = int(counts[word])
    start = f"outliers are the {n:,} rows" if n > 1 else "the outlier is the 1 row"
    say(f"{start} with {word!r} in column {name!r} ({why}); --outlier-values says otherwise")
    return word


def _asked(counts: pd.Series[int], name: str) -> str:
    listed = ", ".join(f"{str(word)!r} ({n:,})" for word, n in counts.iloc[:SHOWN].items())
    more = f" and {len(counts) - SHOWN:,} more" if len(counts) > SHOWN else ""
    normal = [str(word) for word in counts.index if str(word).strip().lower() in NORMAL]
    rarest = str(counts.index[-1])
    if len(normal) == 1:
        hint = _flag(name, "!=", normal[0])
    elif "," in rarest or rarest != rarest.strip() or rarest.startswith("-") or name.startswith("-"):
        hint = _flag(name, "==", rarest)
    else:
        hint = f"--labels {shlex.quote(name)} --outlier-values {shlex.quote(rarest)}"
    return f"--labels: column {name!r} has {listed}{more}, and which of them mark outliers is not plain.\nHint: {hint}"


def _flag(name: str, operator: str, value: str) -> str:
    """Write a test as a shell takes it, so that it is read as it is meant."""
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\"`"
    text = f'{name} {operator} "{value}"' if quoted or value != value.strip() else f"{name} {operator} {value}"
    return f"--labels{'=' if text.startswith('-') else ' '}{shlex.quote(text)}"


def _gaps(series: pd.Series[Any], name: str, operator: str, value: str) -> str:
    gaps = int(series.isna().sum())
    return (
        f"--labels: {gaps:,} row{'s have' if gaps > 1 else ' has'} no value in column {name!r}.\n"
        f"Hint: {_flag(name, operator, value)} takes {'them' if gaps > 1 else 'it'} for normal"
    )


def _check_numbers(series: pd.Series[Any], name: str, say: Say) -> None:
    """Refuse numbers that are no labels, in the words of the shell."""
    if series.isna().any():
        known = sorted(set(series.dropna().tolist()))
        if not known:
            raise UsageError(f"--labels: column {name!r} is empty.")
        one = known[0] if set(known) == {-1, 1} else known[-1]  # of -1 and 1 the first marks outliers
        several = 0 in known and len(known) > 2  # numbers of groups
        raise UsageError(_gaps(series, name, *(("!=", "0") if several else ("==", f"{float(one):.15g}"))))
    if pd.api.types.is_bool_dtype(series):
        _note_most(series.to_numpy(dtype=bool), "true", "false", name, say)
        return
    values = np.unique(series.to_numpy())
    if (values != np.floor(values)).any() or len(values) > max(20, len(series) // 10):
        limit = f"{name} > {float(np.quantile(series, 0.95)):.4g}"
        raise UsageError(
            f"--labels: column {name!r} has {len(values):,} numbers, and which mark outliers is not plain.\n"
            f"Hint: --labels {shlex.quote(limit)}"
        )
    if 0 not in values and not set(values) <= {-1, 1}:
        raise UsageError(_asked(series.value_counts(), name))
    minus = set(values) <= {-1, 1}
    _note_most(
        series.to_numpy() == -1 if minus else series.to_numpy() != 0,
        *(("-1", "1") if minus else ("not 0", "0")),
        name,
        say,
    )


def _note_most(marks: NDArray[np.bool_], word: str, other: str, name: str, say: Say) -> None:
    """Say so if most rows are outliers: the other ones may be meant."""
    if marks.mean() > 0.5:
        say(
            f"{int(marks.sum()):,} of {len(marks):,} rows are {word} in column {name!r} and taken for outliers; "
            f"--outlier-values {other} takes the others"
        )
