"""`shorten`: rules without needless detail (`detail=`).

With many rows every detail saves a few bits. Conditions, values of lists, "nots" and rules are left out, first what
saves the fewest bits for each word to read, within two budgets: a share of the bits that the description saves; and a
larger one for conditions that cut away rows which are more like the rule than like the whole table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pyod_explain.bits import Words
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import mdl_of_group
from pyod_explain.exceptions import Message
from pyod_explain.explainers import Selection
from pyod_explain.input import Table
from pyod_explain.tags import Condition, Op, Prices, Tag, TagSet, needed, pack_tags

MIN_SHARE, MAX_SHARE = 0.02, 0.2  # share of the saved bits that may be given up, by default
MAX_LENGTHENING = 0.2  # share of the description's own bits, likewise
TIMES_RULE_BITS = 20  # saved bits over bits of the rules, where 2 percent of the saved bits may be given up
SIMILAR = 0.5  # rows are like a rule if their odds, relative to those of the table, exceed this power of the rule's
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
    bits = _Bits(table, coverage, tags.given)
    # Each group has its own budgets, so that a small one does not lose its rules to what a large one saves.
    budgets = [_Budget.of(bits, k, one, share) for k, one in enumerate(rules)]
    shorter = rules
    while True:
        found = []
        for i, (k, one, similar) in enumerate(bits.shorter(shorter, min_lift)):
            lost = bits.of_group(k, one[k]) - bits.of_group(k, shorter[k])
            gone = len(one[k]) < len(shorter[k])
            if budgets[k].allows(bits.of_group(k, one[k]), lost, gone=gone, similar=similar):
                found.append((lost / (_n_words(shorter) - _n_words(one)), i, k, lost if gone else 0.0, one))
        if not found:
            break
        _, _, k, spent, shorter = min(found)
        budgets[k].for_rules -= max(spent, 0.0)
    if shorter == rules:
        return tags, coverage, selection
    return _put(table, tags, coverage, selection, rules, shorter, bits.total(shorter))


def usual_share(saved: float, spent: float, whole: float) -> float:
    """Give the share of the saved bits that details may cost: more where the rules save much for their bits.

    In a small table the price of a condition keeps rules short. With thousands of rows for each bit of a rule it does
    not, so a share of the saved bits may go, 20 percent at most. Where rules are nearly perfect that would be several
    times the whole description, so this may become longer by a fifth at most.

    Parameters
    ----------
    saved, spent : bits that the description saves, and bits of its rules.
    whole : bits of the description.
    """
    share = min(MIN_SHARE * (saved / max(TIMES_RULE_BITS * spent, 1.0)) ** 2, MAX_LENGTHENING * whole / max(saved, 1.0))
    return float(np.clip(share, 0, MAX_SHARE))


@dataclass
class _Budget:
    """How long the description of a group may become.

    Attributes
    ----------
    details : bits of the whole, where conditions, values of lists and "nots" are left out.
    similar : likewise, where the rows that a condition cuts away are like those of the rule.
    for_rules : bits that leaving out whole rules may cost; less, since each may name a kind of outlier.
    """

    details: float
    similar: float
    for_rules: float

    @classmethod
    def of(cls, bits: _Bits, group: int, tags: tuple[Tag, ...], share: float | str) -> _Budget:
        """Give what the level of detail allows."""
        whole = bits.of_group(group, tags)
        saved = max(bits.of_group(group, ()) - whole, 0.0)
        if isinstance(share, str):
            spent = bits.price(tags)
            details = saved * usual_share(saved, spent, whole)
            similar = min(MAX_SHARE * saved, MAX_LENGTHENING * whole)
            return cls(whole + details, whole + max(details, similar), min(MIN_SHARE * saved, details))
        return cls(whole + share * saved, whole + share * saved, share * saved)

    def allows(self, whole: float, lost: float, *, gone: bool, similar: bool) -> bool:
        """Tell whether a step that gives a description of `whole` bits, `lost` more than before, is within budget."""
        return whole <= (self.similar if similar else self.details) and (not gone or lost <= self.for_rules)


def _put(
    table: Table, tags: TagSet, coverage: Coverage, selection: Selection, rules: Rules, shorter: Rules, objective: float
) -> tuple[TagSet, Coverage, Selection]:
    """Add the shortened rules to the tags, and choose them."""
    there = {tag: j for j, tag in enumerate(tags.tags)}
    new = [tag for tag in dict.fromkeys(tag for one in shorter for tag in one) if tag not in there]
    where = there | {tag: len(there) + i for i, tag in enumerate(new)}
    coverage = coverage.with_tags(table, new, coverage.n_items, Prices(table))
    note = left_out_note(rules, shorter, objective - selection.objective)
    chosen = replace(
        selection,
        tags=tuple(tuple(where[tag] for tag in one) for one in shorter),
        objective=objective,
        notes=(*selection.notes, note),
    )
    return replace(tags, tags=(*tags.tags, *new)), coverage, chosen


def left_out_note(rules: Rules, shorter: Rules, lost: float) -> str:
    """Say what was left out for brevity, and the bits that this cost."""
    bits = round(lost)
    more = f"the description takes {bits:,} bit{'s' if bits > 1 else ''} more than the shortest that was found"
    values = {"left_out": _left_out(rules, shorter), "cost": more if bits > 0 else "less than a bit is lost"}
    return Message("{left_out} left out for brevity: {cost} ({arg_detail:0} keeps all).", values)


def _left_out(rules: Rules, shorter: Rules) -> str:
    """Name what was left out: conditions, or only values of lists and "nots"."""
    fewer = _n_conditions(rules) - _n_conditions(shorter)
    if fewer == 0:
        return "Details of conditions were"
    return "1 condition was" if fewer == 1 else f"{fewer:,} conditions were"


def _n_conditions(rules: Rules) -> int:
    return sum(len(tag) for one in rules for tag in one)


class _Bits:
    """Counts the bits of rules; each condition is evaluated once."""

    def __init__(self, table: Table, coverage: Coverage, given: frozenset[Tag]) -> None:
        self._table, self._given, self._prices = table, given, Prices(table)
        self._empty = coverage.take([])
        self._words: dict[Condition, tuple[Words, Words]] = {}
        self._known: dict[tuple[int, tuple[Tag, ...]], float] = {}

    def total(self, rules: Rules) -> float:
        """Bits of all groups."""
        return sum(self.of_group(k, one) for k, one in enumerate(rules))

    def price(self, tags: tuple[Tag, ...]) -> float:
        """Bits of the rules themselves."""
        return float(self._prices.of(tags).sum())

    def shorter(self, rules: Rules, min_lift: float) -> Iterator[tuple[int, Rules, bool]]:
        """Yield the group, the rules with one thing left out, and whether the rows it cut away are like the rule.

        One thing is a condition, a value of a list, a "not", or a whole rule; of the user's own tags only the whole.
        """
        there = {tag for group in rules for tag in group}
        for k, one in enumerate(rules):
            for i, tag in enumerate(one):
                yield k, (*rules[:k], (*one[:i], *one[i + 1 :]), *rules[k + 1 :]), False
                for condition in () if tag in self._given else tag.sorted:
                    for said in self._said_shorter(condition, tag, k):
                        changed = Tag(needed((tag.conditions - {condition}) | said)) if said or len(tag) > 1 else None
                        if changed is not None and changed not in there and self._lifted(changed, k, min_lift):
                            shorter = (*one[:i], changed, *one[i + 1 :])
                            yield k, (*rules[:k], shorter, *rules[k + 1 :]), self._similar(k, one, i, changed)

    def _said_shorter(self, condition: Condition, tag: Tag, group: int) -> Iterator[frozenset[Condition]]:
        """Yield shorter forms: none, a list without one value, and the usual category in place of an "is not"."""
        yield frozenset()
        if condition.op in ("in", "not in") and len(condition.value) > 1:
            for value in condition.value:
                rest = [one for one in condition.value if one is not value]
                single: Op = "==" if condition.op == "in" else "!="
                op, said = (condition.op, rest) if len(rest) > 1 else (single, rest[0])
                yield frozenset({Condition(condition.column, op, said)})
        if condition.op in ("!=", "not in") and isinstance(condition.column, str):
            usual = self._usual(condition.column, tag, group)
            if usual is not None:
                yield frozenset({Condition(condition.column, "==", usual)})

    def _usual(self, name: str, tag: Tag, group: int) -> Any:
        """Give the category that most of the outliers with a tag have; None if the column has no categories."""
        column = self._table[name]
        if column.kind not in ("category", "boolean"):
            return None
        having = self._empty.outlier_mask(self._all_of([tag])[1][0], group)
        rows = self._empty.group_rows[group]
        each = None if self._empty.group_row_counts is None else self._empty.group_row_counts[group][having]
        codes = column.values[rows[having]]
        return column.categories[int(np.bincount(codes, each).argmax())] if len(codes) and codes.min() >= 0 else None

    def _similar(self, group: int, tags: tuple[Tag, ...], i: int, changed: Tag) -> bool:
        """Tell whether the rows that only a changed rule covers are more like those of the rule than like all rows.

        Rows are compared by the odds of being an outlier. Rows that other rules cover do not count.
        """
        normals, outliers = self._all_of([tags[i], changed, *tags[:i], *tags[i + 1 :]])
        kept, wider = (normals[0], outliers[0]), (normals[1], outliers[1])
        others = [np.bitwise_or.reduce(rows[2:], axis=0, initial=np.uint64(0)) for rows in (normals, outliers)]
        cut_away = wider[0] & ~kept[0] & ~others[0], wider[1] & ~kept[1] & ~others[1]
        everyone = float(self._empty.group_sizes[group]) / max(self._empty.n_normals, 1)
        return bool(self._odds(group, *cut_away) / everyone > (self._odds(group, *kept) / everyone) ** SIMILAR)

    def _odds(self, group: int, normals: Words, outliers: Words) -> float:
        """Give the odds that one of these rows is an outlier of a group."""
        n_own = int(self._empty.count_group(outliers[self._empty.slices[group]], group))
        return (n_own + 0.5) / (int(self._empty.count_normals(normals)) + 0.5)

    def _lifted(self, tag: Tag, group: int, min_lift: float) -> bool:
        return bool(self._coverage([tag]).eligible(min_lift)[group, 0])

    def of_group(self, group: int, tags: tuple[Tag, ...]) -> float:
        """Bits of one group."""
        key = group, tags
        if key not in self._known:
            self._known[key] = mdl_of_group(self._coverage(tags), group, range(len(tags)))
        return self._known[key]

    def _coverage(self, tags: Sequence[Tag]) -> Coverage:
        normals, outliers = self._all_of(tags)
        return self._empty.with_bits(normals, outliers, [tag.length for tag in tags], self._prices.of(tags))

    def _all_of(self, tags: Sequence[Tag]) -> tuple[Words, Words]:
        """Mark the normals and the outliers that have each tag."""
        found = [self._empty.normal_bits[:0], self._empty.outlier_bits[:0]]
        for tag in tags:
            each = zip(*(self._of(condition) for condition in tag.conditions), strict=True)
            rows = [np.bitwise_and.reduce(one, axis=0)[None, :] for one in each]
            found = [np.concatenate(pair) for pair in zip(found, rows, strict=True)]
        return found[0], found[1]

    def _of(self, condition: Condition) -> tuple[Words, Words]:
        if condition not in self._words:
            rows = self._empty.normal_rows, self._empty.group_rows
            normals, outliers = pack_tags(self._table, [Tag.of(condition)], *rows)
            self._words[condition] = normals[0], outliers[0]
        return self._words[condition]


def _n_words(rules: Rules) -> int:
    """Count what a reader has to read: conditions, the values of lists, both ends of intervals, and every "not"."""
    return sum(_said(condition) for one in rules for tag in one for condition in tag.conditions)


def _said(condition: Condition) -> int:
    values = len(condition.value) if condition.op in ("in", "not in", "between") else 1
    return values + (condition.op in ("!=", "not in")) + len(condition.columns) - 1
