"""From a fitted detector to an explanation, one line a stage. Read this first."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from pyod_explain._progress import start
from pyod_explain._validate import check_choice, check_flag, check_int, check_number, draw_seed, shown
from pyod_explain.beyond_memory import (
    ChunkLabeler,
    Engine,
    Population,
    Source,
    Whole,
    as_source,
    check_row_order,
    choose_engine,
    default_sample,
    read_into_memory,
    read_population,
    rescore_on_all_rows,
)
from pyod_explain.exceptions import InfeasibleError, PyodExplainError
from pyod_explain.explainers import MDL, Explainer, explainer_of
from pyod_explain.explanation import Explanation
from pyod_explain.input import (
    Outliers,
    Table,
    as_table,
    carried_data,
    column_names,
    find_outliers,
    has_names,
    in_lines,
    read_copies,
    read_labels,
    row_order,
    row_weights,
    same_number_of_rows,
)
from pyod_explain.result import Basis, Recipe, call_facts, check_placebo, today
from pyod_explain.search import Found, Search
from pyod_explain.solvers import UncoverableError
from pyod_explain.tags import (
    Condition,
    Tag,
    check_labels,
    check_relations,
    choose_identifiers,
    columns_used,
    join_given,
    relations_without,
    resolve_relations,
    without_columns,
)
from pyod_explain.word import Entry, Word, read_word, said_of

__all__ = ["OutlierExplainer", "explain", "explain_outliers", "read_table"]

ONE_SOLVER = "MDL has one solver, a local search: solver={!r} had no effect."


def explain(
    detector: Any = None,
    X: Any = None,
    *,
    features: Any = None,
    groups: Any = "reasons",
    tags: Any = "auto",
    method: str | Explainer = "mdl",
    solver: str = "refined",
    weight: float | Sequence[float] | None = None,
    max_tags: int | Sequence[int] | None = None,
    max_uncovered: float | Sequence[float] | None = None,
    max_length: int = 3,
    min_lift: float = 1.0,
    simplify: float | str = "auto",
    identifiers: str | Collection[str] = "auto",
    negations: bool = True,
    relations: Any = "auto",
    keep: Collection[str | Tag | Condition] | None = None,
    ban: Collection[str | Tag | Condition] | None = None,
    sample_weight: Any = None,
    counts: Any = None,
    outlier_counts: Any = None,
    scores: Any = None,
    threshold: float | None = None,
    rows: str | None = None,
    sample: int | None = None,
    engine: Any = None,
    random_state: Any = 0,
    attach: bool = True,
    validate: int | None = None,
    control: str | None = None,
    n_draws: int = 5,
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
        frames, or a function that makes one. A detector then predicts them chunk by chunk.
    features : In which words? Readable columns to explain with, same rows as `X`; `X` itself by default. With it, `X`
        may be anything that the detector takes: a time series, texts, a graph's nodes.
    groups : Which outliers belong together? `"reasons"` (all are described as one, and its rules make the groups: each
        outlier is with the rule that names it best), `"auto"` (k-means, as many groups as make the explanation
        shortest), a number (k-means), a label for each row or outlier, the name of a column (one that is called
        "auto" or "reasons" is passed as `X["auto"]`), or a clusterer.
    tags : What are rules made of? `"auto"`, `"itemsets"`, `"forest"`, a maker, or the user's own tags.
    method : What is a good explanation? `"mdl"` (shortest description, no parameters), `"wccm"`, `"bccm"`, `"pdm"`,
        `"dtdm"`, or an explainer object.
    solver : How hard to look for it: `"refined"`, `"greedy"` (the paper's algorithms) or `"exact"`.
    weight, max_tags, max_uncovered : parameters of the method; its own defaults where None. An explainer object has
        its own, and its own solver.
    max_length : most conditions in a rule.
    min_lift : a rule must be more than this many times as frequent in its group as among the normals. Explainer
        objects have their own.
    identifiers : Which columns name the rows instead of describing them? Left out of rules and groups: `"auto"`, those
        that look like it (texts that are nearly all distinct, numbers that count up, ...; a note names them), or a
        list of names; `[]` for none. What your own tags speak of is never left out.
    negations : May rules say what a value is not? False for no "is not", "is none of" and "is not missing" in rules
        (your own tags stay).
    relations : May a rule speak of two columns at once: `outlet - inlet < 4.5`? True looks at the difference, ratio,
        product and sum of any two columns of numbers; or a list of pairs of columns, of (column, one of `-/*+`,
        column), or a function of the columns' names that returns one; False for none. `"auto"` is True for `"mdl"`
        with `tags="auto"`, where each is paid for in bits, up to 100 columns. Makers have their own:
        `Itemsets(relations=...)`.
    keep : What must be said? Rules (each a `Tag` or a `Condition`) that are part of the description, and columns that
        some rule speaks of, whatever that costs; notes say how much. For `"mdl"`.
    ban : What must not be said? Columns that no rule speaks of, and rules that are not to be.
    simplify : How much detail? Share of the bits saved that may be given up for brevity: conditions and rules that
        save the fewest are left out, while the loss stays within it; 0 keeps all; `"auto"` takes 2 percent, and for
        details within rules up to 20 where these save very much for their own bits. Your own tags are said as you gave
        them, or not at all, and kept ones stay. For `"mdl"`; the other methods answer what was asked.
    sample_weight : Do some rows count more? How much each does, 0 or more, in what WCCM and BCCM minimise and in FUO,
        FCO and FCN (the description length counts rows, whatever they weigh); `"scores"`: the outliers weigh in
        proportion to how far their score lies above the lowest score of the table, 1 on average, all other rows 1.
    counts : Does each row stand for many? How many, a whole number of 0 or more for each row, or the name of a column:
        the result is as if each row were repeated so often, in the time that the rows take that are there.
    outlier_counts : How many of these are outliers? One number for each row, at most its `counts`, or the name of a
        column; the others are normal. Takes the place of `detector`.
    scores : How strange is each row? Higher is stranger; or the name of a column; the detector's own by default.
    threshold : rows with a score above it are the outliers, whatever the detector's own labels say.
    rows : Has the detector seen these rows? `"train"`: `X` is what it was fitted on, in the same order, and its own
        labels count; `"new"`: it predicts them; None: `"train"` if `X` has as many rows as the detector has labels,
        `"new"` otherwise. Rows that are as many but that the detector scores as others are refused; where it cannot
        tell, a note says so.
    sample : How many normal rows beyond memory to look for rules in, at most; by default as many as fit, with their
        bits, into 256 MB. All outliers are kept. Rows that are no more than this are read as a whole, and explained as
        any table; else the rules are chosen and counted on all rows, and a note says what was looked for in how many.
    engine : Who counts rows beyond memory? None: this process, or Dask for a Dask DataFrame and Spark for a Spark
        DataFrame. A `distributed.Client` or a `SparkSession`: its workers, which read the parquet files of `X`
        themselves.
    random_state : seed; the same input and seed give the same explanation, in whatever order the rows, the columns and
        the user's own tags stand. (A clusterer passed as `groups` gets the rows as they stand, and may mind.)
    attach : keep the explanation on the detector, as `explanation_`.
    validate : Do the rules hold elsewhere? Number of parts to check them by: found again without each part and judged
        on it; the report then has held-out figures beside the others. None for no check (`Explanation.validate` does
        it later).
    control : Would random rows do as well? `"placebo"` repeats the search with random normals in place of the
        outliers, `n_draws` times; the report then shows the real gain beside theirs. None for no control
        (`Explanation.control` does it later).
    n_draws : number of draws of the control.
    progress : True for a bar on standard error if it takes longer than two seconds; or a function that is called with
        the name of the stage and the share of it that is done.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990], "kind": ["a"] * 50 + ["b"] * 3})
    >>> explain([0] * 50 + [1] * 3, X)
    Explanation(3 of 3 outliers in 1 group by 1 rule)
    """
    facts = call_facts(explain, locals())
    explainer = OutlierExplainer(
        groups=groups,
        tags=tags,
        method=method,
        solver=solver,
        weight=weight,
        max_tags=max_tags,
        max_uncovered=max_uncovered,
        max_length=max_length,
        min_lift=min_lift,
        simplify=simplify,
        identifiers=identifiers,
        negations=negations,
        relations=relations,
        keep=keep,
        ban=ban,
        random_state=random_state,
        validate=validate,
        control=control,
        n_draws=n_draws,
        progress=progress,
    )
    if X is None and carried_data(detector) is not None:
        X, rows = carried_data(detector), rows or "train"
    if sample is not None:
        check_int("explain()", "sample", sample, low=1)
    # A list of frames beside `features` is what a detector of series takes.
    source = None if features is not None and isinstance(X, list | tuple) else as_source(X)
    whole = None
    mapped = choose_engine(engine, source)
    if source is not None:
        check_row_order(detector, source)
        rows = rows if source.ordered else "new"
        in_rows = {
            "features": features, "sample_weight": sample_weight, "counts": counts, "outlier_counts": outlier_counts
        }  # fmt: skip
        said_by_row = {"scores": scores, "threshold": threshold, "rows": rows}
        read = _read_source(source, detector, explainer, in_rows, sample, mapped, **said_by_row)
        if isinstance(read, Population):
            explanation = explain_outliers(explainer, read.table, read.outliers, population=read, engine=mapped)
            explanation = explanation.noting(**facts)
            if attach:
                explanation.attach_to(detector)
            return explanation
        whole, X = read, read.frame
    table = whole.table if whole is not None and features is None else read_table(X, features)
    by_scores = isinstance(sample_weight, str) and sample_weight == "scores"
    stands_for = read_copies(counts, outlier_counts, X, table, detector)
    if stands_for.marked is not None and threshold is not None:
        raise PyodExplainError(
            f"`threshold` must be None where `outlier_counts` say which rows are outliers, got {shown(threshold)}."
        )
    if stands_for.marked is None:
        taken = X if whole is None else whole.as_fitted(detector)
        outliers = find_outliers(
            detector,
            taken,
            table,
            scores=scores,
            threshold=threshold,
            training={"train": True, "new": False}.get(rows or ""),
            want_scores=by_scores,
        )
    else:
        outliers = find_outliers(stands_for.labels, X, table, scores=scores)
    table, outliers = stands_for.join(table, outliers)
    weights = row_weights(sample_weight, outliers, table)
    said_by = "detector" if stands_for.marked is None else "outlier_counts"
    explanation = explain_outliers(explainer, table, outliers, weights, argument=said_by).noting(**facts)
    if attach:
        explanation.attach_to(detector)
    return explanation


