"""Does a summary make sense? Counts within their totals, groups numbered in order, every column known.

A file may be changed by hand or by accident. What would make a report say two things at once is refused at reading, by
the place where it stands, instead of somewhere in a page or a query.
"""

from __future__ import annotations

import decimal
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from pyod_explain.input import Kind, Relation
from pyod_explain.metrics import METRICS
from pyod_explain.report.json.schema import damaged
from pyod_explain.report.json.zones import read_zone
from pyod_explain.result import NEARLY, ColumnFacts, GroupExplanation, Holdout, Profile, Rule, Summary

__all__ = ["check_summary"]


def check_summary(s: Summary) -> None:
    """Raise one error that names the first thing that does not make sense.

    Parameters
    ----------
    s : a summary whose fields have the declared types and finite numbers.
    """
    if s.n_lines is not None:
        _at_least("n_lines", s.n_lines, 1)
    _at_most("n_normals", s.n_normals, s.n_rows - s.n_outliers, "rows that are no outliers")
    _at_most("n_normals_matched", s.n_normals_matched, s.n_normals, "normals")
    _at_most("n_strays", s.n_strays, s.n_outliers - s.n_explained, "unexplained outliers")
    for name in ("mdl", "mdl_empty", "bits", "bits_named", "bits_groups"):
        _at_least(name, getattr(s, name), 0)
    if len(s.group_curve) and {len(point) for point in s.group_curve} not in ({2}, {4}, {5}):
        raise damaged("group_curve", "a list of pairs of numbers", "others")
    for i, facts in enumerate(s.columns):
        _check_facts(facts, f"columns[{i}]")
    twice = [name for name, times in Counter(facts.name for facts in s.columns).items() if times > 1]
    if twice:
        raise damaged("columns", "a list with each column once", f"{str(twice[0])!r} more than once")
    for i, group in enumerate(s.groups):
        if group.number != i + 1:
            raise damaged(f"groups[{i}].number", f"{i + 1}, as groups are numbered in order", group.number)
        _check_group(group, s, f"groups[{i}]")
    _between("n_normals_matched", s.n_normals_matched, [group.n_normals for group in s.groups])
    for name in s.timings:
        _at_least(f"timings.{name}", s.timings[name], 0)
    _check_validation(s)
    for name, drawn in (("placebo", s.placebo), ("chance", s.chance)):
        if drawn is not None and not drawn.gains:
            raise damaged(f"{name}.gains", "a list of one or more numbers", "none")


# --- numbers ----------------------------------------------------------------------------------------------------------


def _at_most(path: str, value: float, most: float, what: str) -> None:
    if value > most:
        raise damaged(path, f"at most {max(most, 0):,}, the number of {what}", value)


def _at_least(path: str, value: float, least: float) -> None:
    if value < least:
        raise damaged(path, f"a number of at least {least}", value)


def _share(path: str, value: float, margin: float = 0.0) -> None:
    if not -margin <= value <= 1 + margin:
        raise damaged(path, "a share, from 0 to 1", value)


def _between(path: str, union: int, parts: Sequence[int]) -> None:
    """Check the number of rows that any of some rules matches: as many as the widest does, at most all of them."""
    if not max(parts, default=0) <= union <= sum(parts):
        raise damaged(path, f"from {max(parts, default=0):,} to {sum(parts):,}, what the rules match", union)


# --- groups -----------------------------------------------------------------------------------------------------------


