"""From the stages' results to a `Summary`: here everything that a report says is counted, once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from pyod_explain.bits import count_bits
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import grouped_bits, mdl_of_group, named_bits, set_bits
from pyod_explain.groups import Groups
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.scale import robust_scale
from pyod_explain.input.table import Column, Table
from pyod_explain.metrics import measure
from pyod_explain.result.summary import ColumnFacts, GroupExplanation, Profile, Rule, Summary
from pyod_explain.search import Found
from pyod_explain.tags import Condition, Language, Tag, TagSet

__all__ = ["collect", "collect_nothing", "outlier_cells", "significance", "versions"]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
FREQUENT = 10  # values of a category that are proposed instead of a row's own
PACKAGES = ("numpy", "pandas", "scikit-learn", "scipy", "pyod")


def collect(found: Found, outliers: Outliers, parameters: Mapping[str, str]) -> Summary:
    """Count what the chosen tags cover and put it beside where it came from."""
    table, groups, tags, coverage, selection = (
        found.table,
        found.groups,
        found.tags,
        found.coverage,
        found.selection,
    )
    metrics = measure(coverage, selection.tags)
    language = Language(table)
    tests = _Tests(coverage, language, made=groups.made)
    normals = _Normals(table, coverage.normal_rows)
    described = tuple(
        _describe(k, chosen, groups, tags, coverage, metrics[k], tests, normals)
        for k, chosen in enumerate(selection.tags)
    )
    covers = coverage.own_and_foreign(selection.tags)
    used = [tags.tags[j] for chosen in selection.tags for j in chosen]
    return Summary(
        detector=outliers.source,
        grouping=groups.how,
        groups=described,
        n_rows=table.n_rows,
        n_normals=coverage.n_normals,
        n_normals_matched=int(count_bits(coverage.normals_with(j for chosen in selection.tags for j in chosen))),
        n_strays=sum(int(count_bits(foreign & ~own)) for own, foreign in covers),
        n_tags=coverage.n_tags,
        n_items=tags.n_items,
        mdl=sum(group.metrics["MDL"] for group in described),
        mdl_empty=sum(group.mdl_empty for group in described),
        bits=set_bits(coverage, selection.tags, tags.tags, language),
        bits_named=named_bits(coverage),
        bits_groups=grouped_bits(coverage, selection.tags, tags.tags, language),
        groups_made=groups.made,
        method=selection.method,
        solver=selection.solver,
        status=selection.status,
        objective=float(selection.objective),
        bound=None if selection.bound is None else float(selection.bound),
        group_curve=() if groups.curve is None else tuple(groups.curve.itertuples(name=None)),
        columns=tuple(_fact(table[name], conditions, normals) for name, conditions in _by_column(used).items()),
        notes=(*outliers.notes, *found.notes),
        parameters=dict(parameters),
        versions=versions(),
        timings=dict(found.timings),
    )


def outlier_cells(found: Found, columns: Iterable[str]) -> tuple[NDArray[np.intp], Table]:
    """Give the outliers' positions, group after group as in the user's table, and their cells in these columns."""
    rows = np.concatenate([np.sort(members) for members in found.coverage.group_rows])
    table = found.table
    return rows, Table({name: table[name].take(rows) for name in columns}, table.index[rows])


def collect_nothing(table: Table, outliers: Outliers, parameters: Mapping[str, str]) -> Summary:
    """Make the summary of a table without outliers: it says so."""
    return Summary(
        detector=outliers.source,
        grouping="none",
        groups=(),
        n_rows=table.n_rows,
        n_normals=outliers.n_normals,
        notes=outliers.notes,
        parameters=dict(parameters),
        versions=versions(),
    )


def versions() -> dict[str, str]:
    """Versions of this package and of those that the result depends on, where they are installed."""
    package = import_module("pyod_explain")  # by name: it imports this module, so this one cannot import it
    found = {name: _version(name) for name in PACKAGES}
    return {"pyod_explain": str(package.__version__), **{name: one for name, one in found.items() if one is not None}}


@cache  # the files of a package are read for it, which takes longer than counting all rules
def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:  # used from a source tree: a report without it is better than none
        return None


# --- groups and rules -------------------------------------------------------------------------------------------------


class _Tests:
    """What a rule's p-value is about: which rows might as well have been others, and how many rules were to be had.

    Groups that were made by looking at the columns are described by these columns whatever the rows are. So the test
    is whether *outliers*, of whatever group, match more often than normals: that does not depend on the split.
    """

    def __init__(self, coverage: Coverage, language: Language, *, made: bool) -> None:
        self.coverage, self.language, self.made = coverage, language, made

    def p_value(self, rule: Tag, *, group: int, n_outliers: int, n_others: int, n_normals: int) -> float:
        """Chance of such a match, times the number of rules as short, and of groups if they were given."""
        sizes = self.coverage.group_sizes
        return significance(
            n_outliers=n_outliers + n_others if self.made else n_outliers,
            n_normals=n_normals,
            group_size=int(sizes.sum() if self.made else sizes[group]),
            total_normals=self.coverage.n_normals,
            log_tried=self.language.rule_bits(rule) * math.log(2) + (0 if self.made else math.log(len(sizes))),
        )


def significance(
    *, n_outliers: int, n_normals: int, group_size: int, total_normals: int, log_tried: float = 0.0
) -> float:
    """Chance to match at least as many of the group by drawing it at random, times the number of rules tried.

    The hypergeometric (Fisher) tail, one-sided: a group of `group_size` rows drawn blindly from itself and the
    normals. Multiplying by the number of rules tried keeps the chance of any false alarm below the p-value's level
    (Bonferroni; a rule of b bits counts as one of 2 to the power of b, so that short rules are charged less).

    Parameters
    ----------
    n_outliers, n_normals : rows of the group and normals that match.
    group_size, total_normals : how many there are.
    log_tried : natural logarithm of the number of rules tried.

    Examples
    --------
    Three of three, and no normal of 50: one way in 23,426 to draw them.

    >>> round(1 / significance(n_outliers=3, n_normals=0, group_size=3, total_normals=50))
    23426
    """
    if not n_outliers:
        return 1.0
    tail = float(hypergeom.logsf(n_outliers - 1, total_normals + group_size, n_outliers + n_normals, group_size))
    return math.exp(min(tail + log_tried, 0.0))


def _describe(
    k: int,
    chosen: Sequence[int],
    groups: Groups,
    tags: TagSet,
    coverage: Coverage,
    metrics: Mapping[str, float],
    tests: _Tests,
    normals: _Normals,
) -> GroupExplanation:
    covered = coverage.outliers_with(chosen)
    own = coverage.outlier_mask(covered, k)
    members, labels = coverage.group_rows[k], normals.table.index
    rules = tuple(_rule(k, j, tags.tags[j], coverage, tests) for j in chosen)
    return GroupExplanation(
        number=k + 1,
        name=groups.names[k],
        size=int(coverage.group_sizes[k]),
        rows=tuple(labels[np.sort(members)].tolist()),
        rules=rules,
        uncovered=tuple(labels[np.sort(members[~own])].tolist()),
        n_explained=int(own.sum()),
        n_normals=int(count_bits(coverage.normals_with(chosen))),
        n_others=int(count_bits(covered)) - int(own.sum()),
        metrics=metrics,
        mdl_empty=mdl_of_group(coverage, k, ()),
        profiles=tuple(_profiles([rule.tag for rule in rules], members, normals)),
    )


def _rule(k: int, j: int, tag: Tag, coverage: Coverage, tests: _Tests) -> Rule:
    inside = coverage.group_counts[:, j]
    counts = {
        "n_outliers": int(inside[k]),
        "n_others": int(inside.sum() - inside[k]),
        "n_normals": int(coverage.normal_counts[j]),
    }
    return Rule(
        tag=tag,
        group=k + 1,
        group_size=int(coverage.group_sizes[k]),
        total_normals=coverage.n_normals,
        p_value=tests.p_value(tag, group=k, **counts),
        **counts,
    )


# --- columns ----------------------------------------------------------------------------------------------------------


def _by_column(tags: Iterable[Tag]) -> dict[str, list[Condition]]:
    found: dict[str, list[Condition]] = {}
    for condition in dict.fromkeys(c for tag in tags for c in tag.sorted):
        found.setdefault(condition.column, []).append(condition)
    return found


class _Normals:
    """The normal rows, which may be many: what several groups ask of a column is found once."""

    def __init__(self, table: Table, rows: NDArray[np.intp]) -> None:
        self.table = table
        self.rows = rows
        self._columns: dict[str, Column] = {}
        self._quantiles: dict[str, tuple[Any, ...] | None] = {}
        self._shares: dict[Condition, float] = {}

    def column(self, name: str) -> Column:
        """The normals' part of a column."""
        if name not in self._columns:
            self._columns[name] = self.table[name].take(self.rows)
        return self._columns[name]

    def quantiles(self, name: str) -> tuple[Any, ...] | None:
        """Percent points of a column."""
        if name not in self._quantiles:
            self._quantiles[name] = _quantiles(self.column(name))
        return self._quantiles[name]

    def share(self, condition: Condition) -> float:
        """Share of the normals that meets a condition."""
        if condition not in self._shares:
            self._shares[condition] = _mean(condition.holds(self.table[condition.column])[self.rows])
        return self._shares[condition]


