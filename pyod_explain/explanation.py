"""`Explanation`: the result. Collected once from the stages, then only read: printed, exported, asked about rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._progress import start
from pyod_explain._validate import shown
from pyod_explain.beyond_memory import as_source
from pyod_explain.exceptions import PyodExplainError, StaleExplanationWarning
from pyod_explain.explainers import Selection
from pyod_explain.input import Outliers, Table, column_names
from pyod_explain.report import Changes, Views, draw, from_dict, from_json, to_findings, to_snippet, to_text
from pyod_explain.result import (
    STALE,
    WHERE,
    Attachment,
    Basis,
    Counterfactual,
    Example,
    Facts,
    GroupExplanation,
    Origin,
    Picture,
    Recipe,
    RowExplanation,
    Rule,
    Summary,
    ask_row,
    asked_all,
    choose_examples,
    collect,
    collect_nothing,
    compare,
    contributions,
    count,
    counterfactual,
    explain_row,
    group_of,
    locate,
    look_at_chance,
    match_frame,
    match_rules,
    need,
    outlier_cells,
    placebo,
    read_beside,
    read_contributions,
    read_groups,
    read_matches,
    read_rows,
    read_told,
    renamed,
    restore,
    take_pictures,
    to_rows,
    validate,
)
from pyod_explain.search import Found

__all__ = ["Explanation", "GroupExplanation", "RowExplanation", "Rule"]

Progress = bool | Callable[[str, float], Any] | None


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Facts, Views):
    """A few rules per group of outliers, what they cover, and how good they are.

    Made by `explain` or `OutlierExplainer`. `repr` is one line, `str` the report. Two explanations are equal if they
    say the same: their summaries are equal.

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
      if amount >= 500 (it is 950)
    """

    summary: Summary
    selection: Selection | None = None
    outlier_table: Table | None = field(default=None)  # the outliers' cells in the columns of the rules
    basis: Basis | None = field(default=None)  # the whole table and how to search it again; never pickled
    recipe: Recipe | None = field(default=None)  # how to search again
    origin: Origin | None = field(default=None)  # the outliers' positions and scores, the mark of the detector's labels
    attachment: Attachment = field(default_factory=Attachment)  # the detector that keeps it

    def __repr__(self) -> str:
        groups, rules = count(len(self.groups), "group"), count(len(self.rules), "rule")
        stale = "; stale" if self.is_stale() else ""
        explained = f"{self.summary.n_explained:,} of {self.n_outliers:,} outliers"
        return f"Explanation({explained} in {groups} by {rules}{stale})"

    def __str__(self) -> str:
        report = to_text(self.summary)
        return f"{STALE}\n\n{report}" if self.is_stale() else report

    def _repr_html_(self) -> str:
        return to_snippet(self.summary)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Explanation) and self.summary == other.summary

    def __hash__(self) -> int:
        return hash((self.detector, self.n_rows, self.rules))

    def __getstate__(self) -> dict[str, Any]:
        """Leave the table out: an explanation is saved with its detector, and the table may be large."""
        portable = self.basis is None or self.basis.portable  # else it holds the user's tags or weights, row by row
        kept = {"basis": None, "recipe": self.recipe if portable else None, "attachment": Attachment()}
        here = {name: value for name, value in self.__dict__.items() if name != "_taken"}
        return {**here, **kept}

    # --- files and plots ------------------------------------------------------------------------------------------

    @classmethod
    def from_json(cls, text: str | bytes | Path) -> Explanation:
        """Read what `to_json` wrote: the text, or the path of the file; anything else is refused, with the reason.

        The result prints, predicts, compares and exports like the original. It has no table: `for_row` and
        `counterfactual` need one passed to them. Nor does it know how its rules were found: `validate` and `control`
        need the original, or `explain` with `validate=` or `control=`.

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
            `"tradeoff"`: covered normals against uncovered outliers, for a range of parameters. `"pairs"`: the few
            scatter plots of two columns each that show the most outliers apart (LookOut).
        ax : Axes to draw on; for `"pairs"` as many as `budget`. New ones by default.
        options : `budget` (number of plots) for `"pairs"`; `data` (a frame) for `"tradeoff"`.

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
        return draw(kind, self.summary, self.outlier_table, self.basis, ax=ax, **options)

    def _pictures(self, most: int) -> tuple[Picture, ...]:
        if self.basis is None or not self.groups:
            return ()
        if most not in self._taken:
            self._taken[most] = take_pictures(self.basis, self.summary.rule_columns, most)
        return self._taken[most]

    @cached_property
    def _taken(self) -> dict[int, tuple[Picture, ...]]:
        return {}  # by how many were asked for: nothing that they show can change

    def _examples(self, most: int) -> dict[int, list[Example]]:
        if not most or not self.groups:
            return {}
        if self.origin is None or self.outlier_table is None:
            raise PyodExplainError(
                "`examples` of to_html() must be 0 for an explanation that was read from a file, which has no cells of "
                f"the rows, got {most}.\nHint: call explain() again."
            )
        matches = match_rules(self.summary, self.outlier_table)
        return choose_examples(self.summary, self.outlier_table, matches, self.origin, most)

    def rename(self, names: Mapping[int, str]) -> Explanation:
        """Return the same explanation with groups called by these names: `rename({1: "large transfers"})`.

        Parameters
        ----------
        names : a name for each group that gets one, by its number; `""` takes a name away.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> e = explain([0] * 50 + [1] * 3, pd.DataFrame({"amount": [*range(50), 900, 950, 990]}))
        >>> e.rename({1: "large transfers"}).groups[0].title
        'Group 1 (large transfers)'
        """
        return self._with(groups=renamed(self.groups, names))

    def noting(self, /, **facts: str) -> Explanation:
        """Return the same explanation with more said of how it was made: `noting(ticket="OPS-12")`.

        The page, Markdown and JSON list it, beside what `explain` notes: `date`, `call`, and `detector` with its
        parameters or `file`, `size` and `fingerprint` where there are any. Equal explanations may differ in it.

        Parameters
        ----------
        facts : a text for each thing; `""` takes it away.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> e.noting(ticket="OPS-12").summary.provenance["ticket"]
        'OPS-12'
        """
        for name, text in facts.items():
            if not isinstance(text, str):
                raise PyodExplainError(f"`{name}` of noting() must be a text, got {shown(text)}.")
        known = {name: text for name, text in {**self.summary.provenance, **facts}.items() if text}
        return self._with(provenance=known)

    def marked_where(self, test: str) -> Explanation:
        """Return the same explanation, whose outliers are known to be the rows that pass a test: `status != ok`.

        Parameters
        ----------
        test : the test, in words that follow "rows where".

        Examples
        --------
        >>> from pyod_explain import explain
        >>> e = explain([0] * 50 + [1] * 3, pd.DataFrame({"amount": [*range(50), 900, 950, 990]}))
        >>> print(e.marked_where("status != ok").headline.partition(". ")[0])
        3 of 53 rows (5.7%) are outliers: those where status != ok
        """
        return self._with(detector=f"{WHERE}{test}")

    def about_tables(self, now: str, before: str) -> Explanation:
        """Return the same explanation, whose outliers are known to be the rows of one table and its normals of another.

        `compare` of two such speaks of rows of these tables.

        Parameters
        ----------
        now, before : what to call the tables.
        """
        return self._with(tables=(now, before))

    # --- rows -----------------------------------------------------------------------------------------------------

    def for_row(self, label: Any = None, X: Any = None, *, position: int | None = None) -> RowExplanation:
        """Explain one row: the rules that cover it with its own values, or the nearest miss.

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
        asked = ask_row(
            self.summary, self.outlier_table, self.positions, self.basis, label=label, position=position, X=X
        )
        return explain_row(asked.label, asked.group, asked.row, self.summary, outlier=asked.outlier)

    def counterfactual(self, label: Hashable = None, X: Any = None, *, position: int | None = None) -> Counterfactual:
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
        found = locate(self.summary, self.outlier_table, self.positions, label=label, position=position, X=X)
        return counterfactual(*found, self.summary)

    def to_rows(self, X: Any = None, *, rows: str | None = None) -> pd.DataFrame:
        """Give a row per outlier, or per row of a table: what the rules say of it.

        An outlier is asked about the rules of its own group, any other row about all rules. The index has the row
        labels; the columns are

        - `outlier`: whether the row is one; missing where nobody says so;
        - `group`: the group of an outlier; of another row that of the most precise rule that matches it, 0 if none;
        - `explained`: whether a rule of its group matches an outlier; missing for other rows;
        - `score`: how strange the detector finds it; missing where that is not known;
        - `rules`: the rules that match, and `saw`: the values that they speak of;
        - where none matches `nearest` and `nearest_group`: the rule that it misses by least, fewest failing conditions
          first; `missed`: the conditions that fail; `distance`: how far it is from meeting them, in typical
          differences of the columns between normals, 1 for each that has no order or no value; `saw` is then what
          that rule saw.

        Parameters
        ----------
        X : any rows, with the columns that the rules name: nobody says which of them are outliers. With `rows`: the
            table that was explained, needed only where it is not kept (after pickling, reading a file, for rows that
            stand for many or are beyond memory). Of rows beyond memory, as `explain` takes them, the result is a
            `pyarrow.RecordBatchReader` with these columns, which reads as it is read (not of Dask or Spark).
        rows : `"outliers"` (the default without `X`) or `"all"`, of the table that was explained.

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
        if (source := as_source(X)) is not None:
            known = asked_all(rows)
            return read_told(self.summary, source, self.origin, explained=known)  # type: ignore[no-any-return]  # a reader
        return to_rows(self.summary, self.outlier_table, self.origin, self.basis, X, rows)

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
        A frame with the rows and the columns of `X`; columns that no rule names have 0. Of rows beyond memory a
        `pyarrow.RecordBatchReader` of the same, which reads as it is read (not of Dask or Spark).

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(63), 900, 950, 990], "day": [1, 2, 3] * 22})
        >>> e = explain([0] * 63 + [1] * 3, X)
        >>> e.contributions(X).tail(2).to_dict("records")
        [{'amount': 6.0, 'day': 0.0}, {'amount': 6.0, 'day': 0.0}]
        """
        self._warn_if_stale()
        if (source := as_source(X)) is not None:
            return read_contributions(self.summary, source)  # type: ignore[no-any-return]  # a reader
        return contributions(self.summary, read_rows(self.summary, X), column_names(X))

    def get_outlier_explainability_scores(self, X: Any) -> pd.DataFrame:
        """Give the same as `contributions`, under the name that proposals for PyOD's detectors use.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> e.get_outlier_explainability_scores(X).equals(e.contributions(X))
        True
        """
        return self.contributions(X)

    @property
    def positions(self) -> list[int]:
        """Positions of the outliers in the table that was explained, group after group."""
        return [] if self.origin is None else self.origin.positions.tolist()

    def findings(self) -> list[dict[str, Any]]:
        """Give a dict per outlier, the strangest first, in the shape of PyOD's `ADEngine.explain_findings`.

        Each has `index` (its position), `score`, `percentile`, `label` (`"anomaly"`), `narrative` and
        `contributing_features`: for each condition of a rule that covers the row a dict with `feature`, `name`,
        `value`, `direction` and the `condition` as text. Beyond PyOD's keys: `row`, `group` and `rules`. Score and
        percentile are None where the detector gives none; there is no z-score, since the reasons are rules.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> e.findings()[0]["rules"]
        ['amount >= 500']
        """
        self._warn_if_stale()
        if self.origin is None or self.outlier_table is None:
            if not self.groups:
                return []
            raise PyodExplainError(
                "This explanation was read from a file and has no cells of the rows.\nHint: call explain() again."
            )
        matches = match_rules(self.summary, self.outlier_table)
        return to_findings(self.summary, self.outlier_table, matches, self.origin)

    # --- its detector ---------------------------------------------------------------------------------------------

    def attach_to(self, detector: Any) -> None:
        """Keep the explanation on a detector, as `explanation_`, and notice when it is fitted again.

        An ADEngine dict keeps it on its detector; what cannot keep an attribute (labels, a column's name) does not.

        Parameters
        ----------
        detector : what was explained.

        Examples
        --------
        >>> from pyod.models.knn import KNN
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> detector = KNN(contamination=0.05).fit(X)
        >>> explain([0] * 50 + [1] * 3, X).attach_to(detector)
        >>> detector.explanation_
        Explanation(3 of 3 outliers in 1 group by 1 rule)
        """
        self.attachment.attach(self, detector)

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
        return self.attachment.is_stale(self.origin, detector)

    def _warn_if_stale(self, stacklevel: int = 3) -> None:
        if self.is_stale():
            warnings.warn(STALE, StaleExplanationWarning, stacklevel=stacklevel)

    # --- new rows -------------------------------------------------------------------------------------------------

    def matches(self, X: Any) -> NDArray[np.bool_]:
        """Tell for each row (of the result) and each of `rules` (columns) whether the rule covers it.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order. Of rows beyond memory, as `explain` takes them,
            the result is a `pyarrow.RecordBatchReader` with a column for each rule, which reads as it is read; of a
            DataFrame of Dask or Spark a lazy one of the same library.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> e.matches(pd.DataFrame({"amount": [7, 2000]})).tolist()
        [[False], [True]]
        """
        self._warn_if_stale()
        if (source := as_source(X)) is not None:
            return read_matches(self.summary, source)  # type: ignore[no-any-return]  # a reader or a lazy frame
        return match_rules(self.summary, read_rows(self.summary, X))

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Give each row 0, or the number of the group whose description it matches.

        Where the descriptions of several groups match, the most precise matching rule decides; of equally precise
        ones the first in `rules`.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order. Of rows beyond memory, as `explain` takes them,
            the result is a `pyarrow.RecordBatchReader` with the column `group`, which reads as it is read; of a
            DataFrame of Dask or Spark a lazy one of the same library.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> e.predict(pd.DataFrame({"amount": [7, 2000]})).tolist()
        [0, 1]
        """
        self._warn_if_stale()
        if (source := as_source(X)) is not None:
            return read_groups(self.summary, source)  # type: ignore[no-any-return]  # a reader or a lazy frame
        return group_of(self.summary, read_rows(self.summary, X))

    def transform(self, X: Any) -> pd.DataFrame:
        """Give a column of True and False per rule, named by group and rule.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order. Of rows beyond memory, as `explain` takes them,
            the result is a `pyarrow.RecordBatchReader` of the rows themselves, each with its `group` (0 where no rule
            matches), the number of the `rule` that decides (1 is the first of `rules`) and its `text`; it reads as it
            is read, so that a pipeline can write them chunk by chunk. Of a DataFrame of Dask or Spark it is a lazy one
            of the same library.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> e.transform(pd.DataFrame({"amount": [7, 2000]})).to_dict("list")
        {'group 1: amount >= 500': [False, True]}
        """
        self._warn_if_stale()
        if (source := as_source(X)) is not None:
            return read_beside(self.summary, source)  # type: ignore[no-any-return]  # a reader or a lazy frame
        return match_frame(self.summary, read_rows(self.summary, X))

    # --- checks ---------------------------------------------------------------------------------------------------

    def validate(
        self,
        n_splits: int = 5,
        *,
        X: Any = None,
        random_state: Any = 0,
        progress: Progress = None,
    ) -> Explanation:
        """Return the same explanation with figures on held-out rows beside those on the rows it was found on.

        The rules are found again `n_splits` times, each time without one part of the rows, and judged on that part.
        See `validation.validate` for what the figures of a single rule mean.

        Parameters
        ----------
        n_splits : number of parts.
        X : the table that was explained; needed only after the explanation was pickled, which leaves the table out.
            Tags that were given as a table are left out too: pass `X.join(tags)`.
        random_state : seed of the split: a whole number, None, or numpy's RandomState or Generator.
        progress : True for a bar, or a function of stage and share done.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(90), *range(900, 910)]})
        >>> e = explain([0] * 90 + [1] * 10, X).validate(5)
        >>> e.validation.whole.recall, e.validation.rules[0].found
        (1.0, 5)
        """
        if not self.rules:
            return self
        basis = self._searched("validate()", X)
        with start(progress) as step:
            begun = time.perf_counter()
            result = validate(basis, self.rules, n_splits=n_splits, random_state=random_state, step=step)
        took = {"validation": time.perf_counter() - begun}
        return self._with(validation=result, timings={**self.timings, **took})

    def control(
        self,
        n_draws: int = 5,
        *,
        X: Any = None,
        random_state: Any = 0,
        progress: Progress = None,
    ) -> Explanation:
        """Return the same explanation with the gain of a placebo: random normals in place of the outliers.

        Parameters
        ----------
        n_draws : number of times to draw.
        X : the table that was explained; needed only after the explanation was pickled, which leaves the table out.
            Tags that were given as a table are left out too: pass `X.join(tags)`.
        random_state : seed of the draws: a whole number, None, or numpy's RandomState or Generator.
        progress : True for a bar, or a function of stage and share done.

        Examples
        --------
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(90), *range(900, 910)]})
        >>> e = explain([0] * 90 + [1] * 10, X).control(2)
        >>> e.placebo.by_chance
        False
        """
        if not self.groups:
            return self
        basis = self._searched("control()", X)
        with start(progress) as step:
            begun = time.perf_counter()
            result = placebo(basis, self.gain, n_draws=n_draws, random_state=random_state, step=step)
        took = {"placebo": time.perf_counter() - begun}
        return self._with(placebo=result, timings={**self.timings, **took})

    def against_chance(self, *, random_state: int = 0, progress: Progress = None) -> Explanation:
        """Return the same explanation, looked at beside a few draws of random rows if it saves too few bits.

        `explain` calls it. Where the rules save nothing, or so much that chance is ruled out, nothing is drawn.

        Parameters
        ----------
        random_state : seed of the draws.
        progress : True for a bar, or a function of stage and share done.
        """
        if self.basis is None or not self.rules or self.gain <= 0 or self.summary.certain:
            return self
        with start(progress) as step:
            begun = time.perf_counter()
            result = look_at_chance(self.basis, self.gain, random_state=random_state, step=step)
        return self._with(chance=result, timings={**self.timings, "chance": time.perf_counter() - begun})

    def compare(self, other: Explanation) -> Changes:
        """Tell what changed from this explanation to another: rules gone, new and drifted, rows moved.

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
        ['gone', 'new']
        """
        return Changes.of(compare(self.summary, other.summary))

    def _with(self, **changes: Any) -> Explanation:
        return replace(self, summary=replace(self.summary, **changes), attachment=self.attachment.copy())

    def _searched(self, call: str, X: Any) -> Basis:
        if X is not None or (self.basis is None and self.recipe is None):
            weights = None if self.basis is None else self.basis.weights
            return restore(self.recipe, self.summary, self.positions, self.outlier_table, X, weights)
        return need(self.basis, call, f"pass the table: {call[:-1]}X=...)")

    # --- making ---------------------------------------------------------------------------------------------------

    @classmethod
    def of(
        cls, found: Found, outliers: Outliers, parameters: Mapping[str, str], basis: Basis | None = None
    ) -> Explanation:
        """Collect what a search found."""
        summary = collect(found, outliers, parameters)
        rows, cells = outlier_cells(found, summary.rule_columns)
        recipe = None if basis is None else basis.recipe
        return cls(summary, found.selection, cells, basis, recipe, Origin.of(outliers, rows))

    @classmethod
    def of_nothing(
        cls, table: Table, outliers: Outliers, parameters: Mapping[str, str], n_rows: int | None = None
    ) -> Explanation:
        """Make the explanation of a table without outliers, or of so many rows of which it is a sample: it says so."""
        summary = collect_nothing(table, outliers, parameters)
        if n_rows is not None:
            neither = int((outliers.labels == -1).sum())
            summary = replace(summary, n_rows=n_rows, n_normals=n_rows - neither)
        return cls(summary, origin=Origin.of(outliers, outliers.rows))
