"""What follows the groups: what is left, checks, metrics, glossary and appendix."""

from __future__ import annotations

from html import escape
from typing import Any

from pyod_explain.metrics import METRICS
from pyod_explain.report.html.pen import Pen
from pyod_explain.report.sentences import GLOSSARY, check_sentences
from pyod_explain.result import Summary, count, number

BITS = "Bits measure how long a message is: so many answers of yes or no tell which rows are outliers."

__all__ = ["appendix", "checks", "glossary", "left", "metrics"]


def left(s: Summary, pen: Pen, *, rows: bool) -> str:
    """Say how many outliers no rule of their group matches, and which if asked."""
    n = s.n_outliers - s.n_explained
    if not n:
        text = f"<p>Every outlier is {s.covered_word}.</p>"
    else:
        theirs = "its group matches it" if n == 1 else "their group matches them"
        text = f"<p>{count(n, 'outlier')} of {s.n_outliers:,}. No rule of {theirs}.</p>"
    if rows and s.unexplained:
        shown = [pen.text(str(label)) for label in s.unexplained[: pen.labels]]
        more = len(s.unexplained) - len(shown)
        row = "Row" if len(s.unexplained) == 1 else "Rows"
        text += f"<p>{row} {', '.join(shown)}{f' and {more:,} more' if more else ''}.</p>"
    return f'<section class="card" aria-labelledby="left"><h2 id="left">Left un{s.covered_word}</h2>{text}</section>'


def checks(s: Summary, pen: Pen) -> str:
    """Say what the rules are worth, and what was checked of them."""
    sentences = check_sentences(s)
    weak = sum(not rule.significant for rule in s.rules)
    if weak:
        sentences.append(
            f"{weak} of {count(len(s.rules), 'rule')} {'is' if weak == 1 else 'are'} not significant "
            "(hypergeometric test, corrected for the number of rules that could be tried)."
        )
    elif s.rules:
        sentences.append(
            "Every rule is significant (hypergeometric test, corrected for the number of rules that could be tried)."
        )
    sentences += s.notes[: pen.notes]
    items = "".join(f"<li>{pen.text(sentence)}</li>" for sentence in sentences)
    said = [f"{weak:,} of {count(len(s.rules), 'rule')} not significant"] if weak else []
    said += [count(len(s.notes), "note")] if s.notes else []
    title = f"Checks{' (' if said else ''}{', '.join(said)}{')' if said else ''}"  # what must not be folded away
    return _folded("checks", title, f'<ul>{items}</ul><p class="soft">{BITS}</p>')


def metrics(s: Summary, pen: Pen) -> str:
    """Write the paper's metrics of each group."""
    titles = "".join(f'<th scope="col">{name}</th>' for name in ("Group", *METRICS))
    lines = []
    for group in s.groups[: pen.groups]:
        cells = "".join(
            f'<td class="num" data-name="{name}">{number(float(group.metrics[name]))}</td>' for name in METRICS
        )
        lines.append(f'<tr><th scope="row">{pen.text(group.title)}</th>{cells}</tr>')
    caption = f"Lower is better in every column. {' '.join(f'{name}: {GLOSSARY[name]}' for name in METRICS)}"
    table = (
        f'<table class="rules"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{titles}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )
    return _folded("metrics", "Metrics of the paper", table)


def glossary() -> str:
    """Explain the terms."""
    items = "".join(f"<dt>{term}</dt><dd>{escape(text)}</dd>" for term, text in GLOSSARY.items())
    return _folded("glossary", "What the numbers mean", f"<dl>{items}</dl>")


def appendix(s: Summary, pen: Pen) -> str:
    """List how it was made: when, from what and by which call; parameters, versions, seconds."""
    parts: list[tuple[str, dict[str, Any]]] = [
        ("", {name.capitalize(): text for name, text in s.provenance.items()}),
        ("Parameters", dict(s.parameters)),
        ("Versions", dict(s.versions)),
        ("Seconds", {name: f"{seconds:.2f}" for name, seconds in s.timings.items()}),
    ]
    blocks = []
    for title, values in parts:
        if values:
            items = "".join(f"<dt>{pen.text(name)}</dt><dd>{pen.text(str(v))}</dd>" for name, v in values.items())
            blocks.append(f"{f'<h3>{title}</h3>' if title else ''}<dl>{items}</dl>")
    return _folded("appendix", "How it was made", "".join(blocks))


def _folded(name: str, title: str, body: str) -> str:
    """Write a section that is folded away; on paper it is open."""
    head = f'<summary><h2 id="{name}">{title}</h2></summary>'
    return f'<section class="card fold" aria-labelledby="{name}"><details>{head}{body}</details></section>'
