"""`counts=`: a row that stands for many is as good as so many rows, in every figure, and costs as one."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyod_explain import (
    BCCM,
    DTDM,
    MDL,
    PDM,
    WCCM,
    Coverage,
    Explanation,
    ForestRules,
    OutlierExplainer,
    evaluate,
    explain,
)
from pyod_explain.exceptions import InfeasibleError, PyodExplainError
from pyod_explain.export import to_findings

pytestmark = pytest.mark.no_cover


@dataclass(frozen=True)
class Aggregated:
    """A table whose rows stand for `counts`, of which `marked` are outliers."""

    X: pd.DataFrame
    counts: np.ndarray
    marked: np.ndarray

    @property
    def repeated(self) -> pd.DataFrame:
        return self.X.loc[self.X.index.repeat(self.counts)]

    @property
    def labels(self) -> np.ndarray:
        pairs = zip(self.counts.tolist(), self.marked.tolist(), strict=True)
        return np.array([i >= n - k for n, k in pairs for i in range(n)], dtype=np.int64)

    def spread(self, values) -> np.ndarray:
        return np.repeat(np.asarray(values), self.counts)

    def explain(self, **options) -> Explanation:
        return checked(explain, X=self.X, counts=self.counts, outlier_counts=self.marked, **options)

    def explain_repeated(self, **options) -> Explanation:
        return checked(explain, self.labels, self.repeated, **options)


def checked(make, *args, n_splits=0, n_draws=0, **options) -> Explanation:
    """Explain, validate on so many parts, and test with so many placebos."""
    explanation = make(*args, **options)
    explanation = explanation.validate(n_splits) if n_splits else explanation
    return explanation.placebo_test(n_draws) if n_draws else explanation


def figures(explanation: Explanation) -> dict:
    """Give all that an explanation says but for who marks the rows, their labels, and how many lines there are."""
    said = explanation.to_dict(rows=False)
    for name in ("timings", "provenance", "detector", "n_lines", "parameters"):
        del said[name]
    said["notes"] = [note for note in said["notes"] if not note.startswith("All figures count")]
    return said


@st.composite
def aggregated(draw, most_lines=12, most_copies=6):
    n = draw(st.integers(4, most_lines))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = pd.DataFrame(
        {
            "place": rng.choice(["north", "south", "west"], n),
            "level": rng.integers(0, 5, n),
            "heat": np.where(rng.uniform(size=n) < 0.1, np.nan, rng.normal(size=n).round(1)),
        },
        index=[f"line {i}" for i in range(n)],
    )
    counts = rng.integers(0, most_copies + 1, n)
    cause = (X["place"] == "north") & (X["level"] > 1)
    rates = np.where(cause, draw(st.sampled_from([0.3, 0.9, 1.0])), draw(st.sampled_from([0.0, 0.05, 0.3])))
    counts[:2] = 1, 2
    marked = rng.binomial(counts, rates)
    marked[:2] = 0, 1  # a normal row and an outlier, whatever else there is
    return Aggregated(X, counts, marked)


FAST = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    "options",
    [
        {"groups": 1},
        {"groups": 2},
        {"groups": 2, "method": WCCM(weight=2.5)},
        {"groups": 1, "method": WCCM(weight=2.0, solver="exact")},
        {"groups": 1, "method": BCCM(max_tags=2, max_uncovered=0.9, solver="exact")},
        {"groups": 1, "n_splits": 3},
        {"groups": 1, "tags": ForestRules(n_estimators=20)},
        {"groups": 1, "tags": "itemsets"},
    ],
    ids=str,
)
@FAST
@given(table=aggregated())
def test_counts_give_what_repeated_rows_give(options, table):
    """Rules, counts, bits, p-values, metrics, profiles, held-out figures: all that is said is the same."""
    try:
        expected = table.explain_repeated(**options)
    except PyodExplainError as error:  # out of reach, or fewer outliers than groups
        with pytest.raises(type(error)) as caught:
            table.explain(**options)
        assert str(caught.value) == str(error)
        return
    assert figures(table.explain(**options)) == figures(expected)


def test_a_cut_is_written_alike_where_rows_beside_it_do_not_meet_the_other_conditions():
    """No row of the rule's second condition lies between 40 and 60: the cut may be any number there."""
    x = np.r_[np.arange(0, 40), np.arange(40, 61), np.arange(61, 100)] + 0.37
    X = pd.DataFrame({"x": x, "kind": np.where((x > 40) & (x < 61), "b", np.where(np.arange(100) % 3, "a", "b"))})
    marked = ((X["x"] < 40) & (X["kind"] == "a")).to_numpy().astype(int)
    counts = np.arange(100) % 3 + 1
    table = Aggregated(X, counts, marked * counts)
    assert figures(table.explain()) == figures(table.explain_repeated())


