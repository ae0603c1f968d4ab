"""Some rows of each group: the strangest, with their cells in the columns of its rules."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.input import Table, plain_value
from pyod_explain.result.origin import Origin
from pyod_explain.result.summary import Summary

__all__ = ["Example", "choose_examples"]


@dataclass(frozen=True)
class Example:
    """One outlier.

    Attributes
    ----------
    label : its row label.
    score : how strange it is; None where the detector does not say.
    cells : for each column of the group's rules its name, the cell, and True if a matching rule speaks of it.
    """

    label: Hashable
    score: float | None
    cells: tuple[tuple[str, Any, bool], ...]


def choose_examples(
    summary: Summary, outliers: Table, matches: NDArray[np.bool_], origin: Origin, most: int
) -> dict[int, list[Example]]:
    """Give rows of each group by its number, the strangest first; without scores those first that a rule matches.

    Parameters
    ----------
    summary : what the explanation says.
    outliers : the outliers' cells, group after group.
    matches : outliers by rules: True where the rule covers the outlier.
    origin : their scores.
    most : the most rows a group.
    """
    found: dict[int, list[Example]] = {}
    first = 0
    for group in summary.groups:
        rows = np.arange(first, first + len(group.rows))
        first += len(group.rows)
        columns = list(dict.fromkeys(name for rule in group.rules for name in rule.tag.columns))
        ours = [(j, set(rule.tag.columns)) for j, rule in enumerate(summary.rules) if rule.group == group.number]
        covered = matches[rows][:, [j for j, _ in ours]].any(axis=1)
        rows = rows[np.argsort(~covered if origin.scores is None else -origin.scores[rows], kind="stable")]
        found[group.number] = [
            Example(
                label=plain_value(outliers.index[i]),
                score=None if origin.scores is None else float(origin.scores[i]),
                cells=tuple(
                    (name, outliers[name].cell(int(i)), any(matches[i, j] and name in named for j, named in ours))
                    for name in columns
                ),
            )
            for i in rows[:most].tolist()
        ]
    return found
