"""The arguments that several tools have in common, and what a client is told of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Contamination", "DataPath", "Detector", "How", "Labels", "OutlierValues", "Params", "Rows", "View", "Who"]

MOST_ROWS = 100_000  # that a call may mark

DataPath = Annotated[str, Field(description="A table: .csv, .tsv, .parquet, .jsonl, .xlsx, each also with .gz.")]
Detector = Annotated[str, Field(description="PyOD's name of the detector, such as IForest, ECOD or KNN.")]
Contamination = Annotated[float, Field(description="Share of the rows to take for outliers, from 0 to 1.")]
Params = Annotated[
    dict[str, bool | int | float | str] | None, Field(description="Parameters of the detector: {'n_neighbors': 20}.")
]
Labels = Annotated[
    str | None,
    Field(
        description="The column that marks outliers, by 1 and 0 or two words; or a test of a column, such as "
        "'status != ok', 'amount > 500' or 'status in fraud,chargeback'."
    ),
]
OutlierValues = Annotated[
    list[str] | None, Field(description="With a column in `labels`: the values that outliers have there.")
]
Rows = Annotated[
    list[int] | None,
    Field(description="Instead of `labels`: the outliers by their positions, from 0.", max_length=MOST_ROWS),
]
View = Annotated[
    Literal["text", "headline", "markdown", "json", "sql"], Field(description="How the answer is written.")
]


class How(BaseModel):
    """Which columns, and how to explain and to read."""

    model_config = ConfigDict(extra="forbid")

    index: Annotated[
        str | None, Field(description="The column with the names of the rows. Without it they are numbered from 0.")
    ] = None
    drop: Annotated[list[str] | None, Field(description="Columns to leave out.")] = None
    only: Annotated[list[str] | None, Field(description="Columns to use, and no others.")] = None
    ban: Annotated[
        list[str] | None, Field(description="Columns that no rule may speak of; a detector still sees them.")
    ] = None
    groups: Annotated[
        str | int,
        Field(description="'reasons' (the rules make the groups), 'auto' (k-means), a number of groups, or a column."),
    ] = "reasons"
    folds: Annotated[
        int, Field(alias="validate", description="Parts to check the rules by on rows kept aside; 0 is no check.")
    ] = 5  # `validate` is a method of the class
    placebo: Annotated[
        int, Field(description="How often to repeat the search with random rows, to see what chance gives.")
    ] = 0
    max_length: Annotated[int, Field(description="Most conditions in a rule.")] = 3
    seed: Annotated[int, Field(description="Seed of the detector and of random draws, 0 or more.")] = 0
    sep: Annotated[str | None, Field(description="What parts the columns of a text file; found out if not given.")] = (
        None
    )
    decimal: Annotated[
        Literal[".", ","] | None, Field(description="Decimal sign of a text file; found out if not given.")
    ] = None
    encoding: Annotated[str | None, Field(description="Encoding of a text file; found out if not given.")] = None

    def said(self) -> dict[str, Any]:
        """Give what is not as usual, by name."""
        return self.model_dump(exclude_defaults=True, by_alias=True)


class Who(BaseModel):
    """Who says which rows are outliers: a detector (IForest if nothing is said), or `labels`, or `rows`."""

    model_config = ConfigDict(extra="forbid")

    detector: Detector | None = None
    contamination: Contamination | None = None
    detector_params: Params = None
    labels: Labels = None
    outlier_values: OutlierValues = None
    rows: Rows = None

    def said(self) -> dict[str, Any]:
        """Give what was said, by name; a detector if nothing was, as the tool explain_outliers takes it."""
        said = self.model_dump(exclude_none=True)
        if not {"labels", "rows"} & set(said):
            said = {"detector": "IForest", "contamination": 0.1, **said}
        if "detector_params" in said:
            said["param"] = said.pop("detector_params")
        return said

    def wrong(self) -> str | None:
        """Tell in a sentence what contradicts what, if anything does."""
        if self.rows is None:
            return None  # the command line notices the rest
        if not self.rows:
            return "`rows` must have the position of at least one outlier, got none."
        others = [name for name in self.model_dump(exclude_none=True) if name != "rows"]
        return f"`rows` says which rows are outliers: leave out `{others[0]}`." if others else None
