"""What is read back equals what was written; anything else is one error that names its place."""

import copy
import datetime as dt
import enum
import json
import re
import zoneinfo
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations
from hypothesis import given, settings
from hypothesis import strategies as st
from typed_tables import TYPED, typed_tables

from pyod_explain import Condition, Explanation, PyodExplainError, Relation, Tag, explain
from pyod_explain.report import DIALECTS
from pyod_explain.report.json import SCHEMA, VERSION

X = pd.DataFrame({"x": [*range(50), 900, 950, 990]})
E = explain([0] * 50 + [1] * 3, X).validate(2).placebo_test(2)
PAIR = pd.DataFrame({"a": [5.0, 6.0, 9.0], "b": [4.0, 5.5, 1.0]})
RELATED = explain_by([[Tag.of(Condition(Relation("a", "-", "b"), ">", 3))]], PAIR, [0, 0, 1])
PARIS = zoneinfo.ZoneInfo("Europe/Paris")
SCRIPT = "<script>alert(1)</script>"
QUERY = "1 END FROM t; DROP TABLE t; --"


Colour = enum.Enum("Colour", "RED")


def assert_survives(e, frame):
    again = Explanation.from_json(e.to_json().encode())
    assert again == e
    assert again.to_json() == e.to_json()
    assert str(again) == str(e)
    assert again.predict(frame).tolist() == e.predict(frame).tolist()
    return again


# --- round trips ------------------------------------------------------------------------------------------------------


@settings(max_examples=120, deadline=None)
@given(explanations().map(lambda made: made[::2]) | typed_tables(list(TYPED)).map(lambda made: made[:1:-1]))
def test_a_round_trip_keeps_values_of_every_type(made):
    frame, e = made
    assert_survives(e, frame)


def test_checks_and_timings_come_along():
    again = assert_survives(E, X)
    assert again.summary.validation == E.summary.validation
    assert again.summary.timings == E.summary.timings
    assert again.to_html() == E.to_html(pictures=0)


LABELS = [
    "text", 3, 2.5, np.inf, True, None, (1, ("a", None)), pd.Timestamp("2024-01-01 00:00:00.000000001"),
    pd.Timestamp("2024-07-01", tz="UTC"), pd.Timestamp("2024-07-01 05:00", tz="UTC+05:30"), dt.date(2024, 1, 2),
    dt.datetime(2024, 7, 2, 3, tzinfo=PARIS), dt.time(3, 4), pd.Timedelta("-1 day 3 ns"), dt.timedelta(seconds=3),
    Decimal("1.10"), pd.NaT,
]  # fmt: skip


@pytest.mark.parametrize("label", LABELS, ids=repr)
def test_row_labels_and_categories_are_equal(label):
    cells = np.empty(3, dtype=object)
    cells[:] = ["a", "b", label]
    index = pd.Index(cells, dtype=object, tupleize_cols=False)
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], pd.DataFrame({"x": [1, 2, 9]}, index=index), [0, 0, 1])
    (found,) = Explanation.from_json(e.to_json()).groups[0].rows
    assert isinstance(found, type(label))
    assert found == label or found is pd.NaT
    if label is None:  # a missing cell, which is no category
        return
    tag = Tag.of(Condition("x", "==", label))
    e = explain_by([[tag]], pd.DataFrame({"x": [1, 2, 9]}), [0, 0, 1])
    assert Explanation.from_json(e.to_json()).rules[0].tag == tag


