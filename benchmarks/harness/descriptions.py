"""Rules on items as descriptions: tags that are measured like ours.

A rule is a conjunction of items and opposites. Dropped are duplicates, rules that no row fulfils, and conditions that
change no row. A rule list is read in two ways: the rules that predict the group, each on its own, as tags are evaluated
independently ("else if" is lost); or with the opposites of the earlier rules written out, which is exact.
"""

from __future__ import annotations

import numpy as np

from pyod_explain import Coverage
from pyod_explain.description_length import mdl_of_group

MOST_WRITTEN_OUT = 50  # rules that a rule list may become


def described(items, y, rules_by_group):
    """Give the coverage of all groups' rules, and which of its tags describe which group."""
    ends = np.cumsum([0, *(len(own) for own in rules_by_group)])
    coverage = as_coverage(items, y, [rule for own in rules_by_group for rule in own])
    return coverage, [tuple(range(ends[k], ends[k + 1])) for k in range(len(rules_by_group))]


def simplified(items, rule):
    """Drop repeated conditions, and those that change no row."""
    rule = sorted(set(rule))
    for one in list(rule):
        rest = [other for other in rule if other != one]
        if rest and np.array_equal(rows_with(items, rest), rows_with(items, rule)):
            rule = rest
    return tuple(rule)


def rows_with(items, rule):
    """Say which rows fulfil a rule."""
    return np.logical_and.reduce([items[item] if value else ~items[item] for item, value in rule])


def as_coverage(items, y, rules):
    """Make the rules tags."""
    T = np.array([rows_with(items, rule) for rule in rules]).reshape(len(rules), len(y)).T
    return Coverage.from_dense(T, y, lengths=[len(rule) for rule in rules], n_items=len(items))


def readings(rule_list):
    """Read a rule list as rules: those that predict the group, alone; or with "no earlier rule holds" written out."""
    alone, exact, before = [], [], [[]]
    for rule, predicts in rule_list:
        if predicts:
            alone.append(rule)
            exact += [[*rule, *other] for other in before]
        else:
            before = [[*other, (item, not value)] for other in before for item, value in rule]
    if len(exact) > MOST_WRITTEN_OUT:
        return [alone]
    return (
        [exact] if rule_list and rule_list[-1][1] else [alone, exact]
    )  # a default that is the group has no rule alone


def best_description(items, y, group, rules, *, ranks=False, lists=False):
    """Turn a learner's rules into a description of a group: its bits, and the rules that are left.

    Of rules that are ranked the best number of first ones counts, of a rule list the shorter reading.
    """
    best = None
    for reading in readings(rules) if lists else [rules]:
        tags = list(dict.fromkeys(simplified(items, rule) for rule in reading if rule))
        tags = [tag for tag in tags if rows_with(items, tag).any()]
        coverage = as_coverage(items, y, tags)
        for size in range(1, len(tags) + 1) if ranks and tags else [len(tags)]:
            bits = mdl_of_group(coverage, group, range(size))
            if best is None or bits < best[0]:
                best = bits, tags[:size]
    return best
