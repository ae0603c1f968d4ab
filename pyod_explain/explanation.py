"""`Explanation`: the result. Collected once from the stages, then only read: printed, exported, asked about rows."""

from __future__ import annotations

import logging
import time
import warnings
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._files import target_of, write_file
from pyod_explain._progress import start
from pyod_explain._validate import check_choice, shown
from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import PyodExplainError, StaleExplanationWarning
from pyod_explain.explainers import Selection
from pyod_explain.groups import Groups
from pyod_explain.input.errors import some
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.provenance import STALE, Origin, holder_of
from pyod_explain.input.read import as_table, column_names
from pyod_explain.input.table import Table
from pyod_explain.report import plots
from pyod_explain.report.findings import to_findings
from pyod_explain.report.frame import to_frame
from pyod_explain.report.html import to_html, to_snippet
from pyod_explain.report.json import from_dict, from_json, to_dict, to_json
from pyod_explain.report.markdown import to_markdown
from pyod_explain.report.pairs import choose_pairs
from pyod_explain.report.sql import to_sql
from pyod_explain.report.text import to_text
from pyod_explain.result.collect import collect, collect_nothing
from pyod_explain.result.compare import Comparison, compare
from pyod_explain.result.row import Counterfactual, RowExplanation, counterfactual, explain_row
from pyod_explain.result.summary import GroupExplanation, Placebo, Rule, Summary, Validation
from pyod_explain.result.tradeoff import tradeoff
from pyod_explain.result.validation import Context, Finder, look_at_chance, placebo, validate
from pyod_explain.result.words import count
from pyod_explain.tags import TagSet

__all__ = ["Explanation", "GroupExplanation", "RowExplanation", "Rule"]

