"""Planted tables keep their promise; real files are found, converted, checked and read as they are meant."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import io
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pyod_explain.datasets import (
    Dataset,
    files,
    load_bank,
    load_census,
    load_german_credit,
    load_heart,
    load_readmission,
    make_planted,
    real,
)
from pyod_explain.datasets.files import Archive, DataFile, as_csv, content
from pyod_explain.exceptions import PyodExplainError

# --- planted --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("n_groups", [1, 2, 5])
def test_a_reason_covers_its_group_and_nothing_else(n_groups: int, length: int, seed: int) -> None:
    data = make_planted(300, n_groups, reason_length=length, missing=0.1, random_state=seed)
    assert len(data.reasons) == n_groups
    for group, reason in enumerate(data.reasons, start=1):
        assert len(reason) == len(reason.columns) == length
        np.testing.assert_array_equal(reason.covers(data.X), data.y == group)


def test_no_two_reasons_share_a_condition() -> None:
    data = make_planted(1000, 8, random_state=3)
    conditions = [condition for reason in data.reasons for condition in reason.conditions]
    assert len(set(conditions)) == len(conditions) == 16


def test_each_condition_is_common_among_normals_and_only_the_conjunction_is_rare() -> None:
    for seed in range(20):
        data = make_planted(4000, random_state=seed)
        normals = data.X[data.y == 0]
        for reason in data.reasons:
            for condition in reason.conditions:
                share = type(reason).of(condition).covers(normals).mean()
                assert 0.02 < share < 0.5, (seed, condition)


def test_reasons_are_of_every_kind() -> None:
    ops = {c.op for seed in range(20) for r in make_planted(100, 4, random_state=seed).reasons for c in r.conditions}
    assert ops == {">=", "<=", "between", "==", "missing"}


def test_cut_points_are_short_and_whole_on_whole_columns() -> None:
    for seed in range(20):
        data = make_planted(100, 4, random_state=seed)
        for condition in (c for reason in data.reasons for c in reason.conditions if c.op in (">=", "<=", "between")):
            ends = condition.value if condition.op == "between" else (condition.value,)
            assert all(isinstance(end, int) or data.X[condition.column].dtype == np.float64 for end in ends)
            assert all(len(str(end).strip("-0.").rstrip("0")) <= 3 for end in ends), condition


def test_columns_are_of_every_kind_and_have_gaps_where_said() -> None:
    data = make_planted(5000, n_numeric=10, n_categorical=7, missing=0.2)
    kinds = {str(name): pd.api.types.infer_dtype(data.X[name], skipna=True) for name in data.X}
    assert set(kinds.values()) == {"floating", "integer", "string", "boolean"}
    assert len(kinds) == 17
    assert {"amount", "amount_2", "channel", "channel_2"} <= set(kinds)
    for name, kind in kinds.items():
        share = data.X[name].isna().mean()
        assert share == 0 if kind in ("integer", "boolean") else 0.15 < share < 0.25


def test_without_missing_cells_no_reason_speaks_of_them() -> None:
    for seed in range(10):
        data = make_planted(100, 4, missing=0.0, random_state=seed)
        assert not data.X.isna().any(axis=None)
        assert all(c.op != "missing" for reason in data.reasons for c in reason.conditions)


def test_very_few_missing_cells_do_not_slow_the_search_for_some() -> None:
    data = make_planted(500, 4, missing=1e-9, random_state=1)
    for group, reason in enumerate(data.reasons, start=1):
        np.testing.assert_array_equal(reason.covers(data.X), data.y == group)


def test_same_arguments_same_table_other_seed_other_table() -> None:
    one, two, other = (make_planted(400, 3, noise=0.1, random_state=seed) for seed in (7, 7, 8))
    pd.testing.assert_frame_equal(one.X, two.X)
    np.testing.assert_array_equal(one.y, two.y)
    assert one.reasons == two.reasons
    assert one.reasons != other.reasons


@pytest.mark.parametrize("noise", [0.05, 0.2, 0.5])
def test_noise_moves_labels_from_outliers_to_normals_and_leaves_the_rest(noise: float) -> None:
    clean = make_planted(2000, n_outliers=[100, 40], random_state=2)
    noisy = make_planted(2000, n_outliers=[100, 40], noise=noise, random_state=2)
    pd.testing.assert_frame_equal(clean.X, noisy.X)
    np.testing.assert_array_equal(clean.y, noisy.y_true)
    np.testing.assert_array_equal(np.bincount(noisy.y), [1860, 100, 40])
    for group, size in ((1, 100), (2, 40)):
        labelled = noisy.y == group
        assert (labelled & (noisy.y_true == 0)).sum() == round(noise * size)
        assert (labelled & (noisy.y_true == group)).sum() == size - round(noise * size)


def test_group_sizes() -> None:
    assert np.bincount(make_planted(100).y).tolist() == [95, 3, 2]
    assert np.bincount(make_planted(10, 3).y).tolist() == [7, 1, 1, 1]
    assert np.bincount(make_planted(100, 3, 20).y).tolist() == [80, 7, 7, 6]
    assert np.bincount(make_planted(100, 2, np.array([5, 9])).y).tolist() == [86, 5, 9]  # works
    assert repr(make_planted(1000, 2, [5, 9])) == "Planted(1,000 rows x 10 columns, groups of 5, 9)"


def test_one_kind_of_column_is_enough() -> None:
    assert make_planted(100, n_numeric=0, n_categorical=3).X.shape == (100, 3)
    assert make_planted(100, n_numeric=3, n_categorical=0).X.shape == (100, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_rows": 1}, "`n_rows` of make_planted must be a whole number of at least 2, got 1"),
        ({"n_groups": 0}, "`n_groups` of make_planted"),
        ({"n_outliers": 1}, "`n_outliers` of make_planted must be a whole number of at least 2, got 1"),
        ({"n_outliers": [5]}, "one number or a list with one per group, got 1 for 2 groups"),
        ({"n_outliers": [5, 0]}, "`n_outliers` of make_planted must be a whole number of at least 1, got 0"),
        ({"n_rows": 50, "n_outliers": 50}, "must leave normal rows, got 50 outliers in 50 rows"),
        ({"n_numeric": -1}, "`n_numeric` of make_planted"),
        ({"reason_length": 4}, "`reason_length` of make_planted must be a whole number from 1 to 3, got 4"),
        ({"missing": 0.9}, r"`missing` of make_planted must be a number in \[0, 0.5\], got 0.9"),
        ({"noise": 1.0}, r"`noise` of make_planted must be a number in \[0, 1\), got 1.0"),
        ({"n_rows": 30, "n_outliers": 20, "noise": 0.9}, "must leave normal rows to mislabel, got 0.9 for 10 of them"),
        ({"random_state": None}, "`random_state` of make_planted must be a whole number"),
        ({"n_numeric": 1, "n_categorical": 0}, "2 reasons of 2 conditions on different columns, but 1 column allow"),
        ({"n_numeric": 0, "n_categorical": 0, "reason_length": 1}, "2 reasons of 1 condition on .* 0 columns allow"),
    ],
)
def test_bad_arguments_of_make_planted(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(PyodExplainError, match=message):
        make_planted(**arguments)  # wrong on purpose


# --- where files are found ------------------------------------------------------------------------------------------

TEXT = b"age,job\n58,cook\n"


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_DOT_", "."), data)
    return buffer.getvalue()


def data_file(name: str = "tiny.csv.gz", member: str = "tiny.data", text: bytes = TEXT) -> DataFile:
    return DataFile(name, member, hashlib.sha256(text).hexdigest(), lambda data: as_csv(data, separator=b";"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and no folder of the user's."""
    monkeypatch.delenv("PYOD_EXPLAIN_DATA", raising=False)
    monkeypatch.setenv("PYOD_EXPLAIN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path, list[str]]]:
    """A web server on this machine: its address, the folder that it serves, and the requests that it got."""
    folder = tmp_path / "served"
    folder.mkdir()
    requests: list[str] = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(folder))  # handed on as they come

        def log_message(self, *_: object) -> None:
            requests.append(self.path)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}", folder, requests
        running.shutdown()
        thread.join()


