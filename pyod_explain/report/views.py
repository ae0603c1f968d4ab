"""`Views` and `Changes`: an explanation, and what changed between two, in other forms. Nothing new is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from pyod_explain._atomic import write_file
from pyod_explain._validate import check_int
from pyod_explain.exceptions import ParameterError, shown
from pyod_explain.input import plain_value
from pyod_explain.report.frame import to_frame
from pyod_explain.report.html import changes_page, changes_tables, to_html
from pyod_explain.report.json import to_dict, to_json
from pyod_explain.report.markdown import to_markdown
from pyod_explain.report.sentences import headline_text
from pyod_explain.report.sql import to_sql
from pyod_explain.result import Comparison, Example, Picture, Summary

Metadata = Mapping[str, str] | None


class Views:
    """An explanation in other forms; whoever inherits has the `summary`."""

    summary: Summary

    @property
    def headline(self) -> str:
        """The answer in a few lines, for a message or a ticket: the verdict, then a line a group.

        Each says what most outliers of the group are like, how many of the rows that match are outliers (on held-out
        rows, after `validate`), and which column to look at first.

        Examples
        --------
        >>> import pandas as pd
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> print(e.headline.splitlines()[0])
        The labelling marks 3 of 53 rows (5.7%) as outliers. 1 rule explains 3 of them (100%) and matches 0 ...
        """
        return headline_text(self.summary)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per rule: its group, text, counts, precision, recall, lift and significance.

        Precision is the share of the matching rows that are outliers; where you gave several groups, that are of the
        rule's group. After `validate` also `holdout_outliers`, `holdout_normals`, `holdout_others` (outliers of other
        groups), `holdout_precision`, `holdout_recall` and `holdout_found` (the number of folds that found it again).

        Examples
        --------
        >>> import pandas as pd
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> e.to_frame()[["rule", "outliers", "normals", "precision"]].to_dict("records")
        [{'rule': 'amount >= 500', 'outliers': 3, 'normals': 0, 'precision': 1.0}]
        """
        return to_frame(self.summary)

    def to_dict(self, *, rows: bool = True, metadata: Metadata = None) -> dict[str, Any]:
        """Return the explanation as plain data: dicts, lists, numbers and strings.

        Parameters
        ----------
        rows : list the row labels of the outliers; without them only aggregates are left.
        metadata : more on how it was made, a text for each entry; `""` removes one that `explain` added.

        Examples
        --------
        >>> import pandas as pd
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> data = e.to_dict()
        >>> data["n_outliers"], data["groups"][0]["rules"][0]["text"]
        (3, 'amount >= 500')
        """
        return to_dict(_with_metadata(self.summary, metadata), rows=rows)

    def to_json(
        self, path: str | Path | None = None, *, rows: bool = True, indent: int | None = 2, metadata: Metadata = None
    ) -> str:
        """Return the explanation as JSON, and write it to `path` if one is given; `from_json` reads it back.

        Values keep their types. A value that JSON cannot keep, such as an enum, is refused by the name of its column.

        Parameters
        ----------
        path : file to write.
        rows : list the row labels of the outliers; without them only aggregates are left.
        indent : spaces by which nested parts are set in; None for one line.
        metadata : more on how it was made, a text for each entry; `""` removes one that `explain` added.

        Examples
        --------
        >>> import pandas as pd
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> import json
        >>> json.loads(e.to_json())["schema"]
        'pyod_explain.explanation'
        """
        return written(to_json(_with_metadata(self.summary, metadata), rows=rows, indent=indent), path)

    def to_markdown(self, path: str | Path | None = None, *, rows: bool = False, metadata: Metadata = None) -> str:
        """Return the report as Markdown, and write it to `path` if one is given.

        Parameters
        ----------
        path : file to write.
        rows : list the labels of the outliers that are left unexplained.
        metadata : more on how it was made, a text for each entry; `""` removes one that `explain` added.

        Examples
        --------
        >>> import pandas as pd
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> print(e.to_markdown().splitlines()[0])
        # Why are these rows outliers?
        """
        return written(to_markdown(_with_metadata(self.summary, metadata), rows=rows), path)

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        rows: bool = False,
        pictures: int = 3,
        examples: int = 0,
        metadata: Metadata = None,
    ) -> str:
        """Return the report as one self-contained page, and write it to `path` if one is given.

        The page shows what is there: held-out figures after `validate()`, a placebo after `placebo_test()`, and
        pictures while the explanation has its table, which a file has not.

        Parameters
        ----------
        path : file to write.
        title : title of the page; None for the question it answers, such as "Why are these rows outliers?".
        rows : list the labels of the outliers that are left unexplained; only aggregates otherwise.
        pictures : the most scatter plots of two columns each that show the outliers apart, as counts on a grid; 0 for
            none. Choosing them takes about a second, once.
        examples : the most outliers of each group to show, the strangest first, with their cells in the columns of its
            rules; 0, for none, as a page may go further than the table may.
        metadata : more on how it was made, a text for each entry; `""` removes one that `explain` added.

        Examples
        --------
        >>> import pandas as pd
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> page = e.to_html(title="Odd payments")
        >>> "<title>Odd payments</title>" in page
        True
        """
        if title is not None and not isinstance(title, str):
            raise ParameterError("title", "a text", got=title, owner="to_html()")
        most = check_int("to_html()", "pictures", pictures, low=0)
        taken = self._pictures(most) if self.summary.tables is None else ()  # most rows of a table are not apart
        some = self._examples(check_int("to_html()", "examples", examples, low=0))
        s = _with_metadata(self.summary, metadata)
        return written(to_html(s, title=title, rows=rows, pictures=taken, examples=some), path)

    def _pictures(self, most: int) -> tuple[Picture, ...]:  # noqa: ARG002 - who has a table takes some
        return ()

    def _examples(self, most: int) -> dict[int, list[Example]]:  # noqa: ARG002 - who has cells gives some
        return {}

    def to_sql(
        self, table: str | Sequence[str], *, dialect: str = "ansi", column: str = "outlier_group", where: bool = True
    ) -> str:
        """Return a SELECT that finds the rows of a database table that the rules match.

        It gives exactly the rows that `predict` marks, with the same group in `column`.

        Parameters
        ----------
        table : name of the table; a sequence such as `("schema", "table")` for a qualified one.
        dialect : `"ansi"`, `"duckdb"`, `"postgres"`, `"sqlite"`, `"bigquery"` or `"spark"`.
        column : what to call the column with the group.
        where : leave out the rows that match nothing; False keeps them, with group 0.

        Examples
        --------
        >>> import pandas as pd
        >>> from pyod_explain import explain
        >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
        >>> e = explain([0] * 50 + [1] * 3, X)
        >>> print(e.to_sql("payments", dialect="sqlite").splitlines()[-1])
        WHERE ((t."amount" >= 500 AND typeof(t."amount") IN ('integer', 'real')));
        """
        return to_sql(self.summary, table, dialect=dialect, column=column, where=where)


