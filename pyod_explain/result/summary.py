"""`Summary`: everything that a report says, as plain frozen values. Views are functions of it and compute nothing new.

What is stored is counted; what follows from counts (precision, share saved) is a property, so that no two numbers
of a report can disagree.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyod_explain.description_length import group_bits
from pyod_explain.input import Kind, Table
from pyod_explain.metrics import share
from pyod_explain.result.group import GroupExplanation, MatchedRows, Rule
from pyod_explain.result.text import count
from pyod_explain.tags import Term

OUTLIER_NOUNS = {"outlier": "outlier", "outliers": "outliers", "normal": "normal row", "normals": "normal rows"}
OUTLIER_NOUNS |= {"group": "the group", "usually": "normally"}


@dataclass(frozen=True)
class Holdout(MatchedRows):
    """What rules found on some rows cover among the other rows, added up over the folds.

    Attributes
    ----------
    n_outliers, n_normals, n_others : held-out outliers of the group, normals and other outliers covered.
    group_size : held-out outliers of the group that there were to cover.
    found : number of folds in which the rule was found again (for a whole description: all of them).
    """

    n_outliers: int
    n_normals: int
    n_others: int
    group_size: int
    found: int


@dataclass(frozen=True)
class Validation:
    """How the explanation holds on rows that were not used to find it.

    Attributes
    ----------
    n_splits : number of folds; each was left out once and the rules were found on the others.
    whole : the rules of all groups together.
    groups : each group's description.
    rules : each rule, in the order of the explanation: its closest relative found without the held-out rows.
    """

    n_splits: int
    whole: Holdout
    groups: tuple[Holdout, ...]
    rules: tuple[Holdout, ...]


@dataclass(frozen=True)
class Placebo:
    """What the same procedure finds where there is nothing to find: random normals instead of the outliers.

    Attributes
    ----------
    shares_saved : share of the bits saved, for each draw.
    share_saved : share of the bits that the explanation itself saves.
    grouping : how the drawn rows were split into groups.
    """

    shares_saved: tuple[float, ...]
    share_saved: float
    grouping: str

    @property
    def mean_share_saved(self) -> float:
        """Mean of the draws."""
        return sum(self.shares_saved) / len(self.shares_saved)

    @property
    def by_chance(self) -> bool:
        """True if the explanation saves nothing, no more than the best draw, or hardly more than the mean draw."""
        own = self.share_saved
        return own <= max(*self.shares_saved, 0.0) or own - self.mean_share_saved < 0.1 * own


@dataclass(frozen=True)
class Figures:
    """What a rule matches in one of two tables that are compared.

    Attributes
    ----------
    n_outliers, total_outliers : outliers that it matches, of whatever group, and that there are.
    n_normals, total_normals : the same of normal rows; None where it is not known.
    """

    n_outliers: int
    total_outliers: int
    n_normals: int | None = None
    total_normals: int | None = None

    @property
    def share(self) -> float:
        """Share of the outliers that match."""
        return share(self.n_outliers, self.total_outliers)

    @property
    def precision(self) -> float | None:
        """Share of the matching rows that are outliers; None where it is not known, or no row matches."""
        if self.n_normals is None or not self.n_outliers + self.n_normals:
            return None
        return share(self.n_outliers, self.n_outliers + self.n_normals)

    def part(self, name: str) -> tuple[int, int]:
        """Give the two numbers of which a share is the quotient: of outliers, of all rows, or of rows that match."""
        if name == "share":
            return self.n_outliers, self.total_outliers
        others = self.total_normals if name == "rate" else self.n_normals
        return self.n_outliers, (self.total_outliers if name == "rate" else self.n_outliers) + (others or 0)


@dataclass(frozen=True)
class RuleChange:
    """What became of a rule.

    Attributes
    ----------
    change : `"new"` (it describes outliers that no rule described before, and those were fewer before), `"gone"` (it
        matches no outlier now), `"changed"` (its share of the outliers or its precision differs by more than chance
        explains), `"same"`, `"known"` (it was listed as known, without figures of before), `"found"` (it is a rule now,
        and as many outliers met it before) or `"unknown"` (the rows that would tell were not kept).
    rule : the rule, with its figures of now where it is among the rules now.
    before, after : what it matched and matches; None where that is not known.
    significant : True if it is worth an alarm: it is new and significant, or changed or gone, and chance does not
        explain it.
    differs : what differs by more than chance explains: `"share"` (of the outliers), `"rate"` (share of the rows that
        are outliers and match), `"precision"`.
    listed_before, listed_after : whether it is among the rules of either explanation.
    group_before, group_after : the number of its group there; 0 where it is not.
    expired : True if it was known until a day that is past.
    """

    change: str
    rule: Rule
    before: Figures | None
    after: Figures | None
    significant: bool
    differs: tuple[str, ...]
    listed_before: bool
    listed_after: bool
    group_before: int
    group_after: int
    expired: bool = False


@dataclass(frozen=True)
class ColumnFacts:
    """What must be known of a column that rules speak of, to write SQL and to propose other values.

    Attributes
    ----------
    name, kind, timezone : as in the table; or the relation of two columns, which is a number.
    whole : True if all its numbers are whole.
    scale : a typical difference between two normal rows, in numbers (nanoseconds for times); 1 where none is known.
    candidates : values that occur, near the limits of the conditions, or the most frequent ones of a category.
    """

    name: Term
    kind: Kind
    timezone: str | None = None
    whole: bool = False
    scale: float = 1.0
    candidates: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Summary:
    """Everything that a report says.

    Attributes
    ----------
    detector : what marks the outliers: a detector, labels or a column.
    outlier_test : the test that a row must pass to be an outlier, in words that follow "rows where"; else "".
    grouping : how the outliers were split.
    group_curve : where the number of groups was chosen, for each number tried: the number, and the bits in which all
        rules tell which rows are outliers.
    groups : the groups with their rules.
    n_rows, n_normals : rows in the table, and those that count as normal.
    n_lines : rows of the table itself where each stands for many, and all other numbers are of what they stand for;
        else None.
    n_normals_matched : normals that any rule of any group covers.
    n_matched_by_other_group : outliers that only another group's rules cover.
    n_tags, n_items : rules to choose from, and conditions that they were made of.
    mdl, mdl_empty : the paper's bits, added up over the groups: of the explanation, and of naming every outlier with
        its group.
    bits, bits_named : bits that tell which rows are outliers: by all rules and what they get wrong, and one by one.
    bits_groups : bits that tell which rows are of which group, each by its rules and what they get wrong.
    method, solver, status, objective, bound : what was asked, how it was answered, and what was proved.
    columns : facts on the columns and relations that the rules speak of.
    notes : what else a reader should know: bounds that were reached, what was relaxed.
    validation, placebo : honest checks, where they were made.
    groups_made : True if the groups were made by looking at the columns that then describe them.
    parameters, versions, timings : how to get the same result again, and how long it took.
    provenance : when it was made, from what, by which call and detector: a text for each thing.
    changes : what became of the rules that were known before, and which rules are new; None where none were given.
    cells : the cells of the outliers, group after group; None where they were left out.
    normal_cells : the cells of some normal rows: `compare` asks them whether a rule is about outliers.
    tables : of rows that are new in a table (`explain_new`): what the table is called, and the earlier one, whose rows
        are the normals; else None.
    """

    detector: str
    grouping: str
    groups: tuple[GroupExplanation, ...]
    n_rows: int
    n_normals: int
    n_normals_matched: int = 0
    n_matched_by_other_group: int = 0
    n_tags: int = 0
    n_items: int = 0
    mdl: float = 0.0
    mdl_empty: float = 0.0
    bits: float = 0.0
    bits_named: float = 0.0
    bits_groups: float = 0.0
    method: str = ""
    solver: str = ""
    status: str = ""
    objective: float | None = None
    bound: float | None = None
    group_curve: tuple[tuple[float, ...], ...] = ()
    columns: tuple[ColumnFacts, ...] = ()
    notes: tuple[str, ...] = ()
    validation: Validation | None = None
    placebo: Placebo | None = None
    groups_made: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict, compare=False)  # the same result may take longer
    n_lines: int | None = None
    outlier_test: str = ""
    provenance: Mapping[str, str] = field(default_factory=dict, compare=False)  # the same may be made on another day
    tables: tuple[str, str] | None = field(default=None, compare=False)  # the same by another name
    changes: tuple[RuleChange, ...] | None = None
    cells: Table | None = field(default=None, compare=False, repr=False)  # they have no `==`
    normal_cells: Table | None = field(default=None, compare=False, repr=False)

    @property
    def reasons(self) -> tuple[GroupExplanation, ...]:
        """The groups, without that of the outliers that have no common reason."""
        return tuple(group for group in self.groups if not group.rest)

    def status_of(self, group: GroupExplanation) -> str:
        """Say whether a group is new or known, where known rules were given; "" for neither."""
        changed = {one.rule.tag: one for one in self.changes or ()}
        some = [changed[rule.tag] for rule in group.rules if rule.tag in changed]
        if any(one.change == "new" for one in some):
            return "new"
        return ("expired" if any(one.expired for one in some) else "known") if group.known else ""

    @property
    def rest(self) -> GroupExplanation | None:
        """The last group where rules made the others: the outliers that no rule covers; None if there are none."""
        return next((group for group in self.groups if group.rest), None)

    def first_groups(self, most: int) -> tuple[GroupExplanation, ...]:
        """Give the groups to show where there is room for so many, and always the outliers without a common reason."""
        return tuple(group for group in self.groups if group.rest or group.number <= most)

    @property
    def n_outliers(self) -> int:
        return sum(group.size for group in self.groups)

    @property
    def n_table_rows(self) -> int:
        """Rows of the table itself, whatever number of rows each stands for."""
        return self.n_rows if self.n_lines is None else self.n_lines

    @property
    def n_explained(self) -> int:
        """Number of outliers that a rule of their own group covers."""
        return sum(group.n_explained for group in self.groups)

    @property
    def n_neither(self) -> int:
        """Rows that the detector calls neither normal nor outlier."""
        return self.n_rows - self.n_normals - self.n_outliers

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of all groups."""
        return tuple(rule for group in self.groups for rule in group.rules)

    @property
    def rule_columns(self) -> list[str]:
        """Columns that the rules name: all that is read of new rows."""
        return list(dict.fromkeys(name for rule in self.rules for name in rule.tag.columns))

    @property
    def unexplained(self) -> list[Hashable]:
        """Row labels of the outliers that no rule of their group covers."""
        return [label for group in self.groups for label in group.uncovered]

    @property
    def knows_rows(self) -> bool:
        """False if row labels of the outliers were left out, as `to_json(rows=False)` does."""
        return all(group.rows for group in self.groups)

    @property
    def sampled(self) -> bool:
        """True if the normal rows were too many to keep, so that percent points of their values are a sample's."""
        return "sample" in self.parameters

    @property
    def precision(self) -> float:
        """Share of the rows matched by any rule that are outliers matched by their own group's rules."""
        return share(self.n_explained, self.n_explained + self.n_normals_matched + self.n_matched_by_other_group)

    @property
    def tells_outliers(self) -> bool:
        """True if a matching row is right when it is an outlier: of given groups it must be of the rule's group."""
        return self.groups_made or len(self.groups) < 2

    def precision_of(self, one: Rule | Holdout) -> float:
        """Give the share of the matching rows that are right, as reports tell it.

        Where the groups were made, or there is one, these are outliers: a rule that matches those of other groups, too,
        is no less right. Where groups were given, they are the outliers of the rule's group.

        Parameters
        ----------
        one : a rule, or what it or several together cover of held-out rows.
        """
        return one.outlier_share if self.tells_outliers else one.precision

    @property
    def reported_precision(self) -> float:
        """The precision of all rules, as reports tell it: see `precision_of`."""
        if not self.tells_outliers:
            return self.precision
        right = self.n_explained + self.n_matched_by_other_group
        return share(right, right + self.n_normals_matched)

    @property
    def share_saved(self) -> float:
        """Share of the bits that name the outliers one by one that the rules save; below 0 where they save none."""
        return 1 - self.bits / self.bits_named if self.bits_named else 0.0

    @property
    def p_value(self) -> float:
        """The smallest p-value of the rules: each is corrected for all that could be tried; 1 without rules."""
        return min((rule.p_value for rule in self.rules), default=1.0)

    @property
    def significant(self) -> bool:
        """True if a rule is significant."""
        return any(rule.significant for rule in self.rules)

    @property
    def explains(self) -> bool:
        """True if the rules save bits, on held-out rows too where these were looked at, and not by chance."""
        return bool(self.rules) and self.share_saved > 0 and not self.by_chance and not self.fails_held_out

    @property
    def by_chance(self) -> bool:
        """True if no rule is significant, or random rows, where a placebo test was made, gain about as much."""
        return not self.significant or (self.placebo is not None and self.placebo.by_chance)

    @property
    def fails_held_out(self) -> bool:
        """True if held-out figures were made, and the rules save no bits there: what they get wrong takes as many."""
        if self.validation is None:
            return False
        whole, size = self.validation.whole, self.n_outliers
        missed, normals = [size - whole.n_outliers - whole.n_others, size], [whole.n_normals, 0]
        wrong, named = group_bits(missed=missed, normals=normals, foreign=0, size=size, n_rows=self.n_normals + size)
        return bool(wrong >= named)

    @property
    def held_out_precision(self) -> float | None:
        """The precision of all rules on held-out rows; None where nobody looked, or none of these rows matches."""
        held = self.validation
        return None if held is None or not held.whole.n_matched else self.precision_of(held.whole)

    @property
    def covered_word(self) -> str:
        """What covered outliers are called: explained, only where the rules explain them and few other rows match."""
        if self.tables is not None:
            return "matched"
        shares = self.reported_precision, self.held_out_precision
        return "explained" if self.explains and all(one is None or one >= 0.5 for one in shares) else "covered"

    @property
    def nouns(self) -> Mapping[str, str]:
        """What outliers and normal rows are called: of two tables, rows of the later and of the earlier one."""
        if self.tables is None:
            return OUTLIER_NOUNS
        now, before = self.tables
        later = {"outlier": f"row of {now}", "outliers": f"rows of {now}", "group": now}
        return {**later, "normal": f"row of {before}", "normals": f"rows of {before}", "usually": f"in {before}"}

    @property
    def sizes_text(self) -> str:
        """How many outliers and rows there are; of two tables, how many rows either has."""
        if self.tables is None:
            return f"{self.count_outliers(self.n_outliers)} of {count(self.n_rows, 'row')}"
        return f"{self.tables[0]} has {count(self.n_outliers, 'row')}, {self.tables[1]} {self.n_normals:,}"

    def count_outliers(self, n: int) -> str:
        """Write a number of outliers."""
        return count(n, self.nouns["outlier"], self.nouns["outliers"])

    def count_normals(self, n: int) -> str:
        """Write a number of normal rows."""
        return count(n, self.nouns["normal"], self.nouns["normals"])

    @property
    def tells_groups(self) -> bool:
        """True if there are several given groups, and the rules tell who is in which more shortly, not by chance."""
        several = len(self.groups) > 1 and not self.groups_made and bool(self.rules)
        return several and self.bits_groups < self.mdl_empty and self.significant

    def held_out(self, group: GroupExplanation) -> tuple[Holdout, ...] | None:
        """Give the figures of a group's rules on held-out rows; None where nobody looked."""
        if self.validation is None:
            return None
        first = sum(len(one.rules) for one in self.groups[: group.number - 1])
        return self.validation.rules[first : first + len(group.rules)]

    def held_out_whole(self, group: GroupExplanation) -> Holdout | None:
        """Give the figures of all rules of a group together on held-out rows; None where nobody looked."""
        return None if self.validation is None else self.validation.groups[group.number - 1]

    def facts(self, column: Term) -> ColumnFacts:
        """Return what is known of a column, or of a relation."""
        return next((one for one in self.columns if one.name == column), ColumnFacts(column, "category"))
