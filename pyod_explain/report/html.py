"""The report as one self-contained page: no script, no network, under 1 MB whatever the data; and its compact form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from pyod_explain.metrics import METRICS
from pyod_explain.report.sentences import GLOSSARY, also_match, check_sentences, headline, lift_text, no_rule_sentence
from pyod_explain.report.strips import coverage_bar, strip
from pyod_explain.result.summary import GroupExplanation, Holdout, Rule, Summary
from pyod_explain.result.words import count, number, percent, visible

__all__ = ["to_html", "to_snippet"]

MOST_BYTES = 900_000


@dataclass(frozen=True)
class Limits:
    """How much of each is shown; the rest is counted."""

    groups: int
    rules: int
    characters: int
    labels: int
    notes: int


LIMITS = (Limits(40, 25, 400, 500, 50), Limits(20, 10, 200, 100, 20), Limits(8, 5, 80, 20, 5))


def to_html(s: Summary, *, title: str = "Why are these rows outliers?", rows: bool = False) -> str:
    """Write the page; where it would be too large, with fewer rules and shorter texts.

    Parameters
    ----------
    s : the summary.
    title : title of the page.
    rows : list the labels of the outliers that are left unexplained.
    """
    page = ""
    for limits in LIMITS:
        page = _Page(s, limits).write(title, rows=rows)
        if len(page.encode()) <= MOST_BYTES:
            break
    return page


def to_snippet(s: Summary) -> str:
    """Write the compact form for notebooks: the verdict and a table of the first rules, in the notebook's own style."""
    page = _Page(s, Limits(5, 5, 200, 0, 3))
    parts = [f"<p>{page.text(headline(s))}</p>"]
    for group in s.groups[: page.limits.groups]:
        parts.append(f"<p><b>{page.text(group.title)}: {count(group.size, 'outlier')}</b></p>")
        parts.append(page.rules(group, held=None) if group.rules else f"<p>{no_rule_sentence(s)}</p>")
    if len(s.groups) > page.limits.groups:
        parts.append(f"<p>... and {count(len(s.groups) - page.limits.groups, 'more group')}</p>")
    if s.groups:
        parts.append(f"<p>{' '.join(page.text(one) for one in check_sentences(s))}</p>")
        parts.append("<p>print() shows the whole report, to_html() makes a page of it.</p>")
    return f'<div class="pyod-explain"><style>{SNIPPET_STYLE}</style>{"".join(parts)}</div>'


SNIPPET_STYLE = (
    ".pyod-explain table { border-collapse: collapse; margin: .25em 0 1em; } "
    ".pyod-explain caption { text-align: left; } "
    ".pyod-explain th, .pyod-explain td { padding: .2em .8em; text-align: right; vertical-align: top; } "
    ".pyod-explain th:first-child { text-align: left; padding-left: 0; }"
)