def _read_source(
    source: Source,
    detector: Any,
    how: OutlierExplainer,
    in_rows: Mapping[str, Any],
    sample: int | None,
    engine: Engine | None,
    *,
    scores: Any,
    threshold: Any,
    rows: str | None,  # noqa: ARG001
) -> Whole | Population:
    """Read rows that come in chunks: all of them where they fit into memory, else what is kept of them."""
    most = default_sample(len(source.columns), source.long_bytes) if sample is None else sample
    whole = read_into_memory(source, most)
    if whole is not None:
        return whole
    for name, value in in_rows.items():
        if value is not None:
            raise PyodExplainError(
                f"`{name}` of explain() must be None for rows beyond memory, got {shown(value)} for {source.name}, "
                f"which has more than {most:,} rows.\nHint: leave it out, or raise `sample=`, so that all are read."
            )
    check_by_row("tags", how.tags, source.name)
    if not isinstance(how.groups, str | numbers.Integral) and not hasattr(how.groups, "fit_predict"):
        check_by_row("groups", how.groups, source.name)
    # The seed that was drawn: a generator would draw another one for the search.
    how.random_state = draw_seed("explain()", how.random_state)
    with start(how.progress) as step:
        labeler = ChunkLabeler(detector, source, scores=scores, threshold=threshold, engine=engine)
        return read_population(source, labeler, sample=most, seed=how.random_state, engine=engine, step=step)