def _profiles(tags: Sequence[Tag], rows: NDArray[np.intp], normals: _Normals) -> Iterable[Profile]:
    for name, conditions in _by_column(tags).items():
        own = normals.table[name].take(rows)
        yield Profile(
            column=name,
            group=_quantiles(own),
            normals=normals.quantiles(name),
            conditions=tuple(conditions),
            matching=tuple((_mean(c.holds(normals.table[name])[rows]), normals.share(c)) for c in conditions),
        )


def _mean(flags: NDArray[np.bool_]) -> float:
    return float(flags.mean()) if len(flags) else 0.0


def _quantiles(column: Column) -> tuple[Any, ...] | None:
    """Values that stand at the percent points: cells of the column, so that they read like its other values."""
    present = np.flatnonzero(~column.missing)
    if not column.has_order or not len(present):
        return None
    places = [round(q * (len(present) - 1)) for q in QUANTILES]
    values = column.ranked[0] if column.values.dtype == object else column.values  # ranks compare fast
    order = present[np.argpartition(values[present], places)]
    return tuple(column.cell(int(order[place])) for place in places)


def _fact(column: Column, conditions: Sequence[Condition], normals: _Normals) -> ColumnFacts:
    return ColumnFacts(
        name=column.name,
        kind=column.kind,
        timezone=column.timezone,
        whole=column.whole,
        scale=_scale(normals.column(column.name)) if column.has_order else 1.0,
        candidates=_candidates(column, conditions, normals),
    )


