"""Rows beyond memory: the same call, the same explanation, every number counted on all rows."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from many_kinds import said
from pyod.models.iforest import IForest
from sklearn.ensemble import IsolationForest

import pyod_explain as pe
from pyod_explain import Condition, InfeasibleError, PyodExplainError, Tag
from pyod_explain.beyond_memory import SignatureKernel

N = 12_000


def planted(n=N, seed=0):
    """A table of all kinds of columns with two kinds of outliers, and some rows marked for no reason."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "load": random.normal(50, 10, n),
            "price": random.gamma(2.0, 30.0, n).astype(np.float32),
            "hour": pd.array(random.integers(0, 24, n), dtype="Int32"),
            "shop": random.choice(["north", "south", "east", "west"], n),
            "seen": pd.Timestamp("2024-01-01", tz="Europe/Berlin") + pd.to_timedelta(random.integers(0, 10**6, n), "s"),
            "paid": random.random(n) < 0.7,
        }
    )
    y = np.zeros(n, dtype=np.int64)
    one, two, none = np.split(random.permutation(n)[:330], [180, 300])
    frame.loc[one, "load"] = random.normal(95, 3, len(one))
    frame.loc[one, "shop"] = "south"
    frame.loc[two, "price"] = np.float32(700) + random.normal(0, 20, len(two)).astype(np.float32)
    frame.loc[two, "hour"] = 3
    frame.loc[random.random(n) < 0.03, "hour"] = pd.NA
    frame.loc[random.random(n) < 0.03, "load"] = np.nan
    frame.loc[random.random(n) < 0.02, "shop"] = None
    frame.loc[n - 5 :, "shop"] = "only at the end"
    y[one] = y[two] = y[none] = 1
    return frame.assign(y=y)


@pytest.fixture(scope="module")
def frame():
    return planted()


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows")
    for i, part in enumerate(np.array_split(np.arange(N), 5)):
        table = pa.Table.from_pandas(frame.iloc[part], preserve_index=False)
        table = table.set_column(3, "shop", table.column("shop").cast(pa.string()).dictionary_encode())
        pq.write_table(table, path / f"{i}.parquet", row_group_size=700)
    pq.write_table(pa.Table.from_pandas(frame.iloc[:0], preserve_index=False), path / "none.parquet")
    return path


