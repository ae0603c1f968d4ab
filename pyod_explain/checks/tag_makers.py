"""`check_tag_maker`: what `explain` relies on in whatever has `make(table, groups)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np

from pyod_explain.api import explain
from pyod_explain.checks import common
from pyod_explain.checks.common import COPY_CHECKS, Check, CheckError, Example, all_fields, run_check
from pyod_explain.exceptions import PyodExplainError, shown
from pyod_explain.explainers import WCCM
from pyod_explain.tags import Condition, Tag, TagSet


def check_tag_maker(maker: Any, X: Any = None, y: Any = None) -> None:
    """Run all checks of `tag_maker_checks`; the first that fails raises a `CheckError`.

    Parameters
    ----------
    maker : an object with `make(table, groups)`; it is copied, never changed.
    X, y : a DataFrame that the maker makes tags for, and for each row 0 (normal) or its group, 1..K. By default a table
        of 64 rows with numbers, a category, booleans and time stamps; pass your own if the maker needs other columns.

    Examples
    --------
    >>> class Lazy:
    ...     def make(self, table, groups):
    ...         return []
    >>> check_tag_maker(Lazy())  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pyod_explain.checks.common.CheckError: <...Lazy object at 0x...>: `make` must return a TagSet, got a list.
    Hint: return TagSet(tags, n_items) from pyod_explain.tags.
    """
    for _, check in tag_maker_checks(maker, X, y):
        check()


def tag_maker_checks(maker: Any, X: Any = None, y: Any = None) -> Iterator[tuple[str, Callable[[], None]]]:
    """Give the name of each check and a function that runs it, for `pytest.mark.parametrize`.

    Parameters
    ----------
    maker, X, y : as for `check_tag_maker`.

    Examples
    --------
    >>> from pyod_explain import Itemsets
    >>> name, check = next(tag_maker_checks(Itemsets()))
    >>> name
    'makes_tags'
    >>> check()  # nothing is raised: all is well
    """
    example = Example.of(X, y)
    for check in TAG_MAKER_CHECKS:
        yield check.__name__, partial(run_check, check, maker, example)
    for copy_check in COPY_CHECKS:
        yield copy_check.__name__, partial(run_check, copy_check, maker, partial(_answer, example=example))
    yield explain_takes_it.__name__, partial(run_check, explain_takes_it, maker, example)


def _make(maker: Any, example: Example) -> TagSet:
    made = maker.make(example.table, example.groups)
    if not isinstance(made, TagSet):
        got = f"`make` must return a TagSet, got a {type(made).__name__}"
        raise CheckError(f"{shown(maker)}: {got}.\nHint: return TagSet(tags, n_items) from pyod_explain.tags.")
    return made


def _answer(maker: Any, example: Example) -> tuple[tuple[Tag, ...], int]:
    made = _make(maker, example)
    return made.tags, made.n_items


def _difference(one: Sequence[Tag], other: Sequence[Tag]) -> Iterator[str]:
    """Say where two lists of tags part."""
    for i, pair in enumerate(zip_longest(one, other)):
        if pair[0] != pair[1]:
            first, then = ("nothing" if tag is None else f"'{tag}'" for tag in pair)
            yield f"first {first} and then {then} as tag {i}"


# --- what comes out ---------------------------------------------------------------------------------------------------


def makes_tags(maker: Any, example: Example) -> Iterator[str]:
    """`tags` must be a tuple of Tag objects, each once, at least one on the example; `notes` a tuple of sentences.

    Hint: TagSet(tuple(dict.fromkeys(tags)), ...); pass rows `X` and labels `y` for which it makes some.
    """
    tags, notes = (made := _make(maker, example)).tags, made.notes
    valid = isinstance(tags, tuple) and all(isinstance(tag, Tag) for tag in tags)
    if not valid or not 0 < len(tags) == len(set(tags)):
        yield f"{tags!r:.80}"
    if not isinstance(notes, tuple) or not all(isinstance(note, str) for note in notes):
        yield f"the notes {notes!r:.80}"


def counts_features(maker: Any, example: Example) -> Iterator[str]:
    """`n_items` must be the number of binary features that the tags were chosen from, which prices them.

    Hint: count every condition that was looked at, those that were left out too; one and its opposite are one.
    """
    made = _make(maker, example)
    table = made.extend(example.table)
    features = {condition.feature for tag in made.tags for condition in tag.conditions}
    least = max(len({_rows_on_each_side(feature, table) for feature in features}), len(made.features))
    whole = isinstance(made.n_items, int | np.integer) and not isinstance(made.n_items, bool)
    if not whole or made.n_items < least:
        yield f"{made.n_items!r} where the tags have {least}"


def _rows_on_each_side(feature: Condition, table: Any) -> frozenset[bytes]:
    """Give the rows that have a binary feature and those that have its opposite, as packed bits."""
    try:
        both = (feature, ~feature)
    except PyodExplainError:  # no single condition is its opposite
        both = (feature, feature)
    return frozenset(np.packbits(Tag.of(side).covers(table)).tobytes() for side in both)


def brings_its_columns(maker: Any, example: Example) -> Iterator[str]:
    """Tags must speak of columns of the table, or of such as come along: by their own names, a cell for every row.

    Hint: return yours as TagSet(..., columns={name: Column(name, ...)}), under names that the table has not.
    """
    made, table = _make(maker, example), example.table
    absent = {name for tag in made.tags for name in tag.columns} - set(table.columns) - set(made.columns)
    if absent:
        yield f"tags about {sorted(absent)}"
    for name, column in made.columns.items():
        fits = column.name == name and len(column.values) == len(column.missing) == table.n_rows
        if not fits or (name in table.columns and not table[name].same_cells(column)):
            yield f"{column.name!r} with {len(column.values)} cells as {name!r}"


def tags_hold_anywhere(maker: Any, example: Example) -> Iterator[str]:
    """Whether a row has a tag, and its cell of a column that comes along, must depend on that row alone.

    Hint: compare with fixed values (a cut point, a category), not with what is computed from the rows at hand.
    """
    made = _make(maker, example)
    table, rows = made.extend(example.table), np.arange(0, len(example.y), 3)
    few = table.take(rows)
    for tag in made.tags:
        whole = tag.covers(table)
        if whole.dtype != bool or not np.array_equal(whole[rows], tag.covers(few)):
            yield f"other rows with the tag {tag} in a part of the table"
    normal, outliers = np.flatnonzero(example.y == 0)[:1], np.flatnonzero(example.y > 0)[:3]
    for part in (rows, *(np.append(normal, one) for one in outliers)) if made.columns else ():
        try:
            others = _make(maker, example.take(part)).columns
        except PyodExplainError:
            return  # given row by row: it may refuse rows that it does not know
        for name in set(others) & set(made.columns):
            cells = [(made.columns[name].cell(row), others[name].cell(i)) for i, row in enumerate(part.tolist())]
            yield from (f"{now!r} where {name!r} was {was!r}" for was, now in cells if was != now)


def tags_can_be_told_apart(maker: Any, example: Example) -> Iterator[str]:
    """Different tags must read differently, and equal themselves and hash alike after pickling.

    Hint: make conditions of plain values: numbers, text, dates; see Condition.__str__.
    """
    made = _make(maker, example)
    texts, again = [str(tag) for tag in made.tags], common.pickled(made.tags)
    alike = sorted({text for text in texts if not text.strip() or texts.count(text) > 1})
    if alike:
        yield f"{alike[:3]} for several"
    if again != made.tags or list(map(hash, again)) != list(map(hash, made.tags)):
        yield "others after pickling"


# --- what it depends on -----------------------------------------------------------------------------------------------


def leaves_its_input_alone(maker: Any, example: Example) -> Iterator[str]:
    """`make` must leave `table` and `groups` as they are.

    Hint: work on copies: column.values.copy(), groups.numbers.copy().
    """
    table, groups = example.table, example.groups
    before = all_fields(table), all_fields(groups)
    maker.make(table, groups)
    if before != (all_fields(table), all_fields(groups)):
        yield "changed ones"


def answers_the_same_again(maker: Any, example: Example) -> Iterator[str]:
    """The same rows must get the same tags again, with the same seed, also after others.

    Hint: use a generator of its own, seeded by a parameter `random_state`, and remember nothing between calls.
    """
    fresh = common.seeded(maker)
    first = _make(maker, example)
    if not first.columns:  # which may be given for these rows alone
        part = example.take(np.arange(0, len(example.y), 2))
        yield from _difference(_make(fresh, part).tags, _make(maker, part).tags)
    yield from _difference(first.tags, _make(maker, example).tags)


def row_order_is_irrelevant(maker: Any, example: Example) -> Iterator[str]:
    """The same rows in another order must get the same tags in the same order, at the same price; so must cells.

    Hint: take the rows in an order of their content (pyod_explain.input.by_content) before you draw or sum, and make
    the cells of your own columns by what their rows say, not by where they stand.
    """
    order = np.random.default_rng(0).permutation(len(example.y))
    moved = example.take(order)
    made, other = _make(maker, example), _make(maker, moved)
    yield from _difference(made.tags, other.tags)
    if made.n_items != other.n_items:
        yield f"{made.n_items} and {other.n_items} features"
    one, two = made.extend(example.table), other.extend(moved.table)
    for tag in made.tags:
        if not np.array_equal(tag.covers(one)[order], tag.covers(two)):
            yield f"other rows with {tag}"


def column_order_is_irrelevant(maker: Any, example: Example) -> Iterator[str]:
    """The same columns in another order must get the same tags; those of a maker come sorted, but it need not know.

    Hint: sort: for name, column in sorted(table.columns.items()).
    """
    made, table = _make(maker, example), example.table
    reverse = type(table)(dict(reversed(list(table.columns.items()))), table.index, table.labelled)
    other = maker.make(reverse, example.groups)
    yield from _difference(sorted(made.tags, key=str), sorted(other.tags, key=str))
    if made.n_items != other.n_items:
        yield f"{made.n_items} and {other.n_items} features"


def odd_rows_are_no_trouble(maker: Any, example: Example) -> Iterator[str]:
    """Single rows, empty groups, rows that are neither, rows that are all the same: tags or none, no error.

    Hint: an empty TagSet is a fine answer.
    """
    given_by_row = bool(_make(maker, example).columns)
    for name, odd in common.odd_tables(example).items():
        try:
            made = _make(maker, odd)
            table = made.extend(odd.table)
            for tag in made.tags:
                tag.covers(table)
        except Exception as error:  # noqa: BLE001 - any error is a fault
            if not (given_by_row and isinstance(error, PyodExplainError)):  # it may refuse rows that it does not know
                yield f"{type(error).__name__} on {name}: {error}"


def explain_takes_it(maker: Any, example: Example) -> Iterator[str]:
    """explain(y, X, tags=maker) must find rules with the counts of their tags, and validate them.

    Hint: see the error above, and `tags_hold_anywhere`.
    """
    found = explain(example.y, example.X, tags=maker, method=WCCM()).validate(2)
    str(found)
    table = _make(maker, example).extend(example.table)
    for rule in found.rules:
        counted = int((rule.tag.covers(table) & (example.y == rule.group)).sum())
        if counted != rule.n_outliers:
            yield f"{rule.n_outliers} where {rule.tag} holds for {counted}"


OF_TAGS = (makes_tags, brings_its_columns, counts_features, tags_hold_anywhere, tags_can_be_told_apart)
OF_ROWS = (leaves_its_input_alone, answers_the_same_again, row_order_is_irrelevant, column_order_is_irrelevant)
TAG_MAKER_CHECKS: tuple[Check, ...] = (*OF_TAGS, *OF_ROWS, odd_rows_are_no_trouble)