class Changes(Comparison):
    """What changed from one explanation to another, and its views; see `Comparison` for what it has."""

    @classmethod
    def of(cls, comparison: Comparison) -> Changes:
        """Give the views of a comparison."""
        c = comparison
        return cls(rules=c.rules, rows=c.rows, before=c.before, after=c.after)

    def to_html(self, path: str | Path | None = None, *, title: str | None = None, rows: bool = False) -> str:
        """Return what changed as one self-contained page, and write it to `path` if one is given.

        Parameters
        ----------
        path : file to write.
        title : title of the page; by default it asks what changed about the outliers.
        rows : say which rows of the same table only one of the two marks.
        """
        title = "What changed about the outliers?" if title is None else title
        return written(changes_page(self, title=title, rows=rows), path)

    def _repr_html_(self) -> str:
        return f"<div>{changes_tables(self)}</div>"

    def to_dict(self, *, rows: bool = False) -> dict[str, Any]:
        """Return what changed as plain data.

        Parameters
        ----------
        rows : list the labels of the rows of the same table that only one of the two marks, as texts.
        """
        frame = self.to_frame().astype(object)
        records = frame.where(frame.notna(), None).to_dict("records")
        result: dict[str, Any] = {
            "changed": self.changed,
            "outliers": {"before": self.before.n_outliers, "after": self.after.n_outliers},
            "rows": {"before": self.before.n_rows, "after": self.after.n_rows},
            "rules": [
                {str(name): None if value is pd.NA else plain_value(value) for name, value in one.items()}
                for one in records
            ],
        }
        if rows:
            moved = self.rows.itertuples(index=False, name=None)
            result["moved"] = [{"label": str(a), "before": int(b), "after": int(c)} for a, b, c in moved]
        return result


def written(text: str, path: str | Path | None) -> str:
    """Return a text, and write it to `path` if one is given."""
    if path is not None:
        write_file(path, text)
    return text


def _with_metadata(summary: Summary, metadata: Metadata) -> Summary:
    for name, text in (metadata or {}).items():
        if not isinstance(text, str):
            raise ParameterError("metadata", "a text for each entry", got_text=f"{shown(text)} for {name!r}")
    known = {name: text for name, text in {**summary.provenance, **(metadata or {})}.items() if text}
    return replace(summary, provenance=known)