def in_memory(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


def with_views(frame):
    """Texts as Polars hands them over, encoded ones in the second half."""
    table, shop = in_memory(frame), pa.array(frame["shop"], pa.string())
    encoded = shop.dictionary_encode()
    encoded = pa.DictionaryArray.from_arrays(encoded.indices, encoded.dictionary.cast(pa.string_view()))
    return [
        table.set_column(3, "shop", [cells]).slice(start, N // 2).combine_chunks()
        for start, cells in ((0, shop.cast(pa.string_view())), (N // 2, encoded))
    ]


SOURCES = {
    "folder": lambda _, folder: folder,
    "dataset": lambda _, folder: ds.dataset(folder),
    "relation": lambda _, folder: duckdb.connect().read_parquet(f"{folder}/?.parquet"),
    "lazy frame": lambda _, folder: pl.scan_parquet(f"{folder}/?.parquet"),
    "batches": lambda frame, _: in_memory(frame).to_batches(max_chunksize=501),
    "frames of Polars": lambda frame, _: [pl.from_pandas(frame.iloc[i : i + 5_000]) for i in range(0, N, 5_000)],
    "tables with views": lambda frame, _: with_views(frame),
    "function of frames": lambda frame, _: lambda: (frame.iloc[i : i + 900] for i in range(0, N, 900)),
}
ONCE = {
    "reader": lambda frame, _: in_memory(frame).to_reader(max_chunksize=800),
    "generator": lambda frame, _: (frame.iloc[i : i + 1_111] for i in range(0, N, 1_111)),
}


def check_counts(explanation, frame):
    """Every count beside a rule is that of the rule on the whole table."""
    y = frame["y"].to_numpy()
    group_of = np.zeros(len(frame), dtype=int)
    for group in explanation.groups:
        group_of[frame.index.get_indexer(list(group.rows))] = group.number
    assert explanation.n_rows == len(frame)
    assert explanation.summary.n_normals == int((y == 0).sum())
    assert explanation.n_outliers == int((y == 1).sum())
    matches = {rule: rule.tag.covers(frame) for rule in explanation.rules}
    anyone = np.zeros(len(frame), dtype=bool)
    for group in explanation.groups:
        union = np.zeros(len(frame), dtype=bool)
        for rule in group.rules:
            cover = matches[rule]
            union |= cover
            assert rule.n_normals == int((cover & (y == 0)).sum())
            assert rule.n_outliers == int((cover & (group_of == group.number)).sum())
            assert rule.n_others == int((cover & (y == 1) & (group_of != group.number)).sum())
            assert rule.total_normals == explanation.summary.n_normals
        assert group.n_normals == int((union & (y == 0)).sum())
        assert group.n_explained == int((union & (group_of == group.number)).sum())
        assert group.metrics["FCN"] == group.n_normals / explanation.summary.n_normals
        for profile in group.profiles:
            for condition, (_, normals) in zip(profile.conditions, profile.matching, strict=True):
                share = Tag.of(condition).covers(frame)[y == 0].mean()
                assert normals == pytest.approx(share, abs=1e-12)
        anyone |= union
    assert explanation.summary.n_normals_matched == int((anyone & (y == 0)).sum())


@pytest.fixture(scope="module")
def whole(frame):
    return pe.explain("y", frame)


@pytest.mark.parametrize("name", [*SOURCES, *ONCE])
def test_what_fits_into_memory_is_explained_as_the_frame(name, frame, folder, whole):
    found = pe.explain("y", {**SOURCES, **ONCE}[name](frame, folder))
    assert found == whole  # times of equal moments, on DuckDB's own clock
    assert found._origin.positions.tolist() == whole._origin.positions.tolist()


@pytest.fixture(scope="module")
def sampled(folder):
    return pe.explain("y", pe.LargeTable(folder, sample=3_000))


def test_a_sample_that_is_everything_is_the_frame(folder, whole):
    found = pe.explain("y", pe.LargeTable(folder, sample=N - 200))  # fewer than the rows, more than the normals
    assert said(found) == said(whole)


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_gives_the_same_explanation_by_a_sample(name, frame, folder, sampled):
    found = pe.explain("y", pe.LargeTable(SOURCES[name](frame, folder), sample=3_000))
    assert found == sampled  # times of equal moments, on DuckDB's own clock


def test_every_number_is_counted_on_all_rows(frame, sampled, whole):
    check_counts(sampled, frame)
    assert sampled.share_saved > whole.share_saved - 0.03  # nearly as good as with all rows at hand
    assert sampled._origin.positions.tolist() == [
        frame.index.get_loc(row) for group in sampled.groups for row in group.rows
    ]


OWN = [Tag.of(Condition("load", ">=", 80)), Tag.of(Condition("price", ">", 500), Condition("hour", "==", 3))]


@pytest.mark.parametrize(
    "how",
    [
        {"groups": "auto"},
        {"groups": "shop", "method": "wccm"},
        {"method": pe.WCCM(solver="greedy"), "groups": 1},
        {"simplify": 0, "exclude": ["seen"]},
        {"relations": [("load", "-", "price")]},
        {"tags": OWN},
        {"max_length": 1, "negations": False},
    ],
    ids=str,
)
def test_counts_are_exact_whatever_is_asked(how, frame, folder):
    if how.get("groups") == "shop":
        frame = frame.assign(shop=frame["shop"].fillna("none"))
        found = pe.explain("y", pe.LargeTable([frame.iloc[:7_000], frame.iloc[7_000:]], sample=2_000), **how)
    else:
        found = pe.explain("y", pe.LargeTable(folder, sample=2_000), **how)
    assert found.rules
    check_counts(found, frame)


def test_repeated_row_labels(frame):
    twice = frame.set_axis(np.arange(N) // 2)
    chunks = [twice.iloc[:5_001], twice.iloc[5_001:]]
    assert pe.explain("y", chunks) == pe.explain("y", twice)
    found = pe.explain("y", pe.LargeTable(chunks, sample=2_000))
    rows = [row for group in found.groups for row in group.rows]
    assert rows == [int(label) for label in twice.index[found._origin.positions.tolist()]]


def test_a_detector_is_applied_chunk_by_chunk(frame):
    numbers = frame[["load", "price"]].fillna(0.0).astype(float)
    detector = IForest(random_state=0, contamination=0.02).fit(numbers.to_numpy()[:3_000])
    marked = detector.predict(numbers.to_numpy())
    chunks = [numbers.iloc[i : i + 999] for i in range(0, N, 999)]
    found = pe.explain(detector, pe.LargeTable(chunks, sample=2_000))
    assert detector.explanation_ is found
    assert found.summary.detector == "IForest"
    assert sorted(found._origin.positions.tolist()) == np.flatnonzero(marked).tolist()
    check_counts(found, numbers.assign(y=marked))
    again = pe.explain(detector, chunks)  # all of it fits
    assert again == pe.explain(detector, numbers)


@pytest.mark.parametrize("sample", [None, 2_000])
def test_a_detector_that_knows_its_columns_is_given_these(sample, frame):
    numbers = frame[["price", "load"]].fillna(0.0).astype(float)
    detector = IsolationForest(n_estimators=10, random_state=0).fit(numbers)
    more = numbers[["load", "price"]].assign(shop=frame["shop"])
    found = pe.explain(detector, pe.LargeTable([more.iloc[:7_000], more.iloc[7_000:]], sample=sample))
    assert sorted(found._origin.positions.tolist()) == np.flatnonzero(detector.predict(numbers) == -1).tolist()


def test_rules_that_do_not_compress_are_estimated_with_the_error_named(frame, folder, monkeypatch):
    monkeypatch.setattr(
        "pyod_explain.beyond_memory.rescore.SignatureKernel",
        lambda tags, n_required: SignatureKernel(tags, n_required, limit=1),
    )
    found = pe.explain("y", pe.LargeTable(folder, sample=3_000))
    [note] = [note for note in found.notes if "estimates from a sample" in note]
    n_normals = int((frame["y"] == 0).sum())
    assert f"a sample of {n_normals // 4:,}" in note
    assert (found.n_rows, found.summary.n_normals) == (N, n_normals)
    for rule in found.rules:
        share = rule.tag.covers(frame)[frame["y"] == 0].mean()
        assert abs(rule.n_normals / n_normals - share) < 5 * 0.5 / np.sqrt(n_normals // 4)


# --- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"counts": "hour"}, "`counts` of explain"),
        ({"features": pd.DataFrame({"a": range(N)})}, "`features` of explain"),
        ({"groups": np.ones(N)}, "`groups` of explain"),
        ({"tags": pd.DataFrame({"t": [True] * N})}, "`tags` of explain"),
    ],
)
def test_what_goes_row_by_row_is_refused(how, words, folder):
    with pytest.raises(PyodExplainError, match=words):
        pe.explain("y", pe.LargeTable(folder, sample=1_000), **how)


def test_a_source_that_changes_is_noticed(frame):
    calls = []

    def chunks():
        calls.append(1)
        return iter([frame, *([frame.iloc[:10]] if len(calls) > 4 else [])])

    with pytest.raises(PyodExplainError, match=r"gave 12,000 rows at first and 12,010 later"):
        pe.explain("y", pe.LargeTable(chunks, sample=2_000))


def test_constraints_that_are_not_met_are_no_theorem_about_all_rows(frame):
    marked = frame.assign(y=(np.arange(N) % 97 == 0) | (frame["load"] > 95))
    with pytest.raises(InfeasibleError, match="a sample of 368 of the") as told:
        pe.explain("y", pe.LargeTable([marked], sample=400), method="pdm")
    assert not told.value.proved
    with pytest.raises(InfeasibleError) as told:
        pe.explain("y", marked, method="pdm")
    assert told.value.proved
    assert "sample" not in str(told.value)


@pytest.mark.parametrize("sample", [None, 2_000])
def test_chunks_whose_types_do_not_go_together(sample, frame):
    chunks = [frame.iloc[:6_000], frame.iloc[6_000:].assign(shop=True)]
    with pytest.raises(PyodExplainError, match=r"must have one type for each column, .*Field shop"):
        pe.explain("y", pe.LargeTable(chunks, sample=sample))


def test_nothing_to_say_is_said_of_all_rows():
    constant = pd.DataFrame({"a": 1.0, "y": (np.arange(4_000) % 1_000 == 0).astype(int)}, index=range(4_000))
    found = pe.explain("y", pe.LargeTable([constant.iloc[:3_000], constant.iloc[3_000:]], sample=500))
    assert not found.rules
    assert (found.n_rows, found.summary.n_normals, found.n_outliers) == (4_000, 3_996, 4)
    assert found.mdl_empty == pe.explain("y", constant).mdl_empty
    assert any("none was worth counting" in note or "were then chosen from" in note for note in found.notes)


def test_lists_of_frames_beside_features_are_for_the_detector(frame):
    class OfSeries:
        """Takes a list of frames, as detectors of series do."""

        labels_ = np.array([0, 1, 0])
        decision_scores_ = np.array([0.1, 0.9, 0.2])
        threshold_ = 0.5

        def fit(self, X):
            return self

        def decision_function(self, X):
            return np.array([0.1, 0.9, 0.2])

    features = pd.DataFrame({"a": [1.0, 50.0, 2.0]})
    found = pe.explain(OfSeries(), [frame, frame, frame], features=features)
    assert found.n_rows == 3


def test_a_small_kind_of_outliers_keeps_its_rule_beyond_memory():
    """Many rules of a large kind save more bits than the one rule of a small kind."""
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], [8_000, 206])
    frame = pd.DataFrame(random.normal(size=(len(y), 12)), columns=[f"c{i}" for i in range(12)])
    frame.iloc[8_000:8_200] += 7
    frame.loc[8_200:, "c0"] = -9
    found = pe.explain("y", pe.LargeTable([frame.assign(y=y)], sample=2_000))
    assert any(rule.tag.covers(frame)[8_200:].all() for rule in found.rules)
    check_counts(found, frame.assign(y=y))


@pytest.mark.parametrize("method", ["mdl", "wccm", "bccm"])
@pytest.mark.parametrize(("right", "wrong"), ["ab", "ba"])
def test_rules_that_are_alike_on_the_sample_are_told_apart_by_all_rows(method, right, wrong):
    """Both columns are high for all outliers; one also for two normals, which the sample lacks."""
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(8_060, 2)), columns=["a", "b"])
    frame.iloc[8_000:] += 20
    frame.loc[:1, wrong] += 20
    marked = frame.assign(y=(frame[right] > 10).astype(int))
    [rule] = pe.explain("y", pe.LargeTable([marked], sample=500), method=method).rules
    assert (str(rule.tag), rule.n_outliers, rule.n_normals) == (f"{right} >= 10", 60, 0)
