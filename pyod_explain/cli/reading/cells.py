"""Cells that are texts to pandas, and numbers or gaps to a person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.cli.reading.notes import Notes
from pyod_explain.cli.reading.numerals import MISSING_WORDS, PLAIN, UNIT, numeral, tells
from pyod_explain.input import EXACT_UP_TO

__all__ = ["read_cells", "whole_numbers"]

LOOKED_AT = (10, 100)  # values that rule most columns of text out: few first, for tables of thousands of columns
NEARLY = 0.9  # share of numbers that makes the rest of a column worth a note
MARKS = re.compile(r"[.,]")
FILLERS = " \u00a0\u2007\u2009\u202f'\u2019"  # between thousands, and beside units
BEGINNING = 10_000  # rows that tell whether most texts are there once
DIGITS = bytes.maketrans(b"23456789", b"1" * 8)
NUMERALS = {sign: re.compile(numeral(sign)) for sign in ".,"}
WHOLE = re.compile(r"[-+]?\d+")
UNITS, PLAIN_NUMBER, ZERO = re.compile(UNIT), re.compile(PLAIN), re.compile("[-+]?0(?:[.,]0*)?")


def read_cells(frame: pd.DataFrame, sign: str | None, *, told: bool, notes: Notes) -> dict[str, pd.Series[Any]]:
    """Read columns of text that are numbers to a person, and give them by name.

    A column is read if all of it are numbers or words for missing. `1,234` is 1234 or 1.234: another value of the
    column tells, or the other columns of the file do; if nothing tells it stays text.

    Parameters
    ----------
    frame : the table as pandas has read it.
    sign : the decimal sign of the file; None if that is not known.
    told : the user says so.
    notes : where to write down what was read.
    """
    columns = {name: _Texts(frame[name]) for name in _likely(frame)}
    if sign is None:
        signs = {column.sign for column in columns.values()} & {".", ","}
        signs |= {"."} if any(_has_fractions(frame[name]) for name in frame.columns) else set()
        sign = signs.pop() if len(signs) == 1 else None
    read = {name: column.read(str(name), sign, told, notes) for name, column in columns.items()}
    return {name: series for name, series in read.items() if series is not None}


def _likely(frame: pd.DataFrame) -> Iterator[str]:
    """Give the columns of text whose first values, and some of the others, are numbers and words for missing."""
    for name in frame.columns:
        series = frame[name]
        if is_text(series) and all(_looks_numeric(series, n) for n in LOOKED_AT):
            yield name


def is_text(series: pd.Series[Any]) -> bool:
    """Tell whether a column that pandas read from a text file holds texts."""
    return series.dtype == object or isinstance(series.dtype, pd.StringDtype)


def _looks_numeric(series: pd.Series[Any], n: int) -> bool:
    places = sorted({*range(min(n, len(series))), *range(0, len(series), len(series) // n + 1)})
    few = [str(text).strip() for text in series.iloc[places].dropna().tolist()]
    fits = [tells(text) is not None or text.lower() in MISSING_WORDS for text in few]
    return sum(fits) >= NEARLY * len(fits)


def _has_fractions(series: pd.Series[Any]) -> bool:
    return series.dtype.kind == "f" and bool((series.dropna() % 1 != 0).any())


class _Texts:
    """The texts of a column, and where they stand; what can be told by its shape is told once for all alike.

    The shape of a text has 1 for each digit but 0: all patterns of numbers, units and words for missing are about it.
    So a million different texts are a few hundred shapes.
    """

    def __init__(self, series: pd.Series[Any]) -> None:
        self.index, self.name = series.index, series.name
        self.codes, texts = _coded(series)
        shapes = _shapes(texts)
        bare = {shape: shape.strip() for shape in dict.fromkeys(shapes)}
        if any(shape != inside for shape, inside in bare.items()):
            texts, shapes = [text.strip() for text in texts], [bare[shape] for shape in shapes]
        gaps = {shape for shape in bare.values() if shape.lower() in MISSING_WORDS}
        self.gap = np.array([shape in gaps for shape in shapes] if gaps else False, dtype=bool)
        self.gap = np.broadcast_to(self.gap, len(texts))
        self.words = [text for text, gap in zip(texts, self.gap, strict=True) if gap] if gaps else []
        self.there = [text for text, gap in zip(texts, self.gap, strict=True) if not gap] if gaps else texts
        self.of_there = [shape for shape in shapes if shape not in gaps] if gaps else shapes
        self.shapes = [shape for shape in dict.fromkeys(bare.values()) if shape not in gaps]

    @cached_property
    def sign(self) -> str | None:
        """The decimal sign: `?` if it may be either and it matters, None if these are no numbers."""
        fit = [sign for sign in ".," if all(map(NUMERALS[sign].fullmatch, self.shapes))]
        if not self.there or not fit:
            return None
        if len(fit) == 1:
            return fit[0]
        return "?" if any(map(MARKS.search, self.shapes)) else ""

    def read(self, name: str, file_sign: str | None, told: bool, notes: Notes) -> pd.Series[Any] | None:
        """Give the numbers, or None if they stay texts; both are noted where a person would want to know."""
        sign = self.sign
        if told and sign in (".", ",") and sign != file_sign:
            notes.otherwise[name] = (next(text for text in self.there if tells(text) == sign), sign)
            return None
        if sign is None:
            self._explain_text(name, file_sign if told else None, notes)
            return None
        units = self._units()
        if len(units) > 1:
            notes.mixed[name] = units
            return None
        if sign == "?" and file_sign is None:
            text = next(filter(MARKS.search, self.there))
            notes.unclear[name] = (
                text,
                _shown(_numbers([text], ".", units)[0]),
                _shown(_numbers([text], ",", units)[0]),
            )
            return None
        numbers = _numbers(self.there, str(file_sign) if sign == "?" else sign or ".", units)
        self._note(name, numbers, notes, decided=sign == "?" and not told)
        return pd.Series(self.in_place(numbers), index=self.index, name=self.name)

    def in_place(self, numbers: NDArray[Any]) -> Any:
        """Give each row its number, whole ones as such; gaps make fractions of them, unless a digit would be lost."""
        values = np.zeros(len(self.gap) + 1, numbers.dtype)  # the last for what pandas has as missing, whose code is -1
        values[np.flatnonzero(~self.gap)] = numbers
        read, missing = values[self.codes], np.append(self.gap, True)[self.codes]
        if read.dtype.kind != "f":
            kind = {"i": pd.Int64Dtype(), "u": pd.UInt64Dtype()}[read.dtype.kind]
            return pd.arrays.IntegerArray(read, missing).astype(kind) if missing.any() else read
        if missing.any():
            return np.where(missing, np.nan, read)
        return read.astype(np.int64) if (read == np.floor(read)).all() and np.abs(read).max() < EXACT_UP_TO else read

    def _units(self) -> list[str]:
        """Give the units in the column, and "none" where some numbers have none and that makes a difference."""
        units = list(dict.fromkeys(unit for shape in self.shapes for unit in UNITS.findall(shape)))
        bare = "%" in units and [shape for shape in self.shapes if "%" not in shape]
        if bare and not all(map(ZERO.fullmatch, bare)):  # 12 % and 0.12 may be the same share
            units.append("none")
        return units

    def _note(self, name: str, numbers: NDArray[Any], notes: Notes, *, decided: bool) -> None:
        if self.words:
            notes.missing[name] = [*dict.fromkeys(word or " " for word in self.words)]
        if decided:
            k = self.of_there.index(next(filter(MARKS.search, self.shapes)))
            notes.decided[name] = (self.there[k], _shown(numbers[k]))
        elif odd := [shape for shape in self.shapes if not PLAIN_NUMBER.fullmatch(shape)]:
            k = self.of_there.index(odd[0])
            notes.numbers[name] = (self.there[k], _shown(numbers[k]))

    def _explain_text(self, name: str, sign: str | None, notes: Notes) -> None:
        signs = ".," if sign is None else sign
        odd = {shape for shape in self.shapes if not any(NUMERALS[one].fullmatch(shape) for one in signs)}
        others = list(dict.fromkeys(t for t, shape in zip(self.there, self.of_there, strict=True) if shape in odd))
        if others and (sign is not None or len(others) <= (1 - NEARLY) * len(self.there)):
            notes.nearly[name] = others


def whole_numbers(series: pd.Series[Any]) -> pd.Series[Any] | None:
    """Read texts that are whole numbers, every digit of them; None if they are not, or too long for 64 bits.

    Parameters
    ----------
    series : the column as text.

    Examples
    --------
    >>> whole_numbers(pd.Series(["9007199254740993", None])).tolist()
    [9007199254740993, <NA>]
    """
    texts = _Texts(series)
    if not texts.there or texts.words or not all(map(WHOLE.fullmatch, texts.shapes)):
        return None
    numbers = _numbers(texts.there, ".", [])
    return None if numbers.dtype.kind == "f" else pd.Series(texts.in_place(numbers), series.index, name=series.name)


def _coded(series: pd.Series[Any]) -> tuple[NDArray[np.intp], list[str]]:
    """Give texts, and for each row the place of its own, -1 for none: each text once, unless most are there once."""
    there = series.notna().to_numpy(dtype=bool)
    start = series.iloc[:BEGINNING].dropna()
    if 2 * start.nunique() < len(start):
        codes, distinct = pd.factorize(series)
        return codes, [str(text) for text in distinct.tolist()]
    codes = np.where(there, np.cumsum(there) - 1, -1)
    return codes, [str(text) for text in (series if there.all() else series[there]).tolist()]


def _shapes(texts: list[str]) -> list[str]:
    """Give the shapes of texts.

    >>> _shapes(["$1,179.60", "$2,480.50", "(3 %)"])
    ['$1,111.10', '$1,110.10', '(1 %)']
    """
    joined = "\n".join(texts)
    if joined.count("\n") != max(len(texts) - 1, 0):  # a text of several lines
        return [_shapes([text])[0] if "\n" not in text else text for text in texts]
    shaped = joined.encode("utf-8", "surrogatepass").translate(DIGITS).decode("utf-8", "surrogatepass")
    return shaped.split("\n") if texts else []


def _numbers(texts: list[str], sign: str, units: list[str]) -> NDArray[Any]:
    """Give the numbers of texts that are numerals with this decimal sign, and these units at most.

    They are floats; whole numbers of more digits than these keep are integers, if there are such.
    """
    joined = "\n".join(texts)
    for unit in units:
        joined = joined.replace(unit, "")
    joined = joined.replace("," if sign == "." else ".", "").replace(",", ".").replace("\u2212", "-")
    if any(mark in joined for mark in FILLERS):
        joined = joined.translate(dict.fromkeys(map(ord, FILLERS)))
    if "(" in joined:
        joined = joined.replace("(", "-").replace(")", "")
    bare = joined.split("\n")
    found = np.array(bare, dtype=np.float64)
    if len(found) and np.abs(found).max() >= EXACT_UP_TO and not any(mark in joined for mark in ".eE"):
        whole = [int(text) for text in bare]
        for kind in (np.int64, np.uint64):
            if np.iinfo(kind).min <= min(whole) and max(whole) <= np.iinfo(kind).max:
                return np.array(whole, dtype=kind)
    return found


def _shown(number: Any) -> str:
    return f"{number:.15g}" if isinstance(number, float) else str(number)
