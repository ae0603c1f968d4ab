"""Hypothesis strategies for small problems, rich in the corner cases that break cover algorithms."""

from hypothesis import strategies as st
from reference import Problem

LAMBDAS = (0.5, 1.0, 2.0, 2.5, 5.0, 10.0, 50.0)  # few, so that prices tie
RHOS = (0.0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.7, 0.9)
PRICES = (0.0, 1.0, 2.585, 7.5, 7.5, 9.0, 40.0)  # bits of a tag


@st.composite
def _owners(draw: st.DrawFn, max_rows: int, n_groups: int, allow_empty_groups: bool) -> list[int]:
    """For each row 0 (normal) or the number 1..K of its group, in any order."""
    if allow_empty_groups:
        present = [n for n in range(1, n_groups + 1) if draw(st.sampled_from([False, True, True]))]
    else:
        present = list(range(1, n_groups + 1))
    more = {
        "mixed": st.sampled_from([0, *present]),
        "half normals": st.sampled_from([0] * len(present) + present or [0]),
        "only normals": st.just(0),  # groups of one outlier
        "no normals": st.sampled_from(present or [0]),
    }[draw(st.sampled_from(["mixed", "mixed", "half normals", "half normals", "only normals", "no normals"]))]
    room = max_rows - len(present)
    n_more = draw(st.sampled_from([*range(room + 1), *range(room // 2, room + 1)]))  # rather many than few
    rest = draw(st.lists(more, min_size=n_more, max_size=n_more))
    owners = present + rest or [0]  # at least one row
    return draw(st.permutations(owners))


@st.composite
def _tag(draw: st.DrawFn, owners: list[int], earlier: list[frozenset[int]]) -> frozenset[int]:
    """Rows of a tag: any, few, none, all, those of an earlier tag, or part of a group and few others."""
    rows = range(len(owners))
    kinds = ["any", "any", "few", "part of a group", "part of a group", "nothing", "everything"]
    kind = draw(st.sampled_from([*kinds, "duplicate"] if earlier else kinds))
    if kind == "nothing":
        return frozenset()
    if kind == "everything":
        return frozenset(rows)
    if kind == "duplicate":
        return draw(st.sampled_from(earlier))
    if kind == "few":
        return draw(st.frozensets(st.sampled_from(rows), min_size=1, max_size=4))
    if kind == "part of a group":
        owner = draw(st.sampled_from(sorted(set(owners))))
        part = frozenset(row for row in rows if owners[row] == owner and draw(st.booleans()))
        return part | draw(st.frozensets(st.sampled_from(rows), max_size=2))
    return frozenset(row for row in rows if draw(st.booleans()))


@st.composite
def _tags(draw: st.DrawFn, owners: list[int], n_groups: int, n_tags: int) -> list[frozenset[int]]:
    """The rows of each tag; half of the time most tags are slices of the groups in turn.

    The slices of a group together cover it, so that explaining it takes several tags, and succeeds.
    """
    sliced = draw(st.booleans())
    tags: list[frozenset[int]] = []
    for j in range(n_tags):
        if sliced and draw(st.sampled_from([True] * 5 + [False])):
            members = [row for row, owner in enumerate(owners) if owner == j % n_groups + 1]
            n_slices = -(-(n_tags - j % n_groups) // n_groups)  # how many of the tags are this group's
            normals = [row for row, owner in enumerate(owners) if owner == 0]
            elsewhere = draw(st.sampled_from([normals or members, range(len(owners))]))
            stray = draw(st.frozensets(st.sampled_from(elsewhere), max_size=2)) if elsewhere else frozenset()
            tags.append(frozenset(members[j // n_groups :: n_slices]) | stray)
        else:
            tags.append(draw(_tag(owners, tags)))
    if draw(st.sampled_from([False] * 5 + [True])):
        untouched = draw(st.integers(1, n_groups))
        tags = [frozenset(row for row in rows if owners[row] != untouched) for rows in tags]
    return tags


@st.composite
def problems(
    draw: st.DrawFn,
    max_rows: int = 14,
    max_tags: int = 7,
    max_groups: int = 4,
    allow_empty_groups: bool = False,
    with_prices: bool = False,
) -> Problem:
    """Problems whose rows are in no particular order.

    Often with tags that cover nothing, everything or the same as another, with groups that no tag touches,
    with a single outlier, without normals, or without any tag.
    """
    n_groups = draw(st.integers(1, min(max_groups, max_rows)))
    owners = draw(_owners(max_rows, n_groups, allow_empty_groups))
    n_tags = draw(st.sampled_from([0, *range(1, max_tags + 1), *range(max_tags // 2, max_tags + 1)]))
    tags = draw(_tags(owners, n_groups, n_tags))
    lengths = tuple(draw(st.integers(1, 3)) for _ in tags)
    return Problem(
        tags=tuple(tags),
        normals=frozenset(row for row, owner in enumerate(owners) if owner == 0),
        groups=tuple(
            frozenset(row for row, owner in enumerate(owners) if owner == number) for number in range(1, n_groups + 1)
        ),
        lengths=lengths,
        n_items=draw(st.integers(max(lengths, default=1), 12)),
        prices=draw(st.tuples(*(st.sampled_from(PRICES) for _ in tags))) if with_prices else None,
    )


@st.composite
def small_problems(draw: st.DrawFn) -> Problem:
    """Small enough for exhaustive search; some with empty groups."""
    drawn = draw(problems(max_rows=12, max_tags=5, max_groups=3, allow_empty_groups=draw(st.booleans())))
    return drawn if drawn.groups[-1] else draw(problems(max_rows=12, max_tags=5, max_groups=3))


def _equal_or_each(values: st.SearchStrategy, n_groups: int) -> st.SearchStrategy:
    """The same value for every group, or one drawn for each."""
    equal = values.map(lambda value: (value,) * n_groups)
    return st.one_of(equal, st.tuples(*(values for _ in range(n_groups))))


def lambdas(n_groups: int) -> st.SearchStrategy[tuple[float, ...]]:
    """A weight of a lost outlier (lambda) for each group, often the same."""
    return _equal_or_each(st.sampled_from(LAMBDAS), n_groups)


def thetas(n_groups: int) -> st.SearchStrategy[tuple[int, ...]]:
    """A largest number of tags (theta) for each group, often the same."""
    return _equal_or_each(st.integers(1, 4), n_groups)


def rhos(n_groups: int) -> st.SearchStrategy[tuple[float, ...]]:
    """A share of the group that may be lost (rho) for each group, often the same."""
    return _equal_or_each(st.sampled_from(RHOS), n_groups)


@st.composite
def any_problems(draw: st.DrawFn) -> Problem:
    """Problems of all kinds; groups in the middle may be empty."""
    drawn = draw(problems(allow_empty_groups=draw(st.booleans())))
    return drawn if drawn.groups[-1] else draw(problems())  # a last group that is empty leaves no trace in y
