"""The report as plain text, readable in a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the result imports its views, so the views know it by name only
    from pyod_explain.explanation import Explanation, GroupExplanation, Rule

__all__ = ["to_text"]

WIDTH = 80
MAX_RULES = 5


def to_text(explanation: Explanation) -> str:
    """Write the report: the verdict first, then each group with its rules and counts, then what is left."""
    e = explanation
    if not e.groups:
        return f"Nothing to explain: {e.detector} marks none of the {e.n_rows:,} rows as an outlier."
    parts = [_head(e), *(_group(group, e) for group in e.groups), _foot(e)]
    return "\n\n".join(parts)


def _head(e: Explanation) -> str:
    explained = e.n_outliers - len(e.unexplained)
    groups = "in one group" if len(e.groups) == 1 else f"in {len(e.groups)} groups ({e.grouping})"
    lines = [
        f"{e.detector}: {_count(e.n_outliers, 'outlier')} among {_count(e.n_rows, 'row')}, {groups}.",
        f"{_count(len(e.rules), 'rule')} {'explains' if len(e.rules) == 1 else 'explain'} "
        f"{explained:,} of them ({_percent(explained, e.n_outliers)}).",
    ]
    return "\n".join(_wrap(line) for line in lines)


def _group(group: GroupExplanation, e: Explanation) -> str:
    name = "" if group.name == str(group.number) else f" ({group.name})"
    lines = [f"Group {group.number}{name}: {_count(group.size, 'outlier')}"]
    if not group.rules:
        lines.append(_wrap("No explanation is worth its length: naming the outliers takes fewer bits.", indent="  "))
        return "\n".join(lines)
    lines.append(
        _wrap(
            f"{group.n_explained:,} of {group.size:,} explained ({_percent(group.n_explained, group.size)}); "
            f"{_count(group.n_normals, 'normal row')} of {e.n_normals:,} also "
            f"{'matches' if group.n_normals == 1 else 'match'}"
            + (f"; {_count(group.n_others, 'outlier')} of other groups too." if group.n_others else "."),
            indent="  ",
        )
    )
    for i, rule in enumerate(group.rules[:MAX_RULES]):
        lines.append(_rule(rule, first=i == 0))
    if len(group.rules) > MAX_RULES:
        lines.append(f"    ... and {_count(len(group.rules) - MAX_RULES, 'more rule')} (to_frame() has them all)")
    return "\n".join(lines)


def _rule(rule: Rule, *, first: bool) -> str:
    lead = "  if " if first else "  or "
    text = textwrap.fill(
        str(rule.tag), WIDTH, initial_indent=lead, subsequent_indent="     ", break_long_words=False, break_on_hyphens=False
    )
    lift = "no normal row has it" if not rule.n_normals else f"{_times(rule.lift)} as frequent as among normals"
    doubt = "" if rule.p_value < 0.05 else "; not significant"
    counts = f"{_count(rule.n_outliers, 'outlier')}, {_count(rule.n_normals, 'normal')}; precision {rule.precision:.0%}; {lift}"
    return text + "\n" + _wrap(counts + doubt, indent="       ")


def _foot(e: Explanation) -> str:
    lines = []
    left = e.unexplained
    if left:
        shown = ", ".join(str(label) for label in left[:8]) + (", ..." if len(left) > 8 else "")
        lines.append(f"Left unexplained: {_count(len(left), 'outlier')} (row {shown}).")
    lines.append(
        f"Naming every outlier takes {e.mdl_empty:,.0f} bits, this explanation {e.mdl:,.0f}: "
        + (f"{e.gain:.0%} shorter." if e.mdl < e.mdl_empty else "it explains nothing.")
    )
    lines.extend(e.notes)
    return "\n".join(_wrap(line) for line in lines)


def _wrap(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "0%"


def _times(lift: float) -> str:
    return f"{lift:,.0f} times" if lift >= 10 else f"{lift:.1f} times"
