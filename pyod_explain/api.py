"""`explain` and `OutlierExplainer`: read, search, collect. Read this first."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from pyod_explain._arrays import BoolArray, IntArray
from pyod_explain._progress import start
from pyod_explain.beyond_memory import Population, rescore_on_all_rows
from pyod_explain.data import Data, read_input, read_labelled
from pyod_explain.exceptions import InfeasibleError, Message, ParameterError, PyodExplainError, shown
from pyod_explain.explainers import Explainer
from pyod_explain.explanation import (
    Explanation,
    attach_explanation,
    empty_explanation,
    make_explanation,
    with_known,
    with_metadata,
)
from pyod_explain.input import Outliers, Table, as_table, column_names, has_names
from pyod_explain.known import Known, read_known, without_returned
from pyod_explain.result import FitContext, Rule, call_facts, new_kinds, today
from pyod_explain.search import group_by_reasons, search
from pyod_explain.settings import Settings, accept_simplify, prepare


@accept_simplify
def explain(
    detector: Any = None,
    X: Any = None,
    *,
    features: Any = None,
    groups: Any = "reasons",
    tags: Any = "auto",
    method: str | Explainer = "mdl",
    max_length: int = 3,
    min_lift: float = 1.0,
    relations: Any = "auto",
    negations: bool = True,
    detail: float | str = "auto",
    id_columns: str | Collection[str] = "auto",
    exclude: Collection[str] = (),
    known: Any = None,
    counts: Any = None,
    outlier_counts: Any = None,
    scores: Any = None,
    threshold: float | None = None,
    random_state: Any = 0,
    progress: bool | Callable[[str, float], Any] | None = None,
) -> Explanation:
    """Explain which rows a detector marks, by a few rules per group of outliers.

    Parameters
    ----------
    detector : Who says which rows are outliers? A fitted detector (PyOD, scikit-learn, PyGOD), a Pipeline ending in
        one, a search with a best estimator, what ADEngine returns; labels (0 normal, 1 outlier, or 0 and group numbers)
        as array, Series or list; the name of a column of `X` that holds them; or None with `scores` and `threshold`, or
        with `counts` and `outlier_counts`.
    X : Which rows? The detector's training data (its own labels count) or new rows (it predicts them). For a
        Pipeline the raw columns that it takes, which are then the ones explained with. Only an ADEngine state
        carries its own. Rows beyond memory too: the path of a parquet file or of a folder of them, or a pattern
        (`"data/*.parquet"`); a `pyarrow.dataset`, a `RecordBatchReader`, a DuckDB relation or whatever has
        `__arrow_c_stream__`, a LazyFrame of Polars; a DataFrame of Dask or Spark; an iterable of record batches or
        frames, or a function that makes one. A detector then predicts them chunk by chunk. `LargeTable(X, sample=...,
        engine=...)` says how many rows are sampled and who counts them.
        A detector is taken to be fitted on `X` if both have as many rows and its scores agree; pass
        `detector.predict(X)` as labels where they are others.
    features : In which words? Readable columns to explain with, same rows as `X`; `X` itself by default. With it, `X`
        may be anything that the detector takes: a time series, texts, a graph's nodes.
    groups : Which outliers belong together? `"reasons"` (all are described as one, and its rules make the groups: each
        outlier is with the purest rule that covers it, and those that no rule covers are the last group, "no common
        reason"), `"kmeans"` (as many groups as make the explanation shortest; `"auto"` is the same), a number
        (k-means), a label for each row or outlier, the name of a column (one that is called "kmeans", "auto" or
        "reasons" is passed as `X["auto"]`), or a clusterer.
    tags : Where do candidate rules come from? `"auto"` (searches from several starts), `"itemsets"` (combinations of
        conditions that are frequent in a group), `"forest"` (paths of random forests), a maker, or the user's own tags.
    method : What is a good explanation? `"mdl"` (the shortest description), `"wccm"`, `"bccm"`, `"pdm"`, `"dtdm"`, or
        an explainer object with parameters of its own: `BCCM(max_tags=5)`.
    max_length : most conditions in a rule.
    min_lift : a rule must be more than this many times as frequent in its group as among the normals. Explainer
        objects have their own.
    relations : May a rule speak of two columns at once: `outlet - inlet < 4.5`? True looks at differences and sums of
        columns that share a unit, and at ratios and products; or a list of pairs of columns, of (column, one of
        `-/*+`, column) or of `Relation`s; False for none. `"auto"` is True for `"mdl"` with `tags="auto"`, up to
        100 columns. Makers have their own: `Itemsets(relations=...)`.
    negations : May rules say what a value is not? False for no "is not", "is none of" and "is not missing" in rules
        (your own tags stay).
    detail : How much detail? `"auto"` drops a condition if the rows that it cuts away are like the rule, and keeps it
        if they are like the normal rows; and drops what saves few bits beside all that is saved. Or the share of the
        saved bits that may be lost for shorter rules, from 0 (keep all) to 1. Your own tags stay as they are, or go.
        For `"mdl"`. `simplify=` is another name of it.
    id_columns : Which columns name the rows and do not describe them? They are left out of rules and groups: `"auto"`,
        those that look like it (texts that are nearly all distinct, numbers that count up, ...; a note names them), or
        a list of names; `[]` for none. Columns that your own tags use are never left out.
    exclude : names of columns that no rule may use. Groups may still be read from one of them.
    known : Which rules are known already? An explanation (of yesterday's rows, say), the path of one as JSON, a list
        of rules as text or `Tag`s, or a table of them with a column `rule` and, if you like, `name`, `owner`, `note`
        and `expires` (its path as .csv, too). They are evaluated first, and the search explains the outliers that they
        leave; `summary.changes` and the report tell what still holds, what changed, what is gone and what is new.
        With `groups="reasons"`.
    counts : Does each row stand for many? How many, a whole number of 0 or more for each row, or the name of a column:
        the result is as if each row were repeated so often, in the time that the rows take that are there.
    outlier_counts : How many of these are outliers? One number for each row, at most its `counts`, or the name of a
        column; the others are normal. Takes the place of `detector`.
    scores : How strange is each row? Higher is stranger; or the name of a column; the detector's own by default.
    threshold : rows with a score above it are the outliers, whatever the detector's own labels say.
    random_state : seed; the same input and seed give the same explanation, in whatever order the rows, the columns and
        the user's own tags stand. (A clusterer passed as `groups` gets the rows as they stand, and may mind.)
    progress : True for a bar on standard error if it takes longer than two seconds; or a function that is called with
        the name of the stage and the share of it that is done.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990], "kind": ["a"] * 50 + ["b"] * 3})
    >>> explain([0] * 50 + [1] * 3, X)
    Explanation(3 of 3 outliers in 1 group by 1 rule)
    """
    given = dict(locals())
    facts = call_facts(explain, given)
    settings = Settings.of(given)
    rows = {"features": features, "counts": counts, "outlier_counts": outlier_counts}
    labels = {"detector": detector, "scores": scores, "threshold": threshold}
    data = read_input(X, rows, labels, settings, progress)
    known_rules = read_known(known, data.table)
    explanation = with_metadata(explain_data(data, settings, progress, known_rules), **facts)
    return attach_explanation(explanation, detector)


class OutlierExplainer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Explain labelled outliers, as a scikit-learn estimator; see `explain` for the parameters.

    Attributes
    ----------
    explanation_ : the explanation, after `fit`.
    n_features_in_, feature_names_in_ : number of columns seen by `fit`, and their names if they had some.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
    >>> explainer = OutlierExplainer().fit(X, [0] * 50 + [1] * 3)
    >>> explainer.predict(pd.DataFrame({"amount": [7, 2000]})).tolist()
    [0, 1]
    >>> explainer.get_feature_names_out().tolist()
    ['group 1: amount >= 500']
    """

    @accept_simplify
    def __init__(
        self,
        *,
        groups: Any = "reasons",
        tags: Any = "auto",
        method: str | Explainer = "mdl",
        max_length: int = 3,
        min_lift: float = 1.0,
        relations: Any = "auto",
        negations: bool = True,
        detail: float | str = "auto",
        id_columns: str | Collection[str] = "auto",
        exclude: Collection[str] = (),
        random_state: Any = 0,
        progress: bool | Callable[[str, float], Any] | None = None,
    ) -> None:
        self.groups = groups
        self.tags = tags
        self.method = method
        self.max_length = max_length
        self.min_lift = min_lift
        self.relations = relations
        self.negations = negations
        self.detail = detail
        self.id_columns = id_columns
        self.exclude = exclude
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: Any = None, counts: Any = None, outlier_counts: Any = None) -> OutlierExplainer:
        """Explain the outliers that `y` marks.

        Parameters
        ----------
        X : the rows.
        y : 0 normal, 1 outlier, or 0 and group numbers.
        counts, outlier_counts : how many rows each row stands for, and how many of these are outliers, as for
            `explain`; the latter take the place of `y`.
        """
        settings = Settings.of(self.get_params(deep=False))
        table = as_table(X)
        data = read_labelled(table, X, y, counts, outlier_counts)
        self.explanation_ = explain_data(data, settings, self.progress)
        self._remember_columns(X, table)
        return self

    def predict(self, X: Any) -> IntArray:
        """Give each row 0, or the number of the group whose description it matches.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order; or an array with all columns of `fit`.
        """
        rows = self._rows(X)  # first, since it says that nothing is fitted
        return self.explanation_.predict(rows)

    def transform(self, X: Any) -> BoolArray:
        """Give a column of True and False per rule; `set_output` makes it a DataFrame.

        Parameters
        ----------
        X : as for `predict`.
        """
        rows = self._rows(X)
        return self.explanation_.matches(rows)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:  # noqa: ARG002 - sklearn's API
        """Name the columns of `transform`: the rules, with their groups."""
        check_is_fitted(self, "explanation_")
        return np.array([rule.name for rule in self.explanation_.rules], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _remember_columns(self, X: Any, table: Table) -> None:
        self.n_features_in_ = len(table.columns)
        if has_names(X):
            self.feature_names_in_ = np.array(list(table.columns), dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # of an earlier fit

    def _rows(self, X: Any) -> Table:
        """Read new rows: named columns by their names, the columns of an array by their order."""
        check_is_fitted(self, "explanation_")
        names = getattr(self, "feature_names_in_", None)
        needed = self.explanation_.summary.rule_columns
        if has_names(X) and names is not None:
            return as_table(X, only=needed)
        known = list(names) if names is not None else [f"x{i}" for i in range(self.n_features_in_)]
        theirs = column_names(X)
        if len(theirs) != self.n_features_in_:
            as_table(X)  # what is no table at all is refused as such
            raise PyodExplainError(
                f"X has {len(theirs)} features, but OutlierExplainer is expecting {self.n_features_in_} "
                "features as input.",
                hint="columns without names count by their order; a table needs only some.",
            )
        ours = {their: our for their, our in zip(theirs, known, strict=True) if our in needed}
        table = as_table(X, only=list(ours))
        return replace(table, columns={ours[name]: replace(c, name=ours[name]) for name, c in table.columns.items()})


def explain_data(data: Data, settings: Settings, progress: Any = None, known: Known | None = None) -> Explanation:
    """Search for rules and collect what was found.

    Parameters
    ----------
    data : the rows, and which are outliers.
    settings : how to search.
    progress : as for `explain`.
    known : rules that are known.
    """
    population = data.population
    if known is not None:
        _check_by_reasons(settings, data.outliers)
        settings = replace(settings, known=known.tags)
    ready = prepare(data.table, data.outliers, settings, None if population is None else population.row_counts)
    table, outliers, asked, settings = ready.table, ready.outliers, settings, ready.settings
    parameters = {**asked.shown, "tags": settings.shown["tags"]}
    if population is not None:
        parameters["sample"] = shown(population.sample)
    new: list[Rule] = []
    if known is not None and known.before is not None and known.before.cells is not None:
        earlier = known.before.cells
        new = new_kinds(without_returned(table.take(outliers.rows), settings.known, earlier), earlier)
        settings = replace(settings, new=tuple(rule.tag for rule in new))
    if outliers.n_outliers(table) == 0:
        n_rows = None if population is None else population.n_rows
        nothing = with_metadata(empty_explanation(table, outliers, parameters, n_rows), date=today())
        return nothing if known is None else with_known(nothing, known, new)
    _check_something_to_compare(table, outliers, data.argument)
    with start(progress) as step:
        try:
            found = search(table, outliers, settings, step=step)
            if population is not None:
                found = rescore_on_all_rows(found, settings, population, step)
        except InfeasibleError as error:
            _refer_to_rows(error, outliers, population)
            raise
        if settings.by_reasons and outliers.numbers is None:
            found = group_by_reasons(found)
        found = replace(found, notes=(*found.notes, *ready.notes))
        settings = replace(_without_rows(settings, outliers), new=())
        context = FitContext(found.table, outliers, found.groups, found.tags, settings)
        explanation = with_metadata(make_explanation(found, outliers, parameters, context), date=today())
        return explanation if known is None else with_known(explanation, known, new)


def _check_by_reasons(settings: Settings, outliers: Outliers) -> None:
    if not settings.by_reasons or outliers.numbers is not None:
        got = "groups that were given with the labels" if settings.by_reasons else f"groups={shown(settings.groups)}"
        hint = "rules make the groups then: those that are known and those that are found."
        raise ParameterError("known", 'None unless groups="reasons"', got_text=got, hint=hint, owner="explain()")


def _refer_to_rows(error: InfeasibleError, outliers: Outliers, population: Population | None) -> None:
    """Name the rows of the user's table; of a sample say that nothing is proved of all rows."""
    if outliers.source_rows is not None:
        error.rows = tuple(int(outliers.source_rows[row]) for row in error.rows)
    if population is not None:
        error.proved = False
        error.hint = (
            f"{error.hint} Only rules were tried that were found with a sample of {population.n_sampled:,} of the "
            f"{population.n_normals:,} normal rows: a larger sample, LargeTable(X, sample=...), may find others."
        )


def _without_rows(settings: Settings, outliers: Outliers) -> Settings:
    """Return the settings as they apply to other rows: groups that were given row by row are None in them."""
    chosen = (settings.by_reasons or settings.by_kmeans) and outliers.numbers is None
    if chosen or isinstance(settings.groups, numbers.Integral) or hasattr(settings.groups, "fit_predict"):
        return settings
    return replace(settings, groups=None)


def _check_something_to_compare(table: Table, outliers: Outliers, argument: str) -> None:
    if not table.columns:
        raise ParameterError(
            "X",
            "a table with columns to explain with",
            got_text=f"only {', '.join(map(repr, outliers.columns))}, which says which rows are outliers",
            hint=Message("pass the other columns too, or as {arg_features}."),
        )
    if outliers.n_normals(table) == 0:
        hint = (
            "add the rows that are not marked, or pass how many of `counts` are outliers, not `counts` again."
            if argument == "outlier_counts"
            else "lower the detector's contamination, or add the rows that it takes for normal; where 1 means normal, "
            "as in scikit-learn, pass `labels == -1`."
        )
        got = f"{outliers.n_outliers(table):,} outliers and no normal row"
        raise ParameterError(argument, "such that some rows are normal", got_text=got, hint=hint)
