"""`GroupExplanation` and `Rule`: a group of outliers, what describes it, and how well.

What is stored is counted; what follows from counts (precision, lift) is a property, so that no two numbers of a report
can disagree.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyod_explain.exceptions import ParameterError
from pyod_explain.metrics import share
from pyod_explain.result.extremes import UnexplainedRow
from pyod_explain.result.significance import SIGNIFICANT
from pyod_explain.tags import Condition, Statement, Tag, Term, statements

MAX_ALIKE = 0.8  # where the normals meet a condition as often, for each time of the group, the two are alike


class MatchedRows:
    """What follows from the numbers of rows that a rule or a description matches."""

    n_outliers: int
    n_normals: int
    n_others: int
    group_size: int

    @property
    def n_matched(self) -> int:
        """Number of rows that match."""
        return self.n_outliers + self.n_normals + self.n_others

    @property
    def recall(self) -> float:
        """Share of the group that matches."""
        return share(self.n_outliers, self.group_size)

    @property
    def precision(self) -> float:
        """Share of the matching rows that belong to the group."""
        return share(self.n_outliers, self.n_matched)

    @property
    def outlier_share(self) -> float:
        """Share of the matching rows that are outliers, of whatever group."""
        return share(self.n_outliers + self.n_others, self.n_matched)


@dataclass(frozen=True)
class Rule(MatchedRows):
    """A tag that describes a group, and what it covers.

    Attributes
    ----------
    tag : the tag.
    group : number of the group it describes.
    n_outliers, n_normals, n_others : outliers of the group, normals, and outliers of other groups that it covers.
    group_size, total_normals : what the first two are a share of.
    p_value : chance that a random choice of as many rows would match the tag as often, times the number of rules of
        this kind that can be told apart, at most 1. As many rows as the group has, if the groups were given; if they
        were made by looking at the same columns, as many as there are outliers, and matches count whatever their group.
    n_added : outliers of the group that it covers and no rule above it does.
    least : those of its conditions `x <= value` where no row of the table has less: views show them as `x is value`.
    log_rules : natural logarithm of the number of rules that could be tried; it enters the p-value.
    known : True if it was known before the search: it was not chosen by these rows.
    owner, note, expires : what somebody wrote about it: who looks after it, why, and until which day (2026-12-31).
    """

    tag: Tag
    group: int
    n_outliers: int
    n_normals: int
    n_others: int
    group_size: int
    total_normals: int
    p_value: float
    n_added: int
    least: tuple[Condition, ...] = ()
    log_rules: float = 0.0
    known: bool = False
    owner: str = ""
    note: str = ""
    expires: str = ""

    @property
    def text(self) -> str:
        """The rule as a sentence."""
        return str(self.tag)

    @property
    def _statements(self) -> list[Statement]:
        """What it states of the rows of the table."""
        return statements(Condition(c.column, "==", c.value) if c in self.least else c for c in self.tag.sorted)

    @property
    def shown(self) -> str:
        """The rule as reports on the table show it."""
        return " and ".join(map(str, self._statements))

    @property
    def signs(self) -> str:
        """The rule with the signs that are printed: `amount ≥ 410 and payment is 'card'`."""
        return " and ".join(statement.signs for statement in self._statements)

    @property
    def phrase(self) -> str:
        """What rows are like that match, to follow "rows with": `amount above 410 and payment 'card'`."""
        return " and ".join(statement.phrase() for statement in self._statements)

    @property
    def name(self) -> str:
        """The rule with its group: what a column of `transform` is called."""
        return f"group {self.group}: {self.tag}"

    @property
    def marked(self) -> bool:
        """True if somebody wrote something about it."""
        return any((self.owner, self.note, self.expires))

    @property
    def lift(self) -> float:
        """How many times more frequent the tag is in the group than among the normals; infinite if none has it."""
        if not self.n_normals:
            return math.inf if self.n_outliers else 0.0
        return self.recall / (self.n_normals / self.total_normals)

    @property
    def significant(self) -> bool:
        """True if the corrected p-value is below 0.05."""
        return self.p_value < SIGNIFICANT


@dataclass(frozen=True)
class Profile:
    """How a group's values in one column compare with the normals': aggregates only.

    Attributes
    ----------
    column : the column, or the relation of two, that a rule of the group uses.
    group, normals : for an ordered column the 5, 25, 50, 75 and 95 percent points of either: cells, but the median,
        which lies halfway between the two in the middle (of dates a day); None where all cells are missing, and for a
        column without order.
    conditions : the conditions of the group's rules on this column.
    matching : for each of them the share of the group and the share of the normals that meets it.
    """

    column: Term
    group: tuple[Any, ...] | None
    normals: tuple[Any, ...] | None
    conditions: tuple[Condition, ...]
    matching: tuple[tuple[float, float], ...]

    @property
    def median_differs(self) -> bool:
        """True if both have percent points, and the group's median lies outside of the normals' middle half."""
        own, usual = self.group, self.normals
        return own is not None and usual is not None and not usual[1] <= own[2] <= usual[3]

    @property
    def telling(self) -> list[tuple[Condition, tuple[float, float]]]:
        """The conditions that the normals meet clearly less often than the group does, each with both shares."""
        pairs = zip(self.conditions, self.matching, strict=True)
        return [(one, (own, usual)) for one, (own, usual) in pairs if usual < MAX_ALIKE * own]


@dataclass(frozen=True)
class GroupExplanation:
    """One group of outliers and its description.

    Attributes
    ----------
    number, name : 1..K, and what the user calls it.
    size : number of outliers.
    rows : their row labels.
    rules : the tags that describe it, with counts; each is the one that adds most outliers to those above it.
    uncovered : row labels of the outliers that no rule of the group covers.
    n_explained : number of its outliers that its rules cover.
    n_normals : normals that any of its rules covers.
    n_others : outliers of other groups that any of its rules covers.
    metrics : FUO, FCO, FCN, AL, NT and MDL of the group.
    mdl_empty : bits of naming its outliers one by one.
    profiles : how the group differs from the normals in the columns of its rules.
    rest : True for the outliers that no rule covers, where rules made the other groups.
    extremes : what is extreme in the outliers that no rule of the group covers, the strangest first; of a thousand of
        all groups at most.
    """

    number: int
    name: str
    size: int
    rows: tuple[Hashable, ...]
    rules: tuple[Rule, ...]
    uncovered: tuple[Hashable, ...]
    n_explained: int
    n_normals: int
    n_others: int
    metrics: Mapping[str, float]
    mdl_empty: float
    profiles: tuple[Profile, ...] = ()
    rest: bool = False
    extremes: tuple[UnexplainedRow, ...] = ()

    @property
    def tags(self) -> tuple[Rule, ...]:
        """The rules: each tag with its counts."""
        return self.rules

    @property
    def tells_added(self) -> bool:
        """True if there are several rules, so that it matters how many outliers each adds."""
        return len(self.rules) > 1

    @property
    def known(self) -> bool:
        """True if all its rules were known before the search."""
        return bool(self.rules) and all(rule.known for rule in self.rules)

    @property
    def title(self) -> str:
        """What to call the group: its number, and the user's name for it if there is one."""
        return f"Group {self.number}" + ("" if self.name == str(self.number) else f" ({self.name})")

    @property
    def precision(self) -> float:
        """Share of the rows that match any of its rules that belong to the group."""
        return share(self.n_explained, self.n_matched)

    @property
    def n_matched(self) -> int:
        """Rows that any of its rules covers."""
        return self.n_explained + self.n_normals + self.n_others


def renamed(groups: Sequence[GroupExplanation], names: Mapping[int, str]) -> tuple[GroupExplanation, ...]:
    """Give groups other names, by their numbers; `""` removes a name.

    Parameters
    ----------
    groups : the groups.
    names : a name for each group that gets one.
    """
    known = {group.number for group in groups}
    valid = isinstance(names, Mapping) and set(names) <= known
    if not valid or not all(isinstance(name, str) and (name.strip() or not name) for name in names.values()):
        requirement = f"names that are not blank, by numbers of groups (there are {len(known)})"
        raise ParameterError("names", requirement, got=names, owner="rename()")
    return tuple(replace(group, name=names.get(group.number, group.name) or str(group.number)) for group in groups)
