"""Words and numbers, written the same way in every view."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from typing import Any

from pyod_explain.report.summary import Holdout, Placebo, Rule, Summary
from pyod_explain.tags.tag import value_text

__all__ = [
    "GLOSSARY",
    "bits_sentence",
    "cell_text",
    "count",
    "headline",
    "holdout_text",
    "lift_text",
    "number",
    "p_text",
    "percent",
    "placebo_sentence",
    "proof_sentence",
    "rule_counts",
    "validation_sentence",
    "visible",
]

GLOSSARY: dict[str, str] = {
    "Outlier": "a row that the detector marks as unusual; all other rows are called normal.",
    "Group": "outliers that resemble each other and are described together.",
    "Rule": "conditions that a row meets all at once; a group is described by one rule or another.",
    "Explained": "outliers of the group that match at least one of its rules.",
    "Coverage": "share of the group's outliers that match the rule.",
    "Precision": "of all rows that match, the share that belongs to the group. 100%: the rule never errs.",
    "Lift": "how many times more often the rule holds in the group than among the normal rows.",
    "Not significant": "drawing rows blindly would often give such a rule, given how many could be tried.",
    "Held out": "figures on rows that were kept aside while the rules were found; the fairest to quote.",
    "Gain": "how much shorter the outliers can be told by the rules than one by one.",
    "FUO": "share of the group's outliers that the rules miss (fraction of uncovered outliers).",
    "FCO": "share of the other groups' outliers that the rules match by mistake (fraction of covered others).",
    "FCN": "share of the normal rows that the rules match by mistake (fraction of covered normals).",
    "AL": "average length: conditions in a rule.",
    "NT": "number of rules (tags) of the group.",
    "MDL": "bits needed to tell somebody who has the table which rows are the group (minimum description length).",
}


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Write a number of things.

    >>> count(1, "row"), count(1200, "row"), count(0, "match", "matches")
    ('1 row', '1,200 rows', '0 matches')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def percent(part: float, whole: float = 1.0) -> str:
    """Write a share; never 0% for something or 100% for less than everything.

    >>> percent(1, 3), percent(1, 80), percent(1, 3000), percent(1, 10**6), percent(0, 5), percent(0, 0)
    ('33%', '1.2%', '0.03%', 'under 0.01%', '0%', '0%')
    >>> percent(5, 5), percent(199, 200), percent(2999, 3000)
    ('100%', '99.5%', 'over 99.9%')
    """
    value = 100 * part / whole if whole else 0.0
    if value in (0.0, 100.0) or 10 <= value <= 99 or value > 100:
        return f"{value:,.0f}%"
    if value > 99:
        return f"{value:.1f}%" if value < 99.95 else "over 99.9%"
    if value >= 0.01:
        return f"{value:.1f}%" if value >= 0.1 else f"{value:.2f}%"
    return "under 0.01%"


def number(value: float) -> str:
    """Write a number to three digits.

    >>> number(0.12345), number(12.345), number(1234.5), number(float("inf"))
    ('0.123', '12.3', '1,234', 'infinite')
    """
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinite"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def lift_text(rule: Rule) -> str:
    """Write how much more often the rule holds in its group than among the normals."""
    if math.isinf(rule.lift):
        return "no normal row matches"
    return f"lift {number(rule.lift)}"


def p_text(p_value: float) -> str:
    """Write a corrected p-value.

    >>> p_text(0.2), p_text(1e-30), p_text(1.0)
    ('p = 0.2, not significant', 'p < 0.0001', 'p = 1, not significant')
    """
    if p_value < 0.0001:
        return "p < 0.0001"
    return f"p = {p_value:.2g}" + ("" if p_value < 0.05 else ", not significant")


def visible(text: str) -> str:
    r"""Write control characters as escapes, so that a name cannot move the cursor or break a line.

    >>> print(visible("a\x1b[31m\nb"))
    a\x1b[31m\nb
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def cell_text(value: Any) -> str:
    """Write the value of a cell; a missing one as such.

    >>> cell_text(None), cell_text(3.0), cell_text("web")
    ('missing', '3', "'web'")
    """
    return "missing" if value is None else visible(value_text(value))


def short_value(value: Any) -> str:
    """Write a value of a profile in few characters: numbers to four digits, dates without their time.

    >>> short_value(0.123456), short_value(12345678), short_value(dt.datetime(2024, 5, 1, 7, 30))
    ('0.1235', '12,345,678', '2024-05-01 07:30')
    """
    if isinstance(value, decimal.Decimal):
        value = float(value)
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{int(value):,}" if abs(value) < 1e15 else f"{value:.3g}"
    if isinstance(value, dt.datetime):
        return value.strftime("%Y-%m-%d" if (value.hour, value.minute) == (0, 0) else "%Y-%m-%d %H:%M")
    return cell_text(value)


# --- sentences that several views share -------------------------------------------------------------------------------


def headline(s: Summary) -> str:
    """Say what was detected by whom, and how much of it is explained."""
    if not s.groups:
        who = f"the{s.detector[3:]}" if s.detector.startswith("The ") else s.detector  # within a sentence
        return f"Nothing to explain: {who} marks none of the {count(s.n_rows, 'row')} as an outlier."
    groups = "" if len(s.groups) == 1 else f", in {len(s.groups):,} groups"
    found = (
        f"{s.detector[:1].upper()}{s.detector[1:]} marks {s.n_outliers:,} of {count(s.n_rows, 'row')} "
        f"({percent(s.n_outliers, s.n_rows)}) as outliers{groups}."
    )
    if not s.rules:
        return found + " No rule explains any of them in fewer bits than naming them takes."
    explain = "explains" if len(s.rules) == 1 else "explain"
    return (
        f"{found} {count(len(s.rules), 'rule').capitalize()} {explain} {s.n_explained:,} of them "
        f"({percent(s.n_explained, s.n_outliers)}) and {'matches' if len(s.rules) == 1 else 'match'} "
        f"{s.n_normals_matched:,} of the {count(s.n_normals, 'normal row')} "
        f"({percent(s.n_normals_matched, s.n_normals)})."
    )


def rule_counts(rule: Rule) -> str:
    """Write what a rule covers and how well."""
    parts = [f"{count(rule.n_outliers, 'outlier')} of {rule.group_size:,}", count(rule.n_normals, "normal row")]
    if rule.n_others:
        parts.append(count(rule.n_others, "outlier of other groups", "outliers of other groups"))
    figures = [f"precision {percent(rule.precision)}", lift_text(rule)]
    if not rule.significant:
        figures.append("not significant")
    return f"{', '.join(parts)}; {'; '.join(figures)}"


def holdout_text(holdout: Holdout, n_splits: int) -> str:
    """Write how a rule did on rows that were not used to find it."""
    if not holdout.found:
        return f"held out: not found again in any of {n_splits} folds"
    covered = f"{holdout.n_outliers:,} of {holdout.group_size:,} covered"
    precision = (
        f"precision {percent(holdout.precision)}" if holdout.n_outliers or holdout.n_normals else "no row matches"
    )
    return f"held out: {covered}, {precision}; found in {holdout.found} of {n_splits} folds"


def bits_sentence(s: Summary) -> str:
    """Say how much shorter the rules are than naming every outlier."""
    start = f"Naming every outlier takes {s.mdl_empty:,.0f} bits, this explanation {s.mdl:,.0f}: "
    return start + (f"{percent(s.gain)} shorter." if s.mdl < s.mdl_empty else "it explains nothing.")


def proof_sentence(s: Summary) -> str:
    """Say what was proved of the choice of rules, and never more than that."""
    among = f"among {count(s.n_tags, 'candidate rule')}"
    if s.status == "optimal":
        return f"Proved optimal {among} ({s.method}, {s.solver})."
    if s.status == "violated":
        return f"A limit on the uncovered outliers is not met: the {s.method} {s.solver} search ended without."
    if s.bound is None or s.objective is None:
        return f"Found by search {among} ({s.method}, {s.solver}); not proved best."
    if s.bound > 0:
        excess = max(s.objective - s.bound, 0.0) / s.bound
        return f"Proved within {percent(excess)} of the best possible {among} ({s.method}, {s.solver})."
    return (
        f"Found by search {among} ({s.method}, {s.solver}): objective {number(s.objective)}, "
        f"the best possible is proved to be at least {number(s.bound)}."
    )


def validation_sentence(s: Summary) -> str:
    """Say how the whole explanation does on held-out rows, beside the rows it was found on; or that nobody looked."""
    if s.validation is None:
        return "Not checked on held-out rows; explanation.validate() does it."
    whole = s.validation.whole
    return (
        f"On rows kept aside while the rules were found ({s.validation.n_splits} folds): "
        f"{percent(whole.recall)} of the outliers covered, precision {percent(whole.precision)}; on the rows used: "
        f"{percent(s.n_explained, s.n_outliers)}, {percent(s.precision)}."
    )


def placebo_sentence(placebo: Placebo) -> str:
    """Say what random normals in place of the outliers give, and what that means for the real gain."""
    draws = count(len(placebo.gains), "draw")
    verdict = "about what chance gives" if placebo.by_chance else "chance does not explain it"
    return (
        f"Placebo: random normal rows in place of the outliers give a gain of {percent(max(placebo.gain, 0.0))} "
        f"({draws}), the outliers {percent(max(placebo.real, 0.0))}: {verdict}."
    )
