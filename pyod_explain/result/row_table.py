"""What the rules say of one row, as a small table for notebooks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from pyod_explain._printable import visible
from pyod_explain.result.group import Rule
from pyod_explain.result.seen import Values, seen_by
from pyod_explain.tags import Condition, statements

__all__ = ["row_table"]


def row_table(
    headline: str, rules: Sequence[Rule], failing: Collection[Condition], values: Values, *, matches: bool
) -> str:
    """Write a line for each statement of the rules: the rule's group, the condition, the row's value, and the verdict.

    Parameters
    ----------
    headline : what stands above.
    rules : the rules that match; or the one that comes nearest.
    failing : the conditions that fail.
    values : the row's values.
    matches : False if the rule is one that only comes nearest.
    """
    above = f"<p>{_safe(headline)}</p>"
    if not rules:
        return f"<div>{above}</div>"
    lines = []
    for rule in rules:
        for i, statement in enumerate(statements(rule.tag.sorted)):
            group = f"group {rule.group}" if i == 0 else ""
            lead = "if " if i == 0 else "and "
            verdict = "fails" if set(statement.conditions) & set(failing) else "holds"
            cells = (group, lead + str(statement), seen_by(statement, values), verdict)
            lines.append(f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in cells)}</tr>")
    first = "rule of" if matches else "nearest rule"
    titles = "".join(f"<th>{one}</th>" for one in (first, "condition", "the row's value", ""))
    return f"<div>{above}<table><thead><tr>{titles}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"


def _safe(text: str) -> str:
    return escape(visible(text), quote=True)
