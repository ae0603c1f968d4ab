"""JSON: what is read back equals what was written, or it is not written."""

import datetime as dt
import enum
import fractions
import ipaddress
import json
import pathlib
import uuid
import zoneinfo
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, Explanation, PyodExplainError, Tag, explain
from pyod_explain.report.html import to_html
from pyod_explain.report.json import SCHEMA, VERSION
from pyod_explain.report.sql import DIALECTS, to_sql

X = pd.DataFrame({"x": [*range(50), 900, 950, 990]})
E = explain([0] * 50 + [1] * 3, X, validate=2, control="placebo", n_draws=2)


@settings(max_examples=80, deadline=None)
@given(explanations(), st.sampled_from([None, 2]))
def test_a_round_trip_is_equal(made, indent):
    frame, _, e = made
    again = Explanation.from_json(e.to_json(indent=indent))
    assert again == e
    assert again.rules == e.rules
    assert again.to_json() == e.to_json()
    assert again.predict(frame).tolist() == e.predict(frame).tolist()
    assert str(again) == str(e)


def test_checks_come_along():
    again = Explanation.from_json(E.to_json())
    assert again == E
    assert again.validation == E.validation
    assert again.placebo == E.placebo
    assert again.timings == E.timings
    assert set(E.timings) == {"groups", "tags", "coverage", "selection", "chance", "validation", "placebo"}
    assert again.to_html() == E.to_html()


def test_without_rows_only_aggregates_are_left():
    text = E.to_json(rows=False)
    data = json.loads(text)
    assert data["groups"][0]["rows"] is None
    assert data["groups"][0]["uncovered"] is None
    read = Explanation.from_json(text)
    assert read.groups[0].rows == ()
    assert str(read).split("\n\n")[1] == str(E).split("\n\n")[1]


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


# --- values of any type -----------------------------------------------------------------------------------------------


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


def test_halves_of_a_character_that_would_be_read_as_one_are_refused():
    frame = pd.DataFrame({"c": pd.Series(["\ud83d\ude00", "b"], dtype=object)})
    e = explain_by([[Tag.of(Condition("c", "==", "\ud83d\ude00"))]], frame, [1, 0])
    with pytest.raises(PyodExplainError, match="two halves of a character"):
        e.to_json()


def test_a_file_of_rules_on_texts_of_lost_values_is_refused():
    data = E.to_dict()
    data["groups"][0]["rules"][0]["conditions"][0]["value"] = {"type": "text", "value": "Colour.RED"}
    with pytest.raises(PyodExplainError, match=r"conditions\[0\].value` .* whose type was not kept"):
        Explanation.from_dict(data)
    data = E.to_dict()
    data["groups"][0]["rows"][0] = {"type": "text", "value": "Colour.RED"}
    assert Explanation.from_dict(data).groups[0].rows[0] == "Colour.RED"


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", sorted((pathlib.Path(__file__).parents[1] / "data").glob("*.json")), ids=lambda path: path.stem
)
def test_files_of_version_0_1_0_are_read(path):
    data = json.loads(path.read_text("utf-8"))
    assert data["versions"]["pyod_explain"] == "0.1.0"
    e = Explanation.from_json(path)
    assert [rule.text for rule in e.rules] == [rule["text"] for group in data["groups"] for rule in group["rules"]]
    assert (e.n_rows, e.n_outliers, e.mdl) == (data["n_rows"], data["n_outliers"], data["mdl"])
    assert e.gain == 0  # theirs added up the groups, and is not claimed again
    assert "shorter" not in str(e)
    again = Explanation.from_json(e.to_json())
    assert again == e
    assert again.to_html() == e.to_html()


def test_an_explanation_read_without_labels_can_be_written_and_read_again():
    once = Explanation.from_json(E.to_json(rows=False))
    assert json.loads(once.to_json())["groups"][0]["rows"] is None
    assert Explanation.from_json(once.to_json()) == once


def test_a_mark_of_the_byte_order_is_no_damage(tmp_path):
    (tmp_path / "e.json").write_text(E.to_json(), encoding="utf-8-sig")
    assert Explanation.from_json(tmp_path / "e.json") == E
    assert Explanation.from_json("\ufeff" + E.to_json()) == E


