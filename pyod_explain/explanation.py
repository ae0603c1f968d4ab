"""`Explanation`: the result. Collected once from the stages, then only read: printed, exported, asked about rows."""

from __future__ import annotations

import time
import warnings
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from pyod_explain import result
from pyod_explain._arrays import BoolArray, IntArray
from pyod_explain._progress import start
from pyod_explain.beyond_memory import as_source
from pyod_explain.exceptions import Message, ParameterError, PyodExplainError, StaleExplanationWarning, Words, render
from pyod_explain.explainers import Selection
from pyod_explain.input import Outliers, Table, column_names
from pyod_explain.known import Known, judge_known, may_be_counted
from pyod_explain.metrics import metrics_frame
from pyod_explain.report import Changes, Views, draw, from_dict, from_json, plot_detail, rows_part, to_snippet, to_text
from pyod_explain.search import Found

SAMPLED_CHECKS = Message("Figures on held-out and random rows are of the {outliers} and a sample of the {normals}.")
Progress = bool | Callable[[str, float], Any] | None


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Views):
    """A few rules per group of outliers, what they cover, and how good they are.

    Made by `explain` or `OutlierExplainer`. `repr` is one line, `str` the report. Two explanations are equal if their
    summaries are equal.

    Attributes
    ----------
    summary : everything that the reports say, as plain values.
    selection : the solver's answer, with its status, bound and gap; None for one that was read from a file.

    Examples
    --------
    >>> from pyod_explain import explain
    >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
    >>> e = explain([0] * 50 + [1] * 3, X)
    >>> e.to_frame()[["group", "rule", "outliers", "normals"]].to_dict("records")
    [{'group': 1, 'rule': 'amount >= 500', 'outliers': 3, 'normals': 0}]
    >>> print(e.for_row(51))
    Row 51 is an outlier of group 1, because
      amount >= 500 (it is 950)
    """

    summary: result.Summary
    selection: Selection | None = None
    _context: result.FitContext | None = None  # the table and the settings; None if pickled or read from a file
    _origin: result.OutlierOrigin | None = None  # the outliers' positions and scores; None if read from a file
    _detector: weakref.ref[Any] | None = None  # the detector that has it as `explanation_`

    def __repr__(self) -> str:
        groups, rules = result.count(len(self.summary.reasons), "group"), result.count(len(self.rules), "rule")
        stale = "; stale" if self.is_stale() else ""
        explained = f"{self.summary.n_explained:,} of {self.summary.count_outliers(self.n_outliers)}"
        return f"Explanation({explained} in {groups} by {rules}{stale})"

    def __str__(self) -> str:
        report = to_text(self.summary)
        return f"{result.STALE}\n\n{report}" if self.is_stale() else report

    def _repr_html_(self) -> str:
        return to_snippet(self.summary)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Explanation) and self.summary == other.summary

    def __hash__(self) -> int:
        return hash((self.summary.detector, self.n_rows, self.rules))

    def __getstate__(self) -> dict[str, Any]:
        """Leave the table out: an explanation is saved with its detector, and the table may be large."""
        return {name: None if name in ("_context", "_detector") else value for name, value in vars(self).items()}

    # --- what it says ---------------------------------------------------------------------------------------------

    @property
    def groups(self) -> tuple[result.GroupExplanation, ...]:
        """The groups, each with its rules."""
        return self.summary.groups

    @property
    def rules(self) -> tuple[result.Rule, ...]:
        """The rules of all groups."""
        return self.summary.rules

    @property
    def unexplained(self) -> list[Hashable]:
        """Row labels of the outliers that no rule of their group covers."""
        return self.summary.unexplained

    @property
    def metrics(self) -> pd.DataFrame:
        """A row per group: FUO, FCO, FCN, AL, NT, MDL; `.attrs` has `mdl` and `mdl_empty` of all groups together."""
        return metrics_frame([group.metrics for group in self.groups], mdl=self.mdl, mdl_empty=self.mdl_empty)

    @property
    def mdl(self) -> float:
        """The paper's bits, added up over the groups; `summary.bits` are those that `share_saved` is about."""
        return self.summary.mdl

    @property
    def mdl_empty(self) -> float:
        """The paper's bits of naming every outlier with its group; `summary.bits_named` are those of naming them."""
        return self.summary.mdl_empty

    @property
    def share_saved(self) -> float:
        """Share of the bits of a list of the outliers that the rules save; 0 or less: they explain nothing."""
        return self.summary.share_saved

    @property
    def n_rows(self) -> int:
        """Number of rows in the table."""
        return self.summary.n_rows

    @property
    def n_outliers(self) -> int:
        """Number of outliers."""
        return self.summary.n_outliers

    @property
    def notes(self) -> tuple[str, ...]:
        """What else a reader should know: limits that were reached, columns that were left out."""
        return self.summary.notes

    # --- files and plots ------------------------------------------------------------------------------------------

    @classmethod
    def from_json(cls, text: str | bytes | Path) -> Explanation:
        """Read what `to_json` wrote: the text, or the path of the file; anything else is refused, with the reason.

        The result prints, predicts, compares and exports like the original. It has no table: `for_row` and
        `counterfactual` need one passed to them, `validate` and `placebo_test` need the original.

        Parameters
        ----------
        text : JSON text, or a `Path`.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> Explanation.from_json(e.to_json()) == e
        True
        """
        return cls(from_json(text))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Explanation:
        """Read what `to_dict` returned.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> Explanation.from_dict(e.to_dict())
        Explanation(3 of 3 outliers in 1 group by 1 rule)
        """
        return cls(from_dict(data))

    def plot(self, kind: str = "coverage", *, ax: Any = None, **options: Any) -> Any:
        """Draw with matplotlib; returns what was drawn on and never shows it.

        Parameters
        ----------
        kind : `"coverage"`: rules by outliers, and the normals matched. `"groups"`: what sets each group apart.
            `"pairs"`: the few scatter plots of two columns each that show the most outliers apart (LookOut).
            `"detail"`: how well rules of several levels of detail hold on held-out rows; it searches again.
        ax : Axes to draw on; for `"pairs"` as many as `budget`. New ones by default.
        options : `budget` (number of plots) for `"pairs"`; `details`, `n_splits` and `random_state` for `"detail"`.

        Returns
        -------
        The Axes; for `"pairs"` the Figure.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> axes = e.plot("groups")
        >>> type(axes).__name__
        'Axes'
        """
        if kind == "detail" and self.groups:
            points = result.detail_curve(result.need_table(self._context, "plot('detail')"), **options)
            return plot_detail(points, ax=ax)
        return draw(kind, self.summary, self.summary.cells, self._context, ax=ax, **options)

    def _from_cells(self, pictures: int, examples: int, interactive: bool | Sequence[str]) -> dict[str, Any]:
        """Give what a page shows of cells: scatter plots of the table, examples, and rows to look at."""
        s, parts = self.summary, dict[str, Any]()
        if not self.groups:
            return parts
        self._warn_if_stale(stacklevel=4)
        scores = None if self._origin is None else self._origin.scores
        if self._context is not None and s.tables is None:  # most rows of a table are not apart from the other's
            parts["pictures"] = result.take_pictures(self._context, s.rule_columns, pictures)
        if examples:
            cells = need_cells(self, "to_html(examples=...)")
            parts["examples"] = result.choose_examples(s, scores, cells, self._context, examples)
        if interactive is not False:
            cells = need_cells(self, "to_html(interactive=...)")
            parts["part"] = rows_part(s, scores, cells, self._context, interactive, parts.get("pictures", ()))
        return parts

    def rename(self, names: Mapping[int, str]) -> Explanation:
        """Return the same explanation with groups called by these names: `rename({1: "large transfers"})`.

        Parameters
        ----------
        names : a name for each group that gets one, by its number; `""` removes a name.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> e = explain([0] * 50 + [1] * 3, pd.DataFrame({"amount": [*range(50), 900, 950, 990]}))
        >>> e.rename({1: "large transfers"}).groups[0].title
        'Group 1 (large transfers)'
        """
        return with_summary(self, groups=result.renamed(self.groups, names))

    # --- rows -----------------------------------------------------------------------------------------------------

    def for_row(self, label: Any = None, X: Any = None, *, position: int | None = None) -> result.RowExplanation:
        """Explain one row: the rules that cover it with its own values; or what is extreme in it, and the nearest miss.

        An outlier is asked about the rules of its own group, any other row about all rules.

        Parameters
        ----------
        label : the row's label in the index of the table that was explained, be it an outlier or not. Or a new row: a
            dict or Series of its cells by column, or a DataFrame of one row.
        X : the table; needed only for an explanation that was read from JSON, or one of rows beyond memory if the row
            is not an outlier.
        position : the row's position in that table (0 is the first), instead of its label, where labels repeat.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> print(e.for_row(7))
        Row 7 is not among the outliers, and matches no rule.
        The nearest rule, of group 1:
          if amount >= 500 (it is 7, which fails)
        >>> print(e.for_row({"amount": 700}))
        The row matches a rule of group 1:
          if amount >= 500 (it is 700)
        """
        self._warn_if_stale()
        found = result.find_row(self.summary, self._origin, self._context, label=label, position=position, X=X)
        return result.explain_row(found, self.summary)

    def counterfactual(
        self, label: Hashable = None, X: Any = None, *, position: int | None = None
    ) -> result.Counterfactual:
        """Find the smallest change of an outlier's values after which no rule of its group matches it.

        Fewest changed cells first; of these the change that is smallest in typical differences between normals. The
        detector is not asked: this is about the rules.

        Parameters
        ----------
        label : the row's label in the index of the table that was explained.
        X : the table; needed only for an explanation that was read from JSON.
        position : the row's position in that table (0 is the first), instead of its label, where labels repeat.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> print(e.counterfactual(51))
        Row 51 would match no rule of group 1 with
          amount: 950 -> 49
        """
        self._warn_if_stale()
        found = result.find_row(self.summary, self._origin, self._context, label=label, position=position, X=X)
        if found.group is None:
            argument, got = ("label", label) if position is None else ("position", position)
            raise ParameterError(argument, f"the {argument} of an outlier", got=got, owner="counterfactual()")
        return result.counterfactual(found.label, found.group, found.row, self.summary)

    def to_rows(self, X: Any = None, *, rows: str | None = None) -> pd.DataFrame:
        """Give a row per outlier, or per row of a table: what the rules say of it.

        An outlier is asked about the rules of its own group, any other row about all rules. The index has the row
        labels; the columns are

        - `outlier`: whether the row is one; missing where nobody says so;
        - `group`: the group of an outlier; of another row that of the most precise rule that matches it, 0 if none;
        - `explained`: whether a rule of its group matches an outlier; missing for other rows;
        - `score`: how strange the detector finds it; missing where that is not known;
        - `rules`: the rules that match, and `saw`: the values that they speak of;
        - `extreme`: what is extreme in an outlier that no rule of its group matches, of the thousand strangest;
        - where none matches `nearest` and `nearest_group`: the rule that it misses by least, fewest failing conditions
          first; `missed`: the conditions that fail; `distance`: how far it is from meeting them, in typical
          differences of the columns between normals, 1 for each that has no order or no value; `saw` is then what
          that rule saw.

        Parameters
        ----------
        X : any rows, with the columns that the rules name: nobody says which of them are outliers. The outliers of the
            table that was explained by default. `scan` takes rows beyond memory.
        rows : `"all"`, without `X`: all rows of the table that was explained, while it is in memory.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> e = explain([0] * 50 + [1] * 3, pd.DataFrame({"amount": [*range(50), 900, 950, 990]}))
        >>> e.to_rows()[["group", "rules", "saw"]].head(1).to_dict("records")
        [{'group': 1, 'rules': 'amount >= 500', 'saw': 'amount = 900'}]
        >>> e.to_rows(pd.DataFrame({"amount": [480]}))[["group", "missed"]].to_dict("records")
        [{'group': 0, 'missed': 'amount >= 500 (it is 480)'}]
        """
        self._warn_if_stale()
        _check_in_memory(X, "to_rows()")
        return result.to_rows(self.summary, self._origin, self._context, X, rows)

    def contributions(self, X: Any) -> pd.DataFrame:
        """Give for each row and column how much the rules that match the row owe to the column, in bits.

        A rule has the more bits the rarer it is: log2((N + 1) / (n + 1)), where n of the N normals match it. They are
        split among its conditions in proportion to the bits that each has alone, reckoned in the same way; a condition
        on two columns gives half to each. So a row's contributions add up to the bits of all rules that match it, of
        whatever group, and are 0 where none does. The detector is not asked: this is about the rules.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order.

        Returns
        -------
        A frame with the rows and the columns of `X`; columns that no rule names have 0.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(63), 900, 950, 990], "day": [1, 2, 3] * 22})
        >>> e = explain([0] * 63 + [1] * 3, X)
        >>> e.contributions(X).tail(2).to_dict("records")
        [{'amount': 6.0, 'day': 0.0}, {'amount': 6.0, 'day': 0.0}]
        """
        return result.contributions(self.summary, self._read(X, "contributions()"), column_names(X))

    # --- its detector ---------------------------------------------------------------------------------------------

    def is_stale(self, detector: Any = None) -> bool:
        """Tell whether a detector was fitted again since it was explained, and marks other rows now.

        A refit is noticed by the labels of the training rows, so one that marks the same rows goes unnoticed, and so
        do detectors that keep no labels (those of scikit-learn, but for LocalOutlierFactor).

        Parameters
        ----------
        detector : the one to compare with; the one that the explanation is attached to by default. A copy or a pickle
            is no longer attached: name the detector, or explain it again.

        Examples
        --------
        >>> from pyod.models.knn import KNN
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> detector = KNN(contamination=0.05).fit(X)
        >>> e = explain(detector, X)
        >>> e.is_stale()
        False
        >>> _ = detector.fit(X[::-1])
        >>> e.is_stale()
        True
        """
        attached = None if self._detector is None else self._detector()
        held = attached if detector is None else detector
        return held is not None and self._origin is not None and self._origin.is_outdated(held)

    def _warn_if_stale(self, stacklevel: int = 3) -> None:
        if self.is_stale():
            warnings.warn(result.STALE, StaleExplanationWarning, stacklevel=stacklevel)

    def _read(self, X: Any, call: str) -> Table:
        self._warn_if_stale(stacklevel=4)
        _check_in_memory(X, call)
        return result.read_rows(self.summary, X)

    # --- new rows -------------------------------------------------------------------------------------------------

    def matches(self, X: Any) -> BoolArray:
        """Tell for each row (of the result) and each of `rules` (columns) whether the rule covers it.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order. `scan` takes rows beyond memory.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> e.matches(pd.DataFrame({"amount": [7, 2000]})).tolist()
        [[False], [True]]
        """
        return result.match_rules(self.summary, self._read(X, "matches()"))

    def predict(self, X: Any) -> IntArray:
        """Give each row 0, or the number of the group whose description it matches.

        Where the descriptions of several groups match, the most precise matching rule decides; of equally precise
        ones the first in `rules`.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order. `scan` takes rows beyond memory.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> e.predict(pd.DataFrame({"amount": [7, 2000]})).tolist()
        [0, 1]
        """
        return result.group_of(self.summary, self._read(X, "predict()"))

    def transform(self, X: Any) -> pd.DataFrame:
        """Give a column of True and False per rule, named by group and rule.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order. `scan` takes rows beyond memory.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> e.transform(pd.DataFrame({"amount": [7, 2000]})).to_dict("list")
        {'group 1: amount >= 500': [False, True]}
        """
        table = self._read(X, "transform()")
        matches, names = result.match_rules(self.summary, table), [rule.name for rule in self.rules]
        return pd.DataFrame(matches, columns=names, index=table.index)

    def scan(self, source: Any) -> Any:
        """Read rows beyond memory lazily: the rows, each with its `group`, `rule` and `text`.

        `group` is 0 where no rule matches, `rule` the number of the rule that decides (1 is the first of `rules`) and
        `text` the rule. A name that the rows have already gets an underscore. An index with a name becomes a column, an
        index without one is left out.

        Parameters
        ----------
        source : whatever `explain` takes as `X`: the path of a parquet file, a folder or a pattern, a
            `pyarrow.dataset`, a DuckDB relation, a frame of Polars, Dask or Spark, an iterable of frames, or a frame.

        Returns
        -------
        A `pyarrow.RecordBatchReader`, which reads the rows while it is read, so that they can be written batch by
        batch.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> e.scan([pd.DataFrame({"amount": [7, 2000]})]).read_all().select(["amount", "group", "rule"]).to_pydict()
        {'amount': [7, 2000], 'group': [0, 1], 'rule': [None, 1]}
        """
        self._warn_if_stale()
        rows = as_source(source) or as_source([source])  # a frame in memory is one chunk
        if rows is None:
            raise ParameterError("source", "rows that explain() takes as `X`", got=source, owner="scan()")
        return result.scan(self.summary, rows)

    # --- checks ---------------------------------------------------------------------------------------------------

    def validate(self, n_splits: int = 5, *, random_state: Any = 0, progress: Progress = None) -> Explanation:
        """Return the same explanation with figures on held-out rows beside those on the rows it was found on.

        The rules are found again `n_splits` times, each time without one part of the rows, and evaluated on that part.
        The figures are in `summary.validation`.

        Parameters
        ----------
        n_splits : number of parts. For rows beyond memory these are the outliers and the sample; a note says so.
        random_state : seed of the split: a whole number, None, or numpy's RandomState or Generator.
        progress : True for a bar, or a function of stage and share done.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(90), *range(900, 910)]})
        >>> held_out = explain([0] * 90 + [1] * 10, X).validate(5).summary.validation
        >>> held_out.whole.recall, held_out.rules[0].found
        (1.0, 5)
        """
        if not self.rules:
            return self
        context = result.need_table(self._context, "validate()")
        with start(progress) as step:
            begun = time.perf_counter()
            held_out = result.validate(context, self.rules, n_splits=n_splits, random_state=random_state, step=step)
        return self._with_check("validation", held_out, begun)

    def placebo_test(self, n_draws: int = 5, *, random_state: Any = 0, progress: Progress = None) -> Explanation:
        """Return the same explanation with the share saved by a placebo: random normals in place of the outliers.

        The figures are in `summary.placebo`.

        Parameters
        ----------
        n_draws : number of times to draw.
        random_state : seed of the draws: a whole number, None, or numpy's RandomState or Generator.
        progress : True for a bar, or a function of stage and share done.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(90), *range(900, 910)]})
        >>> e = explain([0] * 90 + [1] * 10, X).placebo_test(2)
        >>> e.summary.placebo.by_chance
        False
        """
        if not self.groups:
            return self
        context = result.need_table(self._context, "placebo_test()")
        with start(progress) as step:
            begun = time.perf_counter()
            by_chance = result.placebo(context, self.share_saved, n_draws=n_draws, random_state=random_state, step=step)
        return self._with_check("placebo", by_chance, begun)

    def _with_check(self, name: str, found: Any, begun: float) -> Explanation:
        """Add a check, its time, and once a note if the context has a sample of the normal rows instead of all."""
        s = self.summary
        notes = s.notes if SAMPLED_CHECKS in s.notes or not s.sampled else (*s.notes, SAMPLED_CHECKS)
        timings = {**s.timings, name: time.perf_counter() - begun}
        return with_summary(self, notes=notes, timings=timings, **{name: found})

    def compare(self, other: Explanation) -> Changes:
        """Tell what changed from this explanation to another: which rules are new, gone or changed.

        Each rule is evaluated on the outliers of both; what chance or the search explains is no change.

        It prints, and has `changed`, `to_frame()` and `to_html(path)`.

        Parameters
        ----------
        other : the later explanation.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> monday = pd.DataFrame({"amount": [*range(90), *range(900, 910)], "day": 1})
        >>> tuesday = pd.DataFrame({"amount": [*range(90), *range(5, 15)], "day": [1] * 90 + [7] * 10})
        >>> y = [0] * 90 + [1] * 10
        >>> changes = explain(y, monday).compare(explain(y, tuesday))
        >>> changes.changed
        True
        >>> changes.to_frame()["change"].tolist()
        ['new', 'gone']
        """
        return Changes.of(result.compare(self.summary, other.summary))


