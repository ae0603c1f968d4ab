"""Sentences that several views share."""

from __future__ import annotations

import math

from pyod_explain.result import GroupExplanation, Holdout, Placebo, Rule, Summary, count, number, percent

__all__ = [
    "GLOSSARY",
    "also_match",
    "bits_sentence",
    "check_sentences",
    "grouping_sentence",
    "headline",
    "holdout_text",
    "lift_text",
    "matched_sentence",
    "neither_sentence",
    "no_rule_sentence",
    "placebo_sentence",
    "proof_sentence",
    "rule_counts",
    "validation_sentence",
]

GLOSSARY: dict[str, str] = {
    "Outlier": "a row that is marked as unusual; all other rows are called normal.",
    "Group": "outliers that resemble each other and are described together.",
    "Rule": "conditions that a row meets all at once; a group is described by one rule or another.",
    "Explained": "outliers of the group that match at least one of its rules.",
    "Adds": "outliers of the group that match the rule and none of the rules above it.",
    "Coverage": "share of the group's outliers that match the rule.",
    "Precision": "of all rows that match, the share that are outliers (of given groups: that belong to the group).",
    "Lift": "how many times more often the rule holds in the group than among the normal rows.",
    "Not significant": "drawing rows blindly would often give such a rule, given how many could be tried.",
    "Held out": "figures on rows that were kept aside while the rules were found; the fairest to quote.",
    "Gain": "how much shorter the rules and what they get wrong are than a list of the outliers.",
    "FUO": "share of the group's outliers that the rules miss (fraction of uncovered outliers).",
    "FCO": "share of the other groups' outliers that the rules match by mistake (fraction of covered others).",
    "FCN": "share of the normal rows that the rules match by mistake (fraction of covered normals).",
    "AL": "average length: conditions in a rule.",
    "NT": "number of rules (tags) of the group.",
    "MDL": "bits needed to tell somebody who has the table which rows are the group (minimum description length).",
}


def lift_text(rule: Rule) -> str:
    """Write how much more often the rule holds in its group than among the normals."""
    if math.isinf(rule.lift):
        return "no normal row matches"
    return f"lift {number(rule.lift)}"


def headline(s: Summary) -> str:
    """Say what was detected by whom, and how much of it is explained."""
    if not s.groups:
        who = f"the{s.detector[3:]}" if s.detector.startswith("The ") else s.detector  # within a sentence
        return f"Nothing to explain: {who} marks none of the {count(s.n_rows, 'row')} as an outlier."
    found = _marked(s)
    if not s.rules:
        return f"{found} {nothing_sentence(s)}"
    return (
        f"{found} {count(len(s.rules), 'rule').capitalize()} {_do(s, 'explain' if s.explains else 'cover')} "
        f"{_them(s)} and {_do(s, 'match')} "
        f"{s.n_normals_matched:,} of the {count(s.n_normals, 'normal row')} "
        f"({percent(s.n_normals_matched, s.n_normals)}){'' if s.explains else _but(s)}."
    )


def _marked(s: Summary) -> str:
    """Say how many rows are outliers, and who says so: a detector, a column, or a test that these pass."""
    groups = "" if len(s.groups) == 1 else f", in {len(s.groups):,} groups"
    rows = f"{s.n_outliers:,} of {count(s.n_rows, 'row')} ({percent(s.n_outliers, s.n_rows)})"
    outliers = "an outlier" if s.n_outliers == 1 else "outliers"
    if s.outlier_test:
        one = s.n_outliers == 1
        return (
            f"{rows} {'is' if one else 'are'} {outliers}{groups}: {'that' if one else 'those'} where {s.outlier_test}."
        )
    return f"{s.detector[:1].upper()}{s.detector[1:]} marks {rows} as {outliers}{groups}."


def _them(s: Summary) -> str:
    if s.n_outliers == 1:
        return "it" if s.n_explained else "nothing of it"
    return f"{s.n_explained:,} of them ({percent(s.n_explained, s.n_outliers)})"


def grouping_sentence(s: Summary) -> str:
    """Say how the groups were made, and why so many; nothing of a single group whose number was not chosen."""
    return f"Groups: {s.grouping}." if len(s.groups) > 1 or s.group_curve else ""


def neither_sentence(s: Summary) -> str:
    """Say how many rows were left out, as the detector does not say what they are; nothing where there is none."""
    if not s.n_neither:
        return ""
    return f"{count(s.n_neither, 'row')} the detector calls neither normal nor outlier; left out."