@pytest.mark.parametrize("name", ["", "absent.json", "a\0b"])
def test_a_path_that_cannot_be_read_is_one_clear_error(tmp_path, name):
    with pytest.raises(PyodExplainError, match="path of a file that can be read"):
        Explanation.from_json(tmp_path / name)


@pytest.mark.parametrize("view", ["to_json", "to_html", "to_markdown"])
def test_what_cannot_be_written_leaves_the_old_file_as_it_was(tmp_path, view):
    path = tmp_path / "old"
    path.write_text("precious")
    if view == "to_json":
        frame = pd.DataFrame({"c": categories([Colour.RED, "b", "b"])})
        e = explain_by([[Tag.of(Condition("c", "==", Colour.RED))]], frame, [1, 0, 0])
    else:
        e = replace(E, summary=replace(E.summary, groups=(None,)))
    with pytest.raises((PyodExplainError, AttributeError)):
        getattr(e, view)(path)
    assert path.read_text() == "precious"


def test_a_text_that_utf_8_cannot_write_leaves_the_old_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "old"
    path.write_text("precious")
    monkeypatch.setattr("pyod_explain.report.views.to_markdown", lambda *_, **__: "half \ud800")
    with pytest.raises(PyodExplainError, match="must be text that UTF-8 can hold"):
        E.to_markdown(path)
    assert path.read_text() == "precious"


def test_halves_of_a_character_are_written_as_escapes_in_every_view(tmp_path):
    cells = np.array([["a\ud800"], ["b"], ["b"]], dtype=object)
    names, labels = (pd.Index(some, dtype=object) for some in (["\udcff"], ["\ud900", 1, 2]))
    frame = pd.DataFrame(cells, columns=names, index=labels, dtype=object)
    e = explain_by([[Tag.of(Condition("\udcff", "==", "a\ud800"))]], frame, [1, 0, 0])
    for view in ("to_json", "to_html", "to_markdown"):
        getattr(e, view)(tmp_path / view)
    assert Explanation.from_json(tmp_path / "to_json") == e
    str(e).encode()
    assert e.to_frame()["rule"].tolist() == ["\udcff is 'a\\ud800'"]
    assert e.compare(E).rows["label"].tolist() == ["\ud900", 50, 51, 52]
    for dialect in DIALECTS:
        with pytest.raises(PyodExplainError, match="half of a character"):
            e.to_sql("t", dialect=dialect)


# --- texts where numbers are declared ---------------------------------------------------------------------------------


def test_a_number_that_is_no_number_gets_into_no_query_and_no_page():
    (group,) = E.groups
    evil = "1 END FROM t; DROP TABLE t; --<script>"
    rules = tuple(replace(rule, group=evil) for rule in group.rules)
    s = replace(E.summary, groups=(replace(group, number=evil, rules=rules),))
    for dialect in DIALECTS:
        with pytest.raises(PyodExplainError, match="The number of a group must be whole"):
            to_sql(s, "t", dialect=dialect)
    assert "<script" not in to_html(s)
    held = tuple(replace(one, found="<script>") for one in E.validation.rules)
    s = replace(E.summary, validation=replace(E.validation, n_splits="<script>", rules=held))
    assert "<script" not in to_html(s)


def test_a_number_that_writes_itself_as_code_is_written_as_a_number():
    class Evil(int):
        def __str__(self):
            return "1; DROP TABLE t"

        __repr__ = __str__

    e = explain_by([[Tag.of(Condition("x", ">", Evil(5)))]], pd.DataFrame({"x": [1, 9]}), [0, 1])
    for dialect in DIALECTS:
        assert "DROP" not in e.to_sql("t", dialect=dialect)


def test_numpy_values_are_plain_numbers():
    frame = pd.DataFrame({"x": [1, 2, 9]}, index=pd.Index([np.int64(1), np.int64(2), np.float64(3.5)], dtype=object))
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], frame, [0, 0, 1])
    assert json.loads(e.to_json())["groups"][0]["rows"] == [3.5]


