"""Neither the order of the rows nor that of the columns changes what an explanation says."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from pyod_explain import BCCM, DTDM, MDL, PDM, WCCM, Condition, PyodExplainError, Tag, explain
from pyod_explain.groups import split_outliers
from pyod_explain.input import Outliers, as_table, by_content

pytestmark = pytest.mark.no_cover

METHODS = ("mdl", "wccm", "bccm", "pdm", "dtdm")
SOLVERS = ("greedy", "refined", "exact")
# Each example is three explanations. A smaller seed is no simpler a table, so nothing is shrunk.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
few = settings(max_examples=6, deadline=None, phases=PHASES, suppress_health_check=[HealthCheck.too_slow])


# --- random tables: few values, so that everything ties ---------------------------------------------------------------


KINDS = {
    "numbers": lambda rng, n: rng.normal(size=n),
    "ties": lambda rng, n: rng.integers(0, 3, n),
    "zeros": lambda rng, n: np.array([0.0, -0.0, 1.5, -2.0])[rng.integers(0, 4, n)],
    "gaps": lambda rng, n: np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 4, n)),
    "texts": lambda rng, n: np.array(["a", "b", "c", None], dtype=object)[rng.integers(0, 4, n)],
    "mixed": lambda rng, n: np.array([1, 1.0, True, "one"], dtype=object)[rng.integers(0, 4, n)],
    "dates": lambda rng, n: pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, n), unit="h"),
    "flags": lambda rng, n: rng.random(n) < 0.3,
}


@st.composite
def cases(draw: st.DrawFn) -> dict:
    """A table, its labels, and the arguments that go with its rows; some rows occur twice."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = int(rng.integers(24, 45))
    columns: list[pd.Series] = []
    for kind in draw(st.lists(st.sampled_from([*KINDS, "copy"]), min_size=1, max_size=5)):
        copied = kind == "copy" and columns
        columns.append(columns[0].copy() if copied else pd.Series(KINDS.get(kind, KINDS["ties"])(rng, n)))
    X = pd.concat(columns, axis=1, keys=rng.permutation([f"c{i}" for i in range(len(columns))]))
    y = (rng.random(n) < 0.3).astype(int)
    if draw(st.booleans()):  # outliers that a rule can tell
        y |= (pd.factorize(columns[0])[0] == 0) & (rng.random(n) < 0.9)
    if draw(st.booleans()):  # rows that occur twice, not always with the same label
        again = rng.integers(0, n, n // 2)
        X, y = pd.concat([X, X.iloc[again]]), np.r_[y, np.where(rng.random(n // 2) < 0.9, y[again], 0)]
    y[:3], y[3:6] = 1, 0
    X.index = pd.Index([f"r{i}" for i in range(len(X))])
    by_row = {"y": pd.Series(y, index=X.index)}
    return {"X": X, "by_row": by_row, "rng": rng}


def _say(X: pd.DataFrame, by_row: dict, *, checks: bool = False, **options) -> dict:
    """Everything that an explanation says but for the order in which rows are listed."""
    try:
        e = explain(by_row["y"], X, **{k: v for k, v in by_row.items() if k != "y"}, **options)
        e = e.validate(3).placebo_test(2) if checks else e
    except PyodExplainError as error:
        return {"error": str(error.problem), "rows": len(getattr(error, "rows", ()))}  # their positions differ
    s = e.summary
    report = re.sub(r"\(rows? [^)]*\)", "(rows)", str(e))  # the rows left unexplained, in the order of the table
    return {
        "rules": [(r.group, str(r.tag), r.n_outliers, r.n_normals, r.n_others, repr(r.p_value)) for r in e.rules],
        "groups": [(g.number, g.name, g.size, g.n_explained, g.n_normals, repr(dict(g.metrics))) for g in e.groups],
        "rows": [(sorted(g.rows), sorted(g.uncovered)) for g in e.groups],
        "bits": (s.mdl, s.mdl_empty, repr(s.group_curve)),
        "answer": (s.status, s.objective, s.bound, s.notes, s.n_tags, s.n_items, s.columns),
        "checks": (repr(s.validation), repr(s.placebo)),
        "report": " ".join(report.split()),
        "labels": None if "tags" in by_row else e.predict(X.sort_index()).tolist(),
    }


def _assert_same(case: dict, **options) -> None:
    """Explain as it is, with the rows in another order, and with the columns in another order."""
    X, by_row, rng = case["X"], case["by_row"], case["rng"]
    rows = rng.permutation(len(X))
    said = _say(X, by_row, **options)
    assert _say(X.iloc[rows], {k: v.iloc[rows] for k, v in by_row.items()}, **options) == said
    if "tags" in by_row:
        by_row = {**by_row, "tags": by_row["tags"].iloc[:, rng.permutation(by_row["tags"].shape[1])]}
    if isinstance(options.get("tags"), list):
        options = {**options, "tags": [options["tags"][i] for i in rng.permutation(len(options["tags"]))]}
    assert _say(X.iloc[:, rng.permutation(X.shape[1])], by_row, **options) == said


@pytest.mark.parametrize("method", METHODS)
@few
@given(case=cases(), solver=st.sampled_from(SOLVERS), data=st.data())
def test_every_method_and_solver(method, case, solver, data):
    """With the groups made, given row by row, or a column."""
    groups = data.draw(st.sampled_from(["auto", 1, 2, 3, "labels", "column"]))
    if groups == "labels":
        case["by_row"]["groups"] = pd.Series(case["rng"].integers(0, 3, len(case["X"])), index=case["X"].index)
    elif groups == "column":
        case["X"]["of"] = pd.Series(case["rng"].choice(["p", "q"], len(case["X"])), index=case["X"].index)
    options = {} if groups == "labels" else {"groups": "of" if groups == "column" else groups}
    limits = {"max_uncovered": data.draw(st.sampled_from([0.2, 0.9]))} if method == "bccm" else {}
    _assert_same(case, method=_explainer(method, solver, **limits), max_length=2, **options)


def _explainer(method, solver, **limits):
    kind = {"mdl": MDL, "wccm": WCCM, "bccm": BCCM, "pdm": PDM, "dtdm": DTDM}[method]
    without = method == "mdl" or (method in ("pdm", "dtdm") and solver == "refined")
    return kind(**limits) if without else kind(solver=solver, **limits)


@few
@given(case=cases(), method=st.sampled_from(METHODS), kind=st.sampled_from(["forest", "table", "list"]))
def test_every_kind_of_tags(case, method, kind):
    X, rng = case["X"], case["rng"]
    tags: object = "forest"
    if kind == "table":
        case["by_row"]["tags"] = pd.DataFrame(rng.random((len(X), 6)) < 0.4, X.index, list("pqrstu"))
    elif kind == "list":
        cells = [(name, X[name].iloc[i]) for name in X for i in range(4)]
        tags = [Tag.of(Condition(name, "==", cell)) for name, cell in cells if not pd.isna(cell)]
        tags += [Tag.of(Condition(name, "present")) for name in X]
    options = {} if kind == "table" else {"tags": tags}
    _assert_same(case, method=method, groups=1, **options)


@pytest.mark.parametrize(("method", "groups"), [("wccm", 1), ("mdl", 2)])
def test_held_out_rows_and_placebos(method, groups):
    """Noise, of which every fold and every draw says something else."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(150, 3)).round(1), columns=list("abc"), index=[f"r{i}" for i in range(150)])
    by_row = {"y": pd.Series((np.arange(150) < 25).astype(int), index=X.index)}
    case = {"X": X, "by_row": by_row, "rng": rng}
    _assert_same(case, checks=True, method=_explainer(method, "greedy"), groups=groups, max_length=1)


def test_a_large_table_is_sampled_by_content():
    """The number of groups is chosen on 5,000 of the normals."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=6_000), "b": rng.normal(size=6_000), "c": rng.integers(0, 9, 6_000)})
    y = np.zeros(6_000, dtype=int)
    y[:60] = 1
    X.loc[:29, "a"] += 4
    X.loc[30:59, "b"] -= 4
    p = rng.permutation(6_000)
    one, other = explain(y, X, groups="auto"), explain(y[p], X.iloc[p, [2, 0, 1]], groups="auto")
    assert one.summary.group_curve == other.summary.group_curve
    assert str(one.groups[0].rules) == str(other.groups[0].rules)


# --- the parts --------------------------------------------------------------------------------------------------------


def test_rows_of_a_group_are_listed_as_the_table_has_them():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.normal(size=60)}, index=rng.permutation(60))
    y = (np.abs(X["a"]) > 1).astype(int).to_numpy()
    e = explain(y, X, groups=1)
    assert list(e.groups[0].rows) == X.index[y == 1].tolist()
    assert e._origin.positions.tolist() == np.flatnonzero(y).tolist()
    left = [label for label in X.index[y == 1] if label in e.unexplained]
    assert e.unexplained == left
    for position in e._origin.positions.tolist():
        assert e.for_row(position=position).label == X.index[position]


def test_equal_rows_share_a_group(monkeypatch):
    """Half way between two centres, the last digit of a distance would part them; here whatever comes next does."""
    monkeypatch.setattr(KMeans, "fit_predict", lambda self, X, y=None: np.arange(len(X)) % self.n_clusters)
    rng = np.random.default_rng(0)
    for n_columns in (2, 40):  # few enough for k-means as they are, and so many that they are reduced first
        which = rng.permutation(np.repeat(np.arange(12), 5))
        cells = rng.normal(size=(12, n_columns))[which]
        groups = split_outliers(3, Outliers(np.ones(60, dtype=np.int64), "labels"), as_table(cells))
        assert groups.n_groups > 1
        assert all(len(set(groups.numbers[which == one])) == 1 for one in range(12))


@pytest.mark.parametrize("cells", [[0.0, -0.0], [1, 1.0, True, "one"], ["one", 2.0, Decimal("2.00"), 2]])
def test_equal_cells_are_written_in_one_way(cells):
    column = pd.Series([*cells, *cells, *[5.0, 6.0, 7.0] * 10], dtype=object)
    y = (np.arange(len(column)) < 2 * len(cells)).astype(int)
    said = []
    for p in (np.arange(len(column)), np.arange(len(column))[::-1]):
        X = pd.DataFrame({"a": column.iloc[p]})
        read = as_table(X)["a"]
        rules = [str(rule.tag) for rule in explain(y[p], X, method="wccm", groups=1).rules]
        values = [read.cell(row) for row in range(len(p))]
        assert len(set(map(repr, values))) == len(set(values))
        said.append((rules, sorted(map(repr, values))))
    assert said[0] == said[1]


@settings(max_examples=30)
@given(data=st.data())
def test_the_order_is_that_of_the_content(data):
    """Exact: whatever the hash, and for two rows that differ in any cell, one of them always comes first."""
    case = data.draw(cases())
    X, rng = case["X"], case["rng"]
    rows = rng.permutation(len(X))
    mixed = as_table(X.iloc[rows, rng.permutation(X.shape[1])])
    same_hash = lambda key: np.zeros(len(key), dtype=np.uint64)  # noqa: E731
    for n_sorted, hashing in ((5_000, None), (0, pd.util.hash_array), (0, same_hash)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pd.util, "hash_array", hashing)
            order = by_content(as_table(X), np.arange(len(X)), few=n_sorted)
            other = by_content(mixed, np.arange(len(X)), few=n_sorted)
        assert sorted(order) == sorted(other) == list(range(len(X)))
        left, right = X.iloc[order].reset_index(drop=True), X.iloc[rows[other]].reset_index(drop=True)
        pd.testing.assert_frame_equal(left, right)
