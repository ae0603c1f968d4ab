"""The report as one self-contained page: no script, no network, under 1 MB whatever the data; and its compact form.

The templates say what is where. Every text is escaped by them (autoescape), and shortened to the page's limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pyod_explain.metrics import METRICS
from pyod_explain.report import sentences
from pyod_explain.report.html import svg
from pyod_explain.report.html.svg import HtmlLimits
from pyod_explain.report.sentences import answer_group
from pyod_explain.result import (
    DRIFT,
    Comparison,
    Example,
    GroupExplanation,
    Picture,
    Profile,
    Rule,
    RuleChange,
    Summary,
    cell_text,
    count,
    number,
    percent,
)

MAX_PAGE_BYTES = 900_000
PAGE_LIMITS = (  # the next ones where the page would be too large
    HtmlLimits(groups=40, rules=25, characters=400, labels=500, notes=50),
    HtmlLimits(groups=20, rules=10, characters=200, labels=100, notes=20),
    HtmlLimits(groups=8, rules=5, characters=80, labels=20, notes=5),
)
SNIPPET_LIMITS = HtmlLimits(groups=5, rules=5, characters=200, labels=0, notes=3)
CHANGES_LIMITS = HtmlLimits(groups=40, rules=200, characters=400, labels=500, notes=50)
TEST = "(hypergeometric test, corrected for the number of rules that could be tried)"


def to_html(
    s: Summary,
    *,
    title: str | None = None,
    rows: bool = False,
    pictures: Sequence[Picture] = (),
    examples: Mapping[int, Sequence[Example]] | None = None,
) -> str:
    """Write the page; where it would be too large, with fewer rules and examples, and shorter texts.

    Parameters
    ----------
    s : the summary.
    title : title of the page; None for the question it answers.
    rows : list the labels of the outliers that are left unexplained.
    pictures : scatter plots to draw.
    examples : some rows of each group, by its number; None for none.
    """
    page, title = "", sentences.title(s) if title is None else title
    for i, limits in enumerate(PAGE_LIMITS):
        some = {group: all_of[: None if i == 0 else limits.labels] for group, all_of in (examples or {}).items()}
        drawn = pictures if i == 0 else ()
        page = _render("page.html", limits, s=s, title=title, rows=rows, pictures=drawn, examples=some)
        if len(page.encode()) <= MAX_PAGE_BYTES:
            break
    return page


def to_snippet(s: Summary) -> str:
    """Write the compact form for notebooks: the answer and a table of the first rules, in the notebook's own style."""
    return _render("snippet.html", SNIPPET_LIMITS, s=s)


def changes_page(c: Comparison, *, title: str, rows: bool) -> str:
    """Write the page of what changed between two explanations.

    Parameters
    ----------
    c : what changed.
    title : title of the page.
    rows : say which rows changed their group.
    """
    return _render("changes.html", CHANGES_LIMITS, c=c, s=c.after, title=title, rows=rows, headings=_headings())


def changes_tables(c: Comparison) -> str:
    """Write the two reports side by side, and a table for each kind of change."""
    return _render("changes_tables.html", CHANGES_LIMITS, c=c, headings=_headings())


def _render(template: str, limits: HtmlLimits, **values: Any) -> str:
    text: str = _environment(limits).get_template(template).render(limits=limits, **values)
    return text


@cache
def _environment(limits: HtmlLimits) -> Any:
    """Build the environment of the templates; every value that they write is shortened, then escaped."""
    import jinja2

    here = Path(__file__).parent
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([here / "templates", here]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if hasattr(value, "__html__") else limits.shorten(value),
    )
    environment.globals.update(
        METRICS=METRICS,
        **{function.__name__: function for function in TEMPLATE_FUNCTIONS},
    )
    return environment


# --- what the templates call ------------------------------------------------------------------------------------------