def test_a_download_is_converted_kept_and_not_repeated(cache: Path, server: tuple[str, Path, list[str]]) -> None:
    address, folder, requests = server
    (folder / "tiny+data.zip").write_bytes(zipped(tiny_DOT_data=b'"age";"job"\r\n58;"cook"\r\n'))
    archive = Archive(f"{address}/tiny+data.zip", (data_file(),))
    assert content(archive, archive.files[0]) == TEXT
    assert gzip.decompress((cache / "tiny.csv.gz").read_bytes()) == TEXT
    assert [path.name for path in cache.iterdir()] == ["tiny.csv.gz"]  # no partial files
    assert content(archive, archive.files[0]) == TEXT
    assert requests == ["/tiny+data.zip"]


def test_one_download_serves_all_files_of_an_archive(cache: Path, server: tuple[str, Path, list[str]]) -> None:
    address, folder, requests = server
    (folder / "two.zip").write_bytes(zipped(sub__TINY_DOT_data=TEXT, book_DOT_csv=b"a;b\r", other=b"damaged"))
    book = data_file("book.csv", "book.csv", b"a,b\n")
    archive = Archive(f"{address}/two.zip", (data_file(), book, data_file("other.csv", "other")))
    assert content(archive, archive.files[0]) == TEXT
    assert content(archive, book) == b"a,b\n"
    assert len(requests) == 1
    assert sorted(path.name for path in cache.iterdir()) == ["book.csv", "tiny.csv.gz"]
    with pytest.raises(PyodExplainError, match="must have the SHA-256 checksum"):
        content(archive, archive.files[2])