def check_by_row(name: str, value: Any, where: str) -> None:
    """Refuse what was given row by row for rows that are not all there."""
    if hasattr(value, "shape") or hasattr(value, "columns") or (name == "groups" and hasattr(value, "__len__")):
        raise PyodExplainError(
            f"`{name}` of explain() must not be given row by row for rows beyond memory, got {shown(value)} for "
            f"{where}.\nHint: put it into a column and pass its name (tags: pass Tags about it)."
        )


def read_table(X: Any, features: Any) -> Table:
    """Read the columns to explain with; row labels are those of `X` where it has some."""
    if features is None:
        return as_table(X)
    table = as_table(features, argument="features")
    if X is not None:
        same_number_of_rows(X, table.n_rows)
    if not isinstance(X, pd.DataFrame | pd.Series):
        return table
    order = row_order(table.labels, X.index, "features")
    return replace(table if order is None else table.take(order), index=X.index, labelled=True)


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

    def __init__(
        self,
        *,
        groups: Any = "reasons",
        tags: Any = "auto",
        method: str | Explainer = "mdl",
        solver: str = "refined",
        weight: float | Sequence[float] | None = None,
        max_tags: int | Sequence[int] | None = None,
        max_uncovered: float | Sequence[float] | None = None,
        max_length: int = 3,
        min_lift: float = 1.0,
        simplify: float | str = "auto",
        identifiers: str | Collection[str] = "auto",
        negations: bool = True,
        relations: Any = "auto",
        keep: Collection[str | Tag | Condition] | None = None,
        ban: Collection[str | Tag | Condition] | None = None,
        random_state: Any = 0,
        validate: int | None = None,
        control: str | None = None,
        n_draws: int = 5,
        progress: bool | Callable[[str, float], Any] | None = None,
    ) -> None:
        self.groups = groups
        self.tags = tags
        self.method = method
        self.solver = solver
        self.weight = weight
        self.max_tags = max_tags
        self.max_uncovered = max_uncovered
        self.max_length = max_length
        self.min_lift = min_lift
        self.simplify = simplify
        self.identifiers = identifiers
        self.negations = negations
        self.relations = relations
        self.keep = keep
        self.ban = ban
        self.random_state = random_state
        self.validate = validate
        self.control = control
        self.n_draws = n_draws
        self.progress = progress

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, counts: Any = None, outlier_counts: Any = None
    ) -> OutlierExplainer:
        """Explain the outliers that `y` marks.

        Parameters
        ----------
        X : the rows.
        y : 0 normal, 1 outlier, or 0 and group numbers.
        sample_weight : how much each row counts, as for `explain`.
        counts, outlier_counts : how many rows each row stands for, and how many of these are outliers, as for
            `explain`; the latter take the place of `y`.
        """
        table = as_table(X)
        stands_for = read_copies(counts, outlier_counts, X, table, y, argument="y")
        if stands_for.marked is not None:
            y = stands_for.labels
        if y is None:
            raise PyodExplainError(
                "OutlierExplainer requires y to be passed, but the target y is None.\n"
                "Hint: pass the labels of a detector (0 normal, 1 outlier) as `y`, or use ExplainedDetector."
            )
        outliers = read_labels(y, table.n_rows, index=table.labels, argument="y")
        lines, outliers = stands_for.join(table, outliers)
        weights = row_weights(sample_weight, outliers, lines)
        said_by = "y" if stands_for.marked is None else "outlier_counts"
        self.explanation_ = explain_outliers(self, lines, outliers, weights, argument=said_by)
        self._remember_columns(X, table)
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Give each row 0, or the number of the group whose description it matches.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order; or an array with all columns of `fit`.
        """
        rows = self._rows(X)
        return self.explanation_.predict(rows)

    def transform(self, X: Any) -> NDArray[np.bool_]:
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
                "features as input.\nHint: columns without names count by their order; a table needs only some."
            )
        ours = {their: our for their, our in zip(theirs, known, strict=True) if our in needed}
        table = as_table(X, only=list(ours))
        return replace(table, columns={ours[name]: replace(c, name=ours[name]) for name, c in table.columns.items()})


def explain_outliers(
    how: OutlierExplainer,
    table: Table,
    outliers: Outliers,
    weights: NDArray[np.float64] | None = None,
    *,
    argument: str = "detector",
    population: Population | None = None,
    engine: Engine | None = None,
) -> Explanation:
    """Explain the outliers of a table. Each line hands its result to the next; nothing flows back.

    Parameters
    ----------
    how : the settings.
    table : the features.
    outliers : which rows are outliers, and who says so.
    weights : how much each row counts; all the same if None.
    argument : what the user calls the outliers, for messages.
    population : the rows of which these are a part; None where they are all there is.
    engine : counts all of them; this process if None.
    """
    part = population is not None and population.rows_per_sample > 1
    asked = how, table, outliers, weights, population if part else None
    table, outliers, weights, search, given = _prepare(*asked)
    # The seed that was drawn, not the generator that drew it: what a report shows is to give the same result again.
    settings = {**how.get_params(deep=False), "tags": search.tags, "random_state": search.seed}
    if population is not None and part:
        settings["sample"] = population.sample
    parameters = {name: shown(value) for name, value in settings.items() if name != "progress"}
    if outliers.n_outliers == 0:
        n_rows = None if population is None else population.n_rows
        return Explanation.of_nothing(table, outliers, parameters, n_rows).noting(date=today())
    _check_something_to_compare(table, outliers, argument)
    if how.control is not None:
        check_placebo(outliers)  # before the search, which may take long
    with start(how.progress) as step:
        try:
            found = search.run(table, outliers, weights, step=step)
            on_word = _on_word(found, search, *asked)
            if population is not None and part:
                found = rescore_on_all_rows(found, search, outliers, population, engine=engine, step=step)
                found = replace(found, notes=(*found.notes, *_on_checks(how)))
            found = replace(found, notes=(*found.notes, *on_word))
        except InfeasibleError as error:
            told: InfeasibleError = error
            if isinstance(error, UncoverableError) and outliers.lines is not None:
                told = error.at(outliers.lines)
            if population is not None and part:
                _on_sample(told, population)
            if told is error:
                raise
            raise told from error
        recipe = Recipe(search.without_rows(outliers), tuple(found.table.columns), given)
        basis = Basis(found.table, outliers, found.groups, found.tags, recipe, weights)
        explanation = Explanation.of(found, outliers, parameters, basis).noting(date=today())
        del found  # its coverage is the largest thing of all, and the checks make their own
        explanation = explanation.against_chance(random_state=search.seed, progress=step)
        if how.validate is not None:
            explanation = explanation.validate(how.validate, random_state=search.seed, progress=step)
        if how.control is not None:
            explanation = explanation.control(how.n_draws, random_state=search.seed, progress=step)
    return explanation


def _on_sample(error: InfeasibleError, population: Population) -> None:
    """Say of constraints that were not met that not all rules were tried, so that nothing is proved of all rows."""
    more = (
        f"Only rules were tried that were found with a sample of {population.n_sampled:,} of the "
        f"{population.n_normals:,} normal rows: a larger `sample=` may find others."
    )
    error.problem, error.hint = f"{error}\n{more}", ""
    error.proved = False


def _on_checks(how: OutlierExplainer) -> tuple[str, ...]:
    """Say of checks that repeat the search which rows they had."""
    if how.validate is None and how.control is None:
        return ()
    return ("Held-out and random rows are of the outliers and the sample, each of whose rows stands for several.",)


def _prepare(
    how: OutlierExplainer,
    table: Table,
    outliers: Outliers,
    weights: NDArray[np.float64] | None,
    population: Population | None = None,
) -> tuple[Table, Outliers, NDArray[np.float64] | None, Search, tuple[str, ...]]:
    """Make everything ready for the search; name the columns that the user's own tags became, too."""
    table, search, given = _read_settings(how, table, outliers)
    if population is not None:
        return (
            replace(table, copies=population.copies),
            replace(outliers, copies=population.copies),
            None,
            search,
            given,
        )
    if table.copies is None:
        return table, outliers, weights, search, given
    lines = in_lines(table, outliers)
    weights = None if weights is None else weights[lines.rows]
    search = replace(search, groups=lines.spread(search.groups, table, "groups"))
    return lines.table, lines.outliers, weights, search, given


