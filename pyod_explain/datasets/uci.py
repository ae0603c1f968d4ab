"""The data files at UCI: where each is, what its columns and classes are, and how to cite it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyod_explain.datasets import codes
from pyod_explain.datasets.files import Archive, DataFile, as_csv

__all__ = ["BANK", "CENSUS", "GERMAN_CREDIT", "HEART", "IDS_MAPPING", "READMISSION", "Spec"]


@dataclass(frozen=True)
class Spec:
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
CENSUS = Spec(
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
IDS_MAPPING = DataFile(
    "diabetic_ids_mapping.csv",
    "IDs_mapping.csv",
    "d75eb9283fa1f81c6c096a53870f26eb7f9b1b3c2d52bc97b718b534ee9d8f91",
    as_csv,
)
READMISSION = Spec(
    name="readmission",
    archive=Archive(
        f"{_UCI}/static/public/296/diabetes+130-us+hospitals+for+years+1999-2008.zip", (_DIABETIC_FILE, IDS_MAPPING)
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
HEART = Spec(
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
BANK = Spec(
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
GERMAN_CREDIT = Spec(
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