def _check_group(group: GroupExplanation, s: Summary, path: str) -> None:
    _at_least(f"{path}.size", group.size, 1)
    _at_most(f"{path}.n_explained", group.n_explained, group.size, "outliers in the group")
    if group.rows or group.uncovered:  # else the labels were left out
        for name, expected in (("rows", group.size), ("uncovered", group.size - group.n_explained)):
            found = len(getattr(group, name))
            fits = found == expected if s.n_lines is None else bool(found) == bool(expected) and found <= expected
            if not fits:
                most = "" if s.n_lines is None else "at most "
                raise damaged(f"{path}.{name}", f"a list of {most}{expected:,} row labels", f"{found:,}")
    _at_least(f"{path}.mdl_empty", group.mdl_empty, 0)
    for i, rule in enumerate(group.rules):
        _check_rule(rule, group, s, f"{path}.rules[{i}]")
    if len({rule.tag for rule in group.rules}) < len(group.rules):
        raise damaged(f"{path}.rules", "a list of rules that differ", "the same rule twice")
    _check_added(group, path)
    _between(f"{path}.n_explained", group.n_explained, [rule.n_outliers for rule in group.rules])
    _between(f"{path}.n_normals", group.n_normals, [rule.n_normals for rule in group.rules])
    _between(f"{path}.n_others", group.n_others, [rule.n_others for rule in group.rules])
    _check_metrics(group, f"{path}.metrics")
    _check_profiles(group, s, f"{path}.profiles")


def _check_added(group: GroupExplanation, path: str) -> None:
    """Check what each rule adds to those above it, where that is known: in all, what the rules cover."""
    added = [rule.n_added for rule in group.rules]
    if all(one is None for one in added):
        return
    for i, rule in enumerate(group.rules):
        if rule.n_added is None:
            raise damaged(f"{path}.rules[{i}].n_added", "a count, as in the other rules", None)
        _at_most(f"{path}.rules[{i}].n_added", rule.n_added, rule.n_outliers, "outliers that the rule matches")
    if added[0] != group.rules[0].n_outliers:
        raise damaged(f"{path}.rules[0].n_added", f"{group.rules[0].n_outliers:,}, all that it matches", added[0])
    total = sum(one for one in added if one is not None)
    if total != group.n_explained:
        raise damaged(f"{path}.rules", f"rules that add up to {group.n_explained:,} outliers", f"{total:,}")


def _check_metrics(group: GroupExplanation, path: str) -> None:
    for name in METRICS:
        if name not in group.metrics:
            raise damaged(path, f"an object with {name}", sorted(group.metrics))
        _at_least(f"{path}.{name}", group.metrics[name], -NEARLY)
    for name in ("FUO", "FCO", "FCN"):
        _share(f"{path}.{name}", group.metrics[name], NEARLY)  # of weights, which may miss 0 or 1
    if group.metrics["NT"] != len(group.rules):
        raise damaged(f"{path}.NT", f"{len(group.rules)}, the number of rules", group.metrics["NT"])


def _check_rule(rule: Rule, group: GroupExplanation, s: Summary, path: str) -> None:
    for name, expected in (("group_size", group.size), ("total_normals", s.n_normals)):
        if getattr(rule, name) != expected:
            raise damaged(f"{path}.{name}", f"{expected:,}, as elsewhere", getattr(rule, name))
    _at_most(f"{path}.n_outliers", rule.n_outliers, group.size, "outliers in the group")
    _at_most(f"{path}.n_normals", rule.n_normals, s.n_normals, "normals")
    _at_most(f"{path}.n_others", rule.n_others, s.n_outliers - group.size, "outliers of other groups")
    _share(f"{path}.p_value", rule.p_value)
    known = {facts.name for facts in s.columns}
    for column in (*rule.tag.columns, *(condition.column for condition in rule.tag.sorted)):
        if column not in known:
            there = sorted(map(str, known))
            raise damaged("columns", f"a list with the column {str(column)!r}, which `{path}` speaks of", there)


def _check_profiles(group: GroupExplanation, s: Summary, path: str) -> None:
    said = {condition for rule in group.rules for condition in rule.tag.conditions}
    shown = [condition for profile in group.profiles for condition in profile.conditions]
    if len(shown) != len(set(shown)) or set(shown) != said:
        raise damaged(path, "a list with each condition of the group's rules once", f"{len(shown)} conditions")
    for i, profile in enumerate(group.profiles):
        _check_profile(profile, s.facts(profile.column), f"{path}[{i}]")


