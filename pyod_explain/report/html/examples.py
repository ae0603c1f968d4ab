"""Some rows of a group, where the user asks for them."""

from __future__ import annotations

from collections.abc import Sequence

from pyod_explain.report.html.pen import Pen
from pyod_explain.result.examples import Example
from pyod_explain.result.words import cell_text, count, number

__all__ = ["examples_table"]


def examples_table(title: str, examples: Sequence[Example], pen: Pen) -> str:
    """Write rows of a group as a table: the cells that a matching rule speaks of are marked, also for who hears it.

    Parameters
    ----------
    title : what the group is called.
    examples : the rows, of the same columns; none gives nothing.
    pen : what writes texts.
    """
    if not examples:
        return ""
    columns = [name for name, _, _ in examples[0].cells]
    scored = examples[0].score is not None
    titles = ["Row", *(["Score"] if scored else []), *columns]
    head = "".join(f'<th scope="col">{pen.text(title)}</th>' for title in titles)
    lines = "".join(_line(one, pen) for one in examples)
    order = "the strangest first" if scored else "those first that a rule matches"
    said = (
        f"{count(len(examples), 'outlier')} of the group, {order}; marked: what a rule that matches the row speaks of."
    )
    return (
        f'<h3>Examples</h3><p class="soft">{said}</p>'
        f'<div class="wide" tabindex="0" role="region" aria-label="Examples of {pen.text(title)}">'
        f'<table class="examples"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'
    )


def _line(one: Example, pen: Pen) -> str:
    score = "" if one.score is None else f'<td class="num">{number(one.score)}</td>'
    cells = "".join(
        f"<td>{'<mark>' if marked else ''}{pen.text(cell_text(value))}{'</mark>' if marked else ''}</td>"
        for _, value, marked in one.cells
    )
    return f'<tr><th scope="row">{pen.text(one.label)}</th>{score}{cells}</tr>'
