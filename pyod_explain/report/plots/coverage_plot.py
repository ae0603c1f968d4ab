"""Rules by outliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._printable import visible
from pyod_explain.report.plots.axes import BAD, GOOD, MAX_RULES, axes, matplotlib, need_rules, short
from pyod_explain.result import Rule, Summary, count

__all__ = ["coverage"]

OTHER, OWN = 1, 2  # whose outlier a rule covers
LETTER, LINE = 0.075, 0.14  # inches of a letter of a label, and of a line


def coverage(s: Summary, matches: NDArray[np.bool_], *, ax: Any = None) -> Any:
    """Draw rules by outliers: which rule covers which outlier, and how many normals it matches.

    Parameters
    ----------
    s : the summary.
    matches : outliers, group after group, by rules: True where the rule covers the outlier.
    ax : Axes to draw on.
    """
    need_rules(s, "plot('coverage')")
    rules = s.rules[:MAX_RULES]
    ax = axes(ax, (10, 1.8 + 0.55 * len(rules)))
    colors = matplotlib("colors").ListedColormap(["#eef0f3", BAD, GOOD])
    picture = _picture(s, rules, matches)
    ax.imshow(picture, aspect="auto", cmap=colors, vmin=0, vmax=2, interpolation="nearest")
    ax.set_yticks(range(len(rules)), [_label(rule) for rule in rules], fontsize=8)
    _mark_groups(s, ax)
    ax.tick_params(length=0)
    for edge in range(1, len(rules)):
        ax.axhline(edge - 0.5, color="white", linewidth=1.5)
    more = f"; {count(len(s.rules) - MAX_RULES, 'more rule')}" if len(s.rules) > MAX_RULES else ""
    own = " (green)" if (picture == OWN).any() else ""
    others = ", brown: of another group" if (picture == OTHER).any() else ""
    covered = f"{s.n_explained:,} of {s.n_outliers:,} {s.covered_word}"
    ax.set_title(f"Rules by outliers: {covered}{own}{others}{more}", fontsize=10)
    return ax


def _picture(s: Summary, rules: Sequence[Rule], matches: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Give rules by outliers: 2 where a rule covers one of its own group, 1 one of another; explained ones first."""
    owner = np.repeat([group.number for group in s.groups], [len(group.rows) for group in s.groups])
    picture = np.zeros((len(rules), len(owner)))
    for i, rule in enumerate(rules):
        picture[i] = np.where(matches[:, i], np.where(owner == rule.group, OWN, OTHER), 0)
    own = np.array(
        [matches[:, [rule.group == number for rule in s.rules]].any(axis=1) for number in range(1, len(s.groups) + 1)]
    )
    explained = own[owner - 1, np.arange(len(owner))]
    return picture[:, np.lexsort((-picture.sum(axis=0), ~explained, owner))]  # group by group


def _label(rule: Rule) -> str:
    return f"{short(rule.text)}\n{count(rule.n_outliers, 'outlier')}, {count(rule.n_normals, 'normal')}"


def _mark_groups(s: Summary, ax: Any) -> None:
    """Draw a line between groups, and name each."""
    ends = np.cumsum([len(group.rows) for group in s.groups])
    for end in ends[:-1]:
        ax.axvline(end - 0.5, color="black", linewidth=0.8)
    middles = [end - len(group.rows) / 2 - 0.5 for end, group in zip(ends, s.groups, strict=True)]
    told = [(visible(group.title), f"{group.n_explained} of {group.size}") for group in s.groups]
    inches = ax.bbox.width / ax.figure.dpi
    wide = [LETTER * max(map(len, one)) for one in told]
    turned = len(_apart(middles, wide, inches / ends[-1])) < len(told)
    shown = _apart(middles, [LINE] * len(told), inches / ends[-1]) if turned else range(len(told))
    names = [(": " if turned else "\n").join(told[i]).replace("$", r"\$") for i in shown]
    ax.set_xticks([middles[i] for i in shown], names, fontsize=8, rotation=90 if turned else 0)


def _apart(middles: Sequence[float], wide: Sequence[float], inches: float) -> list[int]:
    """List the labels that have room, from the left.

    >>> _apart([0, 2, 10], [0.5, 0.5, 0.5], 0.1)
    [0, 2]
    """
    shown: list[int] = []
    for i, middle in enumerate(middles):
        if not shown or (middle - middles[shown[-1]]) * inches >= (wide[i] + wide[shown[-1]]) / 2:
            shown.append(i)
    return shown
