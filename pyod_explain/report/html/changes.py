"""The page of what changed: in a sentence, before and after, and a table for each kind of change."""

from __future__ import annotations

from pyod_explain.report.html.pen import Pen
from pyod_explain.report.html.shell import shell
from pyod_explain.result import DRIFT, Comparison, Rule, RuleChange, count, percent

__all__ = ["changes_page", "changes_tables"]

PEN = Pen(groups=40, rules=200, characters=400, labels=500, notes=50)
FIGURES = ("outliers", "normal rows", "precision")
OF_TABLES = ("rows of the later table", "of the earlier table")
POINTS = f"{DRIFT * 100:g}"
HEADINGS = {
    "new": ("New rules", "They describe outliers now, and did not before."),
    "gone": ("Rules that are gone", "They described outliers before, and no longer do."),
    "changed": ("Rules with other limits", "The same conditions, with other values."),
    "drifted": ("Rules that drifted", f"The same rules; precision or coverage moved by {POINTS} points or more."),
    "same": ("Unchanged rules", f"The same rules; precision and coverage moved by less than {POINTS} points."),
}
TABLES = {  # of reports on what is new in a table
    "new": ("New rules", "They tell the two tables apart now, and did not before."),
    "gone": ("Rules that are gone", "They told the two tables apart before, and no longer do."),
    "changed": HEADINGS["changed"],
    "drifted": (
        "Rules that drifted",
        (
            "The same rules; the share of the later table that matches, or of the matching rows in it, moved by "
            f"{POINTS} points or more."
        ),
    ),
    "same": ("Unchanged rules", f"The same rules; those shares moved by less than {POINTS} points."),
}


def changes_page(c: Comparison, *, title: str, rows: bool) -> str:
    """Write the page.

    Parameters
    ----------
    c : what changed.
    title : title of the page.
    rows : say which rows changed their group.
    """
    rows = rows and not c.of_tables
    moved = f"<section><h2>Rows</h2>{''.join(f'<p>{PEN.text(one)}</p>' for one in c.row_lines())}</section>"
    version = PEN.text(c.after.versions.get("pyod_explain", ""))
    body = (
        f'<header><h1>{PEN.text(title)}</h1><p class="lead">{verdict(c)}</p></header>\n'
        f"<main>{changes_tables(c)}{moved if rows else ''}</main>\n"
        f"<footer><p>Made by pyod_explain {version}.</p></footer>"
    )
    return shell(title, body, PEN)


def verdict(c: Comparison) -> str:
    """Say in a sentence what became of the rules."""
    words = {"new": "new", "gone": "gone", "changed": "with other limits", "drifted": "drifted", "same": "unchanged"}
    parts = [f"{n:,} {word}" for change, word in words.items() if (n := len(c.some(change)))]
    if not parts:
        return "Neither report has a rule."
    said = ", ".join(parts)
    return f"Rules: {said}." if c.changed else f"Nothing changed: {count(len(c.rules), 'rule')}, all as before."


def changes_tables(c: Comparison) -> str:
    """Write the two reports side by side, and a table for each kind of change."""
    head = "".join(f"<p>{PEN.text(line)}</p>" for line in c.head())
    return head + "".join(_section(change, c) for change in HEADINGS if c.some(change))


def _section(change: str, c: Comparison) -> str:
    some, tables = c.some(change), c.of_tables
    title, caption = (TABLES if tables else HEADINGS)[change]
    both = change not in ("new", "gone")
    sides = ["before", "after"] if both else [""]
    names = [f"{what} {side}".strip() for what in (OF_TABLES if tables else FIGURES) for side in sides]
    lines = [_line(one, names, both=both, tables=tables) for one in some[: PEN.rules]]
    more = len(some) - PEN.rules
    rest = f"<p>... and {count(more, 'more rule')}.</p>" if more > 0 else ""
    titles = "".join(f'<th scope="col">{name}</th>' for name in ("rule", *names))
    return (
        f'<section class="card"><h2>{title}: {len(some):,}</h2><table class="rules"><caption>{caption}</caption>'
        f"<thead><tr>{titles}</tr></thead><tbody>{''.join(lines)}</tbody></table>{rest}</section>"
    )


def _line(one: RuleChange, names: list[str], *, both: bool, tables: bool) -> str:
    known = [rule for rule in (one.before, one.after) if rule is not None]
    rules = known if both else known[:1]
    texts = dict.fromkeys(rule.signs for rule in rules)
    figures: list[list[str]] = [_figures(rule, one, tables=tables) for rule in rules]
    cells = [figure for three in zip(*figures, strict=True) for figure in three]
    said = "<br>&rarr; ".join(PEN.text(text) for text in texts)
    told = "".join(f'<td class="num" data-name="{name}">{cell}</td>' for name, cell in zip(names, cells, strict=True))
    return f'<tr><th scope="row">{said}</th>{told}</tr>'


def _figures(rule: Rule, one: RuleChange, *, tables: bool) -> list[str]:
    found = f"{rule.n_outliers:,} of {rule.group_size:,}"
    if tables:
        return [found, f"{rule.n_normals:,} of {rule.total_normals:,}"]
    return [found, f"{rule.n_normals:,}", percent(one.precision(rule))]
