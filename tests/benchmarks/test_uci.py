"""The real data sets of the benchmarks have the published counts."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

COUNTS = {
    "census": (32_561, 14, [24_720, 7_841]),
    "readmission": (101_766, 47, [54_864, 11_357, 35_545]),
    "heart": (303, 13, [164, 55, 36, 35, 13]),
    "bank": (45_211, 16, [39_922, 5_289]),
    "german_credit": (1_000, 20, [700, 300]),
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
HEART = (
    "age,sex,cp,trestbps,chol,fbs,restecg,thalach,exang,oldpeak,slope,ca,thal,num\n"
    "63.0,1.0,4.0,145.0,233.0,1.0,2.0,150.0,0.0,2.3,3.0,0.0,6.0,0\n"
    "67.0,0.0,1.0,160.0,286.0,0.0,0.0,108.0,1.0,1.5,2.0,?,?,2\n"
)


@pytest.fixture
def real_files():
    folder = os.environ.get("PYOD_EXPLAIN_DATA")
    if not folder or not (Path(folder) / "adult.csv.gz").is_file():
        pytest.skip("needs the real data files: name their folder in PYOD_EXPLAIN_DATA")


def test_codes_numbers_and_missing_cells(uci, tmp_path, monkeypatch):
    monkeypatch.setenv("PYOD_EXPLAIN_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="PYOD_EXPLAIN_DATA"):
        uci.load_heart()
    pd.Series(HEART.splitlines()).to_csv(tmp_path / "heart_cleveland.csv.gz", index=False, header=False, sep="\t")
    data, coded = uci.load_heart(), uci.load_heart(labels=False)
    assert data.y.tolist() == [0, 2]
    assert data.X["cp"].tolist() == ["asymptomatic", "typical angina"]
    assert coded.X["cp"].tolist() == ["4", "1"]
    assert data.X["thal"].fillna("-").tolist() == ["fixed defect", "-"]
    assert data.X["ca"].isna().tolist() == [False, True]
    assert data.X["age"].dtype == np.int64


@pytest.mark.usefixtures("real_files")
@pytest.mark.parametrize("name", COUNTS)
def test_real_tables_have_the_published_counts(uci, name):
    data = getattr(uci, f"load_{name}")()
    assert (*data.X.shape, np.bincount(data.y).tolist()) == COUNTS[name]
    gaps = data.X.isna().sum()
    assert gaps[gaps > 0].to_dict() == MISSING[name]


@pytest.mark.usefixtures("real_files")
def test_the_set_up_of_the_paper(uci):
    one, two, other = (uci.load_census(paper=True, random_state=seed) for seed in (0, 0, 1))
    assert np.bincount(one.y).tolist() == [24_720, 1_301]
    assert one.X.index.equals(two.X.index)
    assert one.X.index.is_monotonic_increasing
    assert not one.X.index.equals(other.X.index)