logger = logging.getLogger("pyod_explain")
METRICS = ("FUO", "FCO", "FCN", "AL", "NT", "MDL")
PLOTS = ("coverage", "groups", "tradeoff", "pairs")


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
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
    context: Context | None = field(default=None)  # the whole table and how to search it again; never pickled
    finder: Finder | None = field(default=None)  # how to search again
    origin: Origin | None = field(default=None)  # the outliers' positions and scores, the mark of the detector's labels
    holder: weakref.ref[Any] | None = field(default=None)  # the detector it is attached to

    # --- what it says ---------------------------------------------------------------------------------------------

    @property
    def groups(self) -> tuple[GroupExplanation, ...]:
        """The groups, each with its rules."""
        return self.summary.groups

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of all groups."""
        return self.summary.rules

    @property
    def metrics(self) -> pd.DataFrame:
        """A row per group: FUO, FCO, FCN, AL, NT, MDL; `.attrs` has `mdl` and `mdl_empty` of all groups together."""
        frame = pd.DataFrame([dict(group.metrics) for group in self.groups], columns=list(METRICS))
        frame.index = pd.RangeIndex(1, len(self.groups) + 1, name="group")
        frame.attrs.update(mdl=self.mdl, mdl_empty=self.mdl_empty)
        return frame

    @property
    def mdl(self) -> float:
        """Bits of the whole explanation."""
        return self.summary.mdl

    @property
    def mdl_empty(self) -> float:
        """Bits of naming every outlier one by one."""
        return self.summary.mdl_empty

    @property
    def gain(self) -> float:
        """Share of the bits that name the outliers one by one that the rules save; 0 or less: they explain nothing."""
        return self.summary.gain

    @property
    def n_rows(self) -> int:
        return self.summary.n_rows

    @property
    def n_normals(self) -> int:
        return self.summary.n_normals

    @property
    def n_outliers(self) -> int:
        return self.summary.n_outliers

    @property
    def n_tags(self) -> int:
        """Number of tags that the rules were chosen from."""
        return self.summary.n_tags

    @property
    def detector(self) -> str:
        """Who says which rows are outliers."""
        return self.summary.detector

    @property
    def grouping(self) -> str:
        """How the outliers were split."""
        return self.summary.grouping

    @property
    def group_curve(self) -> pd.DataFrame | None:
        """How the number of groups was chosen, for each number tried: bits of the descriptions (`mdl`), of the split,
        their difference (`net`), and the bits that tell which rows are outliers (`bits`).

        None where there was nothing to choose.
        """
        if not self.summary.group_curve:
            return None
        columns = ["groups", "mdl", "split", "net", "bits"]
        known = columns[: len(self.summary.group_curve[0])]  # files of version 0.1.0 lack the last
        return pd.DataFrame(self.summary.group_curve, columns=known).set_index("groups")

    @property
    def unexplained(self) -> list[Hashable]:
        """Row labels of the outliers that no rule of their group covers."""
        return self.summary.unexplained

    @property
    def notes(self) -> tuple[str, ...]:
        """What else a reader should know: bounds that were reached, what was relaxed."""
        return self.summary.notes

    @property
    def validation(self) -> Validation | None:
        """How the rules do on rows not used to find them; None unless asked for."""
        return self.summary.validation

    @property
    def placebo(self) -> Placebo | None:
        """The gain that random normals in place of the outliers would show; None unless asked for."""
        return self.summary.placebo

    @property
    def timings(self) -> Mapping[str, float]:
        """Seconds per stage."""
        return self.summary.timings

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
        finder = self.finder
        if self.context is not None and not self.context.portable:
            finder = None  # it holds the user's own tags or weights, as many rows as the table
        return {**self.__dict__, "context": None, "finder": finder, "holder": None}  # no pickle of a reference

    # --- exports --------------------------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return a row per rule: its group, text, counts, precision, recall, lift and significance.

        After `validate` also `holdout_outliers`, `holdout_normals`, `holdout_precision`, `holdout_recall` and
        `holdout_found` (the number of folds that found it again).
        """
        return to_frame(self.summary)

    def to_dict(self, *, rows: bool = True) -> dict[str, Any]:
        """Return the explanation as plain data: dicts, lists, numbers and strings.

        Parameters
        ----------
        rows : list the row labels of the outliers; without them only aggregates are left.
        """
        return to_dict(self.summary, rows=rows)

    def to_json(self, path: str | Path | None = None, *, rows: bool = True, indent: int | None = 2) -> str:
        """Return the explanation as JSON, and write it to `path` if one is given; `from_json` reads it back.

        Values keep their types. A value that JSON cannot keep, such as an enum, is refused by the name of its column.

        Parameters
        ----------
        path : file to write.
        rows : list the row labels of the outliers; without them only aggregates are left.
        indent : spaces by which nested parts are set in; None for one line.
        """
        return _written(to_json(self.summary, rows=rows, indent=indent), path)

    @classmethod
    def from_json(cls, text: str | bytes | Path) -> Explanation:
        """Read what `to_json` wrote: the text, or the path of the file; anything else is refused, with the reason.

        The result prints, predicts, compares and exports like the original. It has no table: `for_row` and
        `validate` need one passed to them.

        Parameters
        ----------
        text : JSON text, or a `Path`.
        """
        return cls(from_json(_read(text) if isinstance(text, Path) else text))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Explanation:
        """Read what `to_dict` returned."""
        return cls(from_dict(data))

    def to_markdown(self, path: str | Path | None = None, *, rows: bool = False) -> str:
        """Return the report as Markdown, and write it to `path` if one is given.

        Parameters
        ----------
        path : file to write.
        rows : list the labels of the outliers that are left unexplained.
        """
        return _written(to_markdown(self.summary, rows=rows), path)

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        title: str = "Why are these rows outliers?",
        rows: bool = False,
        validate: int | None = 5,
    ) -> str:
        """Return the report as one self-contained page, and write it to `path` if one is given.

        Parameters
        ----------
        path : file to write.
        title : title of the page.
        rows : list the labels of the outliers that are left unexplained; only aggregates otherwise.
        validate : number of folds to check the rules by if that was not done yet and the table is at hand; None
            leaves it.
        """
        if path is not None:
            target_of(path)  # before the work
        checked = self
        if validate is not None and self.validation is None and self.context is not None and self.rules:
            checked = self.validate(validate)
        return _written(to_html(checked.summary, title=title, rows=rows), path)

    def to_sql(
        self,
        table: str | Sequence[str],
        *,
        dialect: str = "ansi",
        column: str = "outlier_group",
        where: bool = True,
    ) -> str:
        """Return a SELECT that finds the rows of a database table that the rules match.

        It gives exactly the rows that `predict` marks, with the same group in `column`.

        Parameters
        ----------
        table : name of the table; a sequence such as `("schema", "table")` for a qualified one.
        dialect : `"ansi"`, `"duckdb"`, `"postgres"`, `"sqlite"`, `"bigquery"` or `"spark"`.
        column : what to call the column with the group.
        where : leave out the rows that match nothing; False keeps them, with group 0.
        """
        return to_sql(self.summary, table, dialect=dialect, column=column, where=where)

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
        """
        check_choice("plot()", "kind", kind, among=PLOTS)
        if kind == "coverage":
            return plots.coverage(self.summary, self._outlier_matches(), ax=ax, **options)
        if kind == "groups":
            return plots.groups(self.summary, ax=ax, **options)
        if kind == "tradeoff":
            data = options.pop("data", None)
            if data is None:
                context = self._need_context("plot('tradeoff')", "pass data=, a frame of the figures to draw")
                numbers = context.groups.numbers
                data = tradeoff(
                    Coverage.from_tags(context.table, context.tags.tags, numbers, n_items=context.tags.n_items)
                )
            return plots.tradeoff(data, self.summary, ax=ax, **options)
        context = self._need_context("plot('pairs')", "call explain() again")
        named = [facts.name for facts in self.summary.columns]
        chosen = choose_pairs(context.table, context.groups.numbers, first=named, **options)
        return plots.pairs(context.table, context.groups.numbers, chosen, ax=ax)

    # --- rows -----------------------------------------------------------------------------------------------------

    def for_row(self, label: Hashable = None, X: Any = None, *, position: int | None = None) -> RowExplanation:
        """Explain one outlier: its group, the rules that cover it with its own values, or the nearest miss.

        Parameters
        ----------
        label : the row's label in the index of the table that was explained.
        X : the table; needed only for an explanation that was read from JSON.
        position : the row's position in that table (0 is the first), instead of its label, where labels repeat.
        """
        label, group, row = self._locate(label, X, position)
        return explain_row(label, group, row, self.summary)

    def counterfactual(self, label: Hashable = None, X: Any = None, *, position: int | None = None) -> Counterfactual:
        """Find the smallest change of an outlier's values after which no rule of its group matches it.

        Fewest changed cells first; of these the change that is smallest in typical differences between normals. The
        detector is not asked: this is about the rules.

        Parameters
        ----------
        label : the row's label in the index of the table that was explained.
        X : the table; needed only for an explanation that was read from JSON.
        position : the row's position in that table (0 is the first), instead of its label, where labels repeat.
        """
        label, group, row = self._locate(label, X, position)
        return counterfactual(label, group, row, self.summary)

    def _locate(self, label: Hashable, X: Any, position: int | None) -> tuple[Hashable, GroupExplanation, Table]:
        self._warn_if_stale()
        members = [(one, group) for group in self.groups for one in group.rows]
        i = self._find_label(label, [one for one, _ in members]) if position is None else self._find_position(position)
        label, group = members[i]
        if X is not None:
            there = column_names(X)  # a row needs the columns of its own group's rules
            table = as_table(X, only=[name for name in self._named_columns() if name in there])
            (rows,) = np.nonzero(table.index == label) if position is None else (np.array([position]),)
            if len(rows) != 1:
                raise PyodExplainError(f"`X` must have one row with the label {shown(label)}, got {len(rows)}.")
            return label, group, table.take(rows)
        if self.outlier_table is None:
            raise PyodExplainError(
                "This explanation was read from a file and has no cells of the rows.\nHint: pass the table as `X=`."
            )
        return label, group, self.outlier_table.take(np.array([i]))

    def _find_position(self, position: int) -> int:
        """Give the outlier at this position of the table, as a position among the outliers."""
        found = [] if self.origin is None else np.flatnonzero(self.origin.positions == position).tolist()
        if not found:
            raise PyodExplainError(
                f"`position` must be that of an outlier among the {self.n_rows:,} rows, got {shown(position)}.\n"
                "Hint: `explanation.positions` has those of all outliers."
            )
        return int(found[0])

    def _find_label(self, label: Hashable, labels: Sequence[Hashable]) -> int:
        if not isinstance(label, Hashable):
            raise TypeError(f"`label` must be a row label, got {type(label).__name__}.")
        found = [i for i, one in enumerate(labels) if one is label or one == label]
        if not found:
            raise PyodExplainError(
                f"`label` must be the row label of an outlier, got {shown(label)}.\n"
                "Hint: the labels of a group's outliers are in `explanation.groups[i].rows`."
            )
        if len(found) > 1:
            where = [self.positions[i] for i in found[:8]] if self.positions else ["..."]
            raise PyodExplainError(
                f"`label` must name one row, got {shown(label)}, which {len(found)} outliers have.\n"
                "Hint: name it by its position in the table, for_row(position=...); these are at "
                f"{', '.join(map(str, where))}."
            )
        return found[0]

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
        """
        self._warn_if_stale()
        if self.origin is None or self.outlier_table is None:
            if not self.groups:
                return []
            raise PyodExplainError(
                "This explanation was read from a file and has no cells of the rows.\nHint: call explain() again."
            )
        return to_findings(self.summary, self.outlier_table, self.origin)

    # --- its detector ---------------------------------------------------------------------------------------------

    def attach_to(self, detector: Any) -> None:
        """Keep the explanation on a detector, as `explanation_`, and notice when it is fitted again.

        An ADEngine dict keeps it on its detector; what cannot keep an attribute (labels, a column's name) does not.

        Parameters
        ----------
        detector : what was explained.
        """
        holder = holder_of(detector)
        if holder is None:
            return
        try:
            holder.explanation_ = self
        except AttributeError:  # one with slots
            logger.info("%s cannot keep an attribute `explanation_`.", type(holder).__name__)
            return
        object.__setattr__(self, "holder", weakref.ref(holder))

    def is_stale(self, detector: Any = None) -> bool:
        """Tell whether a detector was fitted again since it was explained, and marks other rows now.

        A refit is noticed by the labels of the training rows, so one that marks the same rows goes unnoticed, and so
        do detectors that keep no labels (those of scikit-learn, but for LocalOutlierFactor).

        Parameters
        ----------
        detector : the one to compare with; the one that the explanation is attached to by default. A copy or a pickle
            is no longer attached: name the detector, or explain it again.
        """
        held = self.holder() if detector is None and self.holder is not None else detector
        return held is not None and self.origin is not None and self.origin.is_outdated(held)

    def _warn_if_stale(self) -> None:
        if self.is_stale():
            warnings.warn(STALE, StaleExplanationWarning, stacklevel=3)

    # --- new rows -------------------------------------------------------------------------------------------------

    def _outlier_matches(self) -> NDArray[np.bool_]:
        if self.outlier_table is None:
            raise PyodExplainError(
                "This explanation was read from a file and has no cells of the rows, so nothing tells which rule "
                "covers which.\nHint: call explain() again, or plot('groups')."
            )
        return self.matches(self.outlier_table)

    def matches(self, X: Any) -> NDArray[np.bool_]:
        """Tell for each row (of the result) and each of `rules` (columns) whether the rule covers it."""
        self._warn_if_stale()
        table = as_table(X, only=self._named_columns())
        table.require(self._named_columns())
        columns = [rule.tag.covers(table) for rule in self.rules]
        return np.array(columns, dtype=bool).reshape(len(columns), table.n_rows).T

    def _named_columns(self) -> list[str]:
        """Columns that the rules name: all that is read of new rows, whatever else is in their table."""
        return list(dict.fromkeys(name for rule in self.rules for name in rule.tag.columns))

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Give each row 0, or the number of the group whose description it matches.

        Where the descriptions of several groups match, the most precise matching rule decides; of equally precise
        ones the first in `rules`.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order.
        """
        matches = self.matches(X)
        result = np.zeros(len(matches), dtype=np.int64)
        best = np.full(len(matches), -1.0)
        for column, rule in zip(matches.T, self.rules, strict=True):
            better = column & (rule.precision > best)
            result[better] = rule.group
            best[better] = rule.precision
        return result

    def transform(self, X: Any) -> pd.DataFrame:
        """Give a column of True and False per rule, named by group and rule.

        Parameters
        ----------
        X : a table with the columns that the rules name, in any order.
        """
        table = as_table(X, only=self._named_columns())
        names = [f"group {rule.group}: {rule.tag}" for rule in self.rules]
        return pd.DataFrame(self.matches(table), columns=names, index=table.index)

    # --- checks ---------------------------------------------------------------------------------------------------

    def validate(
        self,
        n_splits: int = 5,
        *,
        X: Any = None,
        random_state: Any = 0,
        progress: bool | Callable[[str, float], Any] | None = None,
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
        """
        if not self.rules:
            return self
        context = self._need_context("validate()", "pass the table: validate(X=...)") if X is None else self._restore(X)
        with start(progress) as step:
            begun = time.perf_counter()
            result = validate(context, self.rules, n_splits=n_splits, random_state=random_state, step=step)
        took = {"validation": time.perf_counter() - begun}
        return self._with(validation=result, timings={**self.timings, **took})

    def control(
        self,
        n_draws: int = 5,
        *,
        X: Any = None,
        random_state: Any = 0,
        progress: bool | Callable[[str, float], Any] | None = None,
    ) -> Explanation:
        """Return the same explanation with the gain of a placebo: random normals in place of the outliers.

        Parameters
        ----------
        n_draws : number of times to draw.
        X : the table that was explained; needed only after the explanation was pickled, which leaves the table out.
            Tags that were given as a table are left out too: pass `X.join(tags)`.
        random_state : seed of the draws: a whole number, None, or numpy's RandomState or Generator.
        progress : True for a bar, or a function of stage and share done.
        """
        if not self.groups:
            return self
        context = self._need_context("control()", "pass the table: control(X=...)") if X is None else self._restore(X)
        with start(progress) as step:
            begun = time.perf_counter()
            result = placebo(context, self.gain, n_draws=n_draws, random_state=random_state, step=step)
        took = {"placebo": time.perf_counter() - begun}
        return self._with(placebo=result, timings={**self.timings, **took})

    def against_chance(
        self, *, random_state: int = 0, progress: bool | Callable[[str, float], Any] | None = None
    ) -> Explanation:
        """Return the same explanation, looked at beside a few draws of random rows if it saves too few bits.

        `explain` calls it. Where the rules save nothing, or so much that chance is ruled out, nothing is drawn.

        Parameters
        ----------
        random_state : seed of the draws.
        progress : True for a bar, or a function of stage and share done.
        """
        if self.context is None or not self.rules or self.gain <= 0 or self.summary.certain:
            return self
        with start(progress) as step:
            begun = time.perf_counter()
            result = look_at_chance(self.context, self.gain, random_state=random_state, step=step)
        return self._with(chance=result, timings={**self.timings, "chance": time.perf_counter() - begun})

    def compare(self, other: Explanation) -> Comparison:
        """Tell what changed from this explanation to another: rules gone, new and drifted, rows moved.

        Parameters
        ----------
        other : the later explanation.
        """
        return compare(self.summary, other.summary)

    def _with(self, **changes: Any) -> Explanation:
        return replace(self, summary=replace(self.summary, **changes))

    def _need_context(self, call: str, way_out: str) -> Context:
        if self.context is None:
            raise PyodExplainError(
                f"{call} needs the table that was explained, which is not kept when an explanation is pickled or read "
                f"from a file.\nHint: {way_out}."
            )
        return self.context

    def _restore(self, X: Any) -> Context:
        """Put the table back into an explanation that was pickled, after a look whether it is the same one."""
        if self.finder is None:
            raise PyodExplainError(
                "This explanation does not know how its rules were found: it was read from a file, or pickled after "
                "a search among tags that were given row by row.\nHint: call explain(..., validate=5) instead."
            )
        there = column_names(X)
        lacking = [name for name in self.finder.given if name not in there]
        if lacking:
            raise PyodExplainError(
                f"`X` must have the given tags as columns too, got a table without {some(lacking)}: tags that were "
                "given row by row are not kept when an explanation is pickled.\n"
                "Hint: pass them along, validate(X=X.join(tags)), or call explain(..., validate=5) instead."
            )
        table = as_table(X, only=self.finder.columns)
        if table.n_rows != self.n_rows:
            raise PyodExplainError(f"`X` must have the {self.n_rows:,} rows that were explained, got {table.n_rows:,}.")
        if self.summary.n_neither:
            raise PyodExplainError(
                f"The detector called {self.summary.n_neither:,} rows neither normal nor outlier, and which ones is "
                "not kept.\nHint: call explain(..., validate=5) instead."
            )
        labels = [label for group in self.groups for label in group.rows]
        if table.index[self.positions].tolist() != labels:
            raise PyodExplainError("`X` must have the rows that were explained, in their order, got other row labels.")
        numbers = np.zeros(table.n_rows, dtype=np.int64)
        numbers[self.positions] = [group.number for group in self.groups for _ in group.rows]
        table = replace(table, columns={name: table[name] for name in self.finder.columns})
        groups = Groups(numbers, tuple(group.name for group in self.groups), self.grouping)
        outliers = Outliers(np.minimum(numbers, 1), self.detector)
        return Context(table, outliers, groups, TagSet((), 0), self.finder)

    # --- making ---------------------------------------------------------------------------------------------------

    @classmethod
    def build(
        cls,
        table: Table,
        outliers: Outliers,
        groups: Groups,
        tags: TagSet,
        coverage: Coverage,
        selection: Selection,
        *,
        timings: Mapping[str, float],
        parameters: Mapping[str, str] | None = None,
        finder: Finder | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> Explanation:
        """Collect what the stages found."""
        summary = collect(
            table, outliers, groups, tags, coverage, selection, timings=timings, parameters=parameters or {}
        )
        named = dict.fromkeys(name for rule in summary.rules for name in rule.tag.columns)
        rows = np.concatenate([np.sort(members) for members in coverage.group_rows])  # as in the user's table
        kept = Table({name: table[name].take(rows) for name in named}, table.index[rows])
        context = None if finder is None else Context(table, outliers, groups, tags, finder, weights)
        return cls(summary, selection, kept, context, finder, Origin.of(outliers, rows))

    @classmethod
    def of_nothing(
        cls,
        table: Table,
        outliers: Outliers,
        *,
        timings: Mapping[str, float],
        parameters: Mapping[str, str] | None = None,
    ) -> Explanation:
        """Make the explanation of a table without outliers: it says so."""
        summary = collect_nothing(table, outliers, timings=timings, parameters=parameters or {})
        return cls(summary, origin=Origin.of(outliers, outliers.rows))


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        write_file(path, text)
    return text


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        raise PyodExplainError(
            f"`text` of from_json() must be JSON or the path of a file that can be read, got {shown(path)}: {error}."
        ) from error