@settings(max_examples=6, deadline=None)
@given(table=aggregated(most_lines=24))
def test_so_do_the_number_of_groups_and_the_placebo(table):
    options = {"groups": "auto"}
    if (table.counts - table.marked).sum() >= 2 * table.marked.sum():
        options |= {"n_draws": 2}
    assert figures(table.explain(**options)) == figures(table.explain_repeated(**options))


@FAST
@given(table=aggregated(), seed=st.integers(0, 99))
def test_labels_and_groups_are_those_of_all_copies(table, seed):
    """Given group numbers: what is said of a row is said of each row that it stands for."""
    rng = np.random.default_rng(seed)
    numbers = np.where(table.marked > 0, rng.integers(1, 3, len(table.X)), 0)
    numbers[0], numbers[1] = 0, 1
    options = {"method": WCCM(solver="greedy")}
    ours = explain(numbers, table.X, counts=table.counts, **options)
    theirs = explain(table.spread(numbers), table.repeated, **options)
    assert figures(ours) == figures(theirs)
    pure = explain(numbers, table.X, counts=table.counts)
    assert figures(pure) == figures(explain(table.spread(numbers), table.repeated))


@FAST
@given(data=st.data())
def test_explainers_see_copies_as_instances(data):
    """On coverages alone: counts, eligibility, bits, metrics and all explainers."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, n_tags = data.draw(st.integers(3, 14)), data.draw(st.integers(1, 6))
    y = rng.integers(0, 3, n)
    y[:3] = 0, 1, 2
    T, copies = rng.uniform(size=(n, n_tags)) < 0.5, rng.integers(1, 6, n)
    ours = Coverage.from_dense(T, y, row_counts=copies)
    theirs = Coverage.from_dense(np.repeat(T, copies, axis=0), np.repeat(y, copies))
    for name in ("normal_counts", "group_counts", "outlier_counts", "group_sizes"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()
    assert (ours.n_normals, ours.n_outliers) == (theirs.n_normals, theirs.n_outliers)
    assert (ours.eligible(1.0) == theirs.eligible(1.0)).all()
    explainers = [MDL(), PDM(), DTDM(), DTDM(solver="greedy")]
    explainers += [WCCM(weight=2.0, solver=solver) for solver in ("greedy", "refined", "exact")]
    explainers += [BCCM(max_tags=2, max_uncovered=0.5, solver=solver) for solver in ("greedy", "refined", "exact")]
    for explainer in explainers:
        try:
            expected = explainer.select(theirs)
        except InfeasibleError:
            with pytest.raises(InfeasibleError):
                explainer.select(ours)
            continue
        found = explainer.select(ours)
        assert (found.tags, found.objective, found.bound) == (expected.tags, expected.objective, expected.bound)
        pd.testing.assert_frame_equal(evaluate(ours, found), evaluate(theirs, expected))
    numbers = np.where(y == 0, 0, 3 - y)
    assert ours.regroup(numbers).group_counts.tolist() == ours.group_counts[::-1].tolist()


@pytest.fixture(scope="module")
def viewers() -> pd.DataFrame:
    """A few lines that stand for many: one combination stalls."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"site": list("abcd") * 6, "line": ["dsl", "cable", "fibre"] * 8, "hour": np.repeat([1, 2, 3], 8)})
    X["viewers"] = rng.integers(50, 200, len(X))
    X.loc[3, "viewers"] = 0
    bad = (X["site"] == "b") & (X["line"] == "cable")
    X["stalled"] = np.where(bad, X["viewers"] - 1, (np.arange(len(X)) % 6 == 0) * 1)
    X.index = [f"L{i}" for i in range(len(X))]
    return X


def test_columns_of_counts_are_no_features_and_the_report_counts_what_they_stand_for(viewers):
    e = explain(X=viewers, counts="viewers", outlier_counts="stalled", groups=1)
    s = e.summary
    assert [rule.text for rule in e.rules] == ["line is 'cable' and site is 'b'"]
    assert (s.n_rows, s.n_lines, s.n_outliers) == (viewers["viewers"].sum(), 24, viewers["stalled"].sum())
    assert s.n_normals == s.n_rows - s.n_outliers
    assert e.notes[0].endswith("which are 24 lines of the table, of which 1 stands for none and was left out.")
    hit = viewers[(viewers["site"] == "b") & (viewers["line"] == "cable")]
    rule = e.rules[0]
    assert rule.n_outliers == hit["stalled"].sum()
    assert rule.n_normals == (hit["viewers"] - hit["stalled"]).sum()
    assert {"viewers", "stalled"}.isdisjoint(e.summary.rule_columns)


