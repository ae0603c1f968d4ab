"""Damage to JSON files, in every way that we could think of: a file is refused at reading, or all its views work.

Run `python tests/damage.py` for all of it; tests/report/json/test_consistency.py takes a sample.
"""

from __future__ import annotations

import copy
import datetime as dt
import decimal
import json
import re
import sqlite3
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np
import pandas as pd
from by_hand import explain_by

from pyod_explain import Condition, Explanation, PyodExplainError, Relation, Tag, explain
from pyod_explain.report import DIALECTS

N = 40
SCRIPT = "<script>alert(1)</script>"
QUERY = "1 END FROM t; DROP TABLE t; --"


def mixed_table() -> pd.DataFrame:
    """A column of each kind, for rules of each kind."""
    times = pd.date_range("2024-01-01 05:00", periods=N, freq="7h")
    return pd.DataFrame(
        {
            "whole": range(N),
            "amount": np.linspace(-1, 1, N) ** 3,
            "name": [SCRIPT if i % 3 == 0 else "it's" for i in range(N)],
            "flag": pd.Series([i % 2 == 0 for i in range(N)], dtype=bool),
            "when": times,
            "zoned": times.tz_localize("UTC").tz_convert("Europe/Berlin"),
            "wait": pd.to_timedelta(np.arange(N), unit="h"),
            "bin": pd.cut(np.arange(N), 4),
            "id": pd.Series([uuid.UUID(int=i // 8) for i in range(N)], dtype=object),
        },
        index=[f"row {i}" for i in range(N)],
    )


def mixed() -> tuple[pd.DataFrame, Explanation]:
    X = mixed_table()
    c = Condition
    first = [
        Tag.of(c("whole", ">=", 30), c("amount", "between", (0.0, 0.9))),
        Tag.of(c("name", "==", SCRIPT), c("flag", "==", True)),
        Tag.of(c(Relation("whole", "/", "amount"), ">=", 30.5), c(Relation("amount", "+", "whole"), "<=", 38)),
        Tag.of(c("when", ">", X["when"].iloc[30]), c("zoned", "in", (1, 2), "weekday")),
    ]
    second = [
        Tag.of(c("wait", "<", pd.Timedelta("9h")), c("bin", "in", [X["bin"].iloc[0], X["bin"].iloc[12]])),
        Tag.of(c("id", "rare", [uuid.UUID(int=2), uuid.UUID(int=3)]), c("when", ">=", 5, "hour")),
        Tag.of(c("amount", "present"), c("whole", "!=", 3), c("name", "not in", ["x", "y"])),
    ]
    y = [2] * 8 + [0] * (N - 14) + [1] * 6
    return X, explain_by([first, second], X, y)


def checked() -> tuple[pd.DataFrame, Explanation]:
    X = pd.DataFrame({"x": [*range(60), 900, 950, 990], "y": [*[1.5, 2.5] * 30, 7.25, 8.0, 1.5]})
    return X, explain([0] * 60 + [1] * 3, X, validate=2, control="placebo", n_draws=2)


def grouped() -> tuple[pd.DataFrame, Explanation]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=90).round(2), "b": rng.integers(0, 4, 90)})
    X.loc[80:84, "a"] += 9
    X.loc[85:, "b"] = 50
    X["price"] = [decimal.Decimal(i) / 4 for i in range(90)]
    X["day"] = [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(90)]
    return X, explain([0] * 80 + [1] * 10, X, validate=2)


def files() -> list[tuple[pd.DataFrame, Explanation]]:
    return [mixed(), checked(), grouped()]


# --- damage -----------------------------------------------------------------------------------------------------------

