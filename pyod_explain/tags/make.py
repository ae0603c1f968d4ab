"""`make_tags`: from what the user passes as `tags=` to a `TagSet`; `GivenTags`: the user's own tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from pyod_explain.exceptions import ParameterError, PyodExplainError, shown
from pyod_explain.input import Column, Groups, Table, as_table, has_names, row_order
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.forest import ForestRules
from pyod_explain.tags.items import can_be_related
from pyod_explain.tags.itemsets import Itemsets
from pyod_explain.tags.relations import read_relations
from pyod_explain.tags.tag import Tag, TagMaker, TagSet, clashing_column, require_columns

MAX_RELATED_COLUMNS = 100  # columns of numbers beyond which "auto" tries no relations
FAST_LIMITS = {"max_items": 16, "max_tags": 300}
TAG_CHOICES = (
    "'auto', 'itemsets', 'forest', a maker (an object with `make(table, groups)`), `Tag`s, a boolean table or sparse "
    "matrix with the rows of `X`, or a list of these"
)


def make_tags(
    tags: Any,
    table: Table,
    groups: Groups,
    *,
    max_length: int = 3,
    relations: Any = False,
    negations: bool = True,
    random_state: Any = 0,
    mined: bool = True,
) -> TagSet:
    """Make the tags that the user's `tags=` argument asks for.

    Parameters
    ----------
    tags : `"itemsets"`, `"auto"` (fewer of these; `explain` searches for rules instead), `"forest"`, a maker,
        `Tag`s, a boolean table or sparse matrix, or a list of such: the tags of all of them together.
    table : the features.
    groups : which rows are normal and which belong to which group.
    max_length : most conditions of a tag that is made here; makers and tags that are passed keep their own.
    relations : conditions on two columns, as for `Itemsets`, in the tags that are made here.
    negations : False for no tag that states what a value is not, but for those that are given.
    random_state : seed of makers that need one.
    mined : False without the itemsets of makers that grow rules.

    Examples
    --------
    >>> from pyod_explain.input.read import as_table
    >>> import numpy as np, pandas as pd
    >>> table = as_table(pd.DataFrame({"amount": [*range(1, 31), 900, 950]}))
    >>> groups = Groups(np.array([0] * 30 + [1] * 2), ("1",), "given")
    >>> make_tags("itemsets", table, groups).tags
    (Tag(amount >= 500),)
    """
    options = {"max_length": max_length, "relations": relations, "negations": negations, "random_state": random_state}
    makers = [one for one in _makers(tags, **options) if mined or not (isinstance(one, Itemsets) and one.grow)]
    return _join_sets([_make(maker, table, groups, negations=negations) for maker in makers])


def growing_maker(tags: Any, *, max_length: int = 3, relations: Any = False, negations: bool = True) -> Itemsets | None:
    """Return the maker whose limits a rule search has; None if the user's `tags=` asks for no search."""
    options = {"max_length": max_length, "relations": relations, "negations": negations, "random_state": 0}
    found = next((one for one in _makers(tags, **options) if isinstance(one, Itemsets) and one.grow), None)
    return found if found is None or negations else clone(found).set_params(negations=False)


def fast_variant(maker: Itemsets) -> Itemsets:
    """Return a maker with lower limits, which finds the best of these tags in a fraction of the time."""
    few = {name: min(most, getattr(maker, name)) for name, most in FAST_LIMITS.items()}
    return clone(maker).set_params(**few)  # type: ignore[no-any-return]  # scikit-learn ships no types


def union_of_tags(sets: Sequence[TagSet]) -> TagSet:
    """Put together what one maker made for several splits; features that were looked at for several count once.

    A maker may bring columns of its own. Where one of a name has other cells for another split, a tag about it means
    something else there, so those of the first set serve alone.
    """
    return sets[0] if clashing_column(sets) is not None else _join_sets(sets)


def join_given(tags: Any, table: Table) -> tuple[Any, Table]:
    """Move the user's own tags that are a table into the columns of the features, and leave `Tag`s about them.

    Then they can be evaluated on any part of the rows, like all others.
    """
    listed = list(tags) if isinstance(tags, list | tuple) else [tags]
    for i, one in enumerate(listed):
        maker = GivenTags(one) if _is_table(one) else one
        if isinstance(maker, GivenTags):
            made = maker.make(table)
            table, listed[i] = made.extend(table), GivenTags(list(made.tags)) if made.columns else maker
    return (listed if isinstance(tags, list | tuple) else listed[0]), table


def _flatten(tags: Any) -> Iterator[Any]:
    """Yield what the user's `tags=` consists of: tags, tables, makers and their names."""
    if isinstance(tags, GivenTags):
        yield from _flatten(tags.tags)
    elif isinstance(tags, list | tuple | set | frozenset):
        for one in tags:
            yield from _flatten(one)
    else:
        yield tags


