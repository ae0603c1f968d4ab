"""What changed between two explanations: yesterday's report against today's."""

from __future__ import annotations

from collections.abc import Hashable

import pandas as pd

from pyod_explain._advice import advice
from pyod_explain._frame import frame_of
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import equal_to_itself
from pyod_explain.result.comparison import Comparison, RuleChange
from pyod_explain.result.group import GroupExplanation, Rule
from pyod_explain.result.summary import Summary
from pyod_explain.tags import Condition, Term

__all__ = ["DRIFT", "compare"]

DRIFT = 0.05  # of precision or coverage: a smaller change is not called one
MOST = 0.5  # of the rows of either group: fewer in common may be labels that happen to be alike, as those of a range


def compare(before: Summary, after: Summary) -> Comparison:
    """Compare two explanations of the same kind of table.

    Groups are numbered by size, so yesterday's group 1 may be today's group 2: groups correspond if they share most
    rows (by label), or else most rules. Rules correspond within such groups.

    Parameters
    ----------
    before, after : the summaries.
    """
    if (before.tables is None) != (after.tables is None):
        raise PyodExplainError(
            f"The two explanations {advice('of compare()', 'to compare')} must be of one kind, got one of outliers and "
            "one of what is new in a table.\n"
            f"Hint: compare two {advice('of explain()', 'reports of outliers')}, or two "
            f"{advice('of explain_new()', 'of --now and --before')}."
        )
    groups = _match_groups(before, after)
    return Comparison(
        rules=_compare_rules(before, after, groups),
        rows=_compare_rows(before, after, groups),
        groups=groups,
        before=before,
        after=after,
    )


def _match_groups(before: Summary, after: Summary) -> dict[int, int | None]:
    """Pair groups, the most alike first; alike by most rows shared, then by rules, by columns, and by a few rows."""
    pairs = sorted(
        ((_likeness(one, two), -one.number, -two.number) for one in before.groups for two in after.groups), reverse=True
    )
    result: dict[int, int | None] = {group.number: None for group in before.groups}
    taken: set[int] = set()
    for likeness, one, two in pairs:
        if result[-one] is None and -two not in taken and any(likeness):
            result[-one] = -two
            taken.add(-two)
    return result


def _likeness(one: GroupExplanation, two: GroupExplanation) -> tuple[float, float, float, float]:
    rows = _overlap(set(map(equal_to_itself, one.rows)), set(map(equal_to_itself, two.rows)))
    return (
        rows if rows >= MOST else 0.0,
        _overlap({rule.tag for rule in one.rules}, {rule.tag for rule in two.rules}),
        _overlap(
            {c for rule in one.rules for c in rule.tag.columns}, {c for rule in two.rules for c in rule.tag.columns}
        ),
        rows,
    )


def _overlap(one: set[Hashable], two: set[Hashable]) -> float:
    return len(one & two) / len(one | two) if one | two else 0.0


def _compare_rules(before: Summary, after: Summary, groups: dict[int, int | None]) -> tuple[RuleChange, ...]:
    left, made = list(after.rules), before.tells_outliers and after.tells_outliers
    changes = []
    for old in before.rules:
        new = _counterpart(old, [rule for rule in left if rule.group == groups[old.group]])
        if new is not None:
            left.remove(new)
        changes.append(RuleChange(_change(old, new, made=made), old, new, made))
    return (*changes, *(RuleChange("new", None, new, made) for new in left))


def _shape(rule: Rule) -> frozenset[tuple[Term, str, Hashable]]:
    """What a rule speaks of, whatever the limits: `>` and `>=` say the same kind of thing, "is a" and "is b" do not."""
    return frozenset((c.column, c.op.rstrip("=") or "=", _named(c)) for c in rule.tag.conditions)


def _named(c: Condition) -> Hashable:
    """The value that a condition names, where it is no limit."""
    return equal_to_itself(c.value) if c.op in ("==", "!=", "contains") else None


def _counterpart(old: Rule, candidates: list[Rule]) -> Rule | None:
    same = next((new for new in candidates if new.tag == old.tag), None)
    return same or next((new for new in candidates if _shape(new) == _shape(old)), None)


def _change(old: Rule, new: Rule | None, *, made: bool) -> str:
    if new is None:
        return "gone"
    if old.tag != new.tag:
        return "changed"
    right = old.outlier_share - new.outlier_share if made else old.precision - new.precision
    moved = max(abs(right), abs(old.recall - new.recall))
    return "drifted" if moved >= DRIFT else "same"


def _compare_rows(before: Summary, after: Summary, groups: dict[int, int | None]) -> pd.DataFrame:
    """List the rows whose group differs, after yesterday's numbers are translated into today's; none if not known."""
    if not (before.knows_rows and after.knows_rows) or before.tables is not None:
        return frame_of([], ["label", "before", "after"])
    labels = {equal_to_itself(label): label for one in (after, before) for group in one.groups for label in group.rows}
    old, new = _numbers(before), _numbers(after)
    moved = [
        (labels[row], old.get(row, 0), new.get(row, 0))
        for row in dict.fromkeys([*old, *new])
        if (groups.get(old[row]) if row in old else 0) != new.get(row, 0)
    ]
    return frame_of(moved, ["label", "before", "after"])


def _numbers(one: Summary) -> dict[Hashable, int]:
    """Give the group of each outlier."""
    return {equal_to_itself(label): group.number for group in one.groups for label in group.rows}