REPLACEMENTS: list[Any] = [
    None, True, False, 0, 1, 2, -1, 7, 2**40, 2**63, 10**400, 0.0, 0.5, -0.5, 1.5, 1e300, float("inf"), float("nan"),
    "", "1", "UTC", SCRIPT, QUERY, "\x00", "\ud800", "\x1b[31m", "x" * 1000, [], [1], [[]], {}, {"type": "tuple"},
    {"type": "tuple", "items": []}, {"type": "tuple", "items": [SCRIPT, QUERY]}, {"type": "colour", "value": "red"},
    {"type": "float", "value": "nan"}, {"type": "float", "value": "inf"}, {"type": "timestamp", "value": ["now", None]},
    {"type": "timestamp", "value": ["2024-01-01T00:00:00", None]}, {"type": "decimal", "value": "sNaN"},
    {"type": "decimal", "value": "1E+99999"}, {"type": "text", "value": SCRIPT},
    {"type": "IPv4Network", "value": "0.0.0.0/0"},
    {"type": "missing", "value": "NaT"}, {"type": "timedelta", "value": "P1DT0H0M0S"},
    {"type": "date", "value": "0001-01-01"},
    {"type": "interval", "value": [0, {"type": "missing", "value": "NaT"}, "both"]},
]  # fmt: skip


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List every place of the tree."""
    yield path
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from places(data[key], (*path, key))


def damages(data: Any) -> Iterator[tuple[str, tuple[Any, ...], Any]]:
    """List all single changes: what is done, where, and what is there afterwards."""
    for path in places(data):
        here = at(data, path)
        for other in REPLACEMENTS:
            yield "replace", path, other
        if path:
            yield "remove", path, None
        if isinstance(here, list) and here:
            yield "empty", path, []
            yield "double", path, here + here
            yield "repeat the first", path, [here[0], *here]
            yield "reverse", path, here[::-1]
            yield "cut", path, here[:-1]
        if isinstance(here, dict) and here:
            yield "empty", path, {}
            yield "add a key", path, {**here, "unknown": [1, {"a": SCRIPT}]}
        if type(here) is int:
            yield "one more", path, here + 1
            yield "one less", path, here - 1


def at(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def damaged(data: Any, kind: str, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    result = copy.deepcopy(data)
    holder = at(result, path[:-1])
    if kind == "remove":
        del holder[path[-1]]
    else:
        holder[path[-1]] = other
    return result


def damaged_texts(text: str) -> Iterator[tuple[str, str | bytes]]:
    """List changes of the text itself that no parsed tree shows."""
    raw = text.encode()
    for length in [*range(0, 200, 7), *range(200, len(raw) - 2, 97)]:
        yield f"cut at {length}", raw[:length]
    for place in range(3, len(raw), 501):
        yield f"no UTF-8 at {place}", raw[:place] + b"\xff" + raw[place:]
        yield f"a NUL at {place}", raw[:place] + b"\x00" + raw[place:]
    yield "a mark of the byte order", b"\xef\xbb\xbf" + raw
    yield "UTF-16", text.encode("utf-16")
    yield "a key twice", text.replace('"version": 1', '"version": 1, "version": 1', 1)
    yield "a key twice, inside", re.sub(r'"n_others": (\d+)', r'"n_others": 0, "n_others": \1', text, count=1)
    for deep in (50, 900, 20_000, 200_000):
        yield (
            f"{deep} deep",
            re.sub(r'"name": "[^"]*"', lambda _, n=deep: '"name": ' + "[" * n + "]" * n, text, count=1),
        )
        yield (
            f"{deep} deep, unknown",
            text.replace('"version": 1', '"version": 1, "more": ' + "[" * deep + "]" * deep, 1),
        )
        tuples = '{"type": "tuple", "items": [' * deep + "1" + "]}" * deep
        yield f"{deep} tuples", re.sub(r'"rows": \[', lambda _, t=tuples: '"rows": [' + t + ", ", text, count=1)
    for word in ("NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, "01", "1.", "+1", "0x1", "'1'"):
        yield f"a number {word[:12]}", re.sub(r'"mdl": [\d.]+', f'"mdl": {word}', text, count=1)
    for whole in ("", " ", "null", "[]", "{}", "\ufeff", "{", '"' + SCRIPT + '"', "\ud800"):
        yield f"only {whole!r}", whole


# --- what must hold ---------------------------------------------------------------------------------------------------

QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")
ESCAPED = re.compile(r"""'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.|``)*`""", re.DOTALL)