class _Page:
    """Writes the parts of the page within the limits. Every text goes through `text`, which escapes it."""

    def __init__(self, s: Summary, limits: Limits) -> None:
        self.s = s
        self.limits = limits

    def text(self, text: Any) -> str:
        """Escape anything for HTML, whatever its declared type, and cut it if it is very long."""
        shown = visible(str(text))
        if len(shown) > self.limits.characters:
            shown = shown[: self.limits.characters - 1] + "…"
        return escape(shown, quote=True)

    def write(self, title: str, *, rows: bool) -> str:
        s = self.s
        body = [self._header(title)]
        main = [self._tiles()] if s.groups else []
        first = 0
        for group in s.groups[: self.limits.groups]:
            held = s.validation.rules[first : first + len(group.rules)] if s.validation else None
            main.append(self._card(group, held))
            first += len(group.rules)
        if len(s.groups) > self.limits.groups:
            main.append(f"<p>... and {count(len(s.groups) - self.limits.groups, 'more group')}.</p>")
        if s.groups:
            main += [self._left(rows=rows), self._checks(), self._metrics(), self._glossary()]
        main.append(self._appendix())
        body += [f"<main>{''.join(main)}</main>", self._footer()]
        style = files("pyod_explain.report").joinpath("style.css").read_text("utf-8")
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<link rel="icon" href="data:,">\n'
            f"<title>{self.text(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{''.join(body)}\n</body>\n</html>\n"
        )

    def _header(self, title: str) -> str:
        lines = [f"<h1>{self.text(title)}</h1>", f'<p class="lead">{self.text(headline(self.s))}</p>']
        if len(self.s.groups) > 1:
            lines.append(f'<p class="soft">Groups: {self.text(self.s.grouping)}.</p>')
        if self.s.n_neither:
            neither = f"{count(self.s.n_neither, 'row')} the detector calls neither normal nor outlier; left out."
            lines.append(f'<p class="soft">{neither}</p>')
        return f"<header>{''.join(lines)}</header>"

    def _tiles(self) -> str:
        s = self.s
        tiles = [
            (f"{s.n_outliers:,}", f"outliers, {percent(s.n_outliers, s.n_rows)} of {count(s.n_rows, 'row')}"),
            (percent(s.n_explained, s.n_outliers), f"of them {s.covered_word} by {count(len(s.rules), 'rule')}"),
            (percent(s.precision), "precision: share of the matching rows that are outliers"),
        ]
        if s.validation is not None:
            whole = s.validation.whole
            tiles.append(
                (
                    percent(whole.recall),
                    f"{s.covered_word} on held-out rows, with precision {percent(whole.precision)}",
                )
            )
        gain = "shorter than naming every outlier"
        if s.placebo is not None:
            gain += f"; random rows: {percent(max(s.placebo.gain, 0.0))}"
        if s.bits_named:  # not known after reading a file of version 0.1.0
            tiles.append((percent(max(s.gain, 0.0)), gain))
        items = "".join(f"<li><b>{value}</b><span>{words}</span></li>" for value, words in tiles)
        return f'<ul class="tiles">{items}</ul>'

    # --- groups ---------------------------------------------------------------------------------------------------

    def _card(self, group: GroupExplanation, held: Sequence[Holdout] | None) -> str:
        name = f"group-{self.text(group.number)}"
        head = f'<h2 id="{name}">{self.text(group.title)}: {count(group.size, "outlier")}</h2>'
        if not group.rules:
            body = f"<p>{no_rule_sentence(self.s)}</p>"
        else:
            body = self._bar(group) + self.rules(group, held) + self._strips(group)
        return f'<section class="card" aria-labelledby="{name}">{head}{body}</section>'

    def _bar(self, group: GroupExplanation) -> str:
        s = self.s
        left = group.size - group.n_explained
        words = [
            ("good", f"{group.n_explained:,} {s.covered_word} ({percent(group.n_explained, group.size)})"),
            ("left", f"{left:,} un{s.covered_word}"),
            ("bad", also_match(group.n_normals, s.n_normals, group.n_others)),
        ]
        key = "".join(f'<span><i style="background:var(--{color})"></i>{text}</span>' for color, text in words)
        label = f"{group.title}: {'; '.join(text for _, text in words)}"
        return (
            f'<figure>{coverage_bar(group, label=self.text(label))}<figcaption class="key">{key}</figcaption></figure>'
        )

    def rules(self, group: GroupExplanation, held: Sequence[Holdout] | None) -> str:
        """Write the table of a group's rules."""
        head = ["Rule", "Outliers", "Normals", "Precision", "Coverage", "Lift"]
        if held is not None:
            head += ["Held-out precision", "Held-out coverage", "Found again"]
        shown = group.rules[: self.limits.rules]
        lines = [self._rule(rule, held[i] if held is not None else None, head) for i, rule in enumerate(shown)]
        more = len(group.rules) - len(shown)
        caption = "A row belongs to the group if it matches any of these rules."
        if more:
            caption += f" {count(more, 'more rule')} not shown."
        titles = "".join(f'<th scope="col">{title}</th>' for title in head)
        return (
            f'<table class="rules"><caption>{caption}</caption><thead><tr>{titles}</tr></thead>'
            f"<tbody>{''.join(lines)}</tbody></table>"
        )

    def _rule(self, rule: Rule, held: Holdout | None, head: Sequence[str]) -> str:
        doubt = "" if rule.significant else '<br><span class="weak">not significant</span>'
        lift = number(rule.lift) if rule.n_normals else "no normal"
        others = f" <small>and {rule.n_others:,} of others</small>" if rule.n_others else ""
        cells = [
            f"<span>{rule.n_outliers:,}{others}</span>",
            f"{rule.n_normals:,}",
            percent(rule.precision),
            percent(rule.recall),
            lift,
        ]
        if held is not None and self.s.validation is not None:
            found = self.text(f"{held.found} of {self.s.validation.n_splits}")
            cells += [percent(held.precision), percent(held.recall), found] if held.found else ["none", "none", found]
        data = "".join(
            f'<td class="num" data-name="{name}">{cell}</td>' for name, cell in zip(head[1:], cells, strict=True)
        )
        return f'<tr><th scope="row" title="{self.text(lift_text(rule))}">{self.text(rule.text)}{doubt}</th>{data}</tr>'

    def _strips(self, group: GroupExplanation) -> str:
        shown = group.profiles[: 2 * self.limits.rules]
        figures = "".join(strip(profile, self.text) for profile in shown)
        key = (
            '<p class="key"><span><i style="background:var(--good)"></i>this group</span>'
            '<span><i style="background:var(--left)"></i>normal rows</span>'
            "<span>thin: 5 to 95 percent of the rows; thick: the middle half; dashed: limit of a rule</span></p>"
        )
        return f'<h3>What sets it apart</h3>{key}<div class="strips">{figures}</div>' if figures else ""

    # --- the rest -------------------------------------------------------------------------------------------------

    def _left(self, *, rows: bool) -> str:
        s = self.s
        left = s.n_outliers - s.n_explained
        if not left:
            text = f"<p>Every outlier is {s.covered_word}.</p>"
        else:
            theirs = "its group matches it" if left == 1 else "their group matches them"
            text = f"<p>{count(left, 'outlier')} of {s.n_outliers:,}. No rule of {theirs}.</p>"
        if rows and s.unexplained:
            shown = [self.text(str(label)) for label in s.unexplained[: self.limits.labels]]
            more = len(s.unexplained) - len(shown)
            text += f"<p>Rows {', '.join(shown)}{f' and {more:,} more' if more else ''}.</p>"
        return (
            f'<section class="card" aria-labelledby="left"><h2 id="left">Left un{s.covered_word}</h2>{text}</section>'
        )

    def _checks(self) -> str:
        s = self.s
        sentences = check_sentences(s)
        weak = sum(not rule.significant for rule in s.rules)
        if weak:
            sentences.append(
                f"{weak} of {count(len(s.rules), 'rule')} {'is' if weak == 1 else 'are'} not significant "
                "(hypergeometric test, corrected for the number of rules that could be tried)."
            )
        elif s.rules:
            sentences.append(
                "Every rule is significant (hypergeometric test, corrected for the number of rules that could be "
                "tried)."
            )
        sentences += s.notes[: self.limits.notes]
        items = "".join(f"<li>{self.text(sentence)}</li>" for sentence in sentences)
        return f'<section class="card" aria-labelledby="checks"><h2 id="checks">Checks</h2><ul>{items}</ul></section>'

    def _metrics(self) -> str:
        titles = "".join(f'<th scope="col">{name}</th>' for name in ("Group", *METRICS))
        lines = []
        for group in self.s.groups[: self.limits.groups]:
            cells = "".join(
                f'<td class="num" data-name="{name}">{number(float(group.metrics[name]))}</td>' for name in METRICS
            )
            lines.append(f'<tr><th scope="row">{self.text(group.title)}</th>{cells}</tr>')
        return (
            '<section class="card" aria-labelledby="metrics"><h2 id="metrics">Metrics of the paper</h2>'
            '<table class="rules"><caption>Lower is better in every column; the glossary says what they are.</caption>'
            f"<thead><tr>{titles}</tr></thead><tbody>{''.join(lines)}</tbody></table></section>"
        )

    def _glossary(self) -> str:
        items = "".join(f"<dt>{term}</dt><dd>{escape(text)}</dd>" for term, text in GLOSSARY.items())
        title = '<h2 id="glossary">What the numbers mean</h2>'
        return f'<section class="card" aria-labelledby="glossary">{title}<dl>{items}</dl></section>'

    def _appendix(self) -> str:
        parts: list[tuple[str, dict[str, Any]]] = [
            ("Parameters", dict(self.s.parameters)),
            ("Versions", dict(self.s.versions)),
            ("Seconds", {name: f"{seconds:.2f}" for name, seconds in self.s.timings.items()}),
        ]
        blocks = []
        for title, values in parts:
            if values:
                items = "".join(f"<dt>{self.text(name)}</dt><dd>{self.text(str(v))}</dd>" for name, v in values.items())
                blocks.append(f"<h3>{title}</h3><dl>{items}</dl>")
        title = '<h2 id="appendix">Appendix</h2>'
        return f'<section class="card" aria-labelledby="appendix">{title}{"".join(blocks)}</section>'

    def _footer(self) -> str:
        version = self.text(self.s.versions.get("pyod_explain", ""))
        return (
            f"<footer><p>Made by pyod_explain {version}. Rules say what the outliers have in common, "
            "not why it came about.</p></footer>"
        )
