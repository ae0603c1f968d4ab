"""Values of any type survive, or are refused by their place."""

import datetime as dt
import enum
import fractions
import ipaddress
import pathlib
import uuid
import zoneinfo
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, Explanation, PyodExplainError, Tag, explain

pytestmark = pytest.mark.usefixtures("few_looks")


@pytest.mark.parametrize(
    "label",
    [
        "text", 3, 2.5, float("inf"), True, None, (1, "a"), b"\x00\xff", pd.Timestamp("2024-01-01 00:00:00.000000001"),
        pd.Timestamp("2024-07-01", tz="Europe/Paris"), pd.Timestamp("2024-07-01", tz="UTC"), pd.Timedelta("1 day 3 ns"),
    ],
)  # fmt: skip
def test_row_labels_of_any_type_survive(label):
    frame = pd.DataFrame({"x": [1, 2, 9]}, index=pd.Index(["a", "b", label], dtype=object))
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], frame, [0, 0, 1])
    again = Explanation.from_json(e.to_json())
    assert again.groups[0].rows == (label,)
    assert type(again.groups[0].rows[0]) is type(label)


def test_dates_and_decimals_in_conditions_survive():
    values = [dt.date(2024, 1, 2), dt.datetime(2024, 1, 2, 3, tzinfo=dt.UTC), Decimal("1.10"), dt.timedelta(seconds=3)]
    for value in values:
        tag = Tag.of(Condition("x", "==", value))
        e = explain_by([[tag]], pd.DataFrame({"x": [1, 2, 9]}), [0, 0, 1])
        assert Explanation.from_json(e.to_json()).rules[0].tag == tag


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    HIGH = 1


class Word(enum.StrEnum):
    YES = "yes"


class Point(NamedTuple):
    x: int
    y: int


PARIS = zoneinfo.ZoneInfo("Europe/Paris")

moments = st.datetimes(pd.Timestamp("1700-01-01").to_pydatetime(), pd.Timestamp("2200-01-01").to_pydatetime())

zones = st.sampled_from(
    [dt.UTC, dt.timezone(dt.timedelta(hours=5, minutes=30)), PARIS, zoneinfo.ZoneInfo("America/New_York")]
)

spans = st.timedeltas(dt.timedelta(days=-9999), dt.timedelta(days=9999))

short = st.text(max_size=4) | st.sampled_from(["1", "true", "nan", "\ud800", "\x00", "<script>", "2024-01-01"])

ends = st.tuples(st.integers(-9, 9), st.integers(0, 9)).map(lambda pair: (pair[0], pair[0] + pair[1]))

KINDS = {
    "text": short,
    "whole": st.integers() | st.sampled_from([2**53 + 1, 2**64, -(10**40)]),
    "float": st.floats(allow_nan=False),
    "truth": st.booleans(),
    "decimal": st.decimals(-1000, 1000) | st.sampled_from([Decimal("1.10"), Decimal("1E+50"), Decimal("-0")]),
    "fraction": st.fractions(),
    "complex": st.complex_numbers(allow_nan=False),
    "bytes": st.binary(max_size=5),
    "date": st.dates(),
    "time": st.times() | st.times(timezones=zones),
    "datetime": moments | st.tuples(moments, zones).map(lambda pair: pair[0].replace(tzinfo=pair[1])),
    "timestamp": moments.map(pd.Timestamp)
    | st.integers(-(2**62), 2**62).map(pd.Timestamp)
    | st.tuples(st.integers(-(2**60), 2**60), zones).map(lambda p: pd.Timestamp(p[0], tz="UTC").tz_convert(p[1])),
    "duration": spans,
    "timedelta": spans.map(pd.Timedelta) | st.integers(-(2**62), 2**62).map(pd.Timedelta),
    "period": st.tuples(st.integers(-99, 9999), st.sampled_from(["M", "Q-DEC", "W-SUN", "h", "15min", "Y-JUN"])).map(
        lambda pair: pd.Period(ordinal=pair[0], freq=pair[1])
    ),
    "interval": st.tuples(ends, st.sampled_from(["left", "right", "both", "neither"])).map(
        lambda pair: pd.Interval(*pair[0], closed=pair[1])
    )
    | ends.map(lambda pair: pd.Interval(pd.Timestamp(pair[0]), pd.Timestamp(pair[1])))
    | ends.map(lambda pair: pd.Interval(float(pair[0]), pair[1] + 0.1)),
    "uuid": st.uuids(),
    "address": st.ip_addresses()
    | st.sampled_from([ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_interface("::1/64")]),
    "path": short.filter(lambda text: "\x00" not in text).map(pathlib.PurePosixPath)
    | st.sampled_from([pathlib.Path("a/b"), pathlib.PureWindowsPath("C:\\a")]),
}  # fmt: skip

anything = st.one_of(*KINDS.values())

KINDS["tuple"] = st.tuples(anything, anything)

KINDS["mixed"] = st.one_of(*KINDS.values(), st.sampled_from([1, 1.0, True, "1", "True", 0, 0.0, -0.0, False, ""]))

KINDS["frozenset"] = st.frozensets(st.integers(0, 5) | short, max_size=3)


def categories(values):
    """A column of these values and nothing else: a categorical keeps them as they are."""
    distinct = list(dict.fromkeys(values))
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    codes = [distinct.index(value) for value in values]
    kept = np.empty(len(distinct), dtype=object)
    kept[:] = distinct
    return pd.Categorical.from_codes(codes, categories=pd.Index(kept, dtype=object))


