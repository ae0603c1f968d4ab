"""`fit_cuts`: the cuts of the selected rules where they are best, given the other conditions and the other rules.

The search cuts columns at quantiles, and where rows are many it looks at a sample. Here all values of all rows count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray, IntArray
from pyod_explain.bits import Words, pack
from pyod_explain.coverage import Coverage
from pyod_explain.explainers import Explainer, MarginalObjective, NewlyCovered, Selection
from pyod_explain.growth.description import Conjunction, Description, is_lower
from pyod_explain.growth.pool import Conditions, RankedColumn, SortedRanks
from pyod_explain.growth.shorten import choose_rules
from pyod_explain.input import Groups, Table
from pyod_explain.tags import Condition, Prices, TagSet, Term, lifted

MAX_PASSES = 4  # over the rules of a group


def fit_cuts(
    table: Table, groups: Groups, tags: TagSet, coverage: Coverage, selection: Selection, explainer: Explainer
) -> tuple[TagSet, Coverage, Selection]:
    """Move the cuts of the selected rules to where the objective is lowest; needless conditions and rules go.

    The user's own tags (`tags.given`) stay as they are.

    Parameters
    ----------
    table, groups, tags, coverage : what there is to choose from.
    selection : what was chosen, by bits (MDL).
    explainer : has the objective.
    """
    rules = [[tags.tags[j] for j in one] for one in selection.tags]
    terms = {one.column for rule in rules for tag in rule for one in tag.conditions if _has_cut(one)}
    columns = {term: RankedColumn.of(term, table, groups, coverage) for term in terms}
    source = Conditions(table, coverage, [], Prices(table))
    conjunctions = [[Conjunction.of_tag(source, tag) for tag in one] for one in rules]
    objective, min_lift = explainer.marginal_objective, explainer.min_lift
    description = Description(coverage, conjunctions, objective, max_length=0, min_lift=min_lift, given=tags.given)
    fitter = _Fitter(description, columns, source.prices, table.sampled)
    for k in range(coverage.n_groups):
        fitter.fit_group(k)
    better = [list(dict.fromkeys(rule.tag for rule in one)) for one in description.rules]
    if all(set(new) == set(old) for new, old in zip(better, rules, strict=True)):
        return tags, coverage, selection
    return choose_rules(table, tags, coverage, selection, better, source.prices)


def _has_cut(condition: Condition) -> bool:
    return condition.side != "is" or condition.op == "between"


@dataclass(frozen=True, eq=False)
class _Fitter:
    """Fits the rules of a description, in place.

    Attributes
    ----------
    description : the rules; their conditions are written.
    columns : the columns and relations that they have cuts on.
    prices : bits of conditions.
    sampled : True if the rows are a sample.
    """

    description: Description
    columns: Mapping[Term, RankedColumn]
    prices: Prices
    sampled: bool

    def fit_group(self, k: int) -> None:
        """Fit each rule of a group, given the others, until nothing gets better."""
        description = self.description
        for _ in range(MAX_PASSES):
            before = description.bits(k)
            for rule in list(description.rules[k]):
                i = description.rules[k].index(rule)
                self._fit(k, i, rule)
                if description.objective_without(k, i).current <= description.bits(k):
                    del description.rules[k][i]
            if not is_lower(description.bits(k), before):
                break

    def _fit(self, k: int, i: int, rule: Conjunction) -> None:
        """Put the cuts of a rule at the best places, and leave out needless conditions."""
        if rule.tag in self.description.given or not rule.rows[0].any():
            return
        objective, min_lift = self.description.objective_without(k, i), self.description.min_lift
        for condition in rule.written:
            shorter = rule.without(rule.written.index(condition))
            if len(shorter) and _value(shorter, objective, min_lift) <= _value(rule, objective):
                rule = shorter
        for term in dict.fromkeys(one.column for one in rule.written if _has_cut(one)):
            cuts = {i: one for i, one in enumerate(rule.written) if one.column == term and _has_cut(one)}
            sides = {one.side for one in cuts.values()}
            rest, side = rule.without(*cuts), sides.pop() if len(sides) == 1 else "is"
            rule = self._with_best_ends(rule, rest, term, side, objective)
            for one_sided in ("low", "high") if side == "is" else ():
                wider = self._with_best_ends(rule, rest, term, one_sided, objective)
                if _value(wider, objective, min_lift) <= _value(rule, objective):
                    rule = wider
        if all(one.tag != rule.tag for j, group in enumerate(self.description.rules) if j != k for one in group):
            self.description.replace(k, i, rule)  # descriptions of different groups share no rule

    def _with_best_ends(
        self, rule: Conjunction, rest: Conjunction, term: Term, side: str, objective: MarginalObjective
    ) -> Conjunction:
        """Return a rule with its cuts of a column at the best places, given the other conditions."""
        column = self.columns[term]
        span = _Ends(column, rule, rest, objective, self).best(side)
        if span == (0, column.n_distinct):
            return rule
        fitted = column.between(*span)
        inside = [(ranks >= span[0]) & (ranks < span[1]) for ranks in (column.outliers, column.normals)]
        outliers, normals = objective.coverage.mark_outliers(inside[0])[None, :], pack(inside[1])[None, :]
        price = np.array([self.prices.condition_bits(fitted)])
        return rest.with_conditions(Conjunction((fitted,), outliers, normals, price))


def _value(rule: Conjunction, objective: MarginalObjective, min_lift: float | None = None) -> float:
    """Return the objective with one more rule; infinite if it lacks the least lift."""
    outliers, normals = rule.rows
    new = objective.count(outliers[None, :], (normals & objective.normals)[None, :])
    n_outliers, n_normals = objective.totals
    if min_lift is not None and not lifted(new.own, n_outliers, new.normals, n_normals, min_lift)[0]:
        return np.inf
    return float(objective.value(new, np.array([rule.price]))[0])


class _Ends:
    """The ends of a condition of a rule: it holds for the ranks start, ..., stop - 1 of a column.

    Parameters
    ----------
    column : what the condition is about.
    rule, rest : the rule with it and without it.
    objective : what is minimised, without the rule.
    fitter : has the least lift, and whether the rows are a sample.
    """

    def __init__(
        self, column: RankedColumn, rule: Conjunction, rest: Conjunction, objective: MarginalObjective, fitter: _Fitter
    ) -> None:
        self._column, self._rule, self._objective = column, rule, objective
        self._min_lift, self._sampled = fitter.description.min_lift, fitter.sampled
        coverage = self._coverage = objective.coverage
        outliers, normals = rest.rows if len(rest) else (coverage.all_outliers, coverage.all_normals)
        self._met = self._rows(outliers), self._normals(normals)
        self._own, self._free = self._rows(outliers & objective.own), self._normals(normals & objective.normals)
        self._foreign = self._rows(outliers & objective.others)
        self._now = self._rows(rule.rows[0]), self._normals(rule.rows[1])

    def best(self, side: str) -> tuple[int, int]:
        """Return the best start and stop; of those with the same rows the ones with the shortest numbers."""
        start = 0 if side == "low" else min(int(one.keys[0]) for one in self._now if len(one.keys))
        stop = max(int(one.keys[-1]) + 1 for one in self._now if len(one.keys))
        stop = self._column.n_distinct if side == "high" else stop
        if side != "low":
            starts = np.append(start, np.unique(self._own.keys[self._own.keys < stop]))
            start = int(starts[self._best(starts, np.full(len(starts), stop))])
        if side != "high":
            stops = np.append(stop, np.unique(self._own.keys[self._own.keys >= start]) + 1)
            stop = int(stops[self._best(np.full(len(stops), start), stops)])
        return self._shortest(start, stop, side)

    def _best(self, starts: IntArray, stops: IntArray) -> int:
        own, free, foreign = (one.below(stops) - one.below(starts) for one in (self._own, self._free, self._foreign))
        others = None if self._coverage.n_groups == 1 else foreign[None, :]
        values = self._objective.value(NewlyCovered(own, others, free), np.full(len(own), self._rule.price))
        n_outliers, n_normals = self._objective.totals
        values[1:][~lifted(own[1:], n_outliers, free[1:], n_normals, self._min_lift)] = np.inf
        best = int(np.argmin(values))
        return best if is_lower(values[best], values[0]) else 0

    def _shortest(self, start: int, stop: int, side: str) -> tuple[int, int]:
        """Move ends past rows that do not meet the other conditions; not in a sample, which may lack rows there."""
        ranks = np.sort(np.concatenate([one.keys for one in self._met]))
        first, last = np.searchsorted(ranks, [start, stop])
        n, lowest, highest = self._column.n_distinct, int(ranks[first]), int(ranks[last - 1])
        if self._sampled:
            return (0 if side == "low" else lowest), (n if side == "high" else highest + 1)
        if side != "low":
            start = self._column.shortest_cut(int(ranks[first - 1]), lowest) if first else 0
        if side != "high":
            stop = self._column.shortest_cut(highest, int(ranks[last])) if last < len(ranks) else n
        return start, stop

    def _rows(self, outliers: Words) -> SortedRanks:
        each = [self._coverage.outlier_mask(outliers, k) for k in range(self._coverage.n_groups)]
        counts = self._coverage.group_row_counts
        row_counts = None if counts is None else np.concatenate(counts)
        return self._sorted(self._column.outliers, np.concatenate(each), row_counts)

    def _normals(self, normals: Words) -> SortedRanks:
        return self._sorted(self._column.normals, self._coverage.normal_mask(normals), self._coverage.normal_row_counts)

    def _sorted(self, ranks: NDArray[np.int32], which: BoolArray, row_counts: IntArray | None) -> SortedRanks:
        """Sort the ranks of some rows: the keys of a single column are its ranks."""
        each = None if row_counts is None else row_counts[which]
        return SortedRanks.of(ranks[None, which], each, self._column.n_distinct + 1)