def _on_word(
    found: Found,
    search: Search,
    how: OutlierExplainer,
    table: Table,
    outliers: Outliers,
    weights: NDArray[np.float64] | None,
    population: Population | None,
) -> list[str]:
    """Say what each thing that the user wants used, or not, costs: the same search is run without it."""
    word, notes = read_word(how.keep, how.ban), []
    spoken = {name for one in found.rules for tag in one for name in tag.columns}
    mute = [name for name in word.kept_columns if name not in spoken]
    if mute:
        raise PyodExplainError(
            f"`keep` of explain() must name columns that rules can be made of, got {mute[0]!r}, of which there is no "
            "rule to choose from that tells any rows from others.\nHint: leave it out, or pass a Tag about it."
        )
    for entry in (*word.keep, *word.ban):
        left = {"keep": [one for one in word.keep if one != entry], "ban": [one for one in word.ban if one != entry]}
        # The seed that was drawn: a generator would draw another.
        other = copy(how).set_params(**left, random_state=search.seed)
        kept = entry in word.keep
        costs: float | None = None
        example = None
        with suppress(PyodExplainError):  # which leaves the costs unknown, and is said
            rows, marked, weighed, without, _ = _prepare(other, table, outliers, weights, population)
            freely = without.run(rows, marked, weighed)
            costs = found.selection.objective - freely.selection.objective
            example = None if kept else _first_about(freely, entry)
        bits = isinstance(search.explainer, MDL)
        notes.append(said_of(entry, costs, kept=kept, bits=bits, example=example))
    return notes


