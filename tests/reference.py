"""The paper read slowly: sets, loops and exhaustive search, to judge the fast code by.

Every function follows one equation, algorithm or reading note of "Coverage-based Outlier Explanation"
(Wu, Akoglu, Davidson, 2020) and does nothing clever. Groups are numbered from 0, by their place in
`Problem.groups`; tags by their place in `Problem.tags`.

Four normal rows, a group of three outliers, a group of two, and four tags:

>>> toy = Problem(
...     tags=tuple(map(frozenset, [{4, 5}, {0, 5, 6}, {1, 7, 8}, {0, 1, 2, 4, 5, 6, 7}])),
...     normals=frozenset({0, 1, 2, 3}),
...     groups=(frozenset({4, 5, 6}), frozenset({7, 8})),
...     lengths=(1, 2, 1, 1),
...     n_items=6,
... )
>>> greedy_wccm(toy, [2.0, 2.0])
((0, 1), (2,))
>>> greedy_bccm(toy, [1, 1], [0.0, 0.5])
((3,), (2,))
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

EPS = 1e-9  # the epsilon of tau, and of the prices
ROUNDING = 1e-12  # of tau, which a price may equal: that of a tag for one outlier alone
TOLERANCE = 1e-9  # of a group, what rounding may add to a count: (1 - 0.7) * 10 is meant to be 3

Description = tuple[tuple[int, ...], ...]  # per group, the tags chosen for it


@dataclass(frozen=True)
class Problem:
    """Who has which tag, who is normal, and who is in which group of outliers (section "Notations").

    The normals and the groups share out the rows 0, 1, 2, ... among them.
    """

    tags: tuple[frozenset[int], ...]  # the rows that have tag j
    normals: frozenset[int]  # N
    groups: tuple[frozenset[int], ...]  # O^(k), possibly empty
    lengths: tuple[int, ...]  # n_t, the number of predicates of tag j
    n_items: int  # d-tilde, the number of unique binary features
    prices: tuple[float, ...] | None = None  # ours: bits of each tag, in the place of the paper's formula

    def __post_init__(self) -> None:
        """Refuse what is no partition of the rows, or does not fit together."""
        owned = sorted(itertools.chain(self.normals, *self.groups))
        if owned != list(range(len(owned))):
            raise ValueError(f"Normals and groups must share out the rows 0, 1, 2, ...; got {owned}.")
        if not all(rows <= frozenset(owned) for rows in self.tags):
            raise ValueError(f"Tags must hold rows below {len(owned)}; got {self.tags}.")
        if len(self.lengths) != len(self.tags):
            raise ValueError(f"{len(self.tags)} tags need as many lengths; got {len(self.lengths)}.")
        if self.prices is not None and len(self.prices) != len(self.tags):
            raise ValueError(f"{len(self.tags)} tags need as many prices; got {len(self.prices)}.")

    @property
    def n_rows(self) -> int:
        """The number n + o of all instances."""
        return len(self.normals) + sum(len(group) for group in self.groups)

    def others(self, k: int) -> frozenset[int]:
        """The outliers of all groups but group k."""
        return frozenset().union(*(group for other, group in enumerate(self.groups) if other != k))

    def dense(self) -> tuple[list[list[bool]], list[int]]:
        """The matrix of rows by tags, and y: 0 for a normal row, else the number 1..K of the row's group.

        An empty group leaves no trace in y.

        >>> Problem((frozenset({0, 2}),), frozenset({0, 1}), (frozenset({2}),), (1,), 1).dense()
        ([[True], [False], [True]], [0, 0, 1])
        """
        matrix = [[row in rows for rows in self.tags] for row in range(self.n_rows)]
        y = [0] * self.n_rows
        for number, group in enumerate(self.groups, start=1):
            for row in group:
                y[row] = number
        return matrix, y


@dataclass(frozen=True)
class Stuck:
    """Algorithm 2 found no tag: for which group (from 0), in which of its rounds (from 1)."""

    group: int
    round: int


# Which tags may describe which group ------------------------------------------------------------------------


def eligible(problem: Problem, k: int, j: int, min_lift: float) -> bool:
    """Reading note: share of group k with tag j > min_lift x share of the normals with it; 0 = no condition.

    The share of an empty set is 0.

    >>> p = Problem((frozenset({0, 4}),), frozenset({0, 1, 2, 3}), (frozenset({4, 5}),), (1,), 1)
    >>> [eligible(p, 0, 0, min_lift) for min_lift in (0.0, 1.0, 2.0)]  # 1/2 of the group, 1/4 of the normals
    [True, True, False]
    """
    if min_lift == 0:
        return True
    group, normals = problem.groups[k], problem.normals
    if not group:
        return False  # 0 > anything does not hold
    in_group = len(problem.tags[j] & group)
    if not normals:
        return in_group > 0  # the share of the normals is 0
    in_normals = len(problem.tags[j] & normals)
    # in_group / |group| > min_lift * in_normals / |normals|, free of the rounding of the divisions
    return in_group * len(normals) > min_lift * (in_normals * len(group))


# Algorithm 1 ------------------------------------------------------------------------------------------------


def cost_wccm(problem: Problem, j: int, k: int, weights_lambda: Sequence[float]) -> float:
    """w(S, k), equation of the cost; reading note: the weight is that of group l (the index is a misprint).

    >>> p = Problem((frozenset({0, 1, 2}),), frozenset({0}), (frozenset({1}), frozenset({2})), (1,), 1)
    >>> cost_wccm(p, 0, 0, [3.0, 5.0])  # one outlier of the other group at 5, one normal at 1
    6.0
    """
    total = 0.0
    for other, group in enumerate(problem.groups):  # l in the paper
        if other != k:
            total += weights_lambda[other] * len(problem.tags[j] & group)
    return total + len(problem.tags[j] & problem.normals)


def greedy_wccm(problem: Problem, weights_lambda: Sequence[float], min_lift: float = 0.0) -> Description:
    """Algorithm 1 (Greedy-D-WCCM): the tags of each group in the order of their choice.

    Reading notes: a pair (tag, k) is a candidate only while the tag covers an uncovered outlier of group k;
    the uncovered outliers of a dropped group leave the universe; the price counts the uncovered outliers of
    all groups; ties go to the most newly covered outliers of the own group, the lowest tag, the lowest group.

    Two groups; an outlier of the first is worth half a normal, so the last one is given up before the
    second group, at one normal for two outliers, is looked at:

    >>> p = Problem(
    ...     (frozenset({2, 3}), frozenset({0, 4}), frozenset({1, 5, 6})),
    ...     frozenset({0, 1}),
    ...     (frozenset({2, 3, 4}), frozenset({5, 6})),
    ...     (1, 1, 1),
    ...     3,
    ... )
    >>> greedy_wccm(p, [0.5, 2.0])
    ((0,), (2,))
    >>> greedy_wccm(p, [2.0, 2.0])
    ((0, 1), (2,))
    """
    n_groups, n_tags = len(problem.groups), len(problem.tags)
    uncovered = frozenset().union(*problem.groups)
    chosen: list[list[int]] = [[] for _ in range(n_groups)]
    to_cover = set(range(n_groups))
    cost = {(j, k): cost_wccm(problem, j, k, weights_lambda) for j in range(n_tags) for k in range(n_groups)}
    for cheapest in sorted(range(n_groups), key=lambda k: weights_lambda[k]):  # stable: equals stay in order
        tau = weights_lambda[cheapest] / (1 + EPS)
        while uncovered:
            price, _, j, k = min(
                (
                    (
                        cost[j, k] / (len(problem.tags[j] & uncovered) + EPS),
                        -len(problem.tags[j] & uncovered & problem.groups[k]),
                        j,
                        k,
                    )
                    for j in range(n_tags)
                    for k in to_cover
                    if len(problem.tags[j] & uncovered & problem.groups[k]) > 0 and eligible(problem, k, j, min_lift)
                ),
                default=(math.inf, 0, -1, -1),
            )
            if price <= tau * (1 + ROUNDING):
                chosen[k].append(j)
                uncovered -= problem.tags[j]
            else:
                to_cover.remove(cheapest)
                uncovered -= problem.groups[cheapest]
                break
    return tuple(map(tuple, chosen))


# Algorithm 2 ------------------------------------------------------------------------------------------------


def greedy_bccm(
    problem: Problem, theta: Sequence[int], rho: Sequence[float], min_lift: float = 0.0
) -> Description | Stuck:
    """Algorithm 2 (Greedy-D-BCCM): the tags of each group in the order of their choice, or where it stopped.

    Reading notes: alpha^(l) = rbar^(l) / sum over m != l of theta_r^(m) (the printed indices are mixed up);
    group k has theta^(k) rounds; no candidate tag is the printed "NULL"; a candidate covers an uncovered
    outlier of group k; ties go to the most newly covered outliers of the own group, then the lowest tag.

    The only tag for the second group also covers the first group's outlier. Algorithm 2 looks at other
    groups' outliers only while they are uncovered, so the result breaks the coverage constraint of the ILP:

    >>> first, second = frozenset({0}), frozenset({1})
    >>> p = Problem((first, first | second), frozenset(), (first, second), (1, 1), 2)
    >>> greedy_bccm(p, [1, 1], [0.0, 0.0])
    ((0,), (1,))
    >>> violations(p, ((0,), (1,)), [0.0, 0.0])
    {0: (1, 0.0)}
    >>> greedy_bccm(Problem((), frozenset(), (frozenset({0}),), (), 2), [3], [0.0])
    Stuck(group=0, round=1)
    """
    n_groups, n_tags = len(problem.groups), len(problem.tags)
    uncovered = list(problem.groups)  # O^(l)
    chosen: list[list[int]] = [[] for _ in range(n_groups)]
    rounds_left = list(theta)  # theta_r
    to_cover = [(1 - rho[k]) * len(problem.groups[k]) for k in range(n_groups)]  # r
    to_ignore = [len(problem.groups[k]) - to_cover[k] for k in range(n_groups)]  # rbar
    rounding = [TOLERANCE * len(problem.groups[k]) for k in range(n_groups)]
    for k in range(n_groups):
        if to_cover[k] <= rounding[k]:  # an empty group
            rounds_left[k] = 0
            continue
        others = [other for other in range(n_groups) if other != k]  # l in the paper
        for j in range(theta[k], 0, -1):
            # Own group k has rounds left, so `rounds` is positive.
            alpha = {}
            for other in others:
                rounds = sum(rounds_left[m] for m in range(n_groups) if m != other)
                alpha[other] = to_ignore[other] / rounds
            beta = to_cover[k] / j
            candidates = []
            for tag in range(n_tags):
                own = len(problem.tags[tag] & uncovered[k])
                enough = own > 0 and own >= beta - rounding[k]
                spares = all(
                    len(problem.tags[tag] & uncovered[other]) <= alpha[other] + rounding[other] for other in others
                )
                if enough and spares and eligible(problem, k, tag, min_lift):
                    price = len(problem.tags[tag] & problem.normals) / (own + EPS)
                    candidates.append((price, -own, tag))
            if not candidates:
                return Stuck(group=k, round=theta[k] - j + 1)
            best = min(candidates)[-1]
            chosen[k].append(best)
            to_cover[k] -= len(problem.tags[best] & uncovered[k])
            for other in others:
                to_ignore[other] -= len(problem.tags[best] & uncovered[other])
            uncovered = [rows - problem.tags[best] for rows in uncovered]
            rounds_left[k] -= 1
            if to_cover[k] <= rounding[k]:
                rounds_left[k] = 0
                break
        if to_cover[k] > rounding[k]:
            return Stuck(group=k, round=theta[k])
    return tuple(map(tuple, chosen))


# What a description costs, and whether it is allowed --------------------------------------------------------


def covered(problem: Problem, tags: Iterable[int]) -> frozenset[int]:
    """The rows, normal or not, that have at least one of the tags (SUFF and NECE).

    >>> p = Problem((frozenset({0}), frozenset({0, 2})), frozenset({0, 1}), (frozenset({2}),), (1, 1), 2)
    >>> sorted(covered(p, [0, 1]))
    [0, 2]
    """
    return frozenset().union(*(problem.tags[j] for j in tags))


def lost(problem: Problem, description: Description, k: int) -> frozenset[int]:
    """Outliers of group k with v = 1: not covered by their own description, or covered by another (MR-NECE).

    >>> first, second = frozenset({0, 1}), frozenset({2})
    >>> p = Problem((first, frozenset({1, 2})), frozenset(), (first, second), (1, 1), 2)
    >>> sorted(lost(p, ((0,), (1,)), 0))  # row 1 is covered by both descriptions
    [1]
    """
    by_own = covered(problem, description[k])
    by_others = covered(problem, [j for other, tags in enumerate(description) if other != k for j in tags])
    return (problem.groups[k] - by_own) | (problem.groups[k] & by_others)


def covered_normals(problem: Problem, description: Description) -> frozenset[int]:
    """The normals with u = 1: covered by any description, each counted once (MR-NECE)."""
    return problem.normals & covered(problem, itertools.chain(*description))


def objective_wccm(problem: Problem, description: Description, weights_lambda: Sequence[float]) -> float:
    """|u| + sum over k of lambda^(k) |v^(k)|, the objective of D-WCCM.

    >>> p = Problem((frozenset({0, 1}),), frozenset({0}), (frozenset({1, 2}),), (1,), 1)
    >>> objective_wccm(p, ((0,),), [5.0])  # one covered normal, one lost outlier
    6.0
    """
    total = float(len(covered_normals(problem, description)))
    for k in range(len(problem.groups)):
        total += weights_lambda[k] * len(lost(problem, description, k))
    return total


def objective_bccm(problem: Problem, description: Description) -> float:
    """|u|, the objective of D-BCCM."""
    return float(len(covered_normals(problem, description)))


def violations(problem: Problem, description: Description, rho: Sequence[float]) -> dict[int, tuple[float, float]]:
    """Groups that break |v^(k)| <= rho^(k) o^(k) (D-BCCM, minimum coverage): group -> (lost, allowed)."""
    found: dict[int, tuple[float, float]] = {}
    for k, group in enumerate(problem.groups):
        loss, allowed = len(lost(problem, description, k)), rho[k] * len(group)
        if loss > allowed + TOLERANCE * len(group):
            found[k] = (loss, allowed)
    return found


def disjoint(description: Description) -> bool:
    """No tag describes two groups, nor one group twice: sum over k of y^(k) <= 1."""
    tags = list(itertools.chain(*description))
    return len(tags) == len(set(tags))


def feasible_bccm(problem: Problem, description: Description, theta: Sequence[int], rho: Sequence[float]) -> bool:
    """The constraints of D-BCCM: disjoint descriptions, |y^(k)| <= theta^(k), |v^(k)| <= rho^(k) o^(k).

    >>> p = Problem((frozenset({0}),), frozenset(), (frozenset(range(10)),), (1,), 1)
    >>> feasible_bccm(p, ((0,),), [1], [0.9]), feasible_bccm(p, ((0,),), [1], [0.8])
    (True, False)
    """
    short = all(len(tags) <= limit for tags, limit in zip(description, theta, strict=True))
    return disjoint(description) and short and not violations(problem, description, rho)


# The metrics ------------------------------------------------------------------------------------------------


def log_star(n: int) -> float:
    """Reading note: Rissanen's universal code with its constant, the positive terms only; 0 for n = 0.

    >>> log_star(0), log_star(1) == math.log2(2.865064)
    (0.0, True)
    >>> round(log_star(4) - log_star(1), 9)  # 2 + log2(2), and log2(1) = 0 ends it
    3.0
    """
    if n == 0:
        return 0.0
    total = math.log2(2.865064)
    term = math.log2(n)
    while term > 0:
        total += term
        term = math.log2(term)
    return total


def log2_binomial(n: int, k: int) -> float:
    """log2 of n over k, from the exact integer; reading note: 0 bits for k outside 0..n.

    >>> log2_binomial(4, 1), log2_binomial(4, 0), log2_binomial(4, 5), log2_binomial(4, -1)
    (2.0, 0.0, 0.0, 0.0)
    """
    if not 0 <= k <= n:
        return 0.0
    return math.log2(math.comb(n, k))


def mdl_group(problem: Problem, k: int, tags: Collection[int]) -> float:
    """The bits of group k in the MDL equation.

    Here v^(k) are the outliers that their own description leaves uncovered, u^(k) the normals and z^(k) the
    outliers of other groups that it covers.

    One tag of 4 items; of 2 + 2 rows it covers 1 outlier and 1 normal. 3 bits name the item and its value,
    1 bit the missed outlier among 2 rows, 1 bit the normal among 2 rows; three log*(1) go before them:

    >>> p = Problem((frozenset({0, 2}),), frozenset({0, 1}), (frozenset({2, 3}),), (1,), 4)
    >>> round(mdl_group(p, 0, [0]) - 3 * log_star(1), 9)
    5.0
    """
    described = covered(problem, tags)
    v = len(problem.groups[k] - described)
    u = len(problem.normals & described)
    z = len(problem.others(k) & described)
    n_k = len(problem.groups[k]) - v + u + z
    bits = 0.0
    for j in tags:
        if problem.prices is not None:
            bits += problem.prices[j]
            continue
        n_t = problem.lengths[j]
        bits += log_star(n_t) + log2_binomial(problem.n_items, n_t) + n_t
    bits += log_star(v) + log2_binomial(problem.n_rows - n_k, v)
    bits += log_star(u) + log2_binomial(n_k, u)
    bits += log_star(z) + log2_binomial(n_k, z)  # nothing for a single group: z = 0
    return bits


def mdl(problem: Problem, description: Description) -> float:
    """The MDL equation: the sum of the bits of all groups."""
    return sum((mdl_group(problem, k, tags) for k, tags in enumerate(description)), 0.0)


def mdl_empty(problem: Problem) -> float:
    """Reading note: the bits of describing nothing, which an explanation has to beat."""
    return mdl(problem, ((),) * len(problem.groups))


def metrics(problem: Problem, description: Description) -> list[dict[str, float]]:
    """FUO, FCO, FCN, AL, NT and MDL of each group (section "Metrics"); reading note: x / 0 is 0.0.

    >>> p = Problem((frozenset({0, 2}),), frozenset({0, 1}), (frozenset({2, 3}),), (3,), 4)
    >>> [(row["FUO"], row["FCO"], row["FCN"], row["AL"], row["NT"]) for row in metrics(p, ((0,),))]
    [(0.5, 0.0, 0.5, 3.0, 1)]
    """

    def fraction(part: Collection[int], whole: Collection[int]) -> float:
        return len(part) / len(whole) if len(whole) else 0.0

    rows = []
    for k, tags in enumerate(description):
        described, group, others = covered(problem, tags), problem.groups[k], problem.others(k)
        row: dict[str, float] = {
            "FUO": fraction(group - described, group),  # uncovered by their own description, whatever others do
            "FCO": fraction(others & described, others),
            "FCN": fraction(problem.normals & described, problem.normals),
            "AL": sum(problem.lengths[j] for j in tags) / len(tags) if tags else 0.0,
            "NT": len(tags),
            "MDL": mdl_group(problem, k, tags),
        }
        rows.append(row)
    return rows


# Exhaustive search, for tiny problems -----------------------------------------------------------------------


def descriptions(problem: Problem, min_lift: float = 0.0) -> Iterator[Description]:
    """All descriptions that give each tag to no group or to one for which it is eligible.

    >>> list(descriptions(Problem((frozenset(),), frozenset(), (frozenset({0}), frozenset({1})), (1,), 1)))
    [((), ()), ((0,), ()), ((), (0,))]
    """
    groups = range(len(problem.groups))
    choices = [[None, *(k for k in groups if eligible(problem, k, j, min_lift))] for j in range(len(problem.tags))]
    for owners in itertools.product(*choices):
        yield tuple(tuple(j for j, owner in enumerate(owners) if owner == k) for k in groups)


def best_wccm(problem: Problem, weights_lambda: Sequence[float], min_lift: float = 0.0) -> float:
    """The optimum of D-WCCM.

    >>> p = Problem((frozenset({0, 1}),), frozenset({0}), (frozenset({1, 2}),), (1,), 1)
    >>> best_wccm(p, [5.0]), best_wccm(p, [0.5])  # use the tag: 1 + 5; leave it: 2 * 0.5
    (6.0, 1.0)
    """
    return min(objective_wccm(problem, d, weights_lambda) for d in descriptions(problem, min_lift))


def best_bccm(problem: Problem, theta: Sequence[int], rho: Sequence[float], min_lift: float = 0.0) -> float | None:
    """The optimum of D-BCCM; None if no description meets its constraints.

    >>> p = Problem((frozenset({0, 1}),), frozenset({0}), (frozenset({1, 2}),), (1,), 1)
    >>> best_bccm(p, [1], [0.5]), best_bccm(p, [1], [0.25])
    (1.0, None)
    """
    return min(
        (objective_bccm(problem, d) for d in descriptions(problem, min_lift) if feasible_bccm(problem, d, theta, rho)),
        default=None,
    )


def feasible_pdm(problem: Problem, description: Description) -> bool:
    """SUFF and NECE, for groups: every outlier covered by its own description alone, no normal covered."""
    nobody_lost = not any(lost(problem, description, k) for k in range(len(problem.groups)))
    return disjoint(description) and nobody_lost and not covered_normals(problem, description)


def feasible_dtdm(problem: Problem, description: Description) -> bool:
    """DTDM, the baseline: disjoint descriptions that cover each group, whatever else they cover."""
    return disjoint(description) and all(
        group <= covered(problem, tags) for group, tags in zip(problem.groups, description, strict=True)
    )


def best_pdm(problem: Problem, min_lift: float = 0.0) -> int | None:
    """The optimum of PDM, the total number of tags; None if no description is pure and complete.

    >>> best_pdm(Problem((frozenset({1}), frozenset({2})), frozenset({0}), (frozenset({1, 2}),), (1, 1), 2))
    2
    >>> best_pdm(Problem((frozenset({0, 1}),), frozenset({0}), (frozenset({1}),), (1,), 1)) is None
    True
    """
    return min((sum(map(len, d)) for d in descriptions(problem, min_lift) if feasible_pdm(problem, d)), default=None)


def best_dtdm(problem: Problem, min_lift: float = 0.0) -> int | None:
    """The optimum of DTDM, the total number of tags; None if disjoint descriptions cannot cover the groups.

    >>> both = frozenset({1, 2})
    >>> best_dtdm(Problem((both, both), frozenset({0}), (frozenset({1}), frozenset({2})), (1, 1), 2))
    2
    >>> best_dtdm(Problem((both,), frozenset({0}), (frozenset({1}), frozenset({2})), (1,), 2)) is None
    True
    """
    return min((sum(map(len, d)) for d in descriptions(problem, min_lift) if feasible_dtdm(problem, d)), default=None)


def best_mdl_group(problem: Problem, k: int, min_lift: float = 0.0, max_tags: int | None = None) -> float:
    """The fewest bits for group k alone, over all sets of at most max_tags eligible tags, none included.

    >>> p = Problem((frozenset({1, 2}), frozenset()), frozenset({0}), (frozenset({1, 2}),), (1, 1), 1)
    >>> best_mdl_group(p, 0) == mdl_group(p, 0, [0]) < mdl_group(p, 0, [])
    True
    """
    usable = [j for j in range(len(problem.tags)) if eligible(problem, k, j, min_lift)]
    limit = len(usable) if max_tags is None else min(max_tags, len(usable))
    subsets = itertools.chain.from_iterable(itertools.combinations(usable, size) for size in range(limit + 1))
    return min(mdl_group(problem, k, tags) for tags in subsets)
