"""Public data sets: as UCI has them, with the published counts."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from archives import zipped

from pyod_explain.datasets import (
    Dataset,
    load_bank,
    load_census,
    load_german_credit,
    load_heart,
    load_readmission,
    uci,
)
from pyod_explain.datasets.files import content
from pyod_explain.exceptions import PyodExplainError

ADULT = (
    b"39, State-gov, 77516, Bachelors, 13, Never-married, ?, Not-in-family, White, Male, 2174, 0, 40, Peru, <=50K\n"
    b"50, ?, 83311, HS-grad, 9, Divorced, Sales, Husband, Black, Female, 0, 0, 13, United-States, >50K\n\n"
)


HEART = (
    b"63.0,1.0,4.0,145.0,233.0,1.0,2.0,150.0,0.0,2.3,3.0,0.0,6.0,0\n"
    b"67.0,0.0,1.0,160.0,286.0,0.0,0.0,108.0,1.0,1.5,2.0,?,?,2\n"
)
BANK = (
    b'"age";"job";"marital";"education";"default";"balance";"housing";"loan";"contact";"day";"month";"duration";'
    b'"campaign";"pdays";"previous";"poutcome";"y"\r\n'
    b'58;"management";"married";"unknown";"no";-21;"yes";"no";"unknown";5;"may";261;1;-1;0;"unknown";"no"\r\n'
)
GERMAN = (
    b"A11 6 A34 A410 1169 A65 A75 4 A93 A101 4 A121 67 A143 A152 2 A173 1 A192 A201 1 \n"
    b"A12 48 A32 A43 5951 A61 A73 2 A92 A101 2 A121 22 A143 A152 1 A173 1 A191 A201 2\n"
)
DIABETIC = (
    b"encounter_id,patient_nbr,race,admission_type_id,discharge_disposition_id,admission_source_id,"
    b"time_in_hospital,num_lab_procedures,num_procedures,num_medications,number_outpatient,number_emergency,"
    b"number_inpatient,diag_1,number_diagnoses,max_glu_serum,readmitted\r\n"
    b"1,2,?,6,25,1,1,41,0,1,0,0,0,250.0,1,None,NO\r\n"
    b"3,4,Asian,1,1,7,3,59,0,18,0,0,0,V57,9,>300,>30\r\n"
    b"5,6,Other,1,1,1,2,11,5,13,2,0,1,648,6,None,<30\r\n"
)
IDS_MAPPING = (
    b"admission_type_id,description\r1,Emergency\r6,NULL\r,\r"
    b'discharge_disposition_id,description\r1,Discharged to home\r25,"Not Mapped, unknown"\r,\r'
    b"admission_source_id,description\r1, Physician Referral\r7, Emergency Room"
)


def put_made_up(monkeypatch: pytest.MonkeyPatch, folder: Path, spec: str, **members: bytes) -> None:
    """Put an archive with these files where a loader looks, and make their checksums the expected ones."""
    old = getattr(uci, spec)
    folder.mkdir(exist_ok=True)
    (folder / old.archive.name).write_bytes(zipped(**members))
    good = {
        file.name: replace(file, sha256=hashlib.sha256(file.convert(data)).hexdigest())
        for file, data in zip(old.archive.files, members.values(), strict=True)
    }
    archive = replace(old.archive, files=tuple(good.values()))
    monkeypatch.setattr(uci, spec, replace(old, archive=archive, file=good[old.file.name]))
    if uci.IDS_MAPPING.name in good:
        monkeypatch.setattr(uci, "IDS_MAPPING", good[uci.IDS_MAPPING.name])


def test_adult_as_uci_has_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_made_up(monkeypatch, cache, "CENSUS", adult_DOT_data=ADULT)
    data = load_census()
    assert repr(data) == "Dataset(census: 2 rows x 14 columns; <=50K 1, >50K 1)"
    assert data.X["workclass"].fillna("-").tolist() == ["State-gov", "-"]
    assert data.X["occupation"].isna().tolist() == [True, False]
    assert data.X["native-country"].tolist() == ["Peru", "United-States"]
    assert data.X["capital-gain"].tolist() == [2174, 0]
    assert data.X["age"].dtype == np.int64


def test_heart_as_uci_has_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_made_up(monkeypatch, cache, "HEART", processed_DOT_cleveland_DOT_data=HEART)
    data, coded = load_heart(), load_heart(labels=False)
    assert data.y.tolist() == [0, 2]
    assert data.X["cp"].tolist() == ["asymptomatic", "typical angina"]
    assert coded.X["cp"].tolist() == ["4", "1"]
    assert data.X["thal"].fillna("-").tolist() == ["fixed defect", "-"]
    assert data.X["oldpeak"].tolist() == [2.3, 1.5]
    assert data.X["ca"].isna().tolist() == [False, True]
    assert data.X["age"].tolist() == [63, 67]
    assert data.X["age"].dtype == np.int64
    assert "paper" in load_heart(paper=True).description


def test_bank_as_uci_has_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = zipped(**{"bank-full_DOT_csv": BANK})
    put_made_up(monkeypatch, cache, "BANK", **{"bank-full_DOT_csv": BANK})
    (cache / uci.BANK.archive.name).write_bytes(zipped(bank_DOT_zip=inner))  # as UCI nests it
    data = load_bank()
    assert data.X.iloc[0].to_dict() == {
        "age": 58, "job": "management", "marital": "married", "education": "unknown", "default": "no", "balance": -21,
        "housing": "yes", "loan": "no", "contact": "unknown", "day": 5, "month": "may", "duration": 261, "campaign": 1,
        "pdays": -1, "previous": 0, "poutcome": "unknown",
    }  # fmt: skip
    assert data.y.tolist() == [0]


def test_german_credit_as_uci_has_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_made_up(monkeypatch, cache, "GERMAN_CREDIT", german_DOT_data=GERMAN)
    data, coded = load_german_credit(), load_german_credit(labels=False)
    assert repr(data) == "Dataset(german_credit: 2 rows x 20 columns; good 1, bad 1)"
    assert data.X["purpose"].tolist() == ["others", "radio/television"]
    assert coded.X["purpose"].tolist() == ["A410", "A43"]
    assert data.X["credit_amount"].tolist() == [1169, 5951]
    assert not data.X.isna().any(axis=None)


def test_readmission_as_uci_has_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_made_up(monkeypatch, cache, "READMISSION", diabetic_data_DOT_csv=DIABETIC, IDS_mapping_DOT_csv=IDS_MAPPING)
    data, coded = load_readmission(), load_readmission(labels=False)
    assert data.class_names == ("NO", "<30", ">30")
    assert data.y.tolist() == [0, 2, 1]
    assert "encounter_id" not in data.X
    assert "patient_nbr" not in data.X
    assert data.X["discharge_disposition_id"].tolist() == ["Not Mapped, unknown", *["Discharged to home"] * 2]
    assert data.X["admission_source_id"].tolist() == ["Physician Referral", "Emergency Room", "Physician Referral"]
    assert data.X["admission_type_id"].tolist() == ["NULL", "Emergency", "Emergency"]
    assert coded.X["admission_type_id"].tolist() == ["6", "1", "1"]
    assert data.X["max_glu_serum"].tolist() == ["None", ">300", "None"]
    assert data.X["diag_1"].tolist() == ["250.0", "V57", "648"]
    assert data.X["race"].isna().tolist() == [True, False, False]


@pytest.fixture
def real_files() -> None:
    """Skip unless the user has named a folder with the files: tests never download."""
    folder = os.environ.get("PYOD_EXPLAIN_DATA")
    if not folder:
        pytest.skip("needs the real data files: name their folder in PYOD_EXPLAIN_DATA")
    absent = [name for name in ALL_FILES if not (Path(folder) / name).is_file()]
    if absent:
        pytest.skip(f"PYOD_EXPLAIN_DATA lacks {', '.join(absent)}")


SPECS = (uci.CENSUS, uci.READMISSION, uci.HEART, uci.BANK, uci.GERMAN_CREDIT)
ALL_FILES = [file.name for spec in SPECS for file in spec.archive.files]
LOADERS: dict[Callable[..., Dataset], str] = {
    load_census: "Dataset(census: 32,561 rows x 14 columns; <=50K 24,720, >50K 7,841)",
    load_readmission: "Dataset(readmission: 101,766 rows x 47 columns; NO 54,864, <30 11,357, >30 35,545)",
    load_heart: "Dataset(heart: 303 rows x 13 columns; 0 164, 1 55, 2 36, 3 35, 4 13)",
    load_bank: "Dataset(bank: 45,211 rows x 16 columns; no 39,922, yes 5,289)",
    load_german_credit: "Dataset(german_credit: 1,000 rows x 20 columns; good 700, bad 300)",
}
MISSING = {
    "census": {"workclass": 1836, "occupation": 1843, "native-country": 583},
    "readmission": {
        "race": 2273, "weight": 98569, "payer_code": 40256, "medical_specialty": 49949, "diag_1": 21, "diag_2": 358,
        "diag_3": 1423,
    },
    "heart": {"ca": 4, "thal": 2},
    "bank": {},
    "german_credit": {},
}  # fmt: skip


@pytest.mark.usefixtures("real_files")
@pytest.mark.parametrize("load", LOADERS, ids=lambda load: load.__name__)
def test_real_tables_have_the_published_counts(load: Callable[..., Dataset]) -> None:
    data = load()
    assert repr(data) == LOADERS[load]
    gaps = data.X.isna().sum()
    assert gaps[gaps > 0].to_dict() == MISSING[data.name]
    assert not {"income", "readmitted", "num", "y", "class"} & set(data.X.columns)
    assert len(data.X) == len(data.y)
    assert data.licence == "CC BY 4.0"
    assert "doi:" in data.citation
    assert data.source.startswith("https://archive.ics.uci.edu/dataset/")


@pytest.mark.usefixtures("real_files")
@pytest.mark.parametrize(("load", "sizes"), [(load_census, [24720, 1301]), (load_readmission, [54864, 2887])])
def test_the_set_up_of_the_paper(load: Callable[..., Dataset], sizes: list[int]) -> None:
    one, two, other = (load(paper=True, random_state=seed) for seed in (0, 0, 1))
    assert np.bincount(one.y).tolist() == sizes
    assert len(one.class_names) == 2
    assert one.X.index.equals(two.X.index)
    assert one.X.index.is_monotonic_increasing
    assert one.X.index.is_unique
    assert not one.X.index.equals(other.X.index)
    whole = load()
    pd.testing.assert_frame_equal(one.X, whole.X.loc[one.X.index])
    np.testing.assert_array_equal(one.y, whole.y[one.X.index])
    with pytest.raises(PyodExplainError, match=r"`random_state` of load_.* must be a whole number"):
        load(paper=True, random_state=None)


@pytest.mark.usefixtures("real_files")
def test_the_groups_of_the_paper_in_heart() -> None:
    assert np.bincount(load_heart(paper=True).y).tolist() == [164, 55, 36, 35, 13]


@pytest.mark.usefixtures("real_files")
def test_uci_form_made_from_the_real_files_converts_back_to_them() -> None:
    undo = {
        "adult.csv.gz": lambda text: text.partition(b"\n")[2].replace(b",", b", ") + b"\n",
        "diabetic_data.csv.gz": lambda text: text.replace(b"\n", b"\r\n"),
        "diabetic_ids_mapping.csv": lambda text: text.rstrip(b"\n").replace(b"\n", b"\r"),
        "heart_cleveland.csv.gz": lambda text: text.partition(b"\n")[2],
        "bank_full.csv.gz": lambda text: text.replace(b",", b'";"'),
        "german_credit.csv.gz": lambda text: text.partition(b"\n")[2].replace(b",", b" "),
    }
    for spec in SPECS:
        for file in spec.archive.files:
            text = content(spec.archive, file)
            assert file.convert(undo[file.name](text)) == text


def test_importing_the_datasets_is_light() -> None:
    code = "import sys, pyod_explain.datasets; print({'pyod', 'matplotlib', 'sklearn.datasets'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # ours
    assert found.stdout.strip() == "set()"
