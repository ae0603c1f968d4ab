"""How much the rules that match a row owe to each of its columns, in bits that add up."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from pyod_explain.input import Table
from pyod_explain.result.group import Rule
from pyod_explain.result.match import match_rules
from pyod_explain.result.summary import Summary

__all__ = ["contributions", "rule_bits", "shares_of"]


def contributions(summary: Summary, table: Table, columns: Sequence[str]) -> pd.DataFrame:
    """Give for each row and column the bits of the matching rules that the column accounts for.

    Parameters
    ----------
    summary : has the rules, and how rare each of their conditions is.
    table : the rows, with the columns that the rules name.
    columns : names of the columns of the result; those that no rule names get 0.
    """
    place = {name: i for i, name in enumerate(columns)}
    each = np.zeros((len(summary.rules), len(columns)))
    for j, rule in enumerate(summary.rules):
        for name, bits in shares_of(rule, summary).items():
            each[j, place[name]] = bits
    found = match_rules(summary, table).astype(np.float64) @ each
    return pd.DataFrame(found, index=table.index, columns=list(columns))


def rule_bits(normals: float, total: int) -> float:
    """Bits by which a rule tells a row from the normals: how rare it is among them.

    One normal is added to both numbers, so that a rule that no normal matches has bits that can be counted.

    >>> rule_bits(0, 1023), rule_bits(1023, 1023)
    (10.0, 0.0)
    """
    return math.log2((total + 1) / (normals + 1))


def shares_of(rule: Rule, summary: Summary) -> dict[str, float]:
    """Split the bits of a rule among its columns, by the bits that each of its conditions has alone.

    A condition on two columns gives half to each. Where no condition has any bits, all get the same.

    Parameters
    ----------
    rule : the rule.
    summary : has the share of the normals that meets each condition.
    """
    alone = {
        condition: share
        for group in summary.groups
        for profile in group.profiles
        for condition, (_, share) in zip(profile.conditions, profile.matching, strict=True)
    }
    bits = {c: rule_bits(alone.get(c, 1.0) * rule.total_normals, rule.total_normals) for c in rule.tag.sorted}
    whole, total = sum(bits.values()), rule_bits(rule.n_normals, rule.total_normals)
    result: dict[str, float] = {}
    for condition, own in bits.items():
        part = total * (own / whole if whole > 0 else 1 / len(bits))
        for name in condition.columns:
            result[name] = result.get(name, 0.0) + part / len(condition.columns)
    return result