def number_text(value: Any) -> str:
    """Write a count; anything that is no number as its text, which is then escaped."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def tiles(s: Summary) -> list[tuple[str, str]]:
    """Give the figures at a glance, each with what it means."""
    who, them = (s.nouns["outlier"], "it") if s.n_outliers == 1 else (s.nouns["outliers"], "them")
    of_group = "" if s.tells_outliers else " of the rule's group"
    found = [
        (f"{s.n_outliers:,}", f"{who}, {percent(s.n_outliers, s.n_rows)} of {count(s.n_rows, 'row')}"),
        (percent(s.n_explained, s.n_outliers), f"of {them} {s.covered_word} by {count(len(s.rules), 'rule')}"),
        (
            percent(s.reported_precision),
            f"precision: share of the matching rows that are {s.nouns['outliers']}{of_group}",
        ),
    ]
    if s.validation is not None:
        whole = s.validation.whole
        words = f"{s.covered_word} on held-out rows, with precision {percent(s.precision_of(whole))}"
        found.append((percent(whole.recall), words))
    random = "" if s.placebo is None else f"; random rows: {percent(max(s.placebo.mean_share_saved, 0.0))}"
    found.append((percent(max(s.share_saved, 0.0)), f"shorter than naming every {s.nouns['outlier']}{random}"))
    return found


def share_bars(group: GroupExplanation, s: Summary, limits: HtmlLimits) -> Iterator[tuple[str, int, int, str]]:
    """Draw what the rules match of the group and of the others, each against its own total."""
    also = "also matches" if 1 in (group.n_normals, s.n_normals) else "also match"
    outliers, normals = s.nouns["outliers"], s.nouns["normals"]
    lines = [
        (f"its {outliers}", group.n_explained, group.size, "good", f" {s.covered_word}"),
        (normals, group.n_normals, s.n_normals, "bad", f" {also}"),
    ]
    if group.n_others:
        lines.append((f"other {outliers}", group.n_others, s.n_outliers - group.size, "bad", ""))
    for name, part, whole, color, verb in lines:
        label = f"{part:,} of {whole:,} {name.removeprefix('its ')}{verb}"
        yield name, part, whole, svg.share_bar(part, whole, color, label=limits.text(f"{group.title}: {label}"))


def draws_limits(profiles: Sequence[Profile], limits: HtmlLimits) -> bool:
    """Tell whether a profile is drawn as ranges with limits of rules."""
    return any(svg.is_range(one) and any(map(svg.has_limits, one.conditions[: limits.rules])) for one in profiles)


def draws_shares(profiles: Sequence[Profile], limits: HtmlLimits) -> bool:
    """Tell whether a profile is drawn as shares of the rows that meet a condition."""
    return any(not (svg.is_range(one) and all(map(svg.has_limits, one.conditions[: limits.rules]))) for one in profiles)


def checks(s: Summary, limits: HtmlLimits) -> list[str]:
    """List what the rules are worth, what was checked of them, and the notes."""
    weak = sum(not rule.significant for rule in s.rules)
    significance = []
    if weak:
        are = "is" if weak == 1 else "are"
        significance = [f"{weak} of {count(len(s.rules), 'rule')} {are} not significant {TEST}."]
    elif s.rules:
        significance = [f"Every rule is significant {TEST}."]
    return [*sentences.check_sentences(s), *significance, *s.notes[: limits.notes]]


def checks_title(s: Summary) -> str:
    """Write the title of the checks, with what must not be folded away."""
    weak = sum(not rule.significant for rule in s.rules)
    parts = [f"{weak:,} of {count(len(s.rules), 'rule')} not significant"] if weak else []
    parts += [count(len(s.notes), "note")] if s.notes else []
    return f"Checks ({', '.join(parts)})" if parts else "Checks"


def appendix_parts(s: Summary) -> list[tuple[str, Mapping[str, str]]]:
    """List how the explanation was made, by titles."""
    return [
        ("", {name.capitalize(): text for name, text in s.provenance.items()}),
        ("Parameters", s.parameters),
        ("Versions", s.versions),
        ("Seconds", {name: f"{seconds:.2f}" for name, seconds in s.timings.items()}),
    ]


# --- what changed -----------------------------------------------------------------------------------------------------


def _headings() -> dict[str, tuple[str, str]]:
    """Give the title and the caption of the table of each kind of change."""
    points = f"{DRIFT * 100:g} points"
    return {
        "new": ("New rules", "They describe outliers now, and did not before."),
        "gone": ("Rules that are gone", "They described outliers before, and no longer do."),
        "changed": ("Rules with other limits", "The same conditions, with other values."),
        "drifted": ("Rules that drifted", f"The same rules; precision or coverage moved by {points} or more."),
        "same": ("Unchanged rules", f"The same rules; precision and coverage moved by less than {points}."),
    }


def changes_verdict(c: Comparison) -> str:
    """Say in a sentence what became of the rules."""
    words = {"new": "new", "gone": "gone", "changed": "with other limits", "drifted": "drifted", "same": "unchanged"}
    parts = [f"{n:,} {word}" for change, word in words.items() if (n := len(c.some(change)))]
    if not parts:
        return "Neither report has a rule."
    return (
        f"Rules: {', '.join(parts)}."
        if c.changed
        else f"Nothing changed: {count(len(c.rules), 'rule')}, all as before."
    )


def change_columns(both: bool) -> list[str]:
    """Name the columns of a table of changes."""
    return [
        f"{name} {side}".strip()
        for name in ("outliers", "normal rows", "precision")
        for side in (("before", "after") if both else ("",))
    ]


def _changed_rules(one: RuleChange, both: bool) -> list[Rule]:
    known = [rule for rule in (one.before, one.after) if rule is not None]
    return known if both else known[:1]


def rule_texts(one: RuleChange, both: bool) -> list[str]:
    """Write a rule before and after; once where nothing of it changed."""
    return list(dict.fromkeys(rule.signs for rule in _changed_rules(one, both)))


def change_figures(one: RuleChange, both: bool) -> Iterator[tuple[str, str]]:
    """Give the cells of a rule in a table of changes, each with the name of its column."""
    figures = [
        (f"{rule.n_outliers:,} of {rule.group_size:,}", f"{rule.n_normals:,}", percent(one.precision(rule)))
        for rule in _changed_rules(one, both)
    ]
    cells = [cell for sides in zip(*figures, strict=True) for cell in sides]
    return zip(change_columns(both), cells, strict=True)


TEMPLATE_FUNCTIONS = (
    answer_group, appendix_parts, cell_text, change_columns, change_figures, changes_verdict, checks, checks_title,
    count, draws_limits, draws_shares, number, number_text, percent, rule_texts, share_bars, tiles,
    sentences.check_sentences, sentences.define_terms, sentences.grouping_sentence, sentences.headline,
    sentences.lift_text, sentences.matched_sentence, sentences.neither_sentence, sentences.no_rule_sentence,
    sentences.validation_sentence,
    svg.picture_colors, svg.scatter, svg.strip,
)  # fmt: skip
