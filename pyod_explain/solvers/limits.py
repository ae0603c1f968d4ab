"""`Limits`: up to which size of a problem each way of solving it is taken."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LIMITS", "Limits"]


@dataclass(frozen=True)
class Limits:
    """Sizes beyond which a solver does something else, or less. Lower ones lead small problems along other roads.

    Attributes
    ----------
    few_tags : up to which branch and bound gets far ...
    few_shares : ... if there are no more triples of a resource, an outlier and a tag.
    few_parts : into which all selections are divided for a bound, where that is possible at all.
    held_bytes : of shares of open parts, beyond which the deepest part is next, to free memory.
    first_rounds : of the search for a sharing where nothing is known to start from ...
    rounds : ... and where it starts from that of a slightly larger problem.
    dense : entries of the matrix of normals by tags; beyond it part of the normals is left unpaid.
    shares : of a resource and a payer that are kept apart; beyond it outliers pay in parties.
    work : multiplications in one round of sharing, beyond which they do, too.
    minimal : outliers x normals x tags up to which needless picks are looked for.
    program : nonzeros of a program that is worth handing to HiGHS.
    picks : variables "outlier picks tag"; beyond it BCCM does without them.
    nearest_program : nonzeros of the program for the nearest budgets; on a larger one HiGHS comes to nothing.
    compared : pairs of tags that are compared at once where dominated ones are looked for ...
    compared_words : ... and words of their bits.
    many_tags : that a search for few bits looks at where groups are many, ...
    per_tag : ... or so many searches a tag: up to 8 groups look at all tags, more at their own best.
    """

    few_tags: int = 200
    few_shares: int = 100_000_000
    few_parts: int = 100
    held_bytes: int = 500_000_000
    first_rounds: int = 600
    rounds: int = 60
    dense: int = 60_000_000
    shares: int = 3_000_000
    work: int = 1_000_000_000
    minimal: int = 3_000_000_000
    program: int = 6_000_000
    picks: int = 150_000
    nearest_program: int = 1_000_000
    compared: int = 20_000
    compared_words: int = 500_000
    many_tags: int = 2_000
    per_tag: int = 8


LIMITS = Limits()