def _first_about(found: Found, entry: Entry) -> Tag | None:
    """Give the first rule that a ban would keep out."""
    rules = (tag for one in found.rules for tag in one)
    return next((tag for tag in rules if entry in (tag.columns if isinstance(entry, str) else [tag])), None)


def _check_keeps(word: Word, explainer: Explainer, method: Any) -> None:
    if word.keep and not explainer.keeps:
        raise PyodExplainError(
            f"`keep` of explain() must be None with method={shown(method)}, got {shown(list(word.keep))}: only "
            'method="mdl" takes rules that must be used.\nHint: method="mdl"; or `ban`, which all methods take.'
        )
    most = getattr(explainer, "max_tags", None)
    if most is not None and isinstance(most, int) and len(word.keep) > most:
        raise PyodExplainError(
            f"`keep` of explain() must have at most `max_tags` entries, got {len(word.keep):,} where max_tags={most:,}."
        )


def _read_settings(how: OutlierExplainer, table: Table, outliers: Outliers) -> tuple[Table, Search, tuple[str, ...]]:
    """Check the settings and join the user's own tags to the table; name the columns that they became, too."""
    word = read_word(how.keep, how.ban)
    check_labels([how.tags, list(word.kept)], table.drop(word.banned_columns))
    check_relations(how.relations, how.tags)
    tags, joined = join_given(how.tags, table)
    given = tuple(name for name in joined.columns if name not in table.columns)
    explainer = explainer_of(
        how.method,
        solver=how.solver,
        min_lift=how.min_lift,
        weight=how.weight,
        max_tags=how.max_tags,
        max_uncovered=how.max_uncovered,
    )
    _check_numbers(how)
    _check_keeps(word, explainer, how.method)
    described = joined.drop(outliers.columns)
    word.check(described, how.groups)
    named = {how.groups} if isinstance(how.groups, str) else set()
    unsaid = word.banned_columns - named  # the groups may still be read from it
    described = described.drop(unsaid)
    if unsaid:
        tags = _without(tags, unsaid)
    spared = columns_used(tags, described) | named | word.spoken_of
    left_out, on_identifiers = choose_identifiers(_others(how.identifiers, unsaid), described, spared=spared)
    one_solver = (ONE_SOLVER.format(how.solver),) if how.method == "mdl" and how.solver != "refined" else ()
    table = described.drop(left_out).by_name()
    search = Search(
        groups=how.groups,
        tags=tags,
        explainer=explainer,
        max_length=how.max_length,
        relations=resolve_relations(
            relations_without(how.relations, unsaid), how.tags, table, counts_bits=isinstance(explainer, MDL)
        ),
        min_lift=how.min_lift,
        simplify=how.simplify,
        negations=how.negations,
        seed=draw_seed("explain()", how.random_state),
        notes=(*one_solver, *on_identifiers),
        keep=word.kept,
        keep_columns=word.kept_columns,
        banned=word.banned,
        banned_columns=word.banned_columns,
    )
    return table, search, tuple(name for name in given if name in table.columns)


