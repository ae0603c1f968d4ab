"""Explanations put together by hand from tags, so that tests of views need no search."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from pyod_explain import Condition, Coverage, DatePart, Explanation, Relation, Selection, Tag
from pyod_explain.explanation import make_explanation
from pyod_explain.groups import Groups
from pyod_explain.input import Outliers, as_table
from pyod_explain.result import Holdout, Validation
from pyod_explain.search import Found
from pyod_explain.tags import TagSet


def explain_by(tags: list[list[Tag]], X: pd.DataFrame, y: list[int]) -> Explanation:
    """The explanation that describes group k of `y` by `tags[k - 1]`."""
    table = as_table(X)
    numbers = np.asarray(y, dtype=np.int64)
    groups = Groups(numbers, tuple(str(k + 1) for k in range(len(tags))), "given")
    outliers = Outliers(np.minimum(numbers, 1), "The labelling")
    flat = tuple(itertools.chain.from_iterable(tags))
    coverage = Coverage.from_tags(table, flat, groups)
    first = np.cumsum([0, *(len(one) for one in tags)])
    chosen = tuple(tuple(range(a, b)) for a, b in itertools.pairwise(first.tolist()))
    selection = Selection(chosen, 1.0, "feasible", method="MDL", solver="refined")
    tagset = TagSet(flat, coverage.n_items)
    found = Found(table, groups, tagset, coverage, selection, (), {"tags": 0.5})
    return make_explanation(found, outliers, {})


def three_outliers() -> tuple[pd.DataFrame, Explanation]:
    """Three outliers and two rules: one matches the first, one the second, one neither."""
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 50.0, 60.0, 9.0], "c": ["a", "b", "a", "z", "a", "z"]}, index=list("uvwxyo"))
    tags = [Tag.of(Condition("x", ">=", 40.0), Condition("c", "==", "z")), Tag.of(Condition("x", ">", 55.0))]
    return X, explain_by([tags], X, [0, 0, 0, 1, 1, 1])


# --- hostile tables ---------------------------------------------------------------------------------------------------

HOSTILE = [
    "plain", "two words", "it's", 'say "hi"', "semi;colon", "-- comment", "/* x */", "back\\slash", "back`tick", "ünï",
    "日本", "%s", "NULL", "select", "a.b", "line\nbreak", "<script>alert(1)</script>", "{x}", "$1$", "tab\there",
    " lead", "'; DROP TABLE t; --",
]  # fmt: skip
names = st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=5, unique_by=str.casefold)
numbers = st.one_of(
    st.integers(-5, 5).map(float), st.floats(-1e6, 1e6, allow_nan=False), st.sampled_from([-0.0, 1e-300, 1e300, 0.1])
)
# Zones end in 2037 as pandas 2 has them, by pytz, which knows no summer time after that; databases know it.
zoned = st.datetimes(pd.Timestamp("1950-01-01").to_pydatetime(), pd.Timestamp("2037-01-01").to_pydatetime())
times = st.datetimes(pd.Timestamp("1950-01-01").to_pydatetime(), pd.Timestamp("2100-01-01").to_pydatetime())
whole = st.one_of(st.integers(-5, 5), st.sampled_from([2**53 + 1, -(2**53) - 1, 2**62]))
CELLS = {
    "float": numbers,
    "int": whole,
    "text": st.sampled_from(HOSTILE),
    "bool": st.booleans(),
    "time": times.map(pd.Timestamp),
    "date": times.map(lambda t: pd.Timestamp(t).normalize()),
    "zoned": zoned.map(lambda t: pd.Timestamp(t, tz="UTC").tz_convert("Europe/Paris")),
    "duration": st.integers(-(10**12), 10**12).map(lambda us: pd.Timedelta(us, unit="us")),
}
DTYPES = {
    "float": "float64", "bool": "boolean", "time": "datetime64[us]", "date": "datetime64[us]",
    "zoned": "datetime64[us, Europe/Paris]", "duration": "timedelta64[us]",
}  # fmt: skip


@st.composite
def columns(draw, kind, n_rows):
    cells = draw(st.lists(CELLS[kind], min_size=n_rows, max_size=n_rows))
    gaps = draw(st.lists(st.sampled_from([False, False, False, True]), min_size=n_rows, max_size=n_rows))
    if kind == "int":
        return pd.Series(cells, dtype="int64")
    values = [None if gap else cell for cell, gap in zip(cells, gaps, strict=True)]
    return pd.Series(values, dtype=DTYPES.get(kind, object))


@st.composite
def condition_on(draw, term, ops, value, limit=None, ends=sorted):
    """A condition on this term by one of these operators; `limit` is what a single value is drawn from."""
    op = draw(st.sampled_from(ops))
    if op in ("missing", "present"):
        return Condition(term, op)
    if op in ("in", "not in", "rare"):
        return Condition(term, op, draw(st.lists(value, max_size=3)))
    if op == "between":
        return Condition(term, op, ends([draw(value), draw(value)]))
    return Condition(term, op, draw(value if limit is None else limit))


@st.composite
def conditions(draw, name, kind, series):
    known = [value for value in series if not pd.isna(value)]
    value = st.one_of(st.sampled_from(known), CELLS[kind]) if known else CELLS[kind]
    ordered = kind not in ("text", "bool")
    ops = ["==", "!=", "in", "not in", "rare", "missing", "present"] + (
        ["<", "<=", ">", ">=", "between"] if ordered else []
    )
    if kind in ("time", "zoned") and draw(st.booleans()):
        part, limits = draw(st.sampled_from([("hour", st.integers(0, 23)), ("weekday", st.integers(0, 6))]))
        op = draw(st.sampled_from(["<=", ">=", "==", "!=", "in"]))
        limit = draw(st.lists(limits, max_size=3)) if op == "in" else draw(limits)
        return Condition(DatePart(name, part), op, limit)
    return draw(condition_on(name, ops, value, value | numbers if kind == "int" else value))


@st.composite
def related(draw, names):
    """A condition on two columns, whatever they hold."""
    one, two = draw(st.permutations(names))[:2]
    relation = Relation(one, draw(st.sampled_from("-/*+")), two)
    ops = ["<", "<=", ">", ">=", "between", "==", "!=", "in", "not in", "missing", "present"]
    return draw(condition_on(relation, ops, numbers))


@st.composite
def explanations(draw, kinds=tuple(CELLS), max_rows=12):
    """A hostile table and an explanation of it by random rules."""
    n_rows = draw(st.integers(2, max_rows))
    chosen = {name: draw(st.sampled_from(kinds)) for name in draw(names)}
    frame = pd.DataFrame({name: draw(columns(kind, n_rows)) for name, kind in chosen.items()})
    y = [1, 0, *draw(st.lists(st.integers(0, 2), min_size=n_rows - 2, max_size=n_rows - 2))]
    condition = st.sampled_from(list(chosen)).flatmap(lambda name: conditions(name, chosen[name], frame[name]))
    if len(chosen) > 1:
        condition = st.one_of(condition, condition, related(list(chosen)))
    tag = st.lists(condition, min_size=1, max_size=3).map(lambda found: Tag.of(*found))
    tags = draw(st.lists(tag, max_size=5, unique=True))
    n_groups = max(y)
    split = draw(st.integers(0, len(tags))) if n_groups == 2 else len(tags)
    described = [tags[:split], tags[split:]][:n_groups]
    return frame, y, explain_by(described, frame, y)


def small(y: Sequence[int] = (0, 0, 0, 0, 1, 1), limit: int = 5) -> Explanation:
    """Six rows, two of them outliers, and one rule."""
    X = pd.DataFrame({"x": [1, 2, 3, 4, 8, 9][: len(y)]})
    return explain_by([[Tag.of(Condition("x", ">", limit))]], X, list(y))


def holdouts(e: Explanation) -> Validation:
    """Held-out figures, the same for all that has some."""
    one = Holdout(1, 2, 0, 3, 4)
    return Validation(5, one, tuple(one for _ in e.groups), tuple(one for _ in e.rules))