def assert_survives(e, frame):
    again = Explanation.from_json(e.to_json().encode())
    assert again.to_dict() == e.to_dict()
    assert str(again) == str(e)
    assert again.predict(frame).tolist() == e.predict(frame).tolist()
    assert again == e
    return again


@pytest.mark.parametrize("kind", KINDS)
def test_rules_on_any_type_of_category_predict_the_same_after_json(kind):
    @settings(max_examples=12, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.lists(KINDS[kind], min_size=4, max_size=8), st.sampled_from(["==", "!=", "in", "not in", "rare"]))
    def check(values, op):
        frame = pd.DataFrame({"c": categories(values)})
        value = values[0] if op in ("==", "!=") else values[:2]
        e = explain_by([[Tag.of(Condition("c", op, value))]], frame, [1, 0, 1, *[0] * (len(values) - 3)])
        again = assert_survives(e, frame)
        assert again.predict(frame).any() == e.predict(frame).any()
        (condition,) = again.rules[0].tag.conditions
        assert type(condition.value) is type(next(iter(e.rules[0].tag.conditions)).value)

    check()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "frozenset"])  # str() has the order of its hashes
def test_row_labels_of_any_type_survive_with_their_type(kind):
    @settings(max_examples=6, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.lists(KINDS[kind], min_size=2, max_size=2))
    def check(labels):
        cells = np.empty(3, dtype=object)
        cells[:] = [0, *labels]
        frame = pd.DataFrame({"x": [1, 2, 9]}, index=pd.Index(cells, dtype=object, tupleize_cols=False))
        e = explain_by([[Tag.of(Condition("x", ">", 5))]], frame, [0, 1, 1])
        again = assert_survives(e, frame)
        assert [type(one) for one in again.groups[0].rows] == [type(one) for one in e.groups[0].rows]

    check()


@pytest.mark.parametrize("label", [float("nan"), pd.NaT, pd.NA, None, np.float32(0.1), np.int8(3), Decimal("NaN")])
def test_labels_that_equal_nothing_or_are_numpys_survive(label):
    frame = pd.DataFrame({"x": [1, 2, 3]}, index=pd.Index(["a", "b", label], dtype=object))
    e = explain_by([[Tag.of(Condition("x", "==", 1))]], frame, [1, 0, 1])
    again = Explanation.from_json(e.to_json())
    assert again.to_dict() == e.to_dict()
    assert str(again) == str(e)
    assert [str(one) for one in again.unexplained] == [str(label)]


ORDERED = {
    "numbers": pd.Series(range(30)),
    "large numbers": pd.Series(range(30)) + 2**60,
    "short floats": pd.Series(np.linspace(0, 1, 30, dtype=np.float32)),
    "decimals": pd.Series([Decimal(i) / 7 for i in range(30)]),
    "times": pd.Series(pd.date_range("2024-01-01", periods=30, freq="7h")),
    "zoned times": pd.Series(pd.date_range("2024-03-30", periods=30, freq="h", tz="Europe/Paris")),
    "dates": pd.Series([dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(30)]),
    "python times": pd.Series([dt.datetime(2024, 1, 1 + i, tzinfo=PARIS) for i in range(30)], dtype=object),
    "durations": pd.Series(pd.to_timedelta(range(30), unit="h")),
    "periods": pd.Series(pd.period_range("2024-01", periods=30, freq="M")),
    "categories": pd.Series(["a", "b", "c"] * 9 + ["z"] * 3),
    "cut": pd.Series(pd.cut(range(30), 5)),
    "times of day": pd.Series([dt.time(i % 5, 0) for i in range(27)] + [dt.time(23, 59)] * 3),
    "uuids": pd.Series([uuid.UUID(int=i % 5) for i in range(27)] + [uuid.UUID(int=99)] * 3),
    "fractions": pd.Series([fractions.Fraction(i % 5, 7) for i in range(27)] + [fractions.Fraction(9, 2)] * 3),
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERED)
def test_what_is_found_on_any_kind_of_column_survives(name):
    frame = pd.DataFrame({"c": ORDERED[name]})
    e = explain([0] * 27 + [1] * 3, frame)
    assert e.predict(frame)[-3:].all(), "no rule found"
    assert_survives(e, frame)


@pytest.mark.parametrize(
    "value",
    [Colour.RED, Level.HIGH, Word.YES, Point(1, 2), object(), len, int, (1, Colour.RED)],
    ids=lambda value: type(value).__name__,
)
def test_a_value_that_json_cannot_keep_is_refused_by_column(value):
    frame = pd.DataFrame({"my column": categories([value, "b", "b"])})
    e = explain_by([[Tag.of(Condition("my column", "==", value))]], frame, [1, 0, 0])
    for write in (e.to_json, e.to_dict):
        with pytest.raises(PyodExplainError, match=r"(?s)Column 'my column' has the value .*JSON cannot keep.*Hint: "):
            write()


def test_an_enum_is_refused_with_the_way_to_its_names():
    frame = pd.DataFrame({"c": categories([Colour.RED, "b", "b"])})
    e = explain_by([[Tag.of(Condition("c", "==", Colour.RED))]], frame, [1, 0, 0])
    with pytest.raises(PyodExplainError, match=r"type enum.*\n.*map\(lambda one: one.name\)"):
        e.to_json()


def test_a_label_that_json_cannot_keep_is_refused_with_a_way_out():
    frame = pd.DataFrame({"x": [1, 2, 9]}, index=pd.Index([1, 2, Colour.RED], dtype=object))
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], frame, [0, 0, 1])
    with pytest.raises(PyodExplainError, match=r"The index of the table has the value .*\n.*rows=False"):
        e.to_json()
    assert Explanation.from_json(e.to_json(rows=False)).rules == e.rules
