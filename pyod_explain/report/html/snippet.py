"""The compact form for notebooks."""

from __future__ import annotations

from importlib.resources import files

from pyod_explain.report.answers import answer
from pyod_explain.report.html.groups import rules_table
from pyod_explain.report.html.pen import Pen
from pyod_explain.report.sentences import check_sentences, headline, neither_sentence
from pyod_explain.result import Summary, count

__all__ = ["to_snippet"]


def to_snippet(s: Summary) -> str:
    """Write the compact form for notebooks: the answer and a table of the first rules, in the notebook's own style."""
    pen = Pen(groups=5, rules=5, characters=200, labels=0, notes=3)
    parts = [f"<p>{pen.text(headline(s))}</p>"]
    if neither := neither_sentence(s):
        parts.append(f"<p>{neither}</p>")
    for group in s.groups[: pen.groups]:
        said = answer(group, s)
        parts.append(f"<p><b>{pen.text(f'{said.title}: {said.what}')}</b> {pen.text(f'{said.sure} {said.first}')}</p>")
        parts.append(rules_table(group, None, s, pen) if group.rules else "")
    if len(s.groups) > pen.groups:
        parts.append(f"<p>... and {count(len(s.groups) - pen.groups, 'more group')}</p>")
    if s.groups:
        parts.append(f"<p>{' '.join(pen.text(one) for one in check_sentences(s))}</p>")
        parts.append("<p>print() shows the whole report, to_html() makes a page of it.</p>")
    style = " ".join(files("pyod_explain.report.html").joinpath("snippet.css").read_text("utf-8").splitlines())
    return f'<div class="pyod-explain"><style>{style}</style>{"".join(parts)}</div>'
