"""`load_census` and its kin: public data sets as a `Dataset`, a table of features and the class of each row.

Missing cells ('?' in the files) are missing, numbers are numbers and codes are strings. Class 0 is the one to take as
normal, so `y` can be handed to an explainer as it is.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._validate import check_int
from pyod_explain.datasets import codes
from pyod_explain.datasets.files import Archive, DataFile, as_csv, content

__all__ = ["Dataset", "load_bank", "load_census", "load_german_credit", "load_heart", "load_readmission"]

_LICENCE = "CC BY 4.0"


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of features, the class of each row, and where it comes from.

    Attributes
    ----------
    name : short name.
    X : the features, without the class; the index is the row's place in the file, from 0.
    y : number of each row's class, an index into `class_names`.
    class_names : what the file calls the classes; the first, number 0, is the one to take as normal.
    description : what a row is, and what to know about the columns.
    source, licence, citation : the page it is published on, under what terms, and how to cite it.

    Examples
    --------
    >>> X = pd.DataFrame({"age": [39, 50, 38]})
    >>> Dataset("tiny", X, np.array([0, 1, 0]), ("no", "yes"), "Three people.", "made up", "none", "none")
    Dataset(tiny: 3 rows x 1 columns; no 2, yes 1)
    """

    name: str
    X: pd.DataFrame
    y: NDArray[np.int64]
    class_names: tuple[str, ...]
    description: str
    source: str
    licence: str
    citation: str

    def __repr__(self) -> str:
        counts = np.bincount(self.y, minlength=len(self.class_names))
        classes = ", ".join(f"{name} {count:,}" for name, count in zip(self.class_names, counts, strict=True))
        return f"Dataset({self.name}: {self.X.shape[0]:,} rows x {self.X.shape[1]} columns; {classes})"


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
    data = _load(_CENSUS)
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
    book = _ids_mapping(content(_READMISSION.archive, _IDS_MAPPING)) if labels else {}
    data = _load(_READMISSION, book)
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
    data = _load(_HEART, codes.HEART if labels else {})
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
    return _load(_BANK)


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
    return _load(_GERMAN_CREDIT, codes.GERMAN_CREDIT if labels else {})


# --- from text to table ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Spec:
    """What the code must know of a file beyond its text."""

    name: str
    archive: Archive
    file: DataFile
    class_column: str
    classes: Mapping[str, str]  # as written in the file -> name; in the order of their numbers
    whole: tuple[str, ...]  # columns of whole numbers, without missing cells
    real: tuple[str, ...]  # columns of other numbers
    dropped: tuple[str, ...]
    description: str
    source: str
    citation: str
    decimal_codes: tuple[str, ...] = ()  # columns of codes that the file writes as decimals: 4.0 for 4


def _load(spec: _Spec, book: codes.CodeBook | None = None) -> Dataset:
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


# --- the files ------------------------------------------------------------------------------------------------------

_PAPER = "Set-up of the paper 'Coverage-based Outlier Explanation': class 0 is normal, the others are outliers."
_UCI = "https://archive.ics.uci.edu"

_ADULT_FILE = DataFile(
    "adult.csv.gz",
    "adult.data",
    "f2c62076f19504d99a38b22badf445a7f42530ade6b827acf78dd143fbce38bb",
    lambda data: as_csv(
        data,
        header="age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,"
        "capital-gain,capital-loss,hours-per-week,native-country,income",
        separator=b", ",
    ),
)
_CENSUS = _Spec(
    name="census",
    archive=Archive(f"{_UCI}/static/public/2/adult.zip", (_ADULT_FILE,)),
    file=_ADULT_FILE,
    class_column="income",
    classes={"<=50K": "<=50K", ">50K": ">50K"},
    whole=("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"),
    real=(),
    dropped=(),
    description=(
        "A row is a person in the US census of 1994; the class is the yearly income. `fnlwgt` is a sampling weight, "
        "`education-num` is `education` as a number."
    ),
    source=f"{_UCI}/dataset/2/adult",
    citation="Becker, B. & Kohavi, R. (1996). Adult [Dataset]. UCI Machine Learning Repository. doi:10.24432/C5XW20",
)

