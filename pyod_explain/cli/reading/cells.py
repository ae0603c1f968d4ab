"""Cells that are texts to pandas, and numbers or gaps to a person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.cli.reading.notes import Notes
from pyod_explain.cli.reading.numerals import MISSING_WORDS, PLAIN, UNIT, numeral, tells

__all__ = ["read_cells"]

LOOKED_AT = (10, 100)  # values that rule most columns of text out: few first, for tables of thousands of columns
NEARLY = 0.9  # share of numbers that makes the rest of a column worth a note
MARKS = re.compile(r"[.,]")
FILLERS = " \u00a0\u2007\u2009\u202f'\u2019"  # between thousands, and beside units
NO_UNIT = frozenset("0123456789.,+-\u2212eE()\n" + FILLERS)
NUMERALS = {sign: re.compile(numeral(sign)) for sign in ".,"}
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
    """The distinct texts of a column, and where they stand: lists and joined texts, which are fast for a million."""

    def __init__(self, series: pd.Series[Any]) -> None:
        self.index, self.name = series.index, series.name
        self.codes, distinct = pd.factorize(series)
        texts = [str(text).strip() for text in distinct.tolist()]
        self.gap = np.array([text.lower() in MISSING_WORDS for text in texts], dtype=bool)
        self.words = [text for text, gap in zip(texts, self.gap, strict=True) if gap]
        self.there = [text for text, gap in zip(texts, self.gap, strict=True) if not gap]

    @cached_property
    def sign(self) -> str | None:
        """The decimal sign: `?` if it may be either and it matters, None if these are no numbers."""
        few = {tells(text) for text in self.there[: LOOKED_AT[1]]}
        fit = [sign for sign in ".," if not few - {sign, "?"} and all(map(NUMERALS[sign].fullmatch, self.there))]
        if not self.there or not fit:
            return None
        if len(fit) == 1:
            return fit[0]
        return "?" if any(map(MARKS.search, self.there)) else ""

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
        values = np.full(len(self.gap) + 1, np.nan)  # the last for what pandas has as missing, whose code is -1
        values[np.flatnonzero(~self.gap)] = numbers
        read = values[self.codes]
        whole = not np.isnan(read).any() and (read == np.floor(read)).all() and np.abs(read).max() < 2**53
        return pd.Series(read.astype(np.int64) if whole else read, index=self.index, name=self.name)

    def _units(self) -> list[str]:
        """Give the units in the column, and "none" where some numbers have none and that makes a difference."""
        first = next((found[0] for text in self.there if (found := UNITS.findall(text))), None)
        if first is None or not set("".join(self.there).replace(first, "")) - NO_UNIT:
            units = [] if first is None else [first]
        else:
            units = list(dict.fromkeys(unit for text in self.there for unit in UNITS.findall(text)))
        bare = "%" in units and [text for text in self.there if "%" not in text]
        if bare and not all(map(ZERO.fullmatch, bare)):  # 12 % and 0.12 may be the same share
            units.append("none")
        return units

    def _note(self, name: str, numbers: np.ndarray[Any, Any], notes: Notes, *, decided: bool) -> None:
        if self.words:
            notes.missing[name] = [*dict.fromkeys(word or " " for word in self.words)]
        if decided:
            k = next(k for k, text in enumerate(self.there) if MARKS.search(text))
            notes.decided[name] = (self.there[k], _shown(numbers[k]))
        else:
            odd = next((k for k, text in enumerate(self.there) if not PLAIN_NUMBER.fullmatch(text)), None)
            if odd is not None:
                notes.numbers[name] = (self.there[odd], _shown(numbers[odd]))

    def _explain_text(self, name: str, sign: str | None, notes: Notes) -> None:
        signs = ".," if sign is None else sign
        others = [text for text in self.there if not any(NUMERALS[one].fullmatch(text) for one in signs)]
        if others and (sign is not None or len(others) <= (1 - NEARLY) * len(self.there)):
            notes.nearly[name] = others


def _numbers(texts: list[str], sign: str, units: list[str]) -> np.ndarray[Any, Any]:
    """Give the numbers of texts that are numerals with this decimal sign, and these units at most."""
    joined = "\n".join(texts)
    for unit in units:
        joined = joined.replace(unit, "")
    joined = joined.replace("," if sign == "." else ".", "").replace(",", ".").replace("\u2212", "-")
    if any(mark in joined for mark in FILLERS):
        joined = joined.translate(dict.fromkeys(map(ord, FILLERS)))
    if "(" in joined:
        joined = joined.replace("(", "-").replace(")", "")
    return np.array(joined.split("\n"), dtype=np.float64)


def _shown(number: float) -> str:
    return f"{number:.15g}"