def _check_in_memory(X: Any, call: str) -> None:
    if X is not None and as_source(X) is not None:
        hint = "scan(X) reads rows beyond memory, each with its group and rule."
        raise ParameterError("X", "a table in memory", got_text=type(X).__name__, hint=hint, owner=call)


# --- for the stages that make and pass on explanations -------------------------------------------------------------


def make_explanation(
    found: Found, outliers: Outliers, parameters: Mapping[str, str], context: result.FitContext | None = None
) -> Explanation:
    """Collect what a search found."""
    summary = result.collect(found, outliers, parameters)
    origin = result.OutlierOrigin.of(outliers, result.outlier_rows(found), found.table.row_counts)
    return Explanation(summary, found.selection, context, origin)


def empty_explanation(
    table: Table, outliers: Outliers, parameters: Mapping[str, str], n_rows: int | None = None
) -> Explanation:
    """Make the explanation of a table without outliers; `n_rows` is given where the table is a sample of more rows."""
    summary = result.collect_nothing(table, outliers, parameters, n_rows)
    return Explanation(summary, _origin=result.OutlierOrigin.of(outliers, outliers.rows))


def with_summary(explanation: Explanation, **changes: Any) -> Explanation:
    """Return the same explanation with some fields of its summary changed."""
    return replace(explanation, summary=replace(explanation.summary, **changes))


