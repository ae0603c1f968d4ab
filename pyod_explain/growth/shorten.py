"""`shorten`: rules without needless detail (`detail=`).

With many rows every detail saves a few bits. Conditions, values of lists, "nots" and rules are left out, first what
saves the fewest bits for each word to read, within a budget of bits. By default (`"auto"`), conditions are judged by
their effect as well: one that cuts away normal rows stays, if the rule would be clearly less precise without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pyod_explain.bits import Words
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import grouped_bits
from pyod_explain.exceptions import Message
from pyod_explain.explainers import MDL, MarginalObjective, Selection
from pyod_explain.growth.pool import Conditions
from pyod_explain.input import Table
from pyod_explain.tags import Condition, Op, Prices, Tag, TagSet, needed

MIN_SHARE, MAX_SHARE = 0.02, 0.4  # share of the saved bits that may be given up, by default
TIMES_RULE_BITS = 20  # saved bits over bits of the rules, where 2 percent of the saved bits may be given up
MIN_LIFT_LEFT = 0.85  # share of a rule's log-lift that must be left without a condition that cuts away normal rows
Rules = tuple[tuple[Tag, ...], ...]


def shorten(
    table: Table, tags: TagSet, coverage: Coverage, selection: Selection, *, share: float | str, min_lift: float
) -> tuple[TagSet, Coverage, Selection]:
    """Leave out conditions and rules that save few bits, while the loss stays within a share of what all save.

    Each group may lose that share of what its own rules save. The user's own tags (`tags.given`) stay as they are, or
    go.

    Parameters
    ----------
    table, tags, coverage : what there is to choose from.
    selection : what was chosen, by bits (MDL).
    share : of the bits that the selection saves, what may be given up; 0 for nothing; `"auto"`: see `usual_share`.
    min_lift : as for the explainer: a rule that lost a condition must still be that much more frequent in its group.
    """
    rules: Rules = tuple(tuple(tags.tags[j] for j in one) for one in selection.tags)
    prices = Prices(table)
    shortener = _Shortener(table, coverage, prices, rules, given=tags.given, min_lift=min_lift, share=share)
    while (step := shortener.best_step()) is not None:
        shortener.take(step)
    shorter = tuple(map(tuple, shortener.rules))
    if shorter == rules:
        return tags, coverage, selection
    tags, coverage, chosen = choose_rules(table, tags, coverage, selection, shorter, prices)
    note = left_out_note(rules, shorter, chosen.objective - selection.objective)
    return tags, coverage, replace(chosen, notes=(*chosen.notes, note))


def choose_rules(
    table: Table, tags: TagSet, coverage: Coverage, selection: Selection, rules: Sequence[Sequence[Tag]], prices: Prices
) -> tuple[TagSet, Coverage, Selection]:
    """Add the rules that are not among the tags yet, and select these rules instead of those that were.

    Parameters
    ----------
    table, tags, coverage : what there is to choose from.
    selection : what was chosen, by bits (MDL).
    rules : for each group what to choose instead.
    prices : bits of conditions.
    """
    place = {tag: j for j, tag in enumerate(tags.tags)}
    new = [tag for tag in dict.fromkeys(tag for one in rules for tag in one) if tag not in place]
    place |= {tag: len(place) + i for i, tag in enumerate(new)}
    coverage = coverage.with_tags(table, new, coverage.n_items, prices)
    chosen = tuple(tuple(place[tag] for tag in one) for one in rules)
    selection = replace(selection, tags=chosen, objective=grouped_bits(coverage, chosen))
    return replace(tags, tags=(*tags.tags, *new)), coverage, selection


def usual_share(saved: float, spent: float, whole: float) -> float:
    """Give the share of the saved bits that details may cost: more where the rules save much for their bits.

    In a small table the price of a condition keeps rules short. With thousands of rows for each bit of a rule it does
    not, so a share of the saved bits may go, 40 percent at most. Where rules are nearly perfect that would be several
    times the whole description, so this may become longer by 40 percent at most.

    Parameters
    ----------
    saved, spent : bits that the description saves, and bits of its rules.
    whole : bits of the description.
    """
    most = MAX_SHARE * min(1.0, whole / max(saved, 1.0))
    return min(MIN_SHARE * (saved / max(TIMES_RULE_BITS * spent, 1.0)) ** 2, most)


def left_out_note(rules: Rules, shorter: Rules, lost: float) -> str:
    """Say what was left out for brevity, and the bits that this cost."""
    before, after = (sum(len(tag) for one in each for tag in one) for each in (rules, shorter))
    bits, fewer = round(lost), before - after
    more = f"the description takes {bits:,} bit{'s' if bits > 1 else ''} more than the shortest that was found"
    left_out = f"{fewer:,} condition{'s were' if fewer > 1 else ' was'}" if fewer else "Details of conditions were"
    values = {"left_out": left_out, "cost": more if bits > 0 else "less than a bit is lost"}
    return Message("{left_out} left out for brevity: {cost} ({arg_detail:0} keeps all).", values)


@dataclass(frozen=True, eq=False)
class _Step:
    """One thing left out: a condition, a value of a list, a "not", or a whole rule.

    Attributes
    ----------
    group, position : of the rule that changes.
    shorter : what becomes of the rule; None if it goes.
    bits : of the group, with that change.
    n_words : how many words fewer there are to read.
    """

    group: int
    position: int
    shorter: Tag | None
    bits: float
    n_words: int


class _Shortener:
    """Shortens rules step by step; conditions are evaluated once, and groups that did not change are not tried again.

    Parameters
    ----------
    table, coverage, prices : the rows, and what conditions cost.
    rules : of each group.
    given, min_lift, share : see `shorten`.
    """

    def __init__(
        self,
        table: Table,
        coverage: Coverage,
        prices: Prices,
        rules: Rules,
        *,
        given: frozenset[Tag],
        min_lift: float,
        share: float | str,
    ) -> None:
        self._table, self._empty, self._prices = table, coverage.take([]), prices
        self._given, self._min_lift, self._by_effect = given, min_lift, isinstance(share, str)
        self._conditions = Conditions(table, coverage, [], prices)
        self.rules = [list(one) for one in rules]
        self._bits: list[float] = []  # of each group
        self._most_bits: list[float] = []  # that a group may take
        self._for_rules: list[float] = []  # bits that whole rules may cost; less, since each may name a kind of outlier
        for k, one in enumerate(rules):
            whole, empty = self._objective(k, one).current, self._objective(k, ()).current
            saved = max(empty - whole, 0.0)
            most = usual_share(saved, float(prices.of(one).sum()), whole) if isinstance(share, str) else share
            self._bits.append(whole)
            self._most_bits.append(whole + most * saved)
            self._for_rules.append((min(MIN_SHARE, most) if isinstance(share, str) else share) * saved)
        self._steps = [self._steps_of(k) for k in range(len(rules))]

    def best_step(self) -> _Step | None:
        """Return the step within budget that costs the fewest bits for each word; None if there is none."""
        steps = [one for steps in self._steps for one in steps]
        cost = [(one.bits - self._bits[one.group]) / one.n_words for one in steps]
        return next((steps[i] for i in np.argsort(cost, kind="stable") if self._allows(steps[i])), None)

    def take(self, step: _Step) -> None:
        """Change the rules."""
        k, i = step.group, step.position
        self.rules[k][i : i + 1] = [] if step.shorter is None else [step.shorter]
        if step.shorter is None:
            self._for_rules[k] -= max(step.bits - self._bits[k], 0.0)
        self._bits[k] = step.bits
        self._steps[k] = self._steps_of(k)

    def _allows(self, step: _Step) -> bool:
        lost = step.bits - self._bits[step.group]
        if step.bits > self._most_bits[step.group]:
            return False
        if step.shorter is None:  # the last rule of a group stays, if it saves anything
            return lost <= (self._for_rules[step.group] if len(self.rules[step.group]) > 1 else 0.0)
        if any(step.shorter in one for one in self.rules):
            return False
        fits = bool(self._coverage([step.shorter]).eligible(self._min_lift)[step.group, 0])
        return fits and (not self._by_effect or lost <= 0 or not self._widens(step, step.shorter))

    def _steps_of(self, k: int) -> list[_Step]:
        """Give all steps that change a group."""
        steps = []
        for i, tag in enumerate(self.rules[k]):
            objective = self._objective_without(k, i)
            steps.append(_Step(k, i, None, objective.current, _n_words(tag)))
            shorter = [] if tag in self._given else list(self._shorter_forms(tag, k))
            if shorter:
                normals, outliers = self._all_of(shorter)
                new = objective.count(outliers, normals & objective.normals)
                bits = objective.value(new, self._prices.of(shorter)).tolist()
                fewer = [_n_words(tag) - _n_words(one) for one in shorter]
                steps += [_Step(k, i, *each) for each in zip(shorter, bits, fewer, strict=True)]
        return steps

    def _shorter_forms(self, tag: Tag, group: int) -> Iterator[Tag]:
        """Yield a rule with one condition left out, or said with fewer words."""
        for condition in tag.sorted:
            for instead in ((), *self._shorter_conditions(condition, tag, group)):
                if instead or len(tag) > 1:
                    yield Tag(needed((tag.conditions - {condition}).union(instead)))

    def _shorter_conditions(self, condition: Condition, tag: Tag, group: int) -> Iterator[tuple[Condition]]:
        """Yield a list without one value, and the usual category in place of an "is not"."""
        if condition.op in ("in", "not in") and len(condition.value) > 1:
            for value in condition.value:
                rest = [one for one in condition.value if one is not value]
                single: Op = "==" if condition.op == "in" else "!="
                op, listed = (condition.op, rest) if len(rest) > 1 else (single, rest[0])
                yield (Condition(condition.column, op, listed),)
        negates = condition.op in ("!=", "not in") and isinstance(condition.column, str)
        if negates and (usual := self._usual(str(condition.column), tag, group)) is not None:
            yield (Condition(condition.column, "==", usual),)

    def _usual(self, name: str, tag: Tag, group: int) -> Any:
        """Give the category that most of the outliers with a tag have; None if the column has no categories."""
        column = self._table[name]
        if column.kind not in ("category", "boolean"):
            return None
        having = self._empty.outlier_mask(self._of(tag)[1], group)
        rows = self._empty.group_rows[group]
        each = None if self._empty.group_row_counts is None else self._empty.group_row_counts[group][having]
        codes = column.values[rows[having]]
        return column.categories[int(np.bincount(codes, each).argmax())] if len(codes) and codes.min() >= 0 else None

    def _widens(self, step: _Step, shorter: Tag) -> bool:
        """Tell whether a rule is clearly less precise without what a step leaves out, since that cuts away normal rows.

        The rows that it cuts away have no more outliers than the whole table, and with them the rule has clearly
        fewer than without, by the odds of being an outlier. Rows that other rules cover do not count.
        """
        k, i = step.group, step.position
        objective = self._objective_without(k, i)
        (normals, outliers), (wider_normals, wider_outliers) = self._of(self.rules[k][i]), self._of(shorter)
        cut_away = wider_normals & ~normals & objective.normals, wider_outliers & ~outliers & objective.own
        wider = cut_away[0] | normals, cut_away[1] | outliers
        least = self._lift(k, normals, outliers) ** MIN_LIFT_LEFT
        return self._lift(k, *cut_away) <= 1 and self._lift(k, *wider) <= least

    def _lift(self, group: int, normals: Words, outliers: Words) -> float:
        """Give the odds that one of these rows is an outlier of a group, relative to those of the whole table."""
        n_own = int(self._empty.count_group(outliers[self._empty.slices[group]], group))
        odds = (n_own + 0.5) / (int(self._empty.count_normals(normals)) + 0.5)
        return odds / (float(self._empty.group_sizes[group]) / max(self._empty.n_normals, 1))

    def _objective_without(self, k: int, i: int) -> MarginalObjective:
        """Return the bits of a group as a function of one more rule, without its i-th rule."""
        return self._objective(k, [*self.rules[k][:i], *self.rules[k][i + 1 :]])

    def _objective(self, k: int, tags: Sequence[Tag]) -> MarginalObjective:
        chosen = [range(len(tags)) if group == k else () for group in range(self._empty.n_groups)]
        return MDL().marginal_objective(self._coverage(tags), chosen, k)

    def _coverage(self, tags: Sequence[Tag]) -> Coverage:
        normals, outliers = self._all_of(tags)
        return self._empty.with_bits(normals, outliers, [tag.length for tag in tags], self._prices.of(tags))

    def _all_of(self, tags: Sequence[Tag]) -> tuple[Words, Words]:
        """Mark the normals and the outliers that have each tag."""
        if not tags:
            return self._empty.normal_bits, self._empty.outlier_bits
        normals, outliers = zip(*map(self._of, tags), strict=True)
        return np.stack(normals), np.stack(outliers)

    def _of(self, tag: Tag) -> tuple[Words, Words]:
        pool = self._conditions.pool(tag.conditions)
        return np.bitwise_and.reduce(pool.normals, axis=0), np.bitwise_and.reduce(pool.outliers, axis=0)


def _n_words(tag: Tag) -> int:
    """Count what a reader has to read: conditions, the values of lists, both ends of intervals, and every "not"."""
    values = (len(one.value) if one.op in ("in", "not in", "between") else 1 for one in tag.conditions)
    return sum(values) + sum((one.op in ("!=", "not in")) + len(one.columns) - 1 for one in tag.conditions)