def _check_profile(profile: Profile, facts: ColumnFacts, path: str) -> None:
    if any(condition.column != profile.column for condition in profile.conditions):
        raise damaged(f"{path}.column", "the column of its conditions", str(profile.column))
    if len(profile.matching) != len(profile.conditions):
        raise damaged(
            f"{path}.matching", f"a list of {len(profile.conditions)}, one a condition", len(profile.matching)
        )
    for i, pair in enumerate(profile.matching):
        for j, value in enumerate(pair):
            _share(f"{path}.matching[{i}][{j}]", value)
    for name in ("group", "normals"):
        points = getattr(profile, name)
        if points is None:
            continue
        if facts.kind not in _ORDERED or len(points) != 5:
            raise damaged(f"{path}.{name}", "null, or five values of a column that has an order", f"{len(points)}")
        _check_values(points, facts, f"{path}.{name}")
        if any(later < earlier for earlier, later in pairwise(points)):
            raise damaged(f"{path}.{name}", "in increasing order", list(points))


# --- columns ----------------------------------------------------------------------------------------------------------

_ORDERED: dict[Kind, tuple[type, ...]] = {
    "number": (int, float, decimal.Decimal),
    "datetime": (pd.Timestamp,),
    "timedelta": (pd.Timedelta,),
}


def _check_facts(facts: ColumnFacts, path: str) -> None:
    if isinstance(facts.name, Relation) and (facts.kind != "number" or facts.whole):
        raise damaged(f"{path}.kind", "'number' and not `whole`, as a relation gives doubles", facts.kind)
    if not facts.scale > 0:
        raise damaged(f"{path}.scale", "a number above 0", facts.scale)
    if facts.timezone is not None:
        _check_zone(facts, f"{path}.timezone")
    if facts.kind in _ORDERED:
        _check_values(facts.candidates, facts, f"{path}.candidates")
    if facts.kind == "boolean" and not all(isinstance(one, bool) for one in facts.candidates):
        raise damaged(f"{path}.candidates", "a list of true and false", list(facts.candidates))


def _check_zone(facts: ColumnFacts, path: str) -> None:
    if facts.kind != "datetime":
        raise damaged(path, "null, as only times have a time zone", facts.timezone)
    try:
        read_zone(str(facts.timezone))
    except (ValueError, LookupError, OSError):
        raise damaged(path, "null or the name of a time zone", facts.timezone) from None


def _check_values(values: Iterable[Any], facts: ColumnFacts, path: str) -> None:
    """Check that values are cells of such a column: finite numbers, times with or without a zone, durations."""
    for i, value in enumerate(values):
        fits = isinstance(value, _ORDERED[facts.kind]) and not isinstance(value, bool)
        if fits and facts.kind == "number":
            fits = abs(value) < 2**1024 and not math.isnan(value)
        if fits and facts.kind == "datetime":
            fits = (value.tzinfo is None) == (facts.timezone is None)
        if not fits:
            raise damaged(f"{path}[{i}]", f"a value of a column of kind {facts.kind!r}", value)


# --- checks -----------------------------------------------------------------------------------------------------------


def _check_validation(s: Summary) -> None:
    if s.validation is None:
        return
    n_splits = s.validation.n_splits
    _at_least("validation.n_splits", n_splits, 2)
    for name, expected in (("groups", len(s.groups)), ("rules", len(s.rules))):
        some: tuple[Holdout, ...] = getattr(s.validation, name)
        if len(some) != expected:
            raise damaged(f"validation.{name}", f"a list of {expected:,}, as many as there are", f"{len(some):,}")
        for i, one in enumerate(some):
            _check_holdout(one, s, n_splits, f"validation.{name}[{i}]")
    _check_holdout(s.validation.whole, s, n_splits, "validation.whole")
    for i, point in enumerate(s.validation.curve):
        _check_holdout(point, s, n_splits, f"validation.curve[{i}]")


def _check_holdout(one: Holdout, s: Summary, n_splits: int, path: str) -> None:
    _at_most(f"{path}.group_size", one.group_size, s.n_outliers, "outliers")
    _at_most(f"{path}.n_normals", one.n_normals, s.n_normals, "normals")
    _at_most(f"{path}.n_others", one.n_others, s.n_outliers, "outliers")
    _at_most(f"{path}.n_outliers", one.n_outliers, one.group_size, "held-out outliers of the group")
    _at_most(f"{path}.found", one.found, n_splits, "folds")