def test_the_schema_is_named_and_versioned():
    data = json.loads(E.to_json())
    assert (data["schema"], data["version"]) == (SCHEMA, VERSION)
    assert data["groups"][0]["rules"][0]["text"] == E.rules[0].text
    assert data["gain"] == E.gain


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "must be JSON as written by to_json"),
        (b"\xff\xfe\x00", "must be JSON as written by to_json"),
        ("[1, 2]", "must be an explanation"),
        ('{"schema": "other"}', "must be an explanation"),
        ("", "must be JSON as written by to_json"),
        ("[" * 100_000, "nested too deep"),
        ('{"a": 1, "a": 2}', "key 'a' more than once"),
        ('{"a": NaN}', "got NaN, which is no number of JSON"),
        ("9" * 5000, "must be JSON as written by to_json"),
        (json.dumps({"schema": SCHEMA, "version": 99}), r"(?s)schema version 1, got 99.*Hint: .*install the newest"),
        (json.dumps({"schema": SCHEMA, "version": True}), "`version` of the explanation must be"),
        (json.dumps({"schema": SCHEMA}), "`version` of the explanation must be"),
        (json.dumps({"schema": SCHEMA, "version": 1}), "incomplete: `objective` is not there"),
    ],
)
def test_other_files_are_refused(text, message):
    with pytest.raises(PyodExplainError, match=message):
        Explanation.from_json(text)


def test_an_unknown_type_of_value_is_refused():
    data = E.to_dict()
    data["groups"][0]["rows"] = [{"type": "colour", "value": "red"}]
    with pytest.raises(PyodExplainError, match=r"groups\[0\].rows\[0\].type` .* known: .*, got 'colour'"):
        Explanation.from_dict(data)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("groups", 0, "number"), "1 END FROM t; DROP TABLE t", r"groups\[0\].number` .* whole number .* got '1 END"),
        (("groups", 0, "number"), 2, r"groups\[0\].number` .* must be 1"),
        (("groups", 0, "rules", 0, "n_normals"), -1, r"groups\[0\].rules\[0\].n_normals` .* at least 0"),
        (("groups", 0, "rules", 0, "n_outliers"), 4, r"groups\[0\].rules\[0\].recall` .* follows from"),
        (("groups", 0, "rules", 0, "p_value"), 1.5, r"rules\[0\].p_value` .* from 0 to 1, got 1.5"),
        (("groups", 0, "rules", 0, "conditions"), [], r"rules\[0\].conditions` .* one or more"),
        (("groups", 0, "rules", 0, "conditions", 0, "op"), "like", r"conditions\[0\].op` .* one of"),
        (("groups", 0, "rows"), [50, 51], r"groups\[0\].rows` .* list of 3"),
        (("groups", 0, "uncovered"), [7], r"groups\[0\].uncovered` .* some of `rows`"),
        (("groups", 0, "metrics", "NT"), 2, r"metrics.NT` .* number of rules"),
        (("groups",), [], "`n_outliers` .* must be 0"),
        (("n_normals",), 51, "`n_normals` .* at most 50"),
        (("columns",), [], "with the column 'x'"),
        (("columns", 0, "scale"), 0, r"columns\[0\].scale` .* above 0"),
        (("columns", 0, "kind"), "colour", r"columns\[0\].kind` .* one of 'number'"),
        (("columns", 0, "timezone"), "Europe", r"columns\[0\].timezone"),
        (("validation", "rules"), [], "`validation.rules` .* list of 1"),
        (("placebo", "gains"), [], "`placebo.gains` .* one or more"),
        (("timings", "tags"), "<script>", "`timings.tags` .* finite number"),
    ],
    ids=str,
)
def test_the_error_says_where_the_damage_is(path, value, message):
    data = json.loads(E.to_json())
    holder = data
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    with pytest.raises(PyodExplainError, match=message):
        Explanation.from_json(json.dumps(data))


def test_an_interval_that_cannot_be_looked_up_is_refused():
    data = E.to_dict()
    data["groups"][0]["rows"][0] = {"type": "interval", "value": [0, 10**400, "left"]}
    with pytest.raises(PyodExplainError, match=r"rows\[0\].value` .* parts of a value of type 'interval'"):
        Explanation.from_dict(data)


def test_keys_that_a_later_version_may_add_are_left_alone():
    data = {**E.to_dict(), "colour": {"of": ["the", "page"]}}
    assert Explanation.from_dict(data) == E