_DIABETIC_FILE = DataFile(
    "diabetic_data.csv.gz",
    "diabetic_data.csv",
    "da21942c25a10a51a8842907ab01a8530b06232616b17d317441d592a20c4359",
    as_csv,
)
_IDS_MAPPING = DataFile(
    "diabetic_ids_mapping.csv",
    "IDs_mapping.csv",
    "d75eb9283fa1f81c6c096a53870f26eb7f9b1b3c2d52bc97b718b534ee9d8f91",
    as_csv,
)
_READMISSION = _Spec(
    name="readmission",
    archive=Archive(
        f"{_UCI}/static/public/296/diabetes+130-us+hospitals+for+years+1999-2008.zip", (_DIABETIC_FILE, _IDS_MAPPING)
    ),
    file=_DIABETIC_FILE,
    class_column="readmitted",
    classes={"NO": "NO", "<30": "<30", ">30": ">30"},
    whole=(
        "time_in_hospital", "num_lab_procedures", "num_procedures", "num_medications", "number_outpatient",
        "number_emergency", "number_inpatient", "number_diagnoses",
    ),
    real=(),
    dropped=("encounter_id", "patient_nbr"),
    description=(
        "A row is a stay of a diabetic patient in one of 130 US hospitals, 1999 to 2008; the class is the time until "
        "readmission in days. `age` and `weight` are intervals, `diag_1` to `diag_3` ICD-9 codes. The identifiers of "
        "stay and patient are left out."
    ),
    source=f"{_UCI}/dataset/296/diabetes+130-us+hospitals+for+years+1999-2008",
    citation=(
        "Clore, J., Cios, K., DeShazo, J. & Strack, B. (2014). Diabetes 130-US Hospitals for Years 1999-2008 "
        "[Dataset]. UCI Machine Learning Repository. doi:10.24432/C5230J. Described in Strack et al. (2014), BioMed "
        "Research International, 781670."
    ),
)  # fmt: skip

_HEART_FILE = DataFile(
    "heart_cleveland.csv.gz",
    "processed.cleveland.data",
    "a5195b7562ca4f48bda400649bfee2a7d7ed70ff72fb5cc0c486c68fd68f7f62",
    lambda data: as_csv(data, header="age,sex,cp,trestbps,chol,fbs,restecg,thalach,exang,oldpeak,slope,ca,thal,num"),
)
_HEART = _Spec(
    name="heart",
    archive=Archive(f"{_UCI}/static/public/45/heart+disease.zip", (_HEART_FILE,)),
    file=_HEART_FILE,
    class_column="num",
    classes={str(degree): str(degree) for degree in range(5)},
    whole=("age", "trestbps", "chol", "thalach"),
    real=("oldpeak", "ca"),
    dropped=(),
    description=(
        "A row is a patient examined for heart disease; the class is the diagnosis, 0 for none, 1 to 4 for its degree. "
        "`ca` is the number of major vessels coloured by fluoroscopy."
    ),
    source=f"{_UCI}/dataset/45/heart+disease",
    citation=(
        "Janosi, A., Steinbrunn, W., Pfisterer, M. & Detrano, R. (1989). Heart Disease [Dataset]. UCI Machine Learning "
        "Repository. doi:10.24432/C52P4X. Cleveland data: principal investigator Robert Detrano, M.D., Ph.D., V.A. "
        "Medical Center, Long Beach and Cleveland Clinic Foundation."
    ),
    decimal_codes=tuple(codes.HEART),
)

_BANK_FILE = DataFile(
    "bank_full.csv.gz",
    "bank-full.csv",
    "b44507c26634736d4a0619ec2d7c4b6ff56a2c63cbeb5176d3134e7b25e416f0",
    lambda data: as_csv(data, separator=b";"),
)
_BANK = _Spec(
    name="bank",
    archive=Archive(f"{_UCI}/static/public/222/bank+marketing.zip", (_BANK_FILE,)),
    file=_BANK_FILE,
    class_column="y",
    classes={"no": "no", "yes": "yes"},
    whole=("age", "balance", "day", "duration", "campaign", "pdays", "previous"),
    real=(),
    dropped=(),
    description=(
        "A row is a client called by a bank; the class is whether a term deposit was subscribed. `duration` is "
        "known only after the call, `pdays` is -1 for clients not contacted before, `unknown` is a value."
    ),
    source=f"{_UCI}/dataset/222/bank+marketing",
    citation=(
        "Moro, S., Rita, P. & Cortez, P. (2014). Bank Marketing [Dataset]. UCI Machine Learning Repository. "
        "doi:10.24432/C5K306"
    ),
)

_GERMAN_FILE = DataFile(
    "german_credit.csv.gz",
    "german.data",
    "302c25f9a04f3253156506baa40b172b3107bf7e26b9bbc46e51c2a062829787",
    lambda data: as_csv(
        data,
        header="checking_status,duration,credit_history,purpose,credit_amount,savings_status,employment,"
        "installment_commitment,personal_status,other_parties,residence_since,property_magnitude,age,"
        "other_payment_plans,housing,existing_credits,job,num_dependents,own_telephone,foreign_worker,class",
        separator=b" ",
    ),
)
_GERMAN_CREDIT = _Spec(
    name="german_credit",
    archive=Archive(f"{_UCI}/static/public/144/statlog+german+credit+data.zip", (_GERMAN_FILE,)),
    file=_GERMAN_FILE,
    class_column="class",
    classes={"1": "good", "2": "bad"},
    whole=(
        "duration", "credit_amount", "installment_commitment", "residence_since", "age", "existing_credits",
        "num_dependents",
    ),
    real=(),
    dropped=(),
    description="A row is a person who asks a German bank for a loan; the class is the risk. `duration` is in months.",
    source=f"{_UCI}/dataset/144/statlog+german+credit+data",
    citation=(
        "Hofmann, H. (1994). Statlog (German Credit Data) [Dataset]. UCI Machine Learning Repository. "
        "doi:10.24432/C5NC77"
    ),
)  # fmt: skip