def _do(s: Summary, verb: str) -> str:
    """Write what the rules do: "covers" of one, "cover" of several."""
    return f"{verb}{'es' if verb == 'match' else 's'}" if len(s.rules) == 1 else verb


def _but(s: Summary) -> str:
    """Say why rules that cover outliers are no explanation of them."""
    if s.share_saved > 0 or not s.bits_named:
        return ", about what chance gives"
    if s.tells_groups:
        return f": {'it tells' if len(s.rules) == 1 else 'they tell'} the groups, but not outliers from normal rows"
    return f", but {'to name it' if s.n_outliers == 1 else 'a mere list of the outliers'} takes less"


def nothing_sentence(s: Summary) -> str:
    """Say that no rule was chosen, and of what was tried; never that there is none."""
    them = "it" if s.n_outliers == 1 else "them"
    if not s.n_tags:
        return f"No rule came up that could explain {them}."
    tried = f"of {count(s.n_tags, 'candidate rule')}"
    if s.status == "optimal":
        return f"{s.method} chooses none {tried}, which is proved to be optimal."
    if s.method == "MDL":
        among = count(s.n_tags, "candidate")
        return f"The search found no rule that tells {them} more shortly than a list does, of {among}."
    return f"The search ({s.method}, {s.solver}) chose none {tried}."


def no_rule_sentence(s: Summary) -> str:
    """Say that one group got no rule."""
    if s.method == "MDL":
        return "No rule was found that tells this group more shortly than a list does."
    return "No rule was chosen."


def check_sentences(s: Summary) -> list[str]:
    """Say what the rules are worth, what was proved of them, and how they hold elsewhere."""
    sentences = [bits_sentence(s), chance_sentence(s), proof_sentence(s), validation_sentence(s)]
    if s.placebo is not None:
        sentences.append(placebo_sentence(s.placebo))
    return [sentence for sentence in sentences if sentence]


def also_match(n_normals: int, total_normals: int, n_others: int) -> str:
    """Write how many rows beside the group match its rules.

    >>> also_match(1, 50, 0)
    '1 of 50 normal rows also matches'
    >>> also_match(0, 50, 2)
    '0 of 50 normal rows also match; 2 outliers of other groups do'
    >>> also_match(3, 50, 1)
    '3 of 50 normal rows also match; so does 1 outlier of other groups'
    """
    match = "matches" if 1 in (n_normals, total_normals) else "match"
    normals = f"{n_normals:,} of {count(total_normals, 'normal row')} also {match}"
    if not n_others:
        return normals
    do, others = "does" if n_others == 1 else "do", f"{count(n_others, 'outlier')} of other groups"
    return f"{normals}; so {do} {others}" if n_normals else f"{normals}; {others} {do}"


def matched_sentence(group: GroupExplanation, s: Summary) -> str:
    """Say how much of a group its rules match, and how many other rows."""
    return (
        f"{group.n_explained:,} of {group.size:,} {s.covered_word} ({percent(group.n_explained, group.size)}); "
        f"{also_match(group.n_normals, s.n_normals, group.n_others)}."
    )


def rule_counts(rule: Rule, s: Summary, *, first: bool = True) -> str:
    """Write what a rule covers, what it adds to those above it unless it is the first, and how well."""
    adds = "" if first or rule.n_added is None else f" (adds {f'{rule.n_added:,}' if rule.n_added else 'none'})"
    parts = [f"{count(rule.n_outliers, 'outlier')} of {rule.group_size:,}{adds}", count(rule.n_normals, "normal row")]
    if rule.n_others:
        parts.append(count(rule.n_others, "outlier of other groups", "outliers of other groups"))
    matched = rule.n_outliers + rule.n_normals + rule.n_others
    figures = [f"precision {percent(s.precision_of(rule))}", lift_text(rule)] if matched else ["no row matches"]
    if matched and not rule.significant:
        figures.append("not significant")
    return f"{', '.join(parts)}; {'; '.join(figures)}"