def test_an_archive_inside_the_archive_is_searched(cache: Path) -> None:
    cache.mkdir()
    inner = zipped(tiny_DOT_data=TEXT)
    (cache / "outer.zip").write_bytes(zipped(empty_DOT_zip=zipped(), inner_DOT_zip=inner))
    file = data_file()
    assert content(Archive("https://example.invalid/outer.zip", (file,)), file) == TEXT


def test_the_folder_of_the_user_comes_before_the_cache(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.mkdir()
    (cache / "tiny.csv.gz").write_bytes(b"never read")
    monkeypatch.setenv("PYOD_EXPLAIN_DATA", str(tmp_path))
    (tmp_path / "tiny.csv.gz").write_bytes(gzip.compress(TEXT))
    file = data_file()
    assert content(Archive("https://example.invalid/tiny.zip", (file,)), file) == TEXT


def test_the_cache_follows_the_xdg_rules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PYOD_EXPLAIN_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert files.cache_folder() == tmp_path / "pyod_explain"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert files.cache_folder() == Path.home() / ".cache" / "pyod_explain"


def test_no_network_says_what_to_put_where(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = data_file()
    archive = Archive((tmp_path / "absent.zip").as_uri(), (file,))
    with pytest.raises(PyodExplainError) as caught:
        content(archive, file)
    message = str(caught.value)
    for part in ("'tiny.csv.gz'", str(cache), archive.url, "PYOD_EXPLAIN_DATA"):
        assert part in message
    monkeypatch.setenv("PYOD_EXPLAIN_DATA", str(tmp_path / "mine"))
    with pytest.raises(PyodExplainError, match=r"into .*mine, or into"):
        content(archive, file)


def test_a_missing_page_is_the_same_error(cache: Path, server: tuple[str, Path, list[str]]) -> None:
    file = data_file()
    with pytest.raises(PyodExplainError, match="downloading it failed: HTTP Error 404") as caught:
        content(Archive(f"{server[0]}/gone.zip", (file,)), file)
    caught.value.__cause__.close()  # the answer of the server, an open file
    assert not cache.exists()


def test_damaged_files_are_errors_that_say_so(cache: Path) -> None:
    cache.mkdir()
    file = data_file()
    archive = Archive("https://example.invalid/tiny.zip", (file,))
    (cache / "tiny.zip").write_bytes(b"<html>please log in</html>")
    with pytest.raises(PyodExplainError, match="must be a zip archive"):
        content(archive, file)
    (cache / "tiny.zip").write_bytes(zipped(other=b""))
    with pytest.raises(PyodExplainError, match=r"must contain a file 'tiny\.data', but it has none"):
        content(archive, file)
    (cache / "tiny.csv.gz").write_bytes(gzip.compress(TEXT)[:-9])
    with pytest.raises(PyodExplainError, match="must be compressed by gzip"):
        content(archive, file)
    (cache / "tiny.csv.gz").write_bytes(gzip.compress(TEXT + b"59,nurse\n"))
    with pytest.raises(PyodExplainError, match=r"(?s)must have the SHA-256 checksum .* got .*Hint: delete it"):
        content(archive, file)


def test_a_cache_that_cannot_be_written_costs_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("PYOD_EXPLAIN_DATA", raising=False)
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("PYOD_EXPLAIN_CACHE", str(tmp_path / "file" / "cache"))
    (tmp_path / "tiny.zip").write_bytes(zipped(tiny_DOT_data=TEXT))
    file = data_file()
    assert content(Archive((tmp_path / "tiny.zip").as_uri(), (file,)), file) == TEXT
    assert "tiny.csv.gz could not be kept" in caplog.text


def test_progress_is_shown_on_a_terminal_only(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    (tmp_path / "tiny.zip").write_bytes(zipped(tiny_DOT_data=TEXT))
    file = data_file()
    archive = Archive((tmp_path / "tiny.zip").as_uri(), (file,))
    for stream, shown in ((io.StringIO(), ""), (Terminal(), f"\rtiny.zip [{'#' * 30}] 100%\n")):
        monkeypatch.setattr(sys, "stderr", stream)
        content(archive, file)
        assert stream.getvalue() == shown
        (cache / "tiny.csv.gz").unlink()
    files._show_progress("tiny.zip", 2_500_000, 0)
    assert stream.getvalue().endswith("\rtiny.zip 2.5 MB")


def test_importing_the_datasets_is_light() -> None:
    code = "import sys, pyod_explain.datasets; print({'pyod', 'matplotlib', 'sklearn.datasets'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # ours
    assert found.stdout.strip() == "set()"


# --- from UCI's form to a Dataset, on made-up rows ------------------------------------------------------------------

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
    old = getattr(real, spec)
    folder.mkdir(exist_ok=True)
    (folder / old.archive.name).write_bytes(zipped(**members))
    good = {
        file.name: replace(file, sha256=hashlib.sha256(file.convert(data)).hexdigest())
        for file, data in zip(old.archive.files, members.values(), strict=True)
    }
    archive = replace(old.archive, files=tuple(good.values()))
    monkeypatch.setattr(real, spec, replace(old, archive=archive, file=good[old.file.name]))
    if real._IDS_MAPPING.name in good:
        monkeypatch.setattr(real, "_IDS_MAPPING", good[real._IDS_MAPPING.name])


def test_adult_as_uci_has_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_made_up(monkeypatch, cache, "_CENSUS", adult_DOT_data=ADULT)
    data = load_census()
    assert repr(data) == "Dataset(census: 2 rows x 14 columns; <=50K 1, >50K 1)"
    assert data.X["workclass"].fillna("-").tolist() == ["State-gov", "-"]
    assert data.X["occupation"].isna().tolist() == [True, False]
    assert data.X["native-country"].tolist() == ["Peru", "United-States"]
    assert data.X["capital-gain"].tolist() == [2174, 0]
    assert data.X["age"].dtype == np.int64


def test_heart_as_uci_has_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_made_up(monkeypatch, cache, "_HEART", processed_DOT_cleveland_DOT_data=HEART)
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
    put_made_up(monkeypatch, cache, "_BANK", **{"bank-full_DOT_csv": BANK})
    (cache / real._BANK.archive.name).write_bytes(zipped(bank_DOT_zip=inner))  # as UCI nests it
    data = load_bank()
    assert data.X.iloc[0].to_dict() == {
        "age": 58, "job": "management", "marital": "married", "education": "unknown", "default": "no", "balance": -21,
        "housing": "yes", "loan": "no", "contact": "unknown", "day": 5, "month": "may", "duration": 261, "campaign": 1,
        "pdays": -1, "previous": 0, "poutcome": "unknown",
    }  # fmt: skip
    assert data.y.tolist() == [0]


def test_german_credit_as_uci_has_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_made_up(monkeypatch, cache, "_GERMAN_CREDIT", german_DOT_data=GERMAN)
    data, coded = load_german_credit(), load_german_credit(labels=False)
    assert repr(data) == "Dataset(german_credit: 2 rows x 20 columns; good 1, bad 1)"
    assert data.X["purpose"].tolist() == ["others", "radio/television"]
    assert coded.X["purpose"].tolist() == ["A410", "A43"]
    assert data.X["credit_amount"].tolist() == [1169, 5951]
    assert not data.X.isna().any(axis=None)


def test_readmission_as_uci_has_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_made_up(monkeypatch, cache, "_READMISSION", diabetic_data_DOT_csv=DIABETIC, IDS_mapping_DOT_csv=IDS_MAPPING)
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


# --- the files themselves -------------------------------------------------------------------------------------------


@pytest.fixture
def real_files() -> None:
    """Skip unless the user has named a folder with the files: tests never download."""
    folder = os.environ.get("PYOD_EXPLAIN_DATA")
    if not folder:
        pytest.skip("needs the real data files: name their folder in PYOD_EXPLAIN_DATA")
    absent = [name for name in ALL_FILES if not (Path(folder) / name).is_file()]
    if absent:
        pytest.skip(f"PYOD_EXPLAIN_DATA lacks {', '.join(absent)}")


SPECS = (real._CENSUS, real._READMISSION, real._HEART, real._BANK, real._GERMAN_CREDIT)
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
    folder = Path(os.environ["PYOD_EXPLAIN_DATA"])
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
            text = files._read(folder / file.name)
            assert file.convert(undo[file.name](text)) == text
