"""The card of a group."""

from __future__ import annotations

from collections.abc import Sequence

from pyod_explain.report.html.pen import Pen
from pyod_explain.report.html.svg import has_limits, is_range, share_bar, strip
from pyod_explain.report.sentences import also_match, lift_text, no_rule_sentence
from pyod_explain.result import GroupExplanation, Holdout, Rule, Summary, count, number, percent

__all__ = ["group_card", "rules_table"]

ADDS = "Adds: outliers that no rule above matches."
HELD = "Held-out precision: of matching rows kept aside while the rules were found, the share"
PRECISION = "Precision: of the matching rows, the share"


def group_card(
    group: GroupExplanation, held: Sequence[Holdout] | None, s: Summary, pen: Pen, *, examples: str = ""
) -> str:
    """Write the card of a group: what its rules cover, the rules, and how its values differ from the normals'.

    Parameters
    ----------
    group : the group.
    held : how each of its rules does on held-out rows, or None.
    s, pen : the summary, and what writes texts.
    examples : some of its rows, where they are asked for.
    """
    name = f"group-{pen.text(group.number)}"
    head = f'<h2 id="{name}">{pen.text(group.title)}: {count(group.size, "outlier")}</h2>'
    if not group.rules:
        body = f"<p>{no_rule_sentence(s)}</p>"
    else:
        body = (
            _bars(group, s, pen)
            + rules_table(group, held, s, pen)
            + _more(group, held, s, pen)
            + _strips(group, s, pen)
        )
    return f'<section class="card" aria-labelledby="{name}">{head}{body}{examples}</section>'


def _bars(group: GroupExplanation, s: Summary, pen: Pen) -> str:
    """Draw what the rules match of the group and of the others, each against its own total."""
    others = s.n_outliers - group.size
    lines = [
        ("its outliers", group.n_explained, group.size, "good", s.covered_word),
        (
            "normal rows",
            group.n_normals,
            s.n_normals,
            "bad",
            "also matches" if 1 in (group.n_normals, s.n_normals) else "also match",
        ),
    ]
    if group.n_others:
        lines.append(("other outliers", group.n_others, others, "bad", ""))
    cells = []
    for name, part, whole, color, verb in lines:
        of = f"its {whole:,} outliers" if name == "its outliers" else f"{whole:,} {name}"
        label = f"{group.title}: {part:,} of {of} {verb}".strip()
        bar = share_bar(part, whole, color, label=pen.text(label))
        figure = f'<span class="num">{part:,} of {whole:,} ({percent(part, whole)})</span>'
        cells.append(f"<span>{name}</span>{figure}{bar}")
    said = (
        f"{group.n_explained:,} of {group.size:,} {s.covered_word} ({percent(group.n_explained, group.size)}); "
        f"{also_match(group.n_normals, s.n_normals, group.n_others)}."
    )
    return f'<p>{said}</p><div class="bars">{"".join(cells)}</div>'


def rules_table(group: GroupExplanation, held: Sequence[Holdout] | None, s: Summary, pen: Pen) -> str:
    """Write the table of a group's rules: what each matches, and how precisely.

    Parameters
    ----------
    group : the group.
    held : how each of its rules does on held-out rows, or None.
    s, pen : the summary, and what writes texts.
    """
    head = ["Rule", "Outliers", "Adds", "Normals", "Precision" if held is None else "Held-out precision"]
    if not group.tells_added:
        head.remove("Adds")
    lines = []
    for i, rule in enumerate(group.rules[: pen.rules]):
        others = f" <small>and {rule.n_others:,} of others</small>" if rule.n_others else ""
        cells = [
            f"<span>{rule.n_outliers:,}{others}</span>",
            *([f"{rule.n_added:,}"] if "Adds" in head else []),
            f"{rule.n_normals:,}",
            percent(s.precision_of(rule)) if held is None else _held_out(held[i], s),
        ]
        lines.append(_line(rule, head, cells, pen))
    that = "that are outliers" if s.tells_outliers else "in this group"
    told = "A row that matches any of these rules is told as this group" if len(group.rules) > 1 else ""
    if told:
        told += ", unless a more precise rule of another group matches it." if len(s.groups) > 1 else "."
    parts = [told, *([ADDS] if "Adds" in head else []), f"{PRECISION if held is None else HELD} {that}."]
    if held is not None and not all(one.found for one in held[: pen.rules]):
        parts.append("None: not found again without them.")
    return _table(head, lines, " ".join(part for part in parts if part) + _unseen(group, pen))


