"""`Explanation`: the result. Collected once from the stages, then only read: printed, exported, asked about rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import hypergeom

from pyod_explain.coverage import Coverage
from pyod_explain.description_length import mdl_of_group
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.explainers import Selection
from pyod_explain.groups import Groups
from pyod_explain.metrics import evaluate
from pyod_explain.outliers import Outliers
from pyod_explain.report.text import to_text
from pyod_explain.table import Table, as_table
from pyod_explain.tags import Condition, Tag, TagSet

__all__ = ["Explanation", "GroupExplanation", "RowExplanation", "Rule"]


@dataclass(frozen=True)
class Rule:
    """A tag that describes a group, and what it covers.

    Attributes
    ----------
    tag : the tag.
    group : number of the group it describes.
    n_outliers, n_normals, n_others : outliers of the group, normals, and outliers of other groups that it covers.
    group_size, total_normals : what the first two are a share of.
    p_value : chance that a random choice of as many rows as the group has would match the tag as often, times the
        number of tags tried (Bonferroni), at most 1.
    """

    tag: Tag
    group: int
    n_outliers: int
    n_normals: int
    n_others: int
    group_size: int
    total_normals: int
    p_value: float

    @property
    def recall(self) -> float:
        """Share of the group that the tag covers."""
        return self.n_outliers / self.group_size if self.group_size else 0.0

    @property
    def precision(self) -> float:
        """Share of the rows with the tag that belong to the group."""
        covered = self.n_outliers + self.n_normals + self.n_others
        return self.n_outliers / covered if covered else 0.0

    @property
    def lift(self) -> float:
        """How many times more frequent the tag is in the group than among the normals; infinite if none has it."""
        if not self.n_normals:
            return float("inf") if self.n_outliers else 0.0
        return self.recall / (self.n_normals / self.total_normals)


@dataclass(frozen=True)
class GroupExplanation:
    """One group of outliers and its description.

    Attributes
    ----------
    number, name : 1..K, and what the user calls it.
    size : number of outliers.
    rows : their row labels.
    rules : the tags that describe it, with counts.
    uncovered : row labels of the outliers that no rule of the group covers.
    n_normals : normals that any of its rules covers.
    n_others : outliers of other groups that any of its rules covers.
    metrics : FUO, FCO, FCN, AL, NT and MDL of the group.
    mdl_empty : bits of naming its outliers one by one.
    """

    number: int
    name: str
    size: int
    rows: tuple[Hashable, ...]
    rules: tuple[Rule, ...]
    uncovered: tuple[Hashable, ...]
    n_normals: int
    n_others: int
    metrics: Mapping[str, float]
    mdl_empty: float

    @property
    def tags(self) -> tuple[Rule, ...]:
        """The rules: each tag with its counts."""
        return self.rules

    @property
    def n_explained(self) -> int:
        """Number of its outliers that its rules cover."""
        return self.size - len(self.uncovered)


@dataclass(frozen=True)
class RowExplanation:
    """Why one row is an outlier, as far as the rules tell.

    Attributes
    ----------
    label : the row's label.
    group : number of its group.
    matching : the rules of its group that cover it.
    nearest : if none does, the rule with the fewest failing conditions.
    failing : the conditions of `nearest` that fail.
    values : the row's own values in the columns of those rules.
    """

    label: Hashable
    group: int
    matching: tuple[Rule, ...]
    nearest: Rule | None
    failing: tuple[Condition, ...]
    values: Mapping[str, Any]

    def __str__(self) -> str:
        cells = ", ".join(f"{name} = {value!r}" for name, value in self.values.items())
        if self.matching:
            reasons = "\n".join(f"  {rule.tag}" for rule in self.matching)
            return f"Row {self.label!r} is in group {self.group}:\n{reasons}\n  its values: {cells}"
        if self.nearest is None:
            return f"Row {self.label!r} is in group {self.group}, which has no description."
        fails = " and ".join(str(condition) for condition in self.failing)
        return (
            f"Row {self.label!r} is in group {self.group}, and no rule of the group covers it.\n"
            f"  nearest: {self.nearest.tag}\n  fails:   {fails}\n  its values: {cells}"
        )


@dataclass(frozen=True, eq=False)
class Explanation:
    """A few rules per group of outliers, what they cover, and how good they are.

    Made by `explain` or `OutlierExplainer`. `repr` is one line, `str` the report.

    Attributes
    ----------
    groups : the groups, each with its rules.
    metrics : a row per group: FUO, FCO, FCN, AL, NT, MDL.
    mdl, mdl_empty : bits of the whole explanation, and of naming every outlier one by one.
    n_rows, n_normals : rows of the table, and those that count as normal.
    detector : who says which rows are outliers.
    grouping : how the outliers were split.
    selection : the solver's answer, with its status, bound and gap.
    n_tags : number of tags that the rules were chosen from.
    notes : what else a reader should know: bounds that were reached, what was relaxed.
    placebo : the gain that random normals in place of the outliers would show, where that was asked for.
    timings : seconds per stage.
    """

    groups: tuple[GroupExplanation, ...]
    metrics: pd.DataFrame
    mdl: float
    mdl_empty: float
    n_rows: int
    n_normals: int
    detector: str
    grouping: str
    selection: Selection | None
    n_tags: int
    notes: tuple[str, ...] = ()
    placebo: float | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    outlier_table: Table | None = field(default=None, repr=False)

    @property
    def n_outliers(self) -> int:
        return sum(group.size for group in self.groups)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of all groups."""
        return tuple(rule for group in self.groups for rule in group.rules)

    @property
    def unexplained(self) -> list[Hashable]:
        """Row labels of the outliers that no rule of their group covers."""
        return [label for group in self.groups for label in group.uncovered]

    @property
    def gain(self) -> float:
        """Share of the bits of the empty description that the rules save."""
        return 1 - self.mdl / self.mdl_empty if self.mdl_empty else 0.0

    def __repr__(self) -> str:
        explained = self.n_outliers - len(self.unexplained)
        groups = f"{len(self.groups)} group{'s' if len(self.groups) != 1 else ''}"
        rules = f"{len(self.rules)} rule{'s' if len(self.rules) != 1 else ''}"
        return f"Explanation({explained:,} of {self.n_outliers:,} outliers in {groups} by {rules})"

    def __str__(self) -> str:
        return to_text(self)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per rule: its group, text, counts, precision, recall, lift and significance."""
        rows = [
            {
                "group": rule.group,
                "rule": str(rule.tag),
                "length": len(rule.tag),
                "outliers": rule.n_outliers,
                "normals": rule.n_normals,
                "others": rule.n_others,
                "precision": rule.precision,
                "recall": rule.recall,
                "lift": rule.lift,
                "p_value": rule.p_value,
            }
            for rule in self.rules
        ]
        columns = ["group", "rule", "length", "outliers", "normals", "others", "precision", "recall", "lift", "p_value"]
        return pd.DataFrame(rows, columns=columns)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data: dicts, lists, numbers and strings."""
        return {
            "detector": self.detector,
            "n_rows": self.n_rows,
            "n_normals": self.n_normals,
            "n_outliers": self.n_outliers,
            "grouping": self.grouping,
            "mdl": self.mdl,
            "mdl_empty": self.mdl_empty,
            "status": None if self.selection is None else self.selection.status,
            "groups": [
                {
                    "number": group.number,
                    "name": group.name,
                    "size": group.size,
                    "n_explained": group.n_explained,
                    "n_normals": group.n_normals,
                    "n_others": group.n_others,
                    "metrics": dict(group.metrics),
                    "rules": frame.drop(columns="group").to_dict("records"),
                }
                for group in self.groups
                for frame in [self.to_frame().query("group == @group.number")]
            ],
            "notes": list(self.notes),
        }

    def for_row(self, label: Hashable) -> RowExplanation:
        """Explain one outlier: its group, the rules that cover it, or the nearest miss.

        Parameters
        ----------
        label : the row's label in the index of the table that was explained.
        """
        found = [(group, i) for group in self.groups for i, one in enumerate(group.rows) if one == label]
        if not found:
            raise PyodExplainError(
                f"`label` must be the row label of an outlier, got {label!r}.\n"
                "Hint: the labels of a group's outliers are in `explanation.groups[i].rows`."
            )
        if len(found) > 1:
            raise PyodExplainError(f"`label` must name one row, got {label!r}, which {len(found)} outliers have.")
        group, i = found[0]
        before = sum(other.size for other in self.groups if other.number < group.number)
        return self._row(label, group, before + i)

    def _row(self, label: Hashable, group: GroupExplanation, position: int) -> RowExplanation:
        assert self.outlier_table is not None  # made with the groups, and there is a group
        row = self.outlier_table.take(np.array([position]))
        failing = {
            rule: tuple(c for c in rule.tag.sorted if not c.holds(row[c.column])[0]) for rule in group.rules
        }
        matching = tuple(rule for rule, fails in failing.items() if not fails)
        nearest = min(failing, key=lambda rule: len(failing[rule]), default=None) if not matching else None
        shown = matching if matching else (nearest,) if nearest else ()
        columns = dict.fromkeys(name for rule in shown for name in rule.tag.columns)
        values = {name: row[name].cell(0) for name in columns}
        return RowExplanation(label, group.number, matching, nearest, failing[nearest] if nearest else (), values)

    def matches(self, X: Any) -> NDArray[np.bool_]:
        """Tell for each row (of the result) and each of `rules` (columns) whether the rule covers it."""
        table = as_table(X)
        table.require(dict.fromkeys(name for rule in self.rules for name in rule.tag.columns))
        columns = [rule.tag.covers(table) for rule in self.rules]
        return np.array(columns, dtype=bool).reshape(len(columns), table.n_rows).T

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Give each row 0, or the number of the group whose description it matches.

        Where the descriptions of several groups match, the most precise matching rule decides.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order.
        """
        matches = self.matches(X)
        result = np.zeros(len(matches), dtype=np.int64)
        best = np.full(len(matches), -1.0)
        for column, rule in zip(matches.T, self.rules, strict=True):
            better = column & (rule.precision > best)
            result[better] = rule.group
            best[better] = rule.precision
        return result

    def transform(self, X: Any) -> pd.DataFrame:
        """Give a column of True and False per rule, named by group and rule.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order.
        """
        table = as_table(X)
        names = [f"group {rule.group}: {rule.tag}" for rule in self.rules]
        return pd.DataFrame(self.matches(table), columns=names, index=table.index)

    @classmethod
    def build(
        cls,
        table: Table,
        outliers: Outliers,
        groups: Groups,
        tags: TagSet,
        coverage: Coverage,
        selection: Selection,
        *,
        timings: Mapping[str, float],
    ) -> Explanation:
        """Collect what the stages found."""
        metrics = evaluate(coverage, selection)
        described = tuple(
            _describe(k, chosen, table, groups, tags, coverage, metrics) for k, chosen in enumerate(selection.tags)
        )
        named = dict.fromkeys(name for group in described for rule in group.rules for name in rule.tag.columns)
        rows = np.concatenate(coverage.group_rows)
        kept = Table({name: table[name].take(rows) for name in named}, table.index[rows])
        return cls(
            groups=described,
            metrics=metrics,
            mdl=metrics.attrs["mdl"],
            mdl_empty=metrics.attrs["mdl_empty"],
            n_rows=table.n_rows,
            n_normals=coverage.n_normals,
            detector=outliers.source,
            grouping=groups.how,
            selection=selection,
            n_tags=coverage.n_tags,
            notes=(*tags.notes, *selection.notes),
            timings=dict(timings),
            outlier_table=kept,
        )

    @classmethod
    def of_nothing(cls, table: Table, outliers: Outliers, *, timings: Mapping[str, float]) -> Explanation:
        """Make the explanation of a table without outliers: it says so."""
        metrics = pd.DataFrame(columns=["FUO", "FCO", "FCN", "AL", "NT", "MDL"])
        metrics.index = pd.RangeIndex(1, 1, name="group")
        metrics.attrs.update(mdl=0.0, mdl_empty=0.0)
        return cls(
            groups=(),
            metrics=metrics,
            mdl=0.0,
            mdl_empty=0.0,
            n_rows=table.n_rows,
            n_normals=outliers.n_normals,
            detector=outliers.source,
            grouping="none",
            selection=None,
            n_tags=0,
            timings=dict(timings),
        )


def _describe(
    k: int,
    chosen: tuple[int, ...],
    table: Table,
    groups: Groups,
    tags: TagSet,
    coverage: Coverage,
    metrics: pd.DataFrame,
) -> GroupExplanation:
    covered = coverage.outliers_with(chosen)
    inside = [int(coverage.outlier_mask(covered, m).sum()) for m in range(coverage.n_groups)]
    labels = table.index[coverage.group_rows[k]]
    return GroupExplanation(
        number=k + 1,
        name=groups.names[k],
        size=int(coverage.group_sizes[k]),
        rows=tuple(labels),
        rules=tuple(_rule(k, j, tags.tags[j], coverage) for j in chosen),
        uncovered=tuple(labels[~coverage.outlier_mask(covered, k)]),
        n_normals=int(np.bitwise_count(coverage.normals_with(chosen)).sum()),
        n_others=sum(inside) - inside[k],
        metrics=metrics.loc[k + 1].to_dict(),
        mdl_empty=mdl_of_group(coverage, k, ()),
    )


def _rule(k: int, j: int, tag: Tag, coverage: Coverage) -> Rule:
    inside = coverage.group_counts[:, j]
    own, normals = int(inside[k]), int(coverage.normal_counts[j])
    size, total = int(coverage.group_sizes[k]), coverage.n_normals
    chance = float(hypergeom.sf(own - 1, total + size, own + normals, size)) if own else 1.0
    return Rule(
        tag=tag,
        group=k + 1,
        n_outliers=own,
        n_normals=normals,
        n_others=int(inside.sum()) - own,
        group_size=size,
        total_normals=total,
        p_value=min(chance * max(coverage.n_tags, 1), 1.0),
    )
