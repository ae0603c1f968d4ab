"""The UCI data sets of the experiments, read from the folder that PYOD_EXPLAIN_DATA names (see docs/datasets.md).

Missing cells (`?` in the files) are missing, numbers are numbers and codes are strings. Class 0 is the normal one.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from harness import code_books
from harness.folders import data_file


@dataclass(frozen=True, eq=False)
class Dataset:
    """The features, the class number of each row, and the names of the classes."""

    X: pd.DataFrame
    y: NDArray[np.int64]
    class_names: tuple[str, ...]


def load_census(*, paper: bool = False, random_state: int = 0) -> Dataset:
    """Load Census Income ("Adult"): 32,561 people and whether they earn more than 50,000 dollars a year.

    Parameters
    ----------
    paper : True for the set-up of the paper: all 24,720 rows `<=50K` and 1,301 of the rows `>50K`, drawn at random.
    random_state : seed of that draw.
    """
    data = _load(
        "adult.csv.gz",
        "income",
        {"<=50K": "<=50K", ">50K": ">50K"},
        ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"),
    )
    return _sample_outliers(data, 1_301, random_state) if paper else data


def load_readmission(*, paper: bool = False, random_state: int = 0, labels: bool = True) -> Dataset:
    """Load Readmission ("Diabetes 130-US Hospitals"): 101,766 stays and the days until readmission.

    Parameters
    ----------
    paper : True for the set-up of the paper: all 54,864 rows `NO` and 2,887 of the rows `<30`, drawn at random.
    random_state : seed of that draw.
    labels : write the three `*_id` columns in the words of their code book.
    """
    book = _read_code_book(data_file("diabetic_ids_mapping.csv").read_text()) if labels else {}
    data = _load(
        "diabetic_data.csv.gz",
        "readmitted",
        {"NO": "NO", "<30": "<30", ">30": ">30"},
        (
            "time_in_hospital", "num_lab_procedures", "num_procedures", "num_medications", "number_outpatient",
            "number_emergency", "number_inpatient", "number_diagnoses",
        ),
        book=book,
        dropped=["encounter_id", "patient_nbr"],
    )  # fmt: skip
    return _sample_outliers(data, 2_887, random_state) if paper else data


def load_heart(*, labels: bool = True) -> Dataset:
    """Load Heart Disease (Cleveland): 303 patients; classes 1 to 4, degrees of the disease, are the paper's groups."""
    return _load(
        "heart_cleveland.csv.gz",
        "num",
        {str(degree): str(degree) for degree in range(5)},
        ("age", "trestbps", "chol", "thalach"),
        real=("oldpeak", "ca"),
        book=code_books.HEART if labels else {},
        decimal_codes=tuple(code_books.HEART),
    )


def load_bank() -> Dataset:
    """Load Bank Marketing: 45,211 calls and whether the client subscribed to a deposit; `unknown` is a value."""
    whole = ("age", "balance", "day", "duration", "campaign", "pdays", "previous")
    return _load("bank_full.csv.gz", "y", {"no": "no", "yes": "yes"}, whole)


def load_german_credit(*, labels: bool = True) -> Dataset:
    """Load German Credit: 1,000 people who asked for a loan, good or bad risks."""
    return _load(
        "german_credit.csv.gz",
        "class",
        {"1": "good", "2": "bad"},
        (
            "duration", "credit_amount", "installment_commitment", "residence_since", "age", "existing_credits",
            "num_dependents",
        ),
        book=code_books.GERMAN_CREDIT if labels else {},
    )  # fmt: skip


def _load(
    file: str,
    class_column: str,
    classes: dict[str, str],
    whole: tuple[str, ...],
    *,
    real: tuple[str, ...] = (),
    book: code_books.CodeBook | None = None,
    dropped: list[str] | None = None,
    decimal_codes: tuple[str, ...] = (),
) -> Dataset:
    """Read a file; `whole` and `real` are its numbers, `decimal_codes` its codes that are written as 4.0 for 4."""
    # The word None is a value in one of the files, so only the question mark means missing.
    frame = pd.read_csv(data_file(file), dtype=str, keep_default_na=False, na_values=["?"])
    y = np.asarray(frame[class_column].map({written: i for i, written in enumerate(classes)}), dtype=np.int64)
    frame = frame.drop(columns=[class_column, *(dropped or [])])
    for column in (*whole, *real):
        numbers = frame[column].astype(np.float64)  # "63.0" is a whole number too
        frame[column] = numbers.astype(np.int64) if column in whole else numbers
    for column in decimal_codes:
        frame[column] = frame[column].str.removesuffix(".0")
    for column, words in (book or {}).items():
        frame[column] = frame[column].map(words)
    return Dataset(frame, y, tuple(classes.values()))


def _sample_outliers(data: Dataset, n_outliers: int, random_state: int) -> Dataset:
    """Keep all rows of class 0 and a sample of class 1, in the order of the file."""
    rng = np.random.default_rng(random_state)
    sample = rng.choice(np.flatnonzero(data.y == 1), size=n_outliers, replace=False)
    rows = np.sort(np.concatenate([np.flatnonzero(data.y == 0), sample]))
    return replace(data, X=data.X.iloc[rows], y=data.y[rows], class_names=data.class_names[:2])


def _read_code_book(text: str) -> dict[str, dict[str, str]]:
    """Read the code book of Readmission: one table below the other, between them a line with a comma only."""
    book: dict[str, dict[str, str]] = {}
    for code, words in csv.reader(io.StringIO(text)):
        if words == "description":
            book[code] = {}
        elif code:
            book[list(book)[-1]][code] = words.strip()
    return book
