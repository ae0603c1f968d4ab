"""`load_census` and its kin: public data sets as a `Dataset`, a table of features and the class of each row.

Missing cells ('?' in the files) are missing, numbers are numbers and codes are strings. Class 0 is the one to take as
normal, so `y` can be handed to an explainer as it is.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pandas as pd

from pyod_explain._validate import check_int
from pyod_explain.datasets import codes, uci
from pyod_explain.datasets.dataset import Dataset
from pyod_explain.datasets.files import content

__all__ = ["load_bank", "load_census", "load_german_credit", "load_heart", "load_readmission"]

_LICENCE = "CC BY 4.0"
_PAPER = "Set-up of the paper 'Coverage-based Outlier Explanation': class 0 is normal, the others are outliers."


def load_census(*, paper: bool = False, random_state: int = 0) -> Dataset:
    """Load Census Income ("Adult"): people of 1994 and whether they earn more than 50,000 dollars a year.

    Parameters
    ----------
    paper : False gives all 32,561 rows. True gives the set-up of *Coverage-based Outlier Explanation*: all 24,720 rows
        `<=50K` as normals and 1,301 of the 7,841 rows `>50K` as outliers. The paper does not say which; they are
        drawn without replacement by `numpy.random.default_rng(random_state)`. Rows stay in the order of the file.
    random_state : seed of that draw.

    Notes
    -----
    All 14 features are kept, among them `fnlwgt`, a sampling weight, and `education-num`, which is `education` as a
    number.

    Examples
    --------
    >>> load_census(paper=True)  # doctest: +SKIP
    Dataset(census: 26,021 rows x 14 columns; <=50K 24,720, >50K 1,301)
    """
    data = _load(uci.CENSUS)
    return _paper_sample(data, 1_301, random_state) if paper else data


def load_readmission(*, paper: bool = False, random_state: int = 0, labels: bool = True) -> Dataset:
    """Load Readmission ("Diabetes 130-US Hospitals"): stays in hospital and whether the patient came back.

    Parameters
    ----------
    paper : False gives all 101,766 rows in the classes `NO`, `<30` and `>30` (days until readmission). True gives the
        set-up of *Coverage-based Outlier Explanation*: all 54,864 rows `NO` as normals and 2,887 of the 11,357 rows
        `<30` as outliers, drawn as in `load_census`.
    random_state : seed of that draw.
    labels : True writes the three `*_id` columns in the words of their code book, `diabetic_ids_mapping.csv`. False
        leaves the codes, as strings, and does not need that file.

    Notes
    -----
    The identifiers `encounter_id` and `patient_nbr` are dropped; a patient can have several rows. `examide` and
    `citoglipton` have one value only. `None` in `max_glu_serum` and `A1Cresult` is a value: not measured.

    Examples
    --------
    >>> load_readmission(paper=True)  # doctest: +SKIP
    Dataset(readmission: 57,751 rows x 47 columns; NO 54,864, <30 2,887)
    """
    book = _ids_mapping(content(uci.READMISSION.archive, uci.IDS_MAPPING)) if labels else {}
    data = _load(uci.READMISSION, book)
    return _paper_sample(data, 2_887, random_state) if paper else data


def load_heart(*, paper: bool = False, labels: bool = True) -> Dataset:
    """Load Heart Disease (Cleveland): 303 patients, healthy (class 0) or with disease of degree 1 to 4.

    Parameters
    ----------
    paper : the set-up of *Coverage-based Outlier Explanation* has class 0 (164 rows) as normals and classes 1 to 4 (55,
        36, 35 and 13 rows) as four groups of outliers. That is the whole file as it is, so the rows are the same
        either way; the description says which was asked for.
    labels : True writes codes as words (`cp is 'asymptomatic'`), False leaves them (`cp is '4'`).

    Examples
    --------
    >>> load_heart()  # doctest: +SKIP
    Dataset(heart: 303 rows x 13 columns; 0 164, 1 55, 2 36, 3 35, 4 13)
    """
    data = _load(uci.HEART, codes.HEART if labels else {})
    return replace(data, description=f"{data.description} {_PAPER}") if paper else data


def load_bank() -> Dataset:
    """Load Bank Marketing: 45,211 calls of a Portuguese bank and whether the client subscribed to a deposit.

    Notes
    -----
    All 16 features are kept. `duration` is known only after the call; `pdays` is -1 for "not contacted before";
    `unknown` is a value of several columns, not a missing cell.

    Examples
    --------
    >>> load_bank()  # doctest: +SKIP
    Dataset(bank: 45,211 rows x 16 columns; no 39,922, yes 5,289)
    """
    return _load(uci.BANK)


def load_german_credit(*, labels: bool = True) -> Dataset:
    """Load German Credit: 1,000 people who asked for a loan, good (class 0) or bad (class 1) risks.

    Parameters
    ----------
    labels : True writes codes as words (`housing is 'own'`), False leaves them (`housing is 'A152'`).

    Examples
    --------
    >>> load_german_credit()  # doctest: +SKIP
    Dataset(german_credit: 1,000 rows x 20 columns; good 700, bad 300)
    """
    return _load(uci.GERMAN_CREDIT, codes.GERMAN_CREDIT if labels else {})


def _load(spec: uci.Spec, book: codes.CodeBook | None = None) -> Dataset:
    text = io.BytesIO(content(spec.archive, spec.file))
    # The word None is a value in one of the files, so only the question mark means missing.
    frame = pd.read_csv(text, dtype=str, keep_default_na=False, na_values=["?"])
    number = {written: i for i, written in enumerate(spec.classes)}
    y = np.asarray(frame[spec.class_column].map(number), dtype=np.int64)
    frame = frame.drop(columns=[spec.class_column, *spec.dropped])
    for column in frame.columns:
        if column in spec.whole or column in spec.real:
            numbers = frame[column].astype(np.float64)  # "63.0" is a whole number too
            frame[column] = numbers.astype(np.int64) if column in spec.whole else numbers
        elif column in spec.decimal_codes:
            frame[column] = frame[column].str.removesuffix(".0")
    for column, words in (book or {}).items():
        frame[column] = frame[column].map(words)
    return Dataset(
        spec.name, frame, y, tuple(spec.classes.values()), spec.description, spec.source, _LICENCE, spec.citation
    )


def _paper_sample(data: Dataset, n_outliers: int, random_state: int) -> Dataset:
    """Keep all rows of class 0 and a sample of class 1, in the order of the file."""
    rng = np.random.default_rng(check_int(f"load_{data.name}", "random_state", random_state, low=0))
    sample = rng.choice(np.flatnonzero(data.y == 1), size=n_outliers, replace=False)
    rows = np.sort(np.concatenate([np.flatnonzero(data.y == 0), sample]))
    description = f"{data.description} {_PAPER}"
    return replace(data, X=data.X.iloc[rows], y=data.y[rows], class_names=data.class_names[:2], description=description)


def _ids_mapping(text: bytes) -> dict[str, dict[str, str]]:
    r"""Read the code book of Readmission: one table below the other, between them a line with a comma only.

    >>> _ids_mapping(b"a_id,description\n1, Urgent\n,\nb_id,description\n1,Home\n2,NULL\n")
    {'a_id': {'1': 'Urgent'}, 'b_id': {'1': 'Home', '2': 'NULL'}}
    """
    book: dict[str, dict[str, str]] = {}
    for code, words in csv.reader(io.StringIO(text.decode())):
        if words == "description":
            book[code] = {}
        elif code:
            book[list(book)[-1]][code] = words.strip()
    return book
