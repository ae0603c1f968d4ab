"""The card of a group."""

from __future__ import annotations

from collections.abc import Sequence

from pyod_explain.report.html.pen import Pen
from pyod_explain.report.html.svg import coverage_bar, strip
from pyod_explain.report.sentences import also_match, lift_text, no_rule_sentence
from pyod_explain.result.checked import Holdout
from pyod_explain.result.group import GroupExplanation, Rule
from pyod_explain.result.summary import Summary
from pyod_explain.result.words import count, number, percent

__all__ = ["group_card", "rules_table"]


def group_card(group: GroupExplanation, held: Sequence[Holdout] | None, s: Summary, pen: Pen) -> str:
    """Write the card of a group: what its rules cover, the rules, and how its values differ from the normals'.

    Parameters
    ----------
    group : the group.
    held : how each of its rules does on held-out rows, or None.
    s, pen : the summary, and what writes texts.
    """
    name = f"group-{pen.text(group.number)}"
    head = f'<h2 id="{name}">{pen.text(group.title)}: {count(group.size, "outlier")}</h2>'
    if not group.rules:
        body = f"<p>{no_rule_sentence(s)}</p>"
    else:
        body = _bar(group, s, pen) + rules_table(group, held, s, pen) + _strips(group, pen)
    return f'<section class="card" aria-labelledby="{name}">{head}{body}</section>'


def _bar(group: GroupExplanation, s: Summary, pen: Pen) -> str:
    left = group.size - group.n_explained
    words = [
        ("good", f"{group.n_explained:,} {s.covered_word} ({percent(group.n_explained, group.size)})"),
        ("left", f"{left:,} un{s.covered_word}"),
        ("bad", also_match(group.n_normals, s.n_normals, group.n_others)),
    ]
    key = "".join(f'<span><i style="background:var(--{color})"></i>{text}</span>' for color, text in words)
    label = f"{group.title}: {'; '.join(text for _, text in words)}"
    return f'<figure>{coverage_bar(group, label=pen.text(label))}<figcaption class="key">{key}</figcaption></figure>'


def rules_table(group: GroupExplanation, held: Sequence[Holdout] | None, s: Summary, pen: Pen) -> str:
    """Write the table of a group's rules.

    Parameters
    ----------
    group : the group.
    held : how each of its rules does on held-out rows, or None.
    s, pen : the summary, and what writes texts.
    """
    head = ["Rule", "Outliers", "Adds", "Normals", "Precision", "Coverage", "Lift"]
    if not group.tells_added:
        head.remove("Adds")
    if held is not None:
        head += ["Held-out precision", "Held-out coverage", "Found again"]
    shown = group.rules[: pen.rules]
    lines = [_rule(rule, held[i] if held is not None else None, head, s, pen) for i, rule in enumerate(shown)]
    more = len(group.rules) - len(shown)
    caption = "A row belongs to the group if it matches any of these rules."
    if more:
        caption += f" {count(more, 'more rule')} not shown."
    titles = "".join(f'<th scope="col">{title}</th>' for title in head)
    return (
        f'<table class="rules"><caption>{caption}</caption><thead><tr>{titles}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _rule(rule: Rule, held: Holdout | None, head: Sequence[str], s: Summary, pen: Pen) -> str:
    doubt = "" if rule.significant else '<br><span class="weak">not significant</span>'
    lift = number(rule.lift) if rule.n_normals else "no normal"
    others = f" <small>and {rule.n_others:,} of others</small>" if rule.n_others else ""
    cells = [
        f"<span>{rule.n_outliers:,}{others}</span>",
        *([f"{rule.n_added:,}"] if "Adds" in head else []),
        f"{rule.n_normals:,}",
        percent(rule.precision),
        percent(rule.recall),
        lift,
    ]
    if held is not None and s.validation is not None:
        found = pen.text(f"{held.found} of {s.validation.n_splits}")
        cells += [percent(held.precision), percent(held.recall), found] if held.found else ["none", "none", found]
    data = "".join(
        f'<td class="num" data-name="{name}">{cell}</td>' for name, cell in zip(head[1:], cells, strict=True)
    )
    return f'<tr><th scope="row" title="{pen.text(lift_text(rule))}">{pen.text(rule.text)}{doubt}</th>{data}</tr>'


def _strips(group: GroupExplanation, pen: Pen) -> str:
    shown = group.profiles[: 2 * pen.rules]
    figures = "".join(strip(profile, pen) for profile in shown)
    key = (
        '<p class="key"><span><i style="background:var(--good)"></i>this group</span>'
        '<span><i style="background:var(--left)"></i>normal rows</span>'
        "<span>thin: 5 to 95 percent of the rows; thick: the middle half; dashed: limit of a rule</span></p>"
    )
    return f'<h3>What sets it apart</h3>{key}<div class="strips">{figures}</div>' if figures else ""