def _without(tags: Any, unsaid: Collection[str]) -> Any:
    """Leave the user's own tags out that speak of banned columns."""
    left = without_columns(tags, unsaid)
    if left is None:
        raise PyodExplainError(
            f"`ban` of explain() must leave some of the tags, got {', '.join(map(repr, sorted(unsaid)))}, of which all "
            f"of tags={shown(tags)} speak."
        )
    return left


def _others(identifiers: Any, unsaid: Collection[str]) -> Any:
    """Leave out of a list of identifiers what is left out already."""
    if isinstance(identifiers, str | bytes) or not isinstance(identifiers, Collection):
        return identifiers
    return [name for name in identifiers if name not in unsaid]


def _check_numbers(how: OutlierExplainer) -> None:
    """Check before the work starts what is used only after it."""
    check_int("explain()", "max_length", how.max_length, low=1)
    check_int("explain()", "n_draws", how.n_draws, low=1)
    check_flag("explain()", "negations", how.negations)
    if not (isinstance(how.simplify, str) and how.simplify == "auto"):
        check_number("explain()", "simplify", how.simplify, low=0.0, high=1.0)
    if how.validate is not None:
        check_int("explain()", "validate", how.validate, low=2)
    if how.control is not None:
        check_choice("explain()", "control", how.control, among=("placebo",))


def _check_something_to_compare(table: Table, outliers: Outliers, argument: str) -> None:
    if not table.columns:
        raise PyodExplainError(
            f"`X` must have a column to explain with, got only {', '.join(map(repr, outliers.columns))}, which "
            "says who is an outlier.\nHint: pass the other columns too, or as `features=`."
        )
    if outliers.n_normals == 0:
        hint = (
            "add the rows that are not marked, or pass how many of `counts` are outliers, not `counts` again."
            if argument == "outlier_counts"
            else "lower the detector's contamination, or add the rows that it takes for normal; where 1 means normal, "
            "as in scikit-learn, pass `labels == -1`."
        )
        raise PyodExplainError(
            f"`{argument}` must leave some rows normal, to tell the outliers from, got {outliers.n_outliers:,} "
            f"outliers and no normal row.\nHint: {hint}"
        )
