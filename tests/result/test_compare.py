"""Two explanations side by side: every statement is recounted from the two tables."""

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by

from pyod_explain import Condition, DatePart, Explanation, Tag, explain
from pyod_explain.result.compare import difference_interval

X = pd.DataFrame({"x": [1, 2, 3, 4, 8, 9, 20], "y": [1, 1, 1, 9, 1, 1, 9]}, index=list("abcdefg"))
HIGH, LOW, Y = (Tag.of(Condition("x", ">", 5)), Tag.of(Condition("x", ">=", 8)), Tag.of(Condition("y", "==", 9)))
ALWAYS = Tag.of(Condition("at", "present"))
SIDES = ("before", "after")


def night(seed, *, rate=0.1, new=0, n=400):
    """A table whose outliers have two causes, some none, and perhaps a new cause; and which rows are outliers."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "amount": rng.gamma(2, 40, n).round(2),
            "fee": rng.normal(2, 0.3, n).round(2),
            "items": rng.poisson(3, n),
            "kind": rng.choice(["web", "shop"], n),
        }
    )
    y = rng.random(n) < rate
    some = rng.permutation(np.flatnonzero(y))
    large, dear = np.array_split(some[: int(0.8 * len(some))], 2)
    frame.loc[large, "amount"] = rng.uniform(700, 900, len(large)).round(2)
    frame.loc[dear, "fee"] = rng.uniform(4, 6, len(dear)).round(2)
    rows = rng.choice(np.flatnonzero(~y), new, replace=False)
    frame.loc[rows, "items"] = rng.integers(20, 25, new)
    y[rows] = True
    return frame, y.astype(int)


def recount(changes, before, after):
    """Compare each figure of the changes with the rows that the rule matches."""
    for one in changes:
        for figures, (frame, y) in ((one.before, before), (one.after, after)):
            if figures is None:
                continue
            matched = one.rule.tag.covers(frame)
            assert (figures.n_outliers, figures.total_outliers) == ((matched & (y == 1)).sum(), y.sum())
            if figures.n_normals is not None:
                assert (figures.n_normals, figures.total_normals) == ((matched & (y == 0)).sum(), (y == 0).sum())
        counts = [None if side is None else side.n_outliers for side in (one.before, one.after)]
        assert one.change != "gone" or (counts[1] == 0 and counts[0] > 0)
        assert one.change != "new" or one.after.share > one.before.share
        assert one.change != "unknown" or None in counts


@pytest.mark.parametrize("seed", range(12))
def test_each_statement_holds_on_the_rows(seed):
    before, after = night(2 * seed), night(2 * seed + 1, new=30 * (seed % 2), rate=0.06 + 0.02 * (seed % 3))
    one, two = explain(before[1], before[0]), explain(after[1], after[0])
    found = one.compare(Explanation.from_json(two.to_json()))  # the cells of a file are those of the table
    assert [str(change) for change in found.rules] == [str(change) for change in one.compare(two).rules]
    recount(found.rules, before, after)
    recount(explain(after[1], after[0], known=one).summary.changes, before, after)
    assert found.changed == bool(seed % 2)
    frame = found.to_frame()
    for side, (X_side, y) in zip(SIDES, (before, after), strict=True):
        expected = [int((change.rule.tag.covers(X_side) & (y == 1)).sum()) for change in found.rules]
        assert frame[f"outliers_{side}"].tolist() == expected


def test_nothing_changed():
    e = explain_by([[HIGH]], X, [0, 0, 0, 0, 1, 1, 1])
    same = e.compare(e)
    assert "1 still there" in repr(same)
    assert not same.changed
    assert same.rows.empty
    assert same.to_frame()["change"].tolist() == ["same"]
    nothing = explain([0] * 7, X)
    assert nothing.compare(nothing).to_frame().empty
    assert str(nothing.compare(nothing)).endswith("There is no rule to compare.")


def test_a_rule_that_still_matches_is_not_called_gone():
    before = explain_by([[HIGH]], X, [0, 0, 0, 0, 1, 1, 1])
    after = explain_by([[LOW]], X, [0, 0, 0, 0, 1, 1, 1])  # the same rows in other words
    found = before.compare(after)
    assert found.to_frame()["change"].tolist() == ["same", "found"]
    assert "not among the rules now" in " ".join(str(found).split())


def test_a_rule_that_matches_no_outlier_now_is_gone():
    n = 60
    frame = pd.DataFrame({"x": [9] * 20 + [1] * n, "y": [1] * 20 + [2] * n})
    y = [1] * 20 + [0] * n
    later = frame.assign(x=1, y=[7] * 20 + [2] * n)
    found = explain_by([[HIGH]], frame, y).compare(explain_by([[Tag.of(Condition("y", "==", 7))]], later, y))
    told = found.to_frame().set_index("rule")
    assert told["change"].to_dict() == {"x > 5": "gone", "y is 7": "new", **dict.fromkeys(told.index[2:], "new")}
    assert found.changed
    few = explain_by([[HIGH]], frame[18:], y[18:]).compare(explain_by([[HIGH]], later, y))  # 2 of 2, then 0 of 20
    assert few.to_frame()["change"].tolist()[-1:] == ["gone"]
    assert "chance may explain it" in str(few)


def test_of_rows_that_were_left_out_nothing_is_said():
    before, after = (explain_by([[tag]], X, [0, 0, 0, 0, 1, 1, 1]) for tag in (HIGH, LOW))
    blind = [Explanation.from_json(one.to_json(rows=False)) for one in (before, after)]
    found = blind[0].compare(blind[1])
    assert found.to_frame()["change"].tolist() == ["unknown", "unknown"]
    assert not found.changed
    assert "now not known, before 3 of 3 outliers" in str(found)
    half = before.compare(blind[1])  # the later rule is evaluated on the earlier outliers
    assert half.to_frame().set_index("rule")["outliers_before"].to_dict() == {"x > 5": 3, "x >= 8": 3}


def test_rows_of_the_same_table_that_only_one_marks():
    before = explain_by([[HIGH]], X, [0, 0, 0, 0, 1, 1, 1])
    after = explain_by([[HIGH]], X, [0, 0, 0, 1, 0, 1, 1])
    found = before.compare(after)
    assert found.rows.to_dict("records") == [
        {"label": "e", "before": 1, "after": 0}, {"label": "d", "before": 0, "after": 1}
    ]  # fmt: skip
    assert "1 row no longer marked: e" in str(found)
    other = explain_by([[HIGH]], X.assign(x=X["x"] + 1), [0, 0, 0, 1, 0, 1, 1])
    assert before.compare(other).rows.empty  # the labels are those of other rows


@pytest.mark.parametrize("name", ["day", "number", "version"])
def test_a_column_that_tells_the_days_apart_is_no_new_cause(name):
    sides = []
    for day in (1, 2):
        frame, y = night(day)
        frame[name] = {"day": f"2024-05-0{day}", "number": day * 1000 + np.arange(len(frame)) // 2, "version": day}[
            name
        ]
        sides.append(explain(y, frame))
    for one in sides:
        assert not one.compare(sides[1]).changed
    assert not Explanation.from_json(sides[0].to_json()).compare(sides[1]).changed


def test_more_of_the_same_is_no_new_cause():
    (X_few, few), (X_many, many) = night(1, rate=0.05), night(2, rate=0.2)
    changes = explain(few, X_few).compare(explain(many, X_many))
    assert not changes.some("new")


def test_a_column_of_another_kind_tells_nothing():
    frame, y = night(1)
    other = frame.assign(amount=frame["amount"].astype(str))
    found = explain(y, frame).compare(explain(y, other))
    assert {one.change for one in found.rules if one.rule.tag.columns == ["amount"]} == {"unknown"}


def test_times_of_two_nights_are_compared_by_the_hour():
    sides = []
    for day in (1, 2):
        frame, y = night(day)
        frame["at"] = pd.Timestamp(f"2024-05-0{day}") + pd.to_timedelta(np.arange(400) * 200, unit="s")
        y[100:130] = 1  # the same half hour of either day
        sides.append((frame, y))
    one, two = (explain(y, frame) for frame, y in sides)
    assert any("at" in rule.tag.columns for rule in two.rules)
    assert not one.compare(two).changed
    assert not any(change.significant for change in explain(sides[1][1], sides[1][0], known=one).summary.changes)


@pytest.mark.parametrize("late", [False, True])
def test_a_late_row_makes_no_second_day_and_zones_are_of_one_kind(late):
    sides = []
    for day in (1, 2):
        frame, y = night(day)
        frame["at"] = pd.Timestamp(f"2024-05-0{day}") + pd.to_timedelta(np.arange(400) * 200, unit="s")
        y[300:360] = 1
        if late and day == 1:
            frame.loc[310, "at"] = pd.Timestamp("2024-05-02 18:00")
        sides.append((frame, y))
    assert not explain(*sides[0][::-1]).compare(explain(*sides[1][::-1])).changed
    zoned = sides[1][0].assign(at=sides[1][0]["at"].dt.tz_localize("Europe/Berlin"))
    found = explain(*sides[0][::-1]).compare(explain(sides[1][1], zoned))
    assert {one.change for one in found.rules if "at" in one.rule.tag.columns} <= {"unknown"}


def test_hours_and_weekdays_are_those_of_the_rows():
    hour = Tag.of(Condition(DatePart("at", "hour"), "<=", 1))
    times = pd.Timestamp("2024-05-10") + pd.to_timedelta(np.arange(96) * 15, unit="min")
    frames = [pd.DataFrame({"at": times + pd.Timedelta(days=days, hours=hours)}) for days, hours in ((0, 0), (1, 3))]
    one, two = (
        explain_by([[tag]], frame, [1] * 8 + [0] * 88) for tag, frame in zip((hour, ALWAYS), frames, strict=True)
    )
    [change] = [change for change in one.compare(two).rules if change.rule.tag == hour]
    assert (change.before.n_outliers, change.after.n_outliers) == (8, 0)


@pytest.mark.parametrize("kind", ["all", "none", "half"])
def test_the_interval_covers_the_difference(kind):
    one, other = {"all": ((9, 9), (0, 7)), "none": ((0, 9), (0, 7)), "half": ((40, 80), (10, 20))}[kind]
    low, high = difference_interval(one, other)
    assert -1 <= low <= one[0] / one[1] - other[0] / other[1] <= high <= 1


def test_lines_fit_a_terminal():
    big = pd.DataFrame({"a long name of a column " * 5: range(40)})
    tag = Tag.of(Condition(big.columns[0], ">", 5))
    text = str(explain_by([[tag]], big, [0] * 20 + [1] * 20).compare(explain_by([[tag]], big, [0] * 30 + [1] * 10)))
    assert all(len(line) <= 80 and line == line.rstrip() for line in text.splitlines())
