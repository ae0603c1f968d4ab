"""The page: the answer, figures at a glance, a card for each group, and what follows, most of it folded away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyod_explain.report.answers import answer
from pyod_explain.report.html.curve import curve
from pyod_explain.report.html.examples import examples_table
from pyod_explain.report.html.groups import group_card
from pyod_explain.report.html.pen import Pen
from pyod_explain.report.html.pictures import pictures
from pyod_explain.report.html.sections import appendix, checks, glossary, left, metrics
from pyod_explain.report.html.shell import shell
from pyod_explain.report.sentences import grouping_sentence, headline, neither_sentence, validation_sentence
from pyod_explain.result import Example, GroupExplanation, Picture, Summary, count, percent

__all__ = ["MOST_BYTES", "to_html"]

MOST_BYTES = 900_000
PENS = (  # the next one where the page would be too large
    Pen(groups=40, rules=25, characters=400, labels=500, notes=50),
    Pen(groups=20, rules=10, characters=200, labels=100, notes=20),
    Pen(groups=8, rules=5, characters=80, labels=20, notes=5),
)


def to_html(
    s: Summary,
    *,
    title: str = "Why are these rows outliers?",
    rows: bool = False,
    taken: Sequence[Picture] = (),
    examples: Mapping[int, Sequence[Example]] | None = None,
) -> str:
    """Write the page; where it would be too large, with fewer rules and examples, and shorter texts.

    Parameters
    ----------
    s : the summary.
    title : title of the page.
    rows : list the labels of the outliers that are left unexplained.
    taken : scatter plots to draw.
    examples : some rows of each group, by its number; None for none.
    """
    page = ""
    for i, pen in enumerate(PENS):
        some = {number: all_of[: None if i == 0 else pen.labels] for number, all_of in (examples or {}).items()}
        page = _page(s, pen, title, taken if i == 0 else (), some, rows=rows)
        if len(page.encode()) <= MOST_BYTES:
            break
    return page


def _page(
    s: Summary,
    pen: Pen,
    title: str,
    taken: Sequence[Picture],
    examples: Mapping[int, Sequence[Example]],
    *,
    rows: bool,
) -> str:
    body = [_header(s, pen, title)]
    main = [_tiles(s)] if s.groups else []
    for group in s.groups[: pen.groups]:
        some = examples_table(group.title, examples.get(group.number, ()), pen, lines=s.n_lines is not None)
        main.append(group_card(group, s.held_out(group), s, pen, examples=some))
    if len(s.groups) > pen.groups:
        main.append(f"<p>... and {count(len(s.groups) - pen.groups, 'more group')}.</p>")
    if s.groups:
        main += [
            pictures(s, taken, pen),
            curve(s),
            left(s, pen, rows=rows),
            checks(s, pen),
            metrics(s, pen),
            glossary(),
        ]
    main.append(appendix(s, pen))
    body += [f"<main>{''.join(main)}</main>", _footer(s, pen)]
    return shell(title, "".join(body), pen)


def _header(s: Summary, pen: Pen, title: str) -> str:
    lines = [f"<h1>{pen.text(title)}</h1>", f'<p class="lead">{pen.text(headline(s))}</p>']
    if s.groups:
        more = len(s.groups) - pen.groups
        rest = f"<li>... and {count(more, 'more group')}</li>" if more > 0 else ""
        answers = "".join(_answer(group, s, pen) for group in s.groups[: pen.groups])
        lines.append(f'<ul class="answers">{answers}{rest}</ul>')
    if grouping := grouping_sentence(s):
        lines.append(f'<p class="soft">{pen.text(grouping)}</p>')
    if neither := neither_sentence(s):
        lines.append(f'<p class="soft">{neither}</p>')
    return f"<header>{''.join(lines)}</header>"


def _answer(group: GroupExplanation, s: Summary, pen: Pen) -> str:
    """Write what is said of a group first, with a way to its card."""
    said = answer(group, s)
    link = f'<a href="#group-{pen.text(group.number)}">{pen.text(said.title)}</a>'
    return f"<li>{link}: <b>{pen.text(said.what)}</b> {pen.text(f'{said.sure} {said.first}'.strip())}</li>"


def _tiles(s: Summary) -> str:
    who, them = ("outlier", "it") if s.n_outliers == 1 else ("outliers", "them")
    of_group = "" if s.tells_outliers else " of the rule's group"
    tiles = [
        (
            f"{s.n_outliers:,}",
            f"{who}, {percent(s.n_outliers, s.n_rows)} of {count(s.n_rows, 'row')}",
        ),
        (
            percent(s.n_explained, s.n_outliers),
            f"of {them} {s.covered_word} by {count(len(s.rules), 'rule')}",
        ),
        (percent(s.precision_told), f"precision: share of the matching rows that are outliers{of_group}"),
    ]
    if s.validation is not None:
        whole = s.validation.whole
        words = f"{s.covered_word} on held-out rows, with precision {percent(s.precision_of(whole))}"
        tiles.append((percent(whole.recall), words))
    gain = "shorter than naming every outlier"
    if s.placebo is not None:
        gain += f"; random rows: {percent(max(s.placebo.gain, 0.0))}"
    if s.bits_named:  # not known after reading a file of version 0.1.0
        tiles.append((percent(max(s.share_saved, 0.0)), gain))
    items = "".join(f"<li><b>{value}</b><span>{words}</span></li>" for value, words in tiles)
    unchecked = "" if s.validation is not None else validation_sentence(s)  # where the figure would stand
    return f'<ul class="tiles">{items}</ul>' + (f'<p class="soft">{unchecked}</p>' if unchecked else "")


def _footer(s: Summary, pen: Pen) -> str:
    version = pen.text(s.versions.get("pyod_explain", ""))
    return (
        f"<footer><p>Made by pyod_explain {version}. Rules say what the outliers have in common, "
        "not why it came about.</p></footer>"
    )