def columns_used(tags: Any, table: Table) -> set[str]:
    """Return the columns that the user's `tags=` names: in tags, as codes.

    A maker of the user's own may use any column.
    """
    used: set[str] = set()
    for one in _flatten(tags):
        if isinstance(one, Tag):
            used.update(one.columns)
        elif isinstance(one, Itemsets | ForestRules):
            used.update(one.categorical if isinstance(one.categorical, list | tuple | set | frozenset) else ())
        elif callable(getattr(one, "make", None)):
            used.update(table.columns)
    return used


def check_relations(relations: Any, tags: Any) -> None:
    """Refuse `relations=` where no maker uses it: makers that are passed have parameters of their own."""
    if isinstance(relations, str) and relations == "auto":
        return
    if relations is not False and relations is not None and not _includes(tags, "auto", "itemsets"):
        requirement = f'"auto" or False with tags={shown(tags)}'
        hint = "tags=Itemsets(relations=...), or in a list."
        raise ParameterError("relations", requirement, got=relations, hint=hint, owner="explain()")


def _includes(tags: Any, *names: str) -> bool:
    return any(isinstance(one, str) and one in names for one in _flatten(tags))


def resolve_relations(relations: Any, tags: Any, table: Table, *, counts_bits: bool) -> Any:
    """Read the user's `relations=`.

    Parameters
    ----------
    relations, tags : the user's arguments; `"auto"` is True where description length is minimised.
    table : the features.
    counts_bits : whether bits are minimised.
    """
    if isinstance(relations, str) and relations == "auto":
        return counts_bits and _includes(tags, "auto") and len(can_be_related(table, ())) <= MAX_RELATED_COLUMNS
    if relations is None or isinstance(relations, bool):
        return bool(relations)
    return read_relations(relations, table, can_be_related(table, ()))


def _makers(tags: Any, **named: Any) -> list[TagMaker]:
    if isinstance(tags, str):
        return [_named(tags, **named)]
    if isinstance(tags, TagMaker) and not isinstance(tags, type):
        return [tags]
    if isinstance(tags, Tag) or _is_table(tags):
        return [GivenTags(tags)]
    if isinstance(tags, Sequence) and len(tags):
        single = [tag for tag in tags if isinstance(tag, Tag)]
        others = [one for one in tags if not isinstance(one, Tag)]
        if any(isinstance(one, list | tuple) for one in others):
            raise _bad_tags(tags)
        return [*([GivenTags(single)] if single else []), *(maker for one in others for maker in _makers(one, **named))]
    raise _bad_tags(tags)


def _is_table(tags: Any) -> bool:
    if isinstance(tags, Tag) or callable(getattr(tags, "make", None)):
        return False  # a tag and a maker may have columns too, and a table one that is called "make"
    return has_names(tags) or sparse.issparse(tags) or getattr(tags, "ndim", 0) == 2


def _named(name: str, *, max_length: int, relations: Any, negations: bool, random_state: Any) -> TagMaker:
    if name == "forest":
        return ForestRules(max_length=max_length, negations=negations, random_state=random_state)
    if name not in ("auto", "itemsets"):
        raise _bad_tags(name)
    made = Itemsets(max_length=max_length, relations=relations, negations=negations)
    return fast_variant(made.set_params(grow=True)) if name == "auto" else made  # to compare splits


def _bad_tags(tags: Any) -> ParameterError:
    return ParameterError("tags", TAG_CHOICES, got=tags)


def _make(maker: TagMaker, table: Table, groups: Groups, *, negations: bool) -> TagSet:
    """Make the tags of one maker; without negations also where a maker that was passed has them. Given tags stay."""
    if not negations and isinstance(maker, BaseEstimator) and "negations" in maker.get_params(deep=False):
        maker = clone(maker).set_params(negations=False)
    made = maker.make(table, groups)
    if not isinstance(made, TagSet):
        problem = f"`make` of {type(maker).__name__} must return a TagSet, got {type(made).__name__}."
        raise PyodExplainError(problem, hint="TagSet(tags=(...), n_items=number of binary features).")
    require_columns(made.extend(table), made.tags)
    if negations or isinstance(maker, GivenTags):
        return made
    return replace(made, tags=tuple(tag for tag in made.tags if not any(one.negates for one in tag.conditions)))