COLUMNS = {
    "large numbers": pd.Series(range(30)) + 2**60,
    "decimals": pd.Series([Decimal(i) / 7 for i in range(30)]),
    "zoned times": pd.Series(pd.date_range("2024-03-30", periods=30, freq="h", tz="Europe/Paris")),
    "times of day": pd.Series([dt.time(i % 5, 0) for i in range(27)] + [dt.time(23, 59)] * 3),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_what_is_found_on_a_column_survives(name):
    frame = pd.DataFrame({"c": COLUMNS[name]})
    e = explain([0] * 27 + [1] * 3, frame)
    assert e.predict(frame)[-3:].all(), "no rule found"
    assert_survives(e, frame)


def test_without_rows_only_aggregates_are_left():
    once = Explanation.from_json(E.to_json(rows=False))
    assert once.groups[0].rows == ()
    data = json.loads(once.to_json())
    assert data["groups"][0]["rows"] is data["groups"][0]["uncovered"] is None
    assert Explanation.from_json(once.to_json()) == once


def test_a_relation_is_written_by_its_parts():
    data = json.loads(RELATED.to_json())
    assert data["groups"][0]["rules"][0]["conditions"][0]["column"] == {"left": "a", "op": "-", "right": "b"}
    assert data["groups"][0]["rules"][0]["text"] == "a - b > 3"
    assert Explanation.from_dict(data) == RELATED


def test_a_mark_of_the_byte_order_is_no_damage(tmp_path):
    (tmp_path / "e.json").write_text(E.to_json(), encoding="utf-8-sig")
    assert Explanation.from_json(tmp_path / "e.json") == E


def test_halves_of_a_character_are_written_as_escapes(tmp_path):
    names, labels = (pd.Index(some, dtype=object) for some in (["\udcff"], ["\ud900", 1, 2]))
    frame = pd.DataFrame([["a\ud800"], ["b"], ["b"]], columns=names, index=labels, dtype=object)
    e = explain_by([[Tag.of(Condition("\udcff", "==", "a\ud800"))]], frame, [1, 0, 0])
    for view in ("to_json", "to_html", "to_markdown"):
        getattr(e, view)(tmp_path / view)
    assert Explanation.from_json(tmp_path / "to_json") == e
    for dialect in DIALECTS:
        with pytest.raises(PyodExplainError):
            e.to_sql("t", dialect=dialect)


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [Colour.RED, pd.Interval(0, 1), b"x"], ids=["enum", "interval", "bytes"])
def test_a_value_that_json_cannot_keep_is_refused(value, tmp_path):
    cells = pd.Index(pd.Series([value, "b"], dtype=object), dtype=object)
    frame = pd.DataFrame({"c": pd.Categorical.from_codes([0, 1, 1], cells)})
    e = explain_by([[Tag.of(Condition("c", "==", value))]], frame, [1, 0, 0])
    (tmp_path / "old").write_text("precious")
    with pytest.raises(PyodExplainError, match=r"rules\[0\].conditions\[0\].value") as caught:
        e.to_json(tmp_path / "old")
    assert "map(str)" in caught.value.hint
    assert (tmp_path / "old").read_text() == "precious"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, "must be JSON") for text in ("nonsense", b"\xff\xfe\x00", "[" * 100_000, "9" * 5000)),
        *((text, "must be an explanation") for text in ("[1, 2]", '{"schema": "other"}')),
        (E.to_dict(), "JSON text or a Path"),
        (json.dumps({"schema": SCHEMA, "version": 1}), f"version {VERSION}, got 1"),
        (json.dumps({"schema": SCHEMA, "version": VERSION}), "incomplete: `detector`"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_other_texts_are_refused(text, message):
    with pytest.raises(PyodExplainError, match=message):
        Explanation.from_json(text)


def test_a_path_that_cannot_be_read_is_one_clear_error(tmp_path):
    with pytest.raises(PyodExplainError, match="No such file"):
        Explanation.from_json(tmp_path / "absent.json")


def changed(data, path, value):
    """Put another value at a place of plain data; `...` takes the key away."""
    result = holder = copy.deepcopy(data)
    for key in path[:-1]:
        holder = holder[key]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return result


RULE = ("groups", 0, "rules", 0)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("groups", 0, "number"), QUERY, r"groups\[0\].number` .* whole number"),
        ((*RULE, "n_normals"), -1, r"groups\[0\].rules\[0\].n_normals` .* at least 0"),
        ((*RULE, "n_normals"), ..., r"incomplete: `groups\[0\].rules\[0\].n_normals`"),
        ((*RULE, "p_value"), "low", r"p_value` .* a number"),
        ((*RULE, "conditions"), [], r"rules\[0\].conditions` "),
        ((*RULE, "conditions", 0, "op"), "like", r"conditions\[0\].op` .* one of"),
        ((*RULE, "conditions", 0, "op"), "between", r"conditions\[0\]` "),
        ((*RULE, "conditions", 0, "column"), {"left": "a"}, r"incomplete: `.*column\.column`"),
        (("groups", 0, "rows"), [{"type": "colour", "value": "red"}], r"rows\[0\]` .* known `type`"),
        (("groups", 0, "rows"), [{"type": "timestamp", "value": ["now", None]}], r"rows\[0\]` "),
        (("groups", 0, "rows"), [[1]], r"rows\[0\]` "),
        (("groups",), {}, "`groups` .* a list"),
        (("columns", 0, "kind"), "colour", r"columns\[0\].kind` .* one of 'number'"),
        (("validation", "rules"), None, "`validation.rules` .* a list"),
        (("groups_made",), 1, "`groups_made` .* true or false"),
        (("detector",), None, "`detector` .* a text"),
    ],
    ids=str,
)
def test_the_error_says_where_the_damage_is(path, value, message):
    with pytest.raises(PyodExplainError, match=message):
        Explanation.from_dict(changed(E.to_dict(), path, value))


def places(data, path=()):
    yield path
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from places(data[key], (*path, key))


VALUES = [
    ..., None, True, -1, 2**63, 1e300, "", SCRIPT, QUERY, "\x00\x1b[31m", [], [[]], {},
    {"type": "tuple", "value": [SCRIPT]},
    {"type": "decimal", "value": "sNaN"}, {"type": "decimal", "value": "1E+99999"}, {"type": "float", "value": "nan"},
    {"type": [], "value": {}}, {"type": "timedelta", "value": [1e400]}, {"type": "timestamp", "value": 5},
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([E.to_dict(), RELATED.to_dict()]), st.data())
def test_damage_is_refused_or_read_and_nothing_else(data, draw):
    path = draw.draw(st.sampled_from([one for one in places(data) if one]))
    text = json.dumps(changed(data, path, draw.draw(st.sampled_from(VALUES))))
    try:
        Explanation.from_json(text)
    except PyodExplainError as error:
        assert len(str(error)) > 30


@pytest.mark.parametrize("text", [SCRIPT, QUERY, "\x1b[31m", "a\x00b"])
def test_texts_of_a_file_are_shown_and_never_run(text):
    data = json.loads(E.to_json().replace('"x"', json.dumps(text)))
    data["groups"][0]["name"] = data["detector"] = data["grouping"] = text
    data["notes"] = [text]
    e = Explanation.from_dict(data)
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", str(e) + e.headline)
    page = e.to_html(rows=True) + e._repr_html_()
    assert "<script" not in page
    assert not re.search(r"(?<!\\)<script", e.to_markdown(rows=True))
    for dialect in DIALECTS:
        try:
            query = e.to_sql("t", dialect=dialect)
        except PyodExplainError:  # a character that the dialect cannot write
            continue
        assert "DROP" not in re.sub(r"""'[^']*'|"[^"]*"|`[^`]*`""", "", query)
