"""`Request`: what the command line or the MCP server asks for, as plain values.

Nothing large is imported here, so that help and mistakes in a command are answered at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyod_explain.exceptions import Message, ParameterError, Words

Notify = Callable[[str], None]

# The flag of each argument, by the argument's name in Python. `explain` and the readers name arguments in their errors.
SHELL = Words(
    flags={
        **{
            name: f"--{name.replace('_', '-')}"
            for name in (
                *("sep", "decimal", "na", "header", "sheet"),
                *("detector", "contamination", "labels", "where", "counts", "outlier_counts"),
                *("id_column", "drop", "exclude", "groups", "known", "validate"),
                *("output", "rows_out", "all_rows", "dialect", "title", "interactive"),
            )
        },
        "detector_params": "--detector-param",
        "names": "--name",
        "random_state": "--seed",
        "seed": "--seed",
        "n_splits": "--validate",
        "columns": "--drop",
        "X": "the table",
        "id_columns": "in Python, id_columns =",
        "detail": "in Python, detail =",
    }
)


def no_notify(_note: str) -> None:
    """Ignore a note."""


@dataclass(frozen=True)
class Request:
    """A table, how to read it, which of its rows are outliers, and how to explain them.

    Attributes
    ----------
    path : the file, folder or pattern; `-` is standard input.
    before : the earlier table, if the question is what is new in `path`.
    sep, decimal, na, header, sheet : how to read the file; None is detected automatically.
    detector, contamination, detector_params : the PyOD detector that finds the outliers.
    labels, where, positions : instead of a detector: a column, a condition, or positions from 0.
    counts, outlier_counts : columns of an aggregated table.
    id_column : the column with the names of the rows.
    drop : columns that are not read.
    exclude : columns that the detector sees and no rule uses.
    groups, known, seed : as `groups`, `known` and `random_state` of `explain`.
    validate : number of folds for figures on held-out rows; 0 for none.
    max_bytes, max_rows, max_columns : a larger table is refused.
    """

    path: str
    before: str | None = None
    sep: str | None = None
    decimal: str | None = None
    na: tuple[str, ...] = ()
    header: bool | None = None
    sheet: str | None = None
    detector: str | None = None
    contamination: float | None = None
    detector_params: Mapping[str, Any] = field(default_factory=dict)
    labels: str | None = None
    where: str | None = None
    positions: tuple[int, ...] | None = None
    counts: str | None = None
    outlier_counts: str | None = None
    id_column: str | None = None
    drop: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    groups: str | int = "reasons"
    known: str | None = None
    seed: int = 0
    validate: int = 5
    max_bytes: int | None = None
    max_rows: int | None = None
    max_columns: int = 20_000

    def __post_init__(self) -> None:
        names = ("detector", "contamination", "detector_params", "labels", "where", "positions", "outlier_counts")
        given = [name for name in names if getattr(self, name) not in (None, {})]
        if given and given[-1] not in names[:3] and len(given) > 1:
            requirement = Message(f"left out beside {{arg_{given[0]}}}, as both define the outliers")
            raise ParameterError(given[-1], requirement, got=getattr(self, given[-1]))
        if not 0 <= self.seed < 2**32:
            raise ParameterError("seed", f"a whole number from 0 to {2**32 - 1}", got=self.seed)
        if self.validate < 0 or self.validate == 1:
            raise ParameterError("validate", "0 or at least 2", got=self.validate)
        if self.outlier_counts is not None and self.counts is None:
            raise ParameterError("outlier_counts", Message("given with {arg_counts}"), got=self.outlier_counts)

    @property
    def detects(self) -> bool:
        """Whether a detector finds the outliers."""
        others = (self.labels, self.where, self.positions, self.outlier_counts)
        return all(one is None for one in others)

    @property
    def group_column(self) -> str | None:
        """The column that names the groups, if one does."""
        is_column = isinstance(self.groups, str) and self.groups not in ("auto", "kmeans", "reasons")
        return str(self.groups) if is_column else None

    @property
    def table_name(self) -> str:
        """The name of the table in SQL: the file's name without its suffixes.

        >>> Request("data/.orders.csv.gz").table_name, Request("-").table_name
        ('orders', 'data')
        """
        name = "" if self.path == "-" else Path(self.path).name.lstrip(".").partition(".")[0]
        return name or "data"


@dataclass(frozen=True)
class OutputOptions:
    """Which files to write, and how.

    Attributes
    ----------
    outputs : reports, in the format of their suffixes.
    rows_out, all_rows : the file of outliers, and whether it has all rows.
    table, dialect : the table and the dialect of SQL and dbt.
    title : of a page and of Markdown; None for the usual one.
    interactive : let a reader of the page look at rows.
    names : what to call groups, by their numbers.
    exit_code : end with 3 if a rule is new or changed.
    quiet : no notes.
    """

    outputs: tuple[Path, ...] = ()
    rows_out: Path | None = None
    all_rows: bool = False
    table: str = "data"
    dialect: str = "ansi"
    title: str | None = None
    interactive: bool = False
    names: Mapping[int, str] = field(default_factory=dict)
    exit_code: bool = False
    quiet: bool = False

    def __post_init__(self) -> None:
        if self.interactive and not any(path.suffix.lower() == ".html" for path in self.outputs):
            raise ParameterError("interactive", "given with an output that ends in .html", got_text="none")
