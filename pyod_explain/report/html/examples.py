"""Some rows of a group, where the user asks for them."""

from __future__ import annotations

from collections.abc import Sequence

from pyod_explain.report.html.pen import Pen
from pyod_explain.result import Example, cell_text, count, number

__all__ = ["examples_table"]


def examples_table(title: str, examples: Sequence[Example], pen: Pen, *, lines: bool = False) -> str:
    """Write rows of a group as a table: the cells that a matching rule speaks of are marked, also for who hears it.

    Parameters
    ----------
    title : what the group is called.
    examples : the rows, of the same columns; none gives nothing.
    pen : what writes texts.
    lines : True if each is a line of the table that stands for several outliers.
    """
    if not examples:
        return ""
    columns = [name for name, _, _ in examples[0].cells]
    scored = examples[0].score is not None
    score = '<th scope="col" class="num">Score</th>' if scored else ""
    head = f'<th scope="col">Row</th>{score}' + "".join(f'<th scope="col">{pen.text(name)}</th>' for name in columns)
    body = "".join(_line(one, pen) for one in examples)
    order = "the strangest first" if scored else "those first that a rule matches"
    one, many = ("line with outliers", "lines with outliers") if lines else ("outlier", "outliers")
    shown = count(len(examples), one, many)
    said = f"{shown} of the group, {order}; marked: what a rule that matches the row speaks of."
    return (
        f'<h3>Examples</h3><p class="soft">{said}</p>'
        f'<div class="wide" tabindex="0" role="region" aria-label="Examples of {pen.text(title)}">'
        f'<table class="examples"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _line(one: Example, pen: Pen) -> str:
    score = "" if one.score is None else f'<td class="num">{number(one.score)}</td>'
    cells = "".join(
        f"<td>{'<mark>' if marked else ''}{pen.text(cell_text(value))}{'</mark>' if marked else ''}</td>"
        for _, value, marked in one.cells
    )
    return f'<tr><th scope="row">{pen.text(one.label)}</th>{score}{cells}</tr>'