def _held_out(one: Holdout, s: Summary) -> str:
    """Write the held-out precision of a rule, and how many of the outliers that it counts are of other groups."""
    if not one.found:
        return "none"
    if not one.n_matched:
        return "no match"
    others = f" <small>{one.n_others:,} of others</small>" if one.n_others else ""
    return f"<span>{percent(s.precision_of(one))}{others}</span>"


def _more(group: GroupExplanation, held: Sequence[Holdout] | None, s: Summary, pen: Pen) -> str:
    """Write the other figures of the rules, folded away."""
    head = ["Rule", *(["Precision"] if held is not None else []), "Coverage", "Lift"]
    if held is not None:
        head += ["Held-out coverage", "Found again"]
    lines = []
    for i, rule in enumerate(group.rules[: pen.rules]):
        cells = [
            *([percent(s.precision_of(rule))] if held is not None else []),
            percent(rule.recall),
            number(rule.lift) if rule.n_normals else "no normal",
        ]
        if held is not None and s.validation is not None:
            found = pen.text(f"{held[i].found} of {s.validation.n_splits}")
            cells += [percent(held[i].recall) if held[i].found else "none", found]
        lines.append(_line(rule, head, cells, pen))
    caption = (
        "Coverage: share of the group that matches. Lift: how many times more often the rule holds in the group than "
        "among the normal rows."
    )
    if held is not None:
        caption += " Found again: in how many parts of the check the rule, or a close relative, came up again."
    table = _table(head, lines, caption)
    these = "these rules" if len(group.rules) > 1 else "this rule"
    return f"<details><summary>More figures of {these}</summary>{table}</details>"


def _unseen(group: GroupExplanation, pen: Pen) -> str:
    more = len(group.rules) - pen.rules
    return f" {count(more, 'more rule')} not shown." if more > 0 else ""


def _table(head: Sequence[str], lines: Sequence[str], caption: str) -> str:
    titles = "".join(f'<th scope="col">{title}</th>' for title in head)
    return (
        f'<table class="rules"><caption>{caption}</caption><thead><tr>{titles}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _line(rule: Rule, head: Sequence[str], cells: Sequence[str], pen: Pen) -> str:
    doubt = "" if rule.significant else '<br><span class="weak">not significant</span>'
    data = "".join(
        f'<td class="num" data-name="{name}">{cell}</td>' for name, cell in zip(head[1:], cells, strict=True)
    )
    return f'<tr><th scope="row" title="{pen.text(lift_text(rule))}">{pen.text(rule.signs)}{doubt}</th>{data}</tr>'


def _strips(group: GroupExplanation, s: Summary, pen: Pen) -> str:
    """Draw how the group differs from the normals in each column; the key tells of what is drawn."""
    shown = group.profiles[: 2 * pen.rules]
    figures = "".join(strip(profile, pen, sampled=s.sampled) for profile in shown)
    ranges = [one for one in shown if is_range(one) and any(map(has_limits, one.conditions[: pen.rules]))]
    shares = [one for one in shown if not (is_range(one) and all(map(has_limits, one.conditions[: pen.rules])))]
    key = (
        '<p class="key"><span><i style="background:var(--good)"></i>this group</span>'
        '<span><i style="background:var(--left)"></i>normal rows</span>'
    )
    if ranges:
        lines = "thin: 5 to 95 percent of the rows; thick: the middle half; upright: median; dashed: limit of a rule"
        key += f"<span>{lines}</span>"
    if shares:
        key += "<span>with a percentage: share of the rows that meet the condition</span>"
    return f'<h3>What sets it apart</h3>{key}</p><div class="strips">{figures}</div>' if figures else ""
