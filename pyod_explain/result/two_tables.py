"""What a rule says of two tables, where outliers and normals are the rows of a later and of an earlier one."""

from __future__ import annotations

from pyod_explain.result.group import Rule
from pyod_explain.result.summary import Summary
from pyod_explain.result.words import count, number, percent

__all__ = ["matches_text", "shares_text", "sizes_text"]

Tables = tuple[str, str]  # what to call the later one, and the earlier one


def sizes_text(s: Summary, tables: Tables) -> str:
    """Say how many rows either table has."""
    now, before = tables
    return f"{now} has {count(s.n_outliers, 'row')}, {before} {s.n_normals:,}"


def matches_text(rule: Rule, tables: Tables) -> str:
    """Say how many rows of either table match a rule."""
    now, before = tables
    there = f"{count(rule.n_outliers, 'row')} of {now} ({percent(rule.recall)})"
    if not rule.n_normals:
        return f"{there}, none of {before}"
    earlier = f"{rule.n_normals:,} of {before} ({percent(rule.n_normals, rule.total_normals)})"
    return f"{there}, {earlier}: {number(rule.lift)} times as frequent"


def shares_text(rule: Rule, tables: Tables) -> str:
    """Say which share of either table matches a rule."""
    now, before = tables
    return f"{percent(rule.recall)} of {now} and {percent(rule.n_normals, rule.total_normals)} of {before}"
