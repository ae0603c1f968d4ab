"""The answer, before any table: a sentence or two a group, in words that need no glossary."""

from __future__ import annotations

from dataclasses import dataclass

from pyod_explain._printable import visible
from pyod_explain.report.sentences import headline
from pyod_explain.result import GroupExplanation, Holdout, Summary, alike, count, percent, short_value
from pyod_explain.tags import Condition

__all__ = ["MAX_ANSWERS", "Answer", "answer_group", "headline_text"]

MAX_ANSWERS = 20
FEW = 20  # rows of which a share tells too much


@dataclass(frozen=True)
class Answer:
    """What is said of a group first.

    Attributes
    ----------
    title : what the group is called.
    description : how many of its outliers are like what, by its main rule; what other rules add, and how many are left.
    precision_note : how many of the rows that match are outliers, on held-out rows where there are some.
    key_column : the column to look at first, and how the group differs there; empty where there is no rule.
    """

    title: str
    description: str
    precision_note: str
    key_column: str

    @property
    def text(self) -> str:
        """All of it, in one line."""
        return " ".join(
            part for part in (f"{self.title}: {self.description}", self.precision_note, self.key_column) if part
        )


def headline_text(s: Summary) -> str:
    """Write the answer for a message or a ticket: the verdict, then a line for each of at most twenty groups."""
    lines = [headline(s), *(answer_group(group, s).text for group in s.groups[:MAX_ANSWERS])]
    if len(s.groups) > MAX_ANSWERS:
        lines.append(f"... and {count(len(s.groups) - MAX_ANSWERS, 'more group')}.")
    return "\n".join(visible(line) for line in lines)  # a line a group, whatever is in the names


def answer_group(group: GroupExplanation, s: Summary) -> Answer:
    """Say what a group is, how sure that is, and where to look first."""
    if not group.rules:
        them = "it" if group.size == 1 else "them"
        why = f"no rule that tells {them} more shortly than a list" if s.method == "MDL" else "no rule"
        return Answer(group.title, f"{count(group.size, 'outlier')}, and {why}.", "", "")
    return Answer(group.title, _describe(group, s), _precision_note(group, s), _key_column(group, s))


def _describe(group: GroupExplanation, s: Summary) -> str:
    rule = group.rules[0]
    parts = [f"{count(rule.n_outliers, 'outlier')} with {rule.phrase}"]
    more, left = len(group.rules) - 1, group.size - group.n_explained
    if more:
        parts.append(
            f"{count(more, 'more rule')} {'adds' if more == 1 else 'add'} {group.n_explained - rule.n_outliers:,}"
        )
    if left:
        parts.append(f"{left:,} of {group.size:,} {'is' if left == 1 else 'are'} left un{s.covered_word}")
    return f"{'; '.join(parts)}."


def _precision_note(group: GroupExplanation, s: Summary) -> str:
    """Say how many of the rows that match are what they should be; of given groups, that is who is in the group."""
    kind = "outliers" if s.tells_outliers else "of this group"
    one, anew = _held_out(group, s)
    own, others, normals = (
        (group.n_explained, group.n_others, group.n_normals)
        if one is None
        else (one.n_outliers, one.n_others, one.n_normals)
    )
    matched = own + others + normals
    right = own if kind == "of this group" else own + others
    easily = f" Chance gives such {'a rule' if len(group.rules) == 1 else 'rules'} easily."
    weak = "" if not group.n_matched or any(rule.significant for rule in group.rules) else easily
    rows = _matches(right, matched, kind)
    if one is None:
        return f"{rows}.{weak}"
    told = rows[0].lower() + rows[1:]
    recall = f"; {percent(one.recall)} of the group matches" if matched else ""
    return f"Held out, {'by rules found anew, ' if anew else ''}{told}{recall}.{weak}"


def _held_out(group: GroupExplanation, s: Summary) -> tuple[Holdout | None, bool]:
    """Give the held-out figures to tell, and True if these are of other rules than the reader sees.

    Of a single rule they are its own, as beside it, if every fold found it again; else those of all rules that were
    found for the group.
    """
    rules = s.held_out(group)
    if rules is None or s.validation is None or len(rules) != 1:
        return s.held_out_whole(group), False
    found = rules[0].found == s.validation.n_splits
    return (rules[0] if found else s.held_out_whole(group)), not found


def _matches(right: int, matched: int, kind: str) -> str:
    """Say how many of the rows that match are of a kind; of few rows in numbers.

    >>> _matches(0, 0, "outliers"), _matches(1, 1, "outliers"), _matches(3, 4, "outliers"), _matches(90, 99, "outliers")
    ('No row matches', '1 of 1 row that matches is an outlier', '3 of 4 rows that match are outliers', ...)
    """
    if not matched:
        return "No row matches"
    if matched == 1:
        return f"{right} of 1 row that matches is {_one(1, kind)}"
    if matched < FEW:
        return f"{right} of {matched} rows that match {'is' if right == 1 else 'are'} {_one(right, kind)}"
    return f"{percent(right, matched)} of the rows that match are {kind}"


def _one(n: int, kind: str) -> str:
    return "an outlier" if n == 1 and kind == "outliers" else kind


def _key_column(group: GroupExplanation, s: Summary) -> str:
    """Name the column of the main rule in which the group differs most, and how."""
    main = group.rules[0].tag.conditions
    seen = [
        (condition, shares, profile)
        for profile in group.profiles
        for condition, shares in zip(profile.conditions, profile.matching, strict=True)
        if condition in main
    ]
    if not seen:
        return ""
    condition, (own, normal), profile = min(seen, key=lambda one: (_ratio(one[1]), one[0].sort_key))
    at = f"Look first at {condition.in_sentence}"
    if condition.axis == condition.column and profile.group is not None and profile.normals is not None:
        middle, usual = map(alike((*profile.group, *profile.normals)), (profile.group[2], profile.normals[2]))
        if middle != usual:
            return f"{at}: median {middle} in the group, normally {'about ' if s.sampled else ''}{usual}."
    return f"{at}: {_said(condition)} in {percent(own)} of the group, normally in {percent(normal)}."


def _ratio(shares: tuple[float, float]) -> float:
    """Give how often normal rows meet a condition for each time that the group's do."""
    own, normal = shares
    return normal / own if own else float("inf")


def _said(condition: Condition) -> str:
    if condition.op == "contains":  # said of what is among the labels, so that its subject cannot stand before it
        return short_value(condition.value)
    return condition.phrase("")