def test_a_line_is_named_once_whatever_it_stands_for(viewers):
    e = explain(X=viewers, counts="viewers", outlier_counts="stalled", groups=1)
    marked = viewers.index[viewers["stalled"] > 0].tolist()
    assert list(e.groups[0].rows) == marked
    covered = viewers.index[(viewers["site"] == "b") & (viewers["line"] == "cable")]
    assert e.unexplained == [label for label in marked if label not in covered]
    assert e._origin.positions.tolist() == [viewers.index.get_loc(label) for label in marked]
    assert e.for_row(covered[0]).group == 1
    assert e.for_row(position=viewers.index.get_loc(covered[0])).label == covered[0]
    assert [one["row"] for one in to_findings(e)] == marked
    assert e.counterfactual(covered[0]).changes
    assert e.predict(viewers).tolist() == viewers.index.isin(covered).astype(int).tolist()


def test_labels_and_a_detectors_own_say_it_of_all_copies(viewers):
    X = viewers[["site", "line", "hour", "viewers"]]
    labels = pd.Series((viewers["stalled"] > 1).astype(int))
    e = explain(labels.sample(frac=1, random_state=0), X, counts="viewers")  # aligned by the index
    assert e.n_outliers == X["viewers"][labels == 1].sum()
    other = OutlierExplainer().fit(X.drop(columns="viewers"), labels, counts=X["viewers"])
    assert figures(other.explanation_) == figures(e)
    both = OutlierExplainer().fit(viewers, counts="viewers", outlier_counts="stalled")
    assert figures(both.explanation_) == figures(explain(X=viewers, counts="viewers", outlier_counts="stalled"))
    assert both.predict(viewers).shape == (24,)


def test_given_groups_and_tags_are_read_row_by_row(viewers):
    tags = pd.DataFrame({"known": viewers["site"] == "b"}, index=viewers.index)
    e = explain(X=viewers, counts="viewers", outlier_counts="stalled", tags=tags, groups=viewers["hour"], min_lift=0.0)
    sizes = viewers.groupby("hour")["stalled"].sum()
    assert [(group.name, group.size) for group in e.groups] == [(str(k), n) for k, n in sizes.items()]
    by_outlier = viewers["hour"][viewers["stalled"] > 0].tolist()
    other = explain(X=viewers, counts="viewers", outlier_counts="stalled", tags=tags, groups=by_outlier, min_lift=0.0)
    assert figures(other) == figures(e)


def test_an_error_about_rows_means_those_of_the_table(viewers):
    with pytest.raises(InfeasibleError) as caught:
        explain(X=viewers, counts="viewers", outlier_counts="stalled", groups=1, method="pdm")
    assert list(caught.value.rows) == np.flatnonzero(viewers["stalled"]).tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"counts": "viewers", "outlier_counts": [500] * 24}, r"at most `counts=` in .* 500 outliers of \d+"),
        ({"counts": "viewers", "outlier_counts": "nobody"}, "`outlier_counts` must be .* column"),
        ({"counts": "site", "outlier_counts": "stalled"}, "`counts` must be whole numbers .* the column 'site'"),
        ({"counts": [0.5] * 24, "outlier_counts": "stalled"}, "`counts` must be whole numbers .* row 'L0' with 0.5"),
        ({"counts": [np.nan] * 24, "outlier_counts": "stalled"}, "row 'L0' with nan"),
        ({"counts": [2**52] * 24, "outlier_counts": "stalled"}, "add up to at most"),
        ({"counts": [0] * 24, "outlier_counts": [0] * 24}, "above 0 for some row"),
        ({"counts": "viewers", "outlier_counts": "stalled", "threshold": 1.0}, "`threshold`"),
        ({"outlier_counts": "stalled"}, "`outlier_counts` .* got no `counts`"),
        ({"detector": "stalled", "counts": "viewers", "outlier_counts": "stalled"}, "got `detector` too"),
    ],
)
def test_what_makes_no_sense_is_refused(viewers, options, message):
    with pytest.raises(PyodExplainError, match=message):
        explain(**{"X": viewers, **options})
