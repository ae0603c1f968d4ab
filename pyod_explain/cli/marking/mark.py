"""Labels off a column: as they are if they are 0 and 1, or by words or a test."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.cli.marking.condition import ColumnTest, name_before, parse_test
from pyod_explain.cli.marking.tally import MOST, Tally
from pyod_explain.cli.marking.words import NORMAL, outlier_word
from pyod_explain.cli.reading import Say
from pyod_explain.cli.usage import UsageError
from pyod_explain.input import name_list

__all__ = ["find_test", "free_mark", "mark_outliers"]

SHOWN = 6  # values that a message lists


def mark_outliers(frame: pd.DataFrame, test: ColumnTest, *, keep: bool) -> tuple[pd.DataFrame, str]:
    """Put a column that is true for outliers in place of the one that is tested, and give its name.

    Parameters
    ----------
    frame : the table.
    test : true for outliers.
    keep : the column has another use besides; it stays.
    """
    marks = test.matches(frame[test.column])
    name = free_mark(test, frame.columns)
    place = list(frame.columns).index(test.column)
    marked = frame if keep else frame.drop(columns=[test.column])
    marked = marked.copy(deep=False)
    marked.insert(min(place, marked.shape[1]), name, marks)
    return marked, name


def free_mark(test: ColumnTest, taken: Collection[str]) -> str:
    """Name the column that tells which rows pass, as no other is named."""
    name = str(test)
    while name in taken:
        name += "?"
    return name


def find_test(
    columns: Sequence[str], tally: Callable[[str], Tally], labels: str, values: list[str] | None, say: Say
) -> ColumnTest | None:
    """Find out how outliers are marked; None for a column that `explain` reads as it is.

    Parameters
    ----------
    columns : the names of the columns.
    tally : counts the values of one.
    labels : the column, or a test.
    values : what outliers have there, if the user says so.
    say : told which of two words was taken, and how many rows have no value.
    """
    if labels in columns and values is None:
        counted = tally(labels)
        if pd.api.types.is_numeric_dtype(counted.values):
            _check_numbers(counted, labels, say)
            return None
        return ColumnTest(labels, "==", (_word(counted, labels, say),))
    test = _one_of(labels, values or []) if labels in columns else _parsed(columns, labels, values)
    _check_marks(test, tally(test.column), say)
    return test


def _one_of(column: str, values: list[str]) -> ColumnTest:
    distinct = tuple(dict.fromkeys(values))
    return ColumnTest(column, "==" if len(distinct) == 1 else "in", distinct)


def _parsed(columns: Sequence[str], labels: str, values: list[str] | None) -> ColumnTest:
    test = parse_test(labels, columns)
    if test is None:
        named = name_before(labels)
        if named in columns:
            raise UsageError(
                f"--labels {labels!r} must compare column {named!r} with a value, got none.\n"
                f"Hint: --labels {shlex.quote(named)} takes the column as it is"
            )
        raise UsageError(f"--labels: the table has no column {named!r}; it has {name_list(list(columns))}.")
    if values is not None:
        raise UsageError("--outlier-values goes with a column in --labels, not with a test.")
    return test


def _check_marks(test: ColumnTest, counted: Tally, say: Say) -> None:
    """Refuse a test that tells no row from others; say how many have no value."""
    if counted.cut:
        return
    marks = test.matches(counted.values)
    whole = bool(marks.all()) and not counted.gaps
    if whole or not marks.any():
        raise UsageError(f"--labels {str(test)!r} must be true for some rows, got {'all' if whole else 'none'}.")
    if gaps := counted.gaps:
        say(f"{gaps:,} row{'s have' if gaps > 1 else ' has'} no value in column {test.column!r}: taken for normal")


def _word(counted: Tally, name: str, say: Say) -> str:
    words = counted.words
    if len(words) < 2:
        raise UsageError(
            f"--labels: all rows have {next(iter(words))!r} in column {name!r}; some must be outliers."
            if words
            else f"--labels: column {name!r} is empty."
        )
    word, why = outlier_word(words)
    if word is None:
        raise UsageError(_asked(counted, name))
    if counted.gaps:
        raise UsageError(_gaps(counted, name, "==", word))
    n = words[word]
    start = f"outliers are the {n:,} rows" if n > 1 else "the outlier is the 1 row"
    say(f"{start} with {word!r} in column {name!r} ({why}); --outlier-values says otherwise")
    return word


def _asked(counted: Tally, name: str) -> str:
    words = counted.words
    listed = ", ".join(f"{word!r} ({n:,})" for word, n in list(words.items())[:SHOWN])
    rest = f"{len(words) - SHOWN:,} more" if not counted.cut else "very many more"
    more = f" and {rest}" if len(words) > SHOWN else ""
    normal = [word for word in words if word.strip().lower() in NORMAL]
    rarest = list(words)[-1]
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


def _gaps(counted: Tally, name: str, operator: str, value: str) -> str:
    gaps = counted.gaps
    return (
        f"--labels: {gaps:,} row{'s have' if gaps > 1 else ' has'} no value in column {name!r}.\n"
        f"Hint: {_flag(name, operator, value)} takes {'them' if gaps > 1 else 'it'} for normal"
    )


def _check_numbers(counted: Tally, name: str, say: Say) -> None:
    """Refuse numbers that are no labels, in the words of the shell."""
    if counted.gaps:
        known = sorted(set(counted.values.tolist()))
        if not known:
            raise UsageError(f"--labels: column {name!r} is empty.")
        one = known[0] if set(known) == {-1, 1} else known[-1]  # of -1 and 1 the first marks outliers
        several = 0 in known and len(known) > 2  # numbers of groups
        raise UsageError(_gaps(counted, name, *(("!=", "0") if several else ("==", f"{float(one):.15g}"))))
    if pd.api.types.is_bool_dtype(counted.values):
        _note_most(counted, counted.values.to_numpy(dtype=bool), "true", "false", name, say)
        return
    values = counted.values.to_numpy()
    n_values = len(values)
    if counted.cut or (values != np.floor(values)).any() or n_values > max(20, counted.n_rows // 10):
        limit = f"{name} > {counted.quantile(0.95):.4g}"
        many = f"more than {MOST:,}" if counted.cut else f"{n_values:,}"
        raise UsageError(
            f"--labels: column {name!r} has {many} numbers, and which mark outliers is not plain.\n"
            f"Hint: --labels {shlex.quote(limit)}"
        )
    if 0 not in values and not set(values) <= {-1, 1}:
        raise UsageError(_asked(counted, name))
    minus = set(values) <= {-1, 1}
    words = ("-1", "1") if minus else ("not 0", "0")
    _note_most(counted, values == -1 if minus else values != 0, *words, name, say)


def _note_most(counted: Tally, marks: NDArray[np.bool_], word: str, other: str, name: str, say: Say) -> None:
    """Say so if most rows are outliers: the other ones may be meant."""
    marked = int(np.array(counted.counts)[marks].sum())
    if 2 * marked > counted.n_rows:
        say(
            f"{marked:,} of {counted.n_rows:,} rows are {word} in column {name!r} and taken for outliers; "
            f"--outlier-values {other} takes the others"
        )