def with_known(explanation: Explanation, known: Known, new: Sequence[result.Rule]) -> Explanation:
    """Return the same explanation with what became of known rules; these are counted where all rows are in memory."""
    s, context = explanation.summary, explanation._context  # noqa: SLF001 - of this module
    counted = {}
    if context is not None and not s.sampled:
        table, numbers = context.table, context.groups.numbers
        for tag in (*known.tags, *(rule.tag for rule in new)):
            if may_be_counted(tag, known, table):
                matched = tag.covers(table)
                n_outliers, n_normals = table.count(matched & (numbers > 0)), table.count(matched & (numbers == 0))
                counted[tag] = result.Figures(n_outliers, s.n_outliers, n_normals, s.n_normals)
    return replace(explanation, summary=judge_known(s, known, counted, new, result.today()[:10]))


def with_metadata(explanation: Explanation, **facts: str) -> Explanation:
    """Return the same explanation with more metadata on how it was made; `""` removes an entry."""
    known = {name: text for name, text in {**explanation.summary.provenance, **facts}.items() if text}
    return with_summary(explanation, provenance=known)


def with_words(explanation: Explanation, words: Words) -> Explanation:
    """Return the same explanation with its notes in a reader's words."""
    return with_summary(explanation, notes=tuple(render(note, words) for note in explanation.notes))


def attach_explanation(explanation: Explanation, detector: Any) -> Explanation:
    """Set `explanation_` of the detector, where it can keep one, so that a later fit is noticed."""
    object.__setattr__(explanation, "_detector", result.attach(explanation, detector))
    return explanation


def need_cells(explanation: Explanation, call: str) -> Table:
    """Give the outliers' cells; refuse an explanation that was read from a file without them."""
    cells = explanation.summary.cells
    if cells is None:
        raise PyodExplainError(
            f"{call} needs the cells of the outliers; an explanation that was read from a file without rows has none.",
            hint="call explain() again, or write the file with to_json(path, rows=True).",
        )
    return cells


def outlier_origin(explanation: Explanation, call: str) -> result.OutlierOrigin:
    """Give the outliers' positions and scores; refuse an explanation that was read from a file."""
    explanation._warn_if_stale(stacklevel=4)  # noqa: SLF001 - of this module
    if explanation._origin is None:  # noqa: SLF001 - of this module
        problem = f"{call} needs the positions of the outliers; an explanation that was read from a file has none."
        raise PyodExplainError(problem, hint="call explain() again.")
    return explanation._origin  # noqa: SLF001 - of this module
