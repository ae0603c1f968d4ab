"""The report as Markdown, for issues, wikis and notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from pyod_explain.exceptions import visible
from pyod_explain.report import sentences
from pyod_explain.result import GroupExplanation, Holdout, Summary, change_lines, count, number, percent

MAX_MARKDOWN_LABELS = 50


def to_markdown(s: Summary, *, title: str | None = None, rows: bool = False) -> str:
    """Write the report as Markdown: the answer, a table of rules per group, then checks and a glossary.

    Parameters
    ----------
    s : the summary.
    title : title of the report; None for the question it answers.
    rows : list the labels of the outliers that are left unexplained.
    """
    parts = [f"# {escape(title) if title else sentences.title(s)}", escape(sentences.headline(s))]
    if s.groups:
        parts.append(_answers(s))
    if grouping := sentences.grouping_sentence(s):
        parts.append(escape(grouping))
    if neither := sentences.neither_sentence(s):
        parts.append(neither)
    if not s.groups:
        return "\n\n".join([*parts, *_how_made(s)]) + "\n"
    if s.changes:
        told = change_lines(s.changes)
        lines = [f"- {escape(one.lstrip())}" if one.startswith(" ") else f"\n{escape(one)}\n" for one in told]
        parts += ["## Known rules", "\n".join(lines).strip()]
    for group in s.groups:
        parts += _group(group, s, s.held_out(group), rows=rows)
    parts.append("## Checks")
    parts.append("\n".join(f"- {escape(sentence)}" for sentence in [*sentences.check_sentences(s), *s.notes]))
    if left := sentences.unexplained_sentence(s, MAX_MARKDOWN_LABELS, rows=rows):
        parts += [f"## Left un{s.covered_word}", escape(left)]
    parts += _how_made(s)
    parts += ["## What the numbers mean", "\n".join(_terms(s))]
    return "\n\n".join(parts) + "\n"


def _terms(s: Summary) -> list[str]:
    """Define the terms that are used here."""
    used = {
        "Explained": s.explains,
        "Adds": any(group.tells_added for group in s.groups),
        "Not significant": any(not rule.significant for rule in s.rules),
        "Held out": s.validation is not None,
        **dict.fromkeys(("Coverage", "Precision", "Lift", "Rule"), bool(s.rules)),
        **dict.fromkeys(("Outlier", "Group"), True),
    }
    terms = {term: text for term, text in sentences.define_terms(s).items() if used.get(term)}
    return [f"- **{term}**: {escape(text) if s.tables else text}" for term, text in terms.items()]


def _answers(s: Summary) -> str:
    lines = []
    for group in s.reasons[: sentences.MAX_ANSWERS]:
        one = sentences.answer_group(group, s)
        said = " ".join(f"**{escape(text)}**" if strong else escape(text) for text, strong in one.parts)
        lines.append(f"- {escape(one.title)}: {said}")
    if len(s.reasons) > sentences.MAX_ANSWERS:
        lines.append(f"- ... and {count(len(s.reasons) - sentences.MAX_ANSWERS, 'more group')}")
    return "\n".join(lines)


def _group(group: GroupExplanation, s: Summary, held: Sequence[Holdout] | None, *, rows: bool) -> list[str]:
    heading = f"## {escape(f'{group.title}: {s.count_outliers(group.size)}')}"
    if not group.rules:
        return [heading, escape(sentences.no_rule_sentence(group, s, MAX_MARKDOWN_LABELS, rows=rows))]
    text = sentences.matched_sentence(group, s)
    outliers, normals = ("Outliers", "Normals") if s.tables is None else map(escape, s.tables)
    head = ["Rule", outliers, "Adds", normals, f"Other {escape(s.nouns['outliers'])}"]
    head += ["Precision", "Coverage", "Lift", "Significant"]
    if not group.tells_added:
        head.remove("Adds")
    lines = [
        [
            escape(rule.shown),
            f"{rule.n_outliers:,}",
            *([f"{rule.n_added:,}"] if group.tells_added else []),
            f"{rule.n_normals:,}",
            f"{rule.n_others:,}",
            percent(s.precision_of(rule)),
            percent(rule.recall),
            number(rule.lift),
            "yes" if rule.significant else "**no**",
        ]
        for rule in group.rules
    ]
    if held is not None and s.validation is not None:
        if found_others := any(one.n_others for one in held):
            head.append("Held-out other outliers")
        head += ["Held-out precision", "Held-out coverage", "Found again"]
        for line, one in zip(lines, held, strict=True):
            found = escape(f"{one.found} of {s.validation.n_splits}")
            line.extend([f"{one.n_others:,}" if one.found else ""] if found_others else [])
            line.extend([percent(s.precision_of(one)), percent(one.recall), found] if one.found else ["", "", found])
    table = [head, ["---", *["---:"] * (len(head) - 1)], *lines]
    lead = [escape(text) if s.tables else text] if group.tells_added else []  # else the table says the same
    return [heading, *lead, "\n".join(f"| {' | '.join(line)} |" for line in table)]


def _how_made(s: Summary) -> list[str]:
    """List how it was made, so that it can be made again."""
    lines = [f"- {escape(name.capitalize())}: {escape(text)}" for name, text in s.provenance.items()]
    if s.parameters:
        lines.append(f"- Parameters: {escape(', '.join(f'{name}={value}' for name, value in s.parameters.items()))}")
    if s.versions:
        lines.append(f"- Versions: {escape(', '.join(f'{name} {one}' for name, one in s.versions.items()))}")
    return ["## How it was made", "\n".join(lines)] if lines else []


def escape(text: str) -> str:
    r"""Write text so that Markdown shows it as it is, in a table cell too.

    >>> print(escape("a|b *c* <script>"))
    a\|b \*c\* \<script\>
    """
    return "".join("\\" + c if c in "\\`*_{}[]<>()#+!|~$&" else c for c in visible(text))