def _scale(normals: Column) -> float:
    """Give a typical difference: as wide as one standard deviation if the values are normally distributed."""
    known = normals.floats()[~normals.missing]
    if not len(known):
        return 1.0
    unit = max(float(np.abs(known).max()) / 1e100, 1.0)  # so that no difference overflows
    return robust_scale(known / unit)[1] * unit


def _candidates(column: Column, conditions: Sequence[Condition], normals: _Normals) -> tuple[Any, ...]:
    """Values that occur and break a condition by as little as possible; for categories the frequent ones."""
    if column.kind == "labels":
        return ()
    if not column.has_order:
        usual = normals.column(column.name)
        usual = column if usual.missing.all() else usual
        codes, counts = np.unique(usual.values[~usual.missing], return_counts=True)
        frequent = codes[np.argsort(-counts, kind="stable")[:FREQUENT]]
        return tuple(column.categories[code] for code in frequent)
    found: dict[Any, None] = {}
    present = np.flatnonzero(~column.missing)
    for condition in conditions:
        if condition.part is not None or condition.op in ("missing", "present"):
            continue
        holds = condition.holds(column)
        inside, outside = present[holds[present]], present[~holds[present]]
        if not len(inside) or not len(outside):
            continue
        values = column.values
        below = outside[values[outside] < values[inside].min()]
        above = outside[values[outside] > values[inside].max()]
        if len(below):
            found[column.cell(int(below[np.argmax(values[below])]))] = None
        if len(above):
            found[column.cell(int(above[np.argmin(values[above])]))] = None
    middle = normals.quantiles(column.name)
    return (*found, *(() if middle is None else (middle[2],)))