def _join_sets(sets: Sequence[TagSet]) -> TagSet:
    """Join tag sets: each tag, note and column once; features that several makers tried are paid for once."""
    if len(sets) == 1:
        return sets[0]
    name = clashing_column(sets)
    if name is not None:
        raise PyodExplainError(f"The names of given tags must differ, got {name!r} in two tables.")
    features = frozenset[Any]().union(*(one.features for one in sets))
    unnamed = sum(max(one.n_items - len(one.features), 0) for one in sets)
    tags = tuple(dict.fromkeys(tag for one in sets for tag in one.tags))
    notes = tuple(dict.fromkeys(note for one in sets for note in one.notes))
    columns = {name: column for one in sets for name, column in one.columns.items()}
    given = frozenset[Tag]().union(*(one.given for one in sets))
    return TagSet(tags, len(features) + unnamed, notes, columns, features, given)


class GivenTags(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """The user's own tags; nothing is mined and nothing is left out.

    They are sorted by their text, so that their order in a list or table breaks no tie.

    Parameters
    ----------
    tags : one of

        - a table of True and False (pandas, Polars, Arrow, array, scipy sparse matrix) with the rows of `X` and a
          column per tag: the tags read "name is true" and the columns join those of `X`. The columns of an array are
          called tag0, tag1, ...;
        - a list of `Tag`s about the columns of `X`.

    Examples
    --------
    >>> from pyod_explain.input.read import as_table
    >>> own = pd.DataFrame({"urgent": [False, True]})
    >>> GivenTags(own).make(as_table([[1.0], [2.0]])).tags
    (Tag(urgent is true),)
    """

    def __init__(self, tags: Any) -> None:
        self.tags = tags

    def make(self, table: Table, groups: Groups | None = None) -> TagSet:  # noqa: ARG002  # the tags suit all groups
        """Read the tags; those that are columns of their own come with the columns."""
        listed = [self.tags] if isinstance(self.tags, Tag) else self.tags
        if isinstance(listed, Iterable) and not hasattr(listed, "shape"):
            listed = list(listed)
            if listed and all(isinstance(tag, Tag) for tag in listed):
                return _from_list(listed, table)
        return _from_table(self.tags, table)


def _from_list(tags: Sequence[Tag], table: Table) -> TagSet:
    # Each once, the shortest first, so that the order of the list breaks no tie.
    ordered = sorted(tags, key=lambda tag: (len(tag), [condition.sort_key for condition in tag.sorted]))
    distinct = tuple(dict.fromkeys(ordered))
    require_columns(table, distinct)
    features = frozenset(condition.feature for tag in distinct for condition in tag.conditions)
    return TagSet(distinct, len(features), features=features, given=frozenset(distinct))


def _from_table(given: Any, table: Table) -> TagSet:
    columns = _boolean_columns(given, table)
    for name, column in columns.items():
        if name in table.columns and not table[name].same_cells(column):
            rule = "must differ from the columns of `X`"
            got = f"{name!r} in both with other content"
            raise PyodExplainError(f"The names of given tags {rule}, got {got}.", hint="rename the tag.")
    conditions = [Condition(name, "==", True) for name in sorted(columns)]
    tags = tuple(map(Tag.of, conditions))
    return TagSet(tags, len(tags), columns=columns, features=frozenset(conditions))


def _boolean_columns(given: Any, table: Table) -> dict[str, Column]:
    if sparse.issparse(given):
        matrix: Any = sparse.csc_array(cast("Any", given))
        if not np.isin(matrix.data, (0, 1)).all():
            raise _not_boolean("a sparse matrix with other values")
        given = matrix.astype(bool)  # a byte a cell when dense
    if isinstance(given, pd.DataFrame):
        _check_rows(len(given), table)
        order = row_order(given.index, table.labels, "tags")
        given = given if order is None else given.iloc[order]
    read = as_table(given, argument="tags")
    _check_rows(read.n_rows, table)
    names = list(read.columns) if has_names(given) else [f"tag{j}" for j in range(len(read.columns))]
    return {name: _as_boolean(replace(one, name=name)) for name, one in zip(names, read.columns.values(), strict=True)}


def _check_rows(n_rows: int, table: Table) -> None:
    if n_rows != table.n_rows:
        hint = "one row per instance, one column per tag; transpose the table if it is the other way round."
        rule = f"must have the {table.n_rows:,} rows of `X`"
        raise PyodExplainError(f"The given tags {rule}, got {n_rows:,} rows.", hint=hint)


def _as_boolean(column: Column) -> Column:
    if column.kind == "boolean":
        return column
    if column.kind != "number" or not np.isin(column.values[~column.missing], (0, 1)).all():
        raise _not_boolean(f"column {column.name!r} with other values")
    codes = np.where(column.missing, -1, column.floats()).astype(np.int8)
    return Column(column.name, "boolean", codes, column.missing, (False, True))


def _not_boolean(what: str) -> PyodExplainError:
    hint = "turn numbers into tags with a comparison, for example table > 0."
    return PyodExplainError(f"Given tags must be True or False (or 1 and 0), got {what}.", hint=hint)