def holdout_text(holdout: Holdout, s: Summary) -> str:
    """Write how a rule did on rows that were not used to find it: what it matches, and how well."""
    n_splits = 0 if s.validation is None else s.validation.n_splits
    if not holdout.found:
        return f"held out: not found again in any of {n_splits} folds"
    if not holdout.n_matched:
        return f"held out: no row matches; found in {holdout.found} of {n_splits} folds"
    parts = [f"{count(holdout.n_outliers, 'outlier')} of {holdout.group_size:,}"]
    parts.append(count(holdout.n_normals, "normal row"))
    if holdout.n_others:
        parts.append(count(holdout.n_others, "outlier of other groups", "outliers of other groups"))
    precision = f"precision {percent(s.precision_of(holdout))}"
    return f"held out: {', '.join(parts)}; {precision}; found in {holdout.found} of {n_splits} folds"


def bits_sentence(s: Summary) -> str:
    """Say how much shorter the rules and what they get wrong are than naming every outlier."""
    if not s.bits_named:  # read from a file of version 0.1.0, which added up the groups
        return f"The paper's MDL is {s.mdl:,.0f} bits, that of naming each group {s.mdl_empty:,.0f}."
    if not s.rules:
        return f"Naming every outlier takes {s.bits_named:,.0f} bits."
    rules = "the rule and what it gets" if len(s.rules) == 1 else "the rules and what they get"
    start = f"Naming every outlier takes {s.bits_named:,.0f} bits, {rules} wrong {s.bits:,.0f}: "
    groups = (
        f" Naming each group by itself takes {s.mdl_empty:,.0f} bits, its rules and what they get wrong "
        f"{s.bits_groups:,.0f}."
        if s.tells_groups
        else ""
    )
    return start + (f"{percent(s.share_saved)} shorter." if s.share_saved > 0 else "no shorter.") + groups


def chance_sentence(s: Summary) -> str:
    """Say what random rows in place of the outliers gain, where the bits alone do not rule chance out; else nothing."""
    if not s.rules or s.share_saved <= 0 or s.certain or not s.bits_named:
        return ""
    if s.chance is None:
        return "So small a saving does not rule chance out; a placebo test compares it with random rows."
    draws = count(len(s.chance.gains), "draw")
    if s.chance.by_chance:
        best = percent(max(*s.chance.gains, 0.0))
        return f"As many random rows give a gain of up to {best} ({draws}): this is about what chance gives."
    return f"So small a saving does not rule chance out, but none of {draws} of as many random rows gains as much."


def proof_sentence(s: Summary) -> str:
    """Say what was proved of the choice of rules, and never more than that; nothing where none was found or proved."""
    among = f"among {count(s.n_tags, 'candidate rule')}"
    if s.status == "optimal":
        return f"Proved optimal {among} ({s.method}, {s.solver})."
    if s.status == "violated":
        return f"A limit on the uncovered outliers is not met: the {s.method} {s.solver} search ended without."
    if s.bound is None or s.objective is None:
        if not s.rules:
            return ""  # nothing was found, and the headline says among what
        return f"Found by search {among} ({s.method}, {s.solver}); not proved best."
    if s.bound > 0:
        excess = max(s.objective - s.bound, 0.0) / s.bound
        return f"Proved within {percent(excess)} of the best possible {among} ({s.method}, {s.solver})."
    return (
        f"Found by search {among} ({s.method}, {s.solver}): objective {number(s.objective)}, "
        f"the best possible is proved to be at least {number(s.bound)}."
    )


def validation_sentence(s: Summary) -> str:
    """Say how the whole explanation does on held-out rows, beside the rows it was found on; or that nobody looked.

    Nothing where there is no rule to look at.
    """
    if s.validation is None:
        return "Not checked on held-out rows (`validate` does that)." if s.rules else ""
    whole = s.validation.whole
    return (
        f"On rows kept aside while the rules were found ({s.validation.n_splits} folds): "
        f"{percent(whole.recall)} of the outliers covered, precision {percent(s.precision_of(whole))}; on the rows "
        f"used: {percent(s.n_explained, s.n_outliers)}, {percent(s.precision_told)}."
    )


def placebo_sentence(placebo: Placebo) -> str:
    """Say what random normals in place of the outliers give, and what that means for the real gain."""
    draws = count(len(placebo.gains), "draw")
    verdict = "about what chance gives" if placebo.by_chance else "chance does not explain it"
    return (
        f"Placebo: random normal rows in place of the outliers give a gain of {percent(max(placebo.gain, 0.0))} "
        f"({draws}), the outliers {percent(max(placebo.real, 0.0))}: {verdict}."
    )
