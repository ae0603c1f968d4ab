"""`Changes`: what changed between two explanations, as a page and as plain data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from pyod_explain._atomic import write_file
from pyod_explain.input import plain_value
from pyod_explain.report.html.page import changes_page, changes_tables
from pyod_explain.result import Comparison

__all__ = ["Changes"]


class Changes(Comparison):
    """What changed from one explanation to another, and its views; see `Comparison` for what it has."""

    @classmethod
    def of(cls, comparison: Comparison) -> Changes:
        """Give the views of a comparison."""
        c = comparison
        return cls(rules=c.rules, rows=c.rows, groups=c.groups, before=c.before, after=c.after)

    def to_html(self, path: str | Path | None = None, *, title: str | None = None, rows: bool = False) -> str:
        """Return what changed as one self-contained page, and write it to `path` if one is given.

        Parameters
        ----------
        path : file to write.
        title : title of the page; by default it asks what changed about the outliers, or about what is new.
        rows : say which rows changed their group; these are told apart by their labels alone.
        """
        usual = "What changed about what is new?" if self.of_tables else "What changed about the outliers?"
        page = changes_page(self, title=usual if title is None else title, rows=rows)
        if path is not None:
            write_file(path, page)
        return page

    def _repr_html_(self) -> str:
        return f"<div>{changes_tables(self)}</div>"

    def to_dict(self, *, rows: bool = False) -> dict[str, Any]:
        """Return what changed as plain data.

        Parameters
        ----------
        rows : list the labels of the rows that changed their group, as texts.
        """
        frame = self.to_frame().astype(object)
        records = frame.where(frame.notna(), None).to_dict("records")
        result: dict[str, Any] = {
            "changed": self.changed,
            "outliers": {"before": self.before.n_outliers, "after": self.after.n_outliers},
            "rows": {"before": self.before.n_rows, "after": self.after.n_rows},
            "rules": [{str(name): _plain(value) for name, value in one.items()} for one in records],
        }
        if self.before.tables is not None and self.after.tables is not None:  # whose rows are the outliers and normals
            result["tables"] = {"before": list(self.before.tables), "after": list(self.after.tables)}
        if rows and self.knows_rows:
            moved = self.rows.itertuples(index=False, name=None)
            result["moved"] = [{"label": str(a), "before": int(b), "after": int(c)} for a, b, c in moved]
        return result


def _plain(value: Any) -> Any:
    return None if value is pd.NA else plain_value(value)
