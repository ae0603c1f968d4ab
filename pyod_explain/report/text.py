"""The report as plain text, readable in a terminal of 80 columns."""

from __future__ import annotations

import textwrap

from pyod_explain.exceptions import visible
from pyod_explain.report import sentences
from pyod_explain.result import GroupExplanation, Holdout, Summary, change_lines, count

TEXT_WIDTH = 80
MAX_TEXT_RULES = 5
MAX_TEXT_GROUPS = 20
MAX_TEXT_LABELS = 8
MAX_TEXT_EXTREMES = 3
KEY = {
    "adds": "{outliers} of the group that no rule above it matches",
    "precision": "share of the matching rows that are {outliers}",
    "lift": "times more frequent in the group than among {normals}",
    "not significant": "p-value of 5% or more, given how many rules could be tried",
    "held out": "figures on rows kept aside while the rules were found",
    "bits": "length of the shortest message that names the {outliers}",
}


def to_text(s: Summary) -> str:
    """Write the report: the verdict first and what each group is, then its rules and counts, then what is left.

    At most five rules a group and twenty groups are shown; the others are counted.
    """
    if not s.groups:
        return "\n\n".join([_head(s), *([_changes(s)] if s.changes else [])])
    groups = s.first_groups(MAX_TEXT_GROUPS)
    parts = [_head(s), *([_changes(s)] if s.changes else [])]
    parts += [_group(group, s, s.held_out(group) or ()) for group in groups]
    if len(s.groups) > len(groups):
        parts.append(f"... and {count(len(s.groups) - len(groups), 'more group')} ({_all_rules(s)})")
    parts += [_foot(s), _key(s)]
    return "\n\n".join(parts)


def _head(s: Summary) -> str:
    lines = [sentences.headline(s), sentences.grouping_sentence(s), sentences.neither_sentence(s)]
    if len(s.reasons) < 2:  # else the one group follows anyway
        return "\n".join(_wrap(line) for line in lines if line)
    answers = [sentences.answer_group(group, s).text for group in s.reasons[:MAX_TEXT_GROUPS]]
    answers = [_wrap(answer, indent="  ", lead="- ") for answer in answers]
    return "\n".join([_wrap(lines[0]), *answers, *(_wrap(line) for line in lines[1:] if line)])


def _changes(s: Summary) -> str:
    lines = change_lines(s.changes or ())
    return "\n".join(_wrap(one.lstrip(), indent="    ", lead="  " if one.startswith(" ") else "") for one in lines)


def _group(group: GroupExplanation, s: Summary, held: tuple[Holdout, ...]) -> str:
    lines = [_wrap(f"{group.title}: {s.count_outliers(group.size)}")]
    if not group.rules:
        lines.append(_wrap(sentences.no_rule_sentence(group, s, MAX_TEXT_LABELS), indent="  "))
        told = sentences.extreme_lines(group, MAX_TEXT_EXTREMES)
        lines += [_wrap(line, indent="      ", lead="    ") for line in told]
        return "\n".join(lines)
    if group.tells_added:  # else the rule's line says the same
        lines.append(_wrap(sentences.matched_sentence(group, s), indent="  "))
    for i, rule in enumerate(group.rules[:MAX_TEXT_RULES]):
        lines.append(_wrap(rule.shown, indent="     ", lead="  or " if i else "  if "))
        lines.append(_wrap(sentences.rule_counts(rule, s, first=i == 0), indent="       "))
        if held:
            lines.append(_wrap(sentences.holdout_text(held[i], s), indent="       "))
    if len(group.rules) > MAX_TEXT_RULES:
        lines.append(f"  ... and {count(len(group.rules) - MAX_TEXT_RULES, 'more rule')} ({_all_rules(s)})")
    return "\n".join(lines)


def _all_rules(s: Summary) -> str:
    return "-o FILE.html shows all" if "command" in s.provenance else "to_frame() has all rules"


def _foot(s: Summary) -> str:
    lines = [sentences.unexplained_sentence(s, MAX_TEXT_LABELS), *sentences.check_sentences(s), *s.notes]
    return "\n".join(_wrap(line, indent="  ", lead="") for line in lines if line)


def _key(s: Summary) -> str:
    """Explain the terms that the report used, a line each."""
    used = ["adds"] if any(group.tells_added for group in s.groups[:MAX_TEXT_GROUPS]) else []
    used += ["precision"] if s.rules else []
    if any(rule.n_normals for rule in s.rules):
        used.append("lift")
    if any(not rule.significant for rule in s.rules):
        used.append("not significant")
    if s.validation is not None and s.rules:
        used.append("held out")
    used.append("bits")
    width = max(len(term) for term in used)
    key = KEY if s.tells_outliers else {**KEY, "precision": "share of the matching rows that belong to the group"}
    return "\n".join(f"{term:<{width}}  {visible(key[term].format(**s.nouns))}" for term in used)


def _wrap(text: str, indent: str = "", lead: str | None = None) -> str:
    """Set a text in lines. All that is printed passes here, so that no name of the user's, wherever it stands, reaches
    the terminal as anything but text.
    """
    first, text = indent if lead is None else lead, visible(text)
    return textwrap.fill(text, TEXT_WIDTH, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)
