"""`Settings`: how to search for rules, checked once. `explain` and `OutlierExplainer` make them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial, wraps
from typing import Any, TypeVar

from pyod_explain._arrays import IntArray
from pyod_explain._validate import auto_or, check_flag, check_int, check_names, check_number, draw_seed
from pyod_explain.exceptions import ParameterError, shown
from pyod_explain.explainers import MDL, Explainer, make_explainer
from pyod_explain.input import Outliers, Table, name_list, split_mixed_rows
from pyod_explain.tags.identifiers import choose_identifiers
from pyod_explain.tags.items import check_column_names
from pyod_explain.tags.make import check_relations, columns_used, join_given, resolve_relations
from pyod_explain.tags.tag import Tag

OWNER = "explain()"
CONSTRAINTS: Mapping[str, Callable[[str, str, Any], Any]] = {
    "max_length": partial(check_int, low=1),
    "min_lift": partial(check_number, low=0.0),
    "negations": check_flag,
    "detail": auto_or(partial(check_number, low=0.0, high=1.0)),
    "id_columns": auto_or(check_names),
    "exclude": check_names,
}
GIVEN_LATER = ("known", "new")  # they are read when the table is known
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Settings:
    """How to search for rules: the parameters of `explain` of the same names.

    Attributes
    ----------
    random_state : the seed; a generator that was passed is asked for one, once.
    known : rules that are known, whose outliers the search leaves out.
    new : rules that hold for outliers of these rows, and not for those of the rows where the known rules are from.

    Examples
    --------
    >>> Settings(max_length=2).max_length
    2
    >>> Settings(max_length=0)
    Traceback (most recent call last):
    pyod_explain.exceptions.ParameterError: `max_length` of explain() must be a whole number of at least 1, got 0.
    """

    groups: Any = "reasons"
    tags: Any = "auto"
    method: str | Explainer = "mdl"
    max_length: int = 3
    min_lift: float = 1.0
    relations: Any = "auto"
    negations: bool = True
    detail: float | str = "auto"
    id_columns: str | Collection[str] = "auto"
    exclude: Collection[str] = ()
    random_state: Any = 0
    known: tuple[Tag, ...] = ()
    new: tuple[Tag, ...] = ()

    def __post_init__(self) -> None:
        for name, check in CONSTRAINTS.items():
            check(OWNER, name, getattr(self, name))
        check_relations(self.relations, self.tags)
        object.__setattr__(self, "random_state", draw_seed(OWNER, self.random_state))
        _ = self.explainer  # refuses an unknown method

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Settings:
        """Take the settings from the arguments of `explain`, or the parameters of an `OutlierExplainer`."""
        return cls(**{one.name: given[one.name] for one in fields(cls) if one.name not in GIVEN_LATER})

    @cached_property
    def explainer(self) -> Explainer:
        """The explainer that chooses the rules."""
        return make_explainer(self.method, min_lift=self.min_lift)

    @property
    def minimises_bits(self) -> bool:
        """True if the description length is minimised."""
        return isinstance(self.explainer, MDL)

    @property
    def by_reasons(self) -> bool:
        """True if the rules of all outliers make the groups."""
        return isinstance(self.groups, str) and self.groups == "reasons"

    @property
    def by_kmeans(self) -> bool:
        """True if k-means makes the groups, and their number is chosen by description length."""
        return isinstance(self.groups, str) and self.groups in ("kmeans", "auto")

    @property
    def group_column(self) -> str | None:
        """The column that the groups are read from; None if there is none."""
        named = isinstance(self.groups, str) and not self.by_reasons and not self.by_kmeans
        return self.groups if named else None

    @property
    def shown(self) -> dict[str, str]:
        """The settings as texts, for reports."""
        return {one.name: shown(getattr(self, one.name)) for one in fields(self) if one.name not in GIVEN_LATER}


def accept_simplify(function: Function) -> Function:
    """Accept `simplify=` as another name of `detail=`."""

    @wraps(function)
    def renamed(*args: Any, **kwargs: Any) -> Any:
        if "simplify" in kwargs:
            kwargs["detail"] = kwargs.pop("simplify")
        return function(*args, **kwargs)

    renamed.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]  # what scikit-learn's clone reads
    return renamed  # type: ignore[return-value]  # it is called as the function is


@dataclass(frozen=True, eq=False)
class Prepared:
    """Rows that are ready for the search.

    Attributes
    ----------
    table : the columns that rules may use, with the user's own tags as columns.
    outliers : which rows of that table are outliers.
    settings : with what was resolved on that table: tags, relations and groups.
    notes : sentences on columns that are left out.
    """

    table: Table
    outliers: Outliers
    settings: Settings
    notes: tuple[str, ...]


def prepare(table: Table, outliers: Outliers, settings: Settings, row_counts: IntArray | None = None) -> Prepared:
    """Join the user's own tags to the table, and leave out columns that rules must not use.

    Parameters
    ----------
    table : the features.
    outliers : which rows are outliers; columns that say so are left out.
    settings : what the user asked for.
    row_counts : how many rows each row of a sample stands for; None where the table is no sample.
    """
    tags, joined = join_given(settings.tags, table)
    described = joined.drop(outliers.columns)
    _check_excluded(settings, described)
    named = set() if settings.group_column is None else {settings.group_column}
    described = described.drop(set(settings.exclude) - named)
    said = {name for tag in settings.known for name in tag.columns}
    asked = settings.id_columns
    if not isinstance(asked, str):
        asked = [name for name in asked if name not in settings.exclude]
    left_out, notes = choose_identifiers(asked, described, spared=columns_used(tags, described) | named | said)
    table = described.drop(left_out).by_name()
    relations = resolve_relations(settings.relations, settings.tags, table, counts_bits=settings.minimises_bits)
    known = tuple(tag for tag in settings.known if set(tag.columns) <= set(table.columns))
    settings = replace(settings, tags=tags, relations=relations, known=known)
    if row_counts is not None:
        table = replace(table, row_counts=row_counts, sampled=True)
    elif table.row_counts is not None:
        lines = split_mixed_rows(table, outliers)
        settings = replace(settings, groups=lines.spread(settings.groups, table, "groups"))
        table, outliers = lines.table, lines.outliers
    return Prepared(table, outliers, settings, notes)


def _check_excluded(settings: Settings, table: Table) -> None:
    check_column_names(OWNER, "exclude", settings.exclude, table)
    there = list(table.columns)
    if settings.exclude and not set(there) - set(settings.exclude) - {settings.group_column}:
        got = f"all of them: {name_list(there)}"
        raise ParameterError("exclude", "some of the columns to explain with", got_text=got, owner=OWNER)
