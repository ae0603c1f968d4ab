"""`check_tag_maker`: what `explain` relies on in whatever has `make(table, groups)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from pyod_explain.api import explain
from pyod_explain.checks import common
from pyod_explain.checks.common import COPY_CHECKS, CheckError, Example, all_fields, expect, no_error, seeded
from pyod_explain.exceptions import PyodExplainError
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
    for name, check in TAG_MAKER_CHECKS.items():
        yield name, partial(_run, check, maker, example)


def _run(check: Callable[[Any, Example], None], maker: Any, example: Example) -> None:
    check(seeded(maker), example)


def _make(maker: Any, example: Example, what: str = "the example") -> TagSet:
    with no_error(maker, f"`make` must not fail on {what}", "see the error above; an empty TagSet is a fine answer"):
        made: TagSet = maker.make(example.table, example.groups)
    is_set = isinstance(made, TagSet)
    hint = "return TagSet(tags, n_items) from pyod_explain.tags"
    expect(is_set, maker, "`make` must return a TagSet", f"a {type(made).__name__}", hint)
    return made


def _answer(maker: Any, example: Example) -> tuple[tuple[Tag, ...], int]:
    made = _make(maker, example)
    return made.tags, made.n_items


def _expect_same(maker: Any, rule: str, one: Sequence[Tag], other: Sequence[Tag], hint: str) -> None:
    """Say where two lists of tags part."""
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    found = [f"'{tags[at]}'" if at < len(tags) else "nothing" for tags in (one, other)]
    expect(list(one) == list(other), maker, rule, f"first {found[0]} and then {found[1]} as tag {at}", hint)


# --- what comes out ---------------------------------------------------------------------------------------------------


def makes_tags(maker: Any, example: Example) -> None:
    """Tags, each once, in a tuple; some on the example, else nothing would be checked."""
    made = _make(maker, example)
    valid = isinstance(made.tags, tuple) and all(isinstance(tag, Tag) for tag in made.tags)
    valid = valid and 0 < len(made.tags) == len(set(made.tags))
    hint = "TagSet(tuple(dict.fromkeys(tags)), ...); pass rows `X` and labels `y` for which it makes some"
    expect(valid, maker, "`tags` must be a tuple of Tag objects, each once, some at least", f"{made.tags!r:.80}", hint)
    are_notes = isinstance(made.notes, tuple) and all(isinstance(note, str) for note in made.notes)
    expect(are_notes, maker, "`notes` must be a tuple of sentences", f"{made.notes!r:.80}", "notes=('...',)")


def counts_features(maker: Any, example: Example) -> None:
    """`n_items`, which tags are priced by, is a count that has room for what the tags speak of."""
    made = _make(maker, example)
    whole = isinstance(made.n_items, int | np.integer) and not isinstance(made.n_items, bool)
    rule = "`n_items` must be the number of binary features that the tags were chosen from"
    hint = "count every condition that was looked at, those that were left out too; one and its opposite are one"
    table = made.extend(example.table)
    features = {condition.feature for tag in made.tags for condition in tag.conditions}
    least = max(len({_rows_on_each_side(feature, table) for feature in features}), len(made.features))
    expect(whole and made.n_items >= least, maker, rule, f"{made.n_items!r} where the tags have {least}", hint)


def _rows_on_each_side(feature: Condition, table: Any) -> frozenset[bytes]:
    """Give the rows that have a binary feature and those that have its opposite, as packed bits."""
    try:
        both = (feature, ~feature)
    except PyodExplainError:  # no single condition is its opposite
        both = (feature, feature)
    return frozenset(np.packbits(Tag.of(side).covers(table)).tobytes() for side in both)


def brings_its_columns(maker: Any, example: Example) -> None:
    """Tags speak of columns of the table, or of such as come along, whole and under their own names."""
    made, table = _make(maker, example), example.table
    absent = sorted({name for tag in made.tags for name in tag.columns} - set(table.columns) - set(made.columns))
    hint = "speak of the table's columns, or return yours: TagSet(..., columns={name: Column(name, ...)})"
    expect(not absent, maker, "tags must speak of columns that are there", f"tags about {absent}", hint)
    for name, column in made.columns.items():
        fits = column.name == name and len(column.values) == len(column.missing) == table.n_rows
        fits = fits and (name not in table.columns or table[name].same_cells(column))
        rule = f"its column {name!r} must have its name, a cell for every row, and no name of another column"
        expect(fits, maker, rule, f"{column.name!r} with {len(column.values)} cells", hint)


def tags_hold_anywhere(maker: Any, example: Example) -> None:
    """Whether a row has a tag depends on that row alone: the same in the whole table and in any part of it."""
    made = _make(maker, example)
    table, rows = made.extend(example.table), np.arange(0, len(example.y), 3)
    few = table.take(rows)
    for tag in made.tags:
        with no_error(maker, f"the tag {tag} must be evaluated on the table", "see the error above"):
            whole, again = tag.covers(table), tag.covers(few)
        same = whole.dtype == bool and np.array_equal(whole[rows], again)
        hint = "compare with fixed values (a cut point, a category), not with what is computed from the rows at hand"
        expect(same, maker, f"the tag {tag} must hold for the same rows in a part of the table", "others", hint)
    normal, outliers = np.flatnonzero(example.y == 0)[:1], np.flatnonzero(example.y > 0)[:3]
    for part in (rows, *(np.append(normal, one) for one in outliers)) if made.columns else ():
        try:
            others = _make(maker, example.take(part), "some of the rows").columns
        except CheckError as error:
            if isinstance(error.__cause__, PyodExplainError):
                return  # given row by row: it may refuse rows that it does not know
            raise
        for name in set(others) & set(made.columns):
            cells = [(made.columns[name].cell(row), others[name].cell(i)) for i, row in enumerate(part.tolist())]
            other = [f"{now!r} where it was {was!r}" for was, now in cells if was != now]
            hint = "make it of the row's own cells and of parameters, not of what is computed from the rows at hand"
            rule = f"a cell of its column {name!r} must depend on its row alone"
            expect(not other, maker, rule, ", ".join(other[:1]), hint)


def tags_can_be_told_apart(maker: Any, example: Example) -> None:
    """Tags print, each in its own way, and hash and compare by what they say, also after pickling."""
    made = _make(maker, example)
    with no_error(maker, "tags must print and pickle", "make conditions of plain values: numbers, text, dates"):
        texts = [str(tag) for tag in made.tags]
        again = common.pickled(made.tags)
    alike = sorted({text for text in texts if not text.strip() or texts.count(text) > 1})
    expect(not alike, maker, "different tags must read differently", f"{alike[:3]}", "see Condition.__str__")
    same = again == made.tags and list(map(hash, again)) == list(map(hash, made.tags))
    hint = "make conditions of values that compare by what they are"
    expect(same, maker, "tags must equal themselves after pickling", "others", hint)


# --- what it depends on -----------------------------------------------------------------------------------------------


def leaves_its_input_alone(maker: Any, example: Example) -> None:
    """The table and the groups are as before."""
    table, groups = example.table, example.groups
    before = all_fields(table), all_fields(groups)
    with no_error(maker, "`make` must not fail on the example", "see the error above"):
        maker.make(table, groups)
    same = before == (all_fields(table), all_fields(groups))
    hint = "work on copies: column.values.copy(), groups.numbers.copy()"
    expect(same, maker, "`make` must leave `table` and `groups` as they are", "changed ones", hint)


def answers_the_same_again(maker: Any, example: Example) -> None:
    """The same rows get the same tags, with the same seed, also after others."""
    fresh = seeded(maker)
    first = _make(maker, example)
    hint = "use a generator of its own, seeded by a parameter `random_state`, and remember nothing between calls"
    rule = "the same rows must get the same tags again, also after others"
    if not first.columns:  # which may be given for these rows alone
        part, what = example.take(np.arange(0, len(example.y), 2)), "every other row"
        _expect_same(maker, rule, _make(fresh, part, what).tags, _make(maker, part, what).tags, hint)
    _expect_same(maker, rule, first.tags, _make(maker, example).tags, hint)


def row_order_is_irrelevant(maker: Any, example: Example) -> None:
    """The same rows in another order get the same tags, in the same order, at the same price; so do their cells."""
    order = np.random.default_rng(0).permutation(len(example.y))
    moved = example.take(order)
    made, other = _make(maker, example), _make(maker, moved, "the rows in another order")
    hint = "take the rows in an order of their content (pyod_explain.input.by_content) before you draw or sum"
    rule = "the same rows in another order must get the same tags in the same order"
    _expect_same(maker, rule, made.tags, other.tags, hint)
    expect(made.n_items == other.n_items, maker, rule, f"{made.n_items} and {other.n_items} features", hint)
    one, two = made.extend(example.table), other.extend(moved.table)
    strayed = [str(tag) for tag in made.tags if not np.array_equal(tag.covers(one)[order], tag.covers(two))]
    hint = "make the cells of your own columns by what their rows say, not by where they stand"
    expect(not strayed, maker, "tags must stay with their rows when these move", f"others with {strayed[:3]}", hint)


def column_order_is_irrelevant(maker: Any, example: Example) -> None:
    """The same columns in another order get the same tags; those of a maker come sorted, but it need not know."""
    made = _make(maker, example)
    table = example.table
    reverse = type(table)(dict(reversed(list(table.columns.items()))), table.index, table.labelled)
    with no_error(maker, "`make` must not fail on columns in another order", "see the error above"):
        other = maker.make(reverse, example.groups)
    rule = "the same columns in another order must get the same tags"
    hint = "sort: for name, column in sorted(table.columns.items())"
    _expect_same(maker, rule, sorted(made.tags, key=str), sorted(other.tags, key=str), hint)
    expect(made.n_items == other.n_items, maker, rule, f"{made.n_items} and {other.n_items} features", hint)


def odd_rows_are_no_trouble(maker: Any, example: Example) -> None:
    """Single rows, empty groups, rows that are neither, rows that are all the same: tags or none, no error."""
    bound = bool(_make(maker, example).columns)
    for name, odd in common.odd_tables(example).items():
        try:
            made = _make(maker, odd, name)
        except AssertionError as error:
            if bound and isinstance(error.__cause__, PyodExplainError):
                continue  # given row by row: it may refuse rows that it does not know, in so many words
            raise
        with no_error(maker, f"its tags must be evaluated on {name}", "see the error above"):
            table = made.extend(odd.table)
            for tag in made.tags:
                tag.covers(table)


def explain_takes_it(maker: Any, example: Example) -> None:
    """`explain` finds rules among its tags, and checks them on rows that were left out."""
    with no_error(maker, "explain(y, X, tags=maker) must not fail", "see the error above"):
        found = explain(example.y, example.X, tags=maker, method=WCCM()).validate(2)
        str(found)
    table = _make(maker, example).extend(example.table)
    for rule in found.rules:
        counted = int((rule.tag.covers(table) & (example.y == rule.group)).sum())
        got = f"{rule.n_outliers} where {rule.tag} holds for {counted}"
        expect(counted == rule.n_outliers, maker, "counts must be those of the tags", got, "see `tags_hold_anywhere`")


OF_TAGS = (makes_tags, brings_its_columns, counts_features, tags_hold_anywhere, tags_can_be_told_apart)
OF_ROWS = (leaves_its_input_alone, answers_the_same_again, row_order_is_irrelevant, column_order_is_irrelevant)
ALL_CHECKS: tuple[Callable[[Any, Example], None], ...] = (*OF_TAGS, *OF_ROWS, odd_rows_are_no_trouble)
TAG_MAKER_CHECKS: dict[str, Callable[[Any, Example], None]] = {check.__name__: check for check in ALL_CHECKS}


def _shared(check: Callable[[Any, Callable[[Any], Any]], None], maker: Any, example: Example) -> None:
    check(maker, partial(_answer, example=example))


TAG_MAKER_CHECKS |= {check.__name__: partial(_shared, check) for check in COPY_CHECKS}
TAG_MAKER_CHECKS[explain_takes_it.__name__] = explain_takes_it