def views(e: Explanation, X: pd.DataFrame, original: Explanation) -> None:
    """Show it in every way; raise where that fails or something gets through."""
    for text in (str(e), repr(e)):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\ud800-\udfff]", text), "a control character in the text"
    for page in (e.to_html(rows=True), e._repr_html_()):
        page.encode()
        assert "<script" not in page, "a script in the page"
        assert "nan" not in re.findall(r'(?:x|y|width|d)="[^"]*?(nan)', page), "no place in a drawing"
    markdown = e.to_markdown(rows=True)
    markdown.encode()
    assert not re.search(r"(?<!\\)<script", markdown), "a script in Markdown"
    queries(e)
    assert len(e.to_frame()) == len(e.rules)
    assert len(e.metrics) == len(e.groups)
    _ = e.group_curve, e.unexplained, e.share_saved, hash(e)
    again = Explanation.from_json(e.to_json().encode())
    assert again.to_dict() == e.to_dict(), "another one after JSON"
    assert str(again) == str(e)
    for one, two in ((e, original), (original, e)):
        change = one.compare(two)
        _ = str(change), repr(change), change.to_frame()
    rows(e, X)


def rows(e: Explanation, X: pd.DataFrame) -> None:
    """Ask about the rows; a column that the table lacks is a clear refusal."""
    if not {name for rule in e.rules for name in rule.tag.columns} <= set(X.columns):
        return
    numbers = e.predict(X)
    assert set(numbers.tolist()) <= {0, *(group.number for group in e.groups)}
    assert e.transform(X).shape == (len(X), len(e.rules))
    for group in e.groups:
        once = [label for other in e.groups for label in other.rows].count(group.rows[0]) == 1 if group.rows else False
        if once and group.rows[0] in X.index.tolist():
            _ = str(e.for_row(group.rows[0], X=X)), str(e.counterfactual(group.rows[0], X=X))


def queries(e: Explanation) -> None:
    for dialect in DIALECTS:
        try:
            query = e.to_sql("t", dialect=dialect)
        except PyodExplainError:  # what has no word in that dialect
            continue
        query.encode()
        bare = (ESCAPED if dialect in ("bigquery", "spark") else QUOTED).sub("", query)
        assert bare.count(";") == 1, "two statements"
        assert "DROP" not in bare, "a text out of its quotes"
        assert "--" not in bare, "a comment"
        if dialect == "sqlite":
            names = dict.fromkeys(name for rule in e.rules for name in rule.tag.columns) or {"x": None}
            if len({name.casefold() for name in names}) < len(names):
                continue  # no table can have both
            quoted = ['"' + name.replace('"', '""') + '"' for name in names]
            with closing(sqlite3.connect(":memory:")) as base:
                base.execute(f"CREATE TABLE t ({', '.join(quoted)})")
                base.execute(query)


def outcome(text: str | bytes, X: pd.DataFrame, original: Explanation) -> str:
    """Read a damaged file and say what came of it: "refused", "read", or what is wrong."""
    try:
        e = Explanation.from_json(text)
    except PyodExplainError as error:
        return "refused" if len(str(error)) > 30 else f"no clear error: {error}"
    except Exception as error:  # noqa: BLE001 - the very thing that must not happen
        return f"another error: {type(error).__name__}: {error}"[:150]
    try:
        views(e, X, original)
    except Exception as error:  # noqa: BLE001 - the very thing that must not happen
        return f"fails later: {type(error).__name__}: {error}"[:150]
    return "read"


def cases(original: Explanation, share: float, seed: int) -> Iterator[tuple[str, str | bytes]]:
    """Damage a file in all ways, or in a random share of them."""
    pick = np.random.default_rng(seed)
    data = json.loads(original.to_json())
    for kind, path, other in damages(data):
        if pick.random() < share:
            yield f"{kind} {path} {str(other)[:40]!r}", json.dumps(damaged(data, kind, path, other))
    for name, text in damaged_texts(original.to_json()):
        if pick.random() < share:
            yield name, text


def main() -> None:
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    start = time.perf_counter()
    results: Counter[str] = Counter()
    for X, original in files():
        for name, text in cases(original, share, seed=0):
            result = outcome(text, X, original)
            results[result.split(":")[0]] += 1
            if result not in ("refused", "read"):
                sys.stdout.write(f"{name}: {result}\n")
    seconds = time.perf_counter() - start
    sys.stdout.write(f"{dict(results)}: {sum(results.values())} damaged files in {seconds:.0f} s\n")


if __name__ == "__main__":
    main()
