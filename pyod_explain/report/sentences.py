"""Sentences that several views share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pyod_explain.exceptions import visible
from pyod_explain.result.compare import changes_sentence
from pyod_explain.result.group import GroupExplanation, Rule
from pyod_explain.result.summary import Holdout, Placebo, Summary
from pyod_explain.result.text import alike, count, number, percent
from pyod_explain.tags import Term

MAX_ANSWERS = 20  # groups that a headline answers for
MIN_PRECISION = 0.5  # a lower one is said first
MIN_ROWS_FOR_SHARE = 20  # a share of fewer rows is written in numbers
GLOSSARY: dict[str, str] = {
    "Outlier": "a row that is marked as unusual; all other rows are called normal.",
    "Group": "{outliers} that resemble each other and are described together.",
    "Rule": "conditions that a row meets all at once; a group is described by one rule or another.",
    "Explained": "{outliers} of the group that match at least one of its rules.",
    "Adds": "{outliers} of the group that match the rule and none of the rules above it.",
    "Coverage": "share of the group's {outliers} that match the rule.",
    "Precision": "of all rows that match, the share that are {outliers} (of given groups: that belong to the group).",
    "Lift": "how many times more often the rule holds in the group than among the {normals}.",
    "Not significant": "5 percent or more of random draws of as many rows give such a rule, of all there could be.",
    "Held out": "figures on rows that were kept aside while the rules were found; the fairest to quote.",
    "Gain": "how much shorter the rules and what they get wrong are than a list of the {outliers}.",
    "FUO": "share of the group's {outliers} that the rules miss (fraction of uncovered outliers).",
    "FCO": "share of the other groups' {outliers} that the rules match by mistake (fraction of covered others).",
    "FCN": "share of the {normals} that the rules match by mistake (fraction of covered normals).",
    "AL": "average length: conditions in a rule.",
    "NT": "number of rules (tags) of the group.",
    "MDL": "bits needed to tell somebody who has the table which rows are the group (minimum description length).",
}


def define_terms(s: Summary) -> dict[str, str]:
    """Say what the terms of a report mean, in its own nouns."""
    terms = {term: text.format(**s.nouns) for term, text in GLOSSARY.items()}
    if s.tables is not None:
        del terms["Outlier"], terms["Explained"], terms["Group"]
    return terms


def lift_text(rule: Rule, s: Summary) -> str:
    """Write how much more often the rule holds in its group than among the normals."""
    return f"no {s.nouns['normal']} matches" if math.isinf(rule.lift) else f"lift {number(rule.lift)}"


def title(s: Summary) -> str:
    """Write what a report asks."""
    return "Why are these rows outliers?" if s.tables is None else "What is new?"


def headline(s: Summary) -> str:
    """Say what was detected by whom, and how much of it is explained."""
    if not s.groups:
        known = "" if not s.changes else f" {changes_sentence(s.changes, 'Compared with the known rules')}"
        return f"Nothing to explain. {_detector(s)} marks none of the {count(s.n_rows, 'row')} as an outlier.{known}"
    found = _marked(s)
    if not s.rules:
        return f"{found} {nothing_sentence(s)}"
    first, rules, but = _few_right(s), count(len(s.rules), "rule"), "" if s.explains else _but(s)
    if s.tables is not None:
        matched = f"{s.count_outliers(s.n_explained)} ({percent(s.n_explained, s.n_outliers)})"
        earlier = f"{s.count_normals(s.n_normals_matched)} ({percent(s.n_normals_matched, s.n_normals)})"
        return f"{found} {first}{rules} {_do(s, 'match')} {matched} and {earlier}{but}."
    explained = s.covered_word == "explained"
    known = "" if s.changes is None else f" {changes_sentence(s.changes, 'Compared with the known rules')}"
    return (
        f"{found} {first}{rules if first else rules.capitalize()} {_do(s, 'explain' if explained else 'cover')} "
        f"{_them(s, again=bool(first))} and {_do(s, 'match')} "
        f"{s.n_normals_matched:,} of the {count(s.n_normals, 'normal row')} "
        f"({percent(s.n_normals_matched, s.n_normals)}){but}.{_rest(s)}{known}"
    )


def _few_right(s: Summary) -> str:
    """Say how few of the rows that match are what the rules say they are, on held-out rows too; or nothing."""
    own, held, most = s.reported_precision, s.held_out_precision, MIN_PRECISION
    rows = f"of the matching rows are {s.nouns['outliers'] if s.tells_outliers else 'of the group of their rule'}"
    if own < most and any(rule.n_matched for rule in s.rules):
        few = f"Only {percent(own)}" if own else "None"
        return f"{few} {rows}{'' if held is None else f' (held out: {percent(held)})'}: "
    few = f"only {percent(held)}" if held else "none"
    return f"Held out, {few} {rows}: " if held is not None and held < most else ""


def _detector(s: Summary) -> str:
    """Name who marks the outliers, at the start of a sentence."""
    return s.detector[:1].upper() + s.detector[1:]


def _marked(s: Summary) -> str:
    """Say how many rows are outliers, and who says so: a detector, a column, or a test that these pass."""
    if s.tables is not None:
        return f"{s.sizes_text}."
    groups = "" if len(s.reasons) == 1 else f", in {len(s.reasons):,} groups"
    lines = "" if s.n_lines is None else f", counted from {count(s.n_lines, 'line')}"
    rows = f"{s.n_outliers:,} of {count(s.n_rows, 'row')} ({percent(s.n_outliers, s.n_rows)}{lines})"
    outliers = "an outlier" if s.n_outliers == 1 else "outliers"
    if s.outlier_test:
        are, those = ("is", "that") if s.n_outliers == 1 else ("are", "those")
        return f"{rows} {are} {outliers}{groups}: {those} where {s.outlier_test}."
    return f"{_detector(s)} marks {rows} as {outliers}{groups}."


def _them(s: Summary, *, again: bool) -> str:
    if s.n_outliers == 1:
        return "it" if s.n_explained else "nothing of it"
    them = f"the {s.count_outliers(s.n_outliers)}" if again else "them"
    return f"{s.n_explained:,} of {them} ({percent(s.n_explained, s.n_outliers)})"


def _rest(s: Summary) -> str:
    """Say how many outliers no rule covers, where rules made the groups."""
    if s.rest is None:
        return ""
    return f" {s.count_outliers(s.rest.size)} {'has' if s.rest.size == 1 else 'have'} no common reason."


def grouping_sentence(s: Summary) -> str:
    """Say how the groups were made, and why so many; nothing of a single group whose number was not chosen."""
    return f"Groups: {s.grouping}." if len(s.reasons) > 1 or s.group_curve else ""


def neither_sentence(s: Summary) -> str:
    """Say how many rows were left out, as the detector does not say what they are; nothing where there is none."""
    return f"Excluded: {count(s.n_neither, 'row')} the detector rejected as uncertain." if s.n_neither else ""


def _do(s: Summary, verb: str) -> str:
    """Write what the rules do: "covers" of one, "cover" of several."""
    return f"{verb}{'es' if verb == 'match' else 's'}" if len(s.rules) == 1 else verb


def _but(s: Summary) -> str:
    """Say why rules that cover outliers are no explanation of them."""
    if s.share_saved > 0:
        if not s.significant:
            return ", not statistically significant"
        return ", about what chance gives" if s.by_chance else ", but not on rows kept aside"
    if s.tells_groups:
        return f": {'it tells' if len(s.rules) == 1 else 'they tell'} the groups, but not outliers from normal rows"
    return f", but {'to name it' if s.n_outliers == 1 else 'a mere list of the ' + s.nouns['outliers']} takes less"


def nothing_sentence(s: Summary) -> str:
    """Say that no rule was chosen, and of what was tried; never that there is none."""
    if s.tables is not None:
        return "No rule tells the two apart."
    if s.status == "optimal":
        return f"{s.method} chooses none of {count(s.n_tags, 'candidate rule')}, which is proved to be optimal."
    worth = " that is shorter than a list of the rows" if s.method == "MDL" else ""
    return f"The search found no rule{worth}, among {count(s.n_tags, 'candidate')}."


def check_sentences(s: Summary) -> list[str]:
    """Say what the rules are worth, what was proved of them, and how they hold elsewhere."""
    sentences = [bits_sentence(s), proof_sentence(s), validation_sentence(s)]
    if s.placebo is not None:
        sentences.append(placebo_sentence(s.placebo, s))
    return [sentence for sentence in sentences if sentence]


def unexplained_sentence(s: Summary, most: int, *, rows: bool = True) -> str:
    """Count the outliers that no rule of their group covers, and name some of them.

    Nothing where these are a group of their own, which is shown with the others.

    Parameters
    ----------
    s : the summary.
    most : how many rows to name.
    rows : False to name none.
    """
    if s.rest is not None:
        return ""
    if s.n_explained == s.n_outliers:
        return f"Every {s.nouns['outlier']} is {s.covered_word}."
    return f"Left un{s.covered_word}: {s.count_outliers(s.n_outliers - s.n_explained)}{_named_rows(s, most, rows)}."


def no_rule_sentence(group: GroupExplanation, s: Summary, most: int, *, rows: bool = True) -> str:
    """Say that no rule covers a group: that none was found for it, or that it is what is left; and name some rows then.

    Parameters
    ----------
    group : the group.
    s, most, rows : as for `unexplained_sentence`.
    """
    if not group.rest:
        return "No rule was found."
    return f"No rule covers {'it' if group.size == 1 else 'them'}{_named_rows(s, most, rows)}."


def extreme_lines(group: GroupExplanation, most: int) -> list[str]:
    """Say what is most extreme in the strangest outliers that no rule of the group covers; or that nothing is."""
    some = [one for one in group.extremes if one.extremes][:most]
    if group.extremes and not some:
        return ["In none of them is anything extreme in the columns that rules may use."]
    return [f"row {group.rows[one.row]}, {one.texts[0]}" for one in some]


def _named_rows(s: Summary, most: int, rows: bool) -> str:
    """Name some of the rows that are left, in parentheses."""
    left = s.unexplained if rows else ()
    names = ", ".join(map(str, left[:most])) + (", ..." if len(left) > most else "")
    inside = "" if s.n_lines is None else "in "  # lines of the table, which stand for more outliers than they are
    return f" ({inside}row{'' if len(left) == 1 else 's'} {names})" if left else ""


def matched_sentence(group: GroupExplanation, s: Summary) -> str:
    """Say how much of a group its rules match, and how many other rows."""
    match = "matches" if 1 in (group.n_normals, s.n_normals) else "match"
    also = f"{group.n_normals:,} of {s.count_normals(s.n_normals)} also {match}"
    if group.n_others:
        match = "matches" if group.n_others == 1 else "match"
        also += f"; {other_outliers(group.n_others, s)} {match} too"
    if group.n_explained == group.size:
        return f"All {s.covered_word}; {also}."
    own = f"{group.n_explained:,} of {group.size:,} {s.covered_word} ({percent(group.n_explained, group.size)})"
    return f"{own}; {also}."


def rule_counts(rule: Rule, s: Summary, *, first: bool = True) -> str:
    """Write what a rule covers, what it adds to those above it unless it is the first, and how well."""
    adds = "" if first else f" (adds {f'{rule.n_added:,}' if rule.n_added else 'none'})"
    parts = _match_parts(rule, s, adds)
    matched = rule.n_matched
    figures = [f"precision {percent(s.precision_of(rule))}", lift_text(rule, s)] if matched else ["no row matches"]
    if matched and not rule.significant:
        figures.append("not significant")
    return f"{', '.join(parts)}; {'; '.join(figures)}"


def _match_parts(one: Rule | Holdout, s: Summary, adds: str = "") -> list[str]:
    own = f"{s.count_outliers(one.n_outliers)} of {one.group_size:,}{adds}"
    if one.n_outliers == one.group_size:
        own = f"{'all ' if one.group_size > 1 else ''}{s.count_outliers(one.group_size)}{adds}"
    elif s.tables is not None:
        own = f"{one.n_outliers:,} of {s.count_outliers(one.group_size)}{adds}"
    others = [other_outliers(one.n_others, s)] if one.n_others else []
    return [own, s.count_normals(one.n_normals), *others]


def other_outliers(n: int, s: Summary) -> str:
    """Count outliers that are not of the group."""
    return count(n, f"other {s.nouns['outlier']}", f"other {s.nouns['outliers']}")


def holdout_text(holdout: Holdout, s: Summary) -> str:
    """Write how a rule did on rows that were not used to find it: what it matches, and how well."""
    n_splits = 0 if s.validation is None else s.validation.n_splits
    if not holdout.found:
        return f"held out: not found again in any of {n_splits} folds"
    if holdout.found < n_splits:  # figures of some folds are not those of the rule
        return f"held out: found again in {holdout.found} of {n_splits} folds"
    if not holdout.n_matched:
        return "held out: no row matches"
    precision = f"precision {percent(s.precision_of(holdout))}"
    return f"held out: {', '.join(_match_parts(holdout, s))}; {precision}"


def bits_sentence(s: Summary) -> str:
    """Say how much shorter the rules and what they get wrong are than naming every outlier."""
    if not s.rules:
        return f"Description length: {s.bits_named:,.0f} bits to list every {s.nouns['outlier']}."
    rules = "this rule" if len(s.rules) == 1 else "these rules"
    saved = f"{percent(s.share_saved)} shorter" if s.share_saved > 0 else "no shorter"
    listed = f"{s.bits_named:,.0f} bits to list every {s.nouns['outlier']}"
    whole = f"Description length: {s.bits:,.0f} bits with {rules}, {listed} ({saved})."
    if not s.tells_groups:
        return whole
    groups = f"Each group by itself: {s.bits_groups:,.0f} bits with its rules"
    return f"{whole} {groups}, {s.mdl_empty:,.0f} bits to list it."


def proof_sentence(s: Summary) -> str:
    """Say what was proved of the choice of rules, and never more than that; nothing where none was found or proved."""
    among = f"among {count(s.n_tags, 'candidate rule')}"
    if s.status == "optimal":
        return f"Proved optimal {among} ({s.method}, {s.solver})."
    if s.status == "violated":
        return f"A limit on the uncovered outliers is not met: the {s.method} {s.solver} search ended without."
    if s.bound is not None and s.objective is not None and s.bound > 0:
        excess = max(s.objective - s.bound, 0.0) / s.bound
        return f"Proved within {percent(excess)} of the best possible {among} ({s.method}, {s.solver})."
    if not s.rules:
        return ""  # nothing was found, and the headline says among what
    return f"Found by search {among} ({s.method}, {s.solver}); not proved best."


def validation_sentence(s: Summary) -> str:
    """Say how the whole explanation does on held-out rows, beside the rows it was found on; or that nobody looked.

    Nothing where there is no rule to look at.
    """
    if s.validation is None:
        way = "--validate 5" if "command" in s.provenance else "`validate`"
        return f"Not checked on held-out rows ({way} does that)." if s.rules else ""
    whole = s.validation.whole
    held_out = f"precision {percent(s.precision_of(whole))}" if whole.n_matched else "no row matches"
    return (
        f"On rows kept aside while the rules were found ({s.validation.n_splits} folds): "
        f"{percent(whole.recall)} of the {s.nouns['outliers']} covered, {held_out}; "
        f"on the rows used: {percent(s.n_explained, s.n_outliers)}, {percent(s.reported_precision)}."
    )


def placebo_sentence(placebo: Placebo, s: Summary) -> str:
    """Say what random normals in place of the outliers give, and what that means for the real gain."""
    draws = count(len(placebo.shares_saved), "draw")
    verdict = "about what chance gives" if placebo.by_chance else "more than each draw"
    outliers, normals = s.nouns["outliers"], s.nouns["normals"]
    random, own = (percent(max(gain, 0.0)) for gain in (placebo.mean_share_saved, placebo.share_saved))
    gains = f"give a gain of {random} ({draws}), the {outliers} {own}"
    return f"Placebo: random {normals} in place of the {outliers} {gains}: {verdict}."


# --- the answer of each group -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """What is said of a group first.

    Attributes
    ----------
    title : what the group is called.
    description : how many of its outliers are like what, by its main rule; what other rules add, and how many are left.
    precision_note : how many of the rows that match are outliers, on held-out rows where there are some.
    key_column : the column to look at first, and how the group differs there; empty where there is no rule.
    weak : True if these are fewer than half of the rows that match: that is said first then.
    """

    title: str
    description: str
    precision_note: str = ""
    key_column: str = ""
    weak: bool = False

    @property
    def parts(self) -> list[tuple[str, bool]]:
        """What is said, in order; True for what stands out."""
        found = [(self.description, True), (self.precision_note, False)]
        return [one for one in (*(found[::-1] if self.weak else found), (self.key_column, False)) if one[0]]

    @property
    def text(self) -> str:
        """All of it, in one line."""
        return f"{self.title}: {' '.join(text for text, _ in self.parts)}"


def headline_text(s: Summary) -> str:
    """Write the answer for a message or a ticket: the verdict, then a line for each of at most twenty groups."""
    lines = [headline(s), *(answer_group(group, s).text for group in s.reasons[:MAX_ANSWERS])]
    if len(s.reasons) > MAX_ANSWERS:
        lines.append(f"... and {count(len(s.reasons) - MAX_ANSWERS, 'more group')}.")
    return "\n".join(visible(line) for line in lines)  # a line a group, whatever is in the names


def answer_group(group: GroupExplanation, s: Summary) -> Answer:
    """Say what a group is, how sure that is, and where to look first."""
    if not group.rules:
        return Answer(group.title, f"{s.count_outliers(group.size)}, and no rule.")
    note, weak = _precision_note(group, s)
    status = s.status_of(group)
    return Answer(
        f"{group.title}, {status}" if status else group.title, _describe(group, s), note, _key_column(group, s), weak
    )


def _describe(group: GroupExplanation, s: Summary) -> str:
    rule = group.rules[0]
    parts = [f"{s.count_outliers(rule.n_outliers)} with {rule.phrase}"]
    more, left, added = len(group.rules) - 1, group.size - group.n_explained, group.n_explained - rule.n_outliers
    if more:
        add = "adds" if more == 1 else "add"
        parts.append(f"{count(more, 'more rule')} {add} {f'{added:,}' if added else 'none'}")
    if left:
        parts.append(f"{left:,} of {group.size:,} {'is' if left == 1 else 'are'} left un{s.covered_word}")
    return f"{'; '.join(parts)}."


def _precision_note(group: GroupExplanation, s: Summary) -> tuple[str, bool]:
    """Say how many of the rows that match are what they should be; True if that is fewer than half of them.

    Of given groups, it is who is in the group.
    """
    kind, single = (s.nouns["outliers"], s.nouns["outlier"]) if s.tells_outliers else ("of this group", "")
    one, anew = _held_out(group, s)
    told, own = (group, group.n_explained) if one is None else (one, one.n_outliers)
    matched, right = told.n_matched, own + told.n_others * s.tells_outliers
    significant = not group.n_matched or any(rule.significant for rule in group.rules)
    weak = "" if significant else " Not statistically significant."
    rows, few = _matches(right, matched, kind, single), right < MIN_PRECISION * matched or not matched
    if one is None:
        return f"{rows}.{weak}", few
    few = few or (group.n_explained + group.n_others * s.tells_outliers) < MIN_PRECISION * group.n_matched
    start = rows[0].lower() + rows[1:]
    recall = f"; {percent(one.recall)} of the group matches" if right else ""
    return f"Held out{' (rules found anew)' if anew else ''}, {start}{recall}.{weak}", few


def _held_out(group: GroupExplanation, s: Summary) -> tuple[Holdout | None, bool]:
    """Give the held-out figures to tell, and True if these are of other rules than the reader sees.

    Of a single rule they are its own, as beside it, if every fold found it again; else those of all rules that were
    found for the group.
    """
    rules = s.held_out(group)
    if rules is None or s.validation is None:
        return s.held_out_whole(group), False
    found = all(rule.found == s.validation.n_splits for rule in rules)
    return (rules[0] if found and len(rules) == 1 else s.held_out_whole(group)), not found


def _matches(right: int, matched: int, kind: str, single: str) -> str:
    """Say how many of the rows that match are of a kind, `single` for one row; of few rows in numbers.

    >>> _matches(1, 1, "outliers", "outlier"), _matches(1, 4, "outliers", "outlier")
    ('The only row that matches is an outlier', 'Only 1 of 4 rows that match is an outlier')
    >>> _matches(0, 3, "outliers", "outlier"), _matches(9, 30, "outliers", "outlier")
    ('None of the 3 rows that match is an outlier', 'Only 30% of the rows that match are outliers')
    """
    one = kind if not single else f"{'an' if single == 'outlier' else 'a'} {single}"
    if matched < 2:
        return f"The only row that matches is {'' if right else 'not '}{one}" if matched else "No row matches"
    if not right:
        return f"None of the {matched:,} rows that match is {one}"
    only = "Only " if right < MIN_PRECISION * matched else ""
    if matched >= MIN_ROWS_FOR_SHARE:
        return f"{only}{percent(right, matched)} of the rows that match are {kind}"
    return f"{only}{right} of {matched} rows that match {f'is {one}' if right == 1 else f'are {kind}'}"


def _key_column(group: GroupExplanation, s: Summary) -> str:
    """Name the column of the main rule in which the group differs most, and how."""
    main = group.rules[0].tag.conditions
    seen = [(c, own, usual, p) for p in group.profiles for c, (own, usual) in p.telling if c in main]
    if not seen:
        return ""
    condition, own, normal, profile = min(seen, key=lambda one: (one[2] / one[1], one[0].sort_key))
    at = f"Look first at {condition.in_sentence}"
    name, usually = s.nouns["group"], s.nouns["usually"]
    if condition.axis == condition.column and profile.median_differs and condition.allows((profile.group or ())[2]):
        own_points, points = profile.group or (), profile.normals or ()
        middle, usual = map(value_writer(profile.column, (*own_points, *points), s), (own_points[2], points[2]))
        if middle != usual:
            return f"{at}: median {middle} in {name}, {usually} {'about ' if s.sampled else ''}{usual}."
    if len(main) == 1:  # the rule itself says it
        return ""
    usually += "" if s.tables else " in"
    return f"{at}: {condition.phrase('')} in {percent(own)} of {name}, {usually} {percent(normal)}."


def value_writer(column: Term, values: Iterable[Any], s: Summary) -> Callable[[Any], str]:
    """Give how values of a column are written: moments with the time of day where a rule of the report has one."""
    ends = [c.value for rule in s.rules for c in rule.tag.conditions if c.column == column]
    return alike(values, (one for end in ends for one in (end if isinstance(end, tuple) else (end,))))
