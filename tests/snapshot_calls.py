"""Calls whose answers are frozen in snapshot.txt: what the library says, in every form in which it says it.

`python tests/snapshot_calls.py --update [NAME ...]` writes the answers anew.
"""

import contextlib
import csv
import html
import io
import itertools
import json
import os
import re
import shlex
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_wine

import pyod_explain as pe
from pyod_explain.datasets import make_planted
from pyod_explain.explanation import with_summary
from pyod_explain.export import to_dbt, to_findings

HERE = Path(__file__).parent
STORED = HERE / "snapshot.txt"
MARK = "==== "
UPDATE = "python tests/snapshot_calls.py --update"

CALLS = {}  # by name


def call():
    """Put a function among the calls."""
    return lambda function: CALLS.setdefault(function.__name__, function)


REST_OF_TAG = r"(?:[^>\"]|\"[^\"]*\")*>"

# --- what is volatile ---------------------------------------------------------------------------------------------

DIGITS = 6
GONE = ("timings", "version", "versions", "fingerprint", "size")  # keys of JSON that say nothing of the answer
# Of the settings that a report lists, those that stay.
SETTINGS = ("groups", "tags", "method", "max_length", "negations", "relations", "simplify", "random_state")
VOLATILE = (
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", "<date>"),
    (r"pyod[_-]explain \d+\.\d+\.\d+\w*", "pyod_explain <version>"),
    (r"\b\d+(\.\d+)? (s|ms|seconds?)\b", "<time>"),
    (r"sha256 [\w ]*[0-9a-f]{64}", "sha256 <hash>"),
    (r"\b[\d,]+ bytes", "<size> bytes"),
    (r"(?m)^- (Parameters|Versions|Seconds): .*$", r"- \1: <volatile>"),  # of Markdown; JSON has the settings that stay
    (r"(?m)^Parameters\n(.*\n)*?(?=Made by)", "<parameters, versions, seconds>\n"),  # of a page
    (r"it takes contamination, [\w, ]+", "it takes <parameters>"),
    (r"\d+\.\d{8,}(e[-+]?\d+)?", lambda found: brief(float(found[0]))),
)


def settled(text, folder=None):
    """Replace what differs from run to run: moments, times, versions, paths, last digits."""
    if folder is not None:
        text = text.replace(str(Path(folder).resolve()), "<folder>").replace(str(folder), "<folder>")
    text = text.replace(str(Path.cwd()), "<here>")
    for pattern, by in VOLATILE:
        text = re.sub(pattern, by, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def brief(number):
    return f"{number:.{DIGITS}g}"


def plain(value):
    """Round the numbers of plain data, and leave volatile keys out."""
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if key not in GONE}
        if isinstance(kept.get("parameters"), dict):
            kept["parameters"] = {key: one for key, one in kept["parameters"].items() if key in SETTINGS}
        return {key: plain(one) for key, one in kept.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float | np.floating):
        return float(brief(value))
    if isinstance(value, np.integer | np.bool_):
        return value.item()
    return value


def as_json(data):
    """Write plain data, a short list or dict in one line."""
    data = plain(json.loads(data) if isinstance(data, str) else data)
    for column in ((data.get("cells") or {}).get("columns", {}) if isinstance(data, dict) else {}).values():
        column["values"] = column["values"][:3]
    return _laid_out(data, "")


def _laid_out(value, margin):
    line = json.dumps(value, ensure_ascii=False, default=str)
    if not isinstance(value, dict | list) or len(line) + len(margin) <= 110:
        return line
    inner = margin + " "
    if isinstance(value, dict):
        parts = [f"{inner}{json.dumps(key)}: {_laid_out(one, inner)}" for key, one in value.items()]
        return "{\n" + ",\n".join(parts) + f"\n{margin}}}"
    return "[\n" + ",\n".join(f"{inner}{_laid_out(one, inner)}" for one in value) + f"\n{margin}]"


def as_csv(frame, *, most=None):
    """Write a frame with its index; cell by cell, so that kinds of columns that differ between versions do not show."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([frame.index.name or "", *frame.columns])
    for label, *cells in list(frame.itertuples(name=None))[:most]:
        writer.writerow([_cell(label), *map(_cell, cells)])
    return out.getvalue()


def _cell(value):
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | np.floating):
        return brief(value)
    return str(value)


def in_runs(numbers):
    """Write numbers of rows in short: 0 x290, 1 x12."""
    return ", ".join(f"{int(number)} x{len(list(run))}" for number, run in itertools.groupby(numbers))


def visible(page):
    """Give the text of a page, a line for each block."""
    text = re.sub(r"<(style|script|svg|title)\b.*?</\1>", "\n", re.sub(r"\s+", " ", page))
    text = re.sub(r"</?(b|i|em|strong|span|code|a|small|abbr|sub|sup|wbr)\b" + REST_OF_TAG, "", text)
    lines = (html.unescape(line).strip() for line in re.sub("<" + REST_OF_TAG, "\n", text).split("\n"))
    return "\n".join(line for line in lines if line)


def parts(**texts):
    """Put texts below each other, each below its name."""
    return named({name.replace("_", " "): text for name, text in texts.items()})


def named(texts):
    """Do the same for names that are no identifiers."""
    return "\n".join(f"--- {name}\n{str(text).strip()}" for name, text in texts.items())


def rules_of(explanation):
    """Give the answer in short: how many outliers, how grouped, by which rules."""
    rules = [f"{r.name}: {r.n_outliers} outliers, {r.n_normals} normals" for r in explanation.rules]
    notes = [f"note: {note}" for note in explanation.notes]
    return "\n".join([repr(explanation), *rules, *notes, f"gain {brief(explanation.share_saved)}"])


# --- tables -------------------------------------------------------------------------------------------------------


@cache
def _payments():
    rng = np.random.default_rng(1)
    n = 400
    frame = pd.DataFrame(
        {
            "amount": rng.gamma(2, 20, n).round(2),
            "kind": rng.choice(["web", "shop", "post"], n, p=[0.5, 0.4, 0.1]),
            "age": rng.integers(18, 80, n).astype(float),
            "when": pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(8 * 60, 20 * 60, n), unit="min"),
            "member": rng.random(n) < 0.6,
            "fee": rng.normal(3, 0.5, n).round(3),
        },
        index=pd.Index([f"p{i}" for i in range(n)], name="payment"),
    )
    frame["when"] += pd.to_timedelta(rng.integers(0, 60, n), unit="D")
    frame.loc[frame.index[:12], "amount"] += 400
    frame.loc[frame.index[12:20], "kind"] = "phone"
    frame.loc[frame.index[20:28], "when"] = frame["when"].iloc[20:28].dt.normalize() + pd.Timedelta(hours=3)
    frame.loc[frame.index[26:36], "age"] = np.nan
    frame.loc[frame.index[36:39], "fee"] = [3.1, 2.7, 3.4]  # nothing special: no common reason
    frame.loc[frame.index[100:104], "age"] = np.nan
    return frame, np.r_[np.ones(39, dtype=int), np.zeros(n - 39, dtype=int)]


def payments():
    """Mixed columns, and outliers of four kinds."""
    frame, y = _payments()
    return frame.copy(), y.copy()


def measured(seed=0, n=300):
    """Numbers only: two kinds of outliers, and one that two columns tell together."""
    rng = np.random.default_rng(seed)
    inlet = rng.normal(60, 8, n)
    frame = pd.DataFrame(
        {
            "inlet": inlet.round(1),
            "outlet": (inlet + rng.normal(10, 1, n)).round(1),
            "flow": rng.gamma(4, 5, n).round(1),
            "load": rng.integers(0, 100, n),
        }
    )
    frame.loc[:9, "outlet"] = (frame["inlet"][:10] + 2).round(1)
    frame.loc[10:17, "flow"] = (frame["flow"][10:18] + 70).round(1)
    return frame, np.r_[np.ones(10, dtype=int), np.full(8, 2), np.zeros(n - 18, dtype=int)]


def planted_coverage():
    """Fifteen tags, each more frequent in one of two groups."""
    rng = np.random.default_rng(0)
    y = rng.choice([0, 0, 0, 0, 0, 0, 0, 1, 1, 2], 300)
    rate = rng.uniform(0.02, 0.3, (3, 15))
    for tag in range(6):
        rate[1 + tag % 2, tag] = 0.6
    T = rng.random((300, 15)) < rate[y]
    T[y == 1, 13] = T[y == 2, 14] = True
    lengths = [1 + j % 3 for j in range(15)]
    return pe.Coverage.from_dense(T, y, lengths=lengths, n_items=20)


def wine():
    return load_wine(as_frame=True).data


@cache
def explained():
    frame, y = payments()
    return pe.explain(y, frame)


@cache
def two_groups():
    frame, y = measured()
    return pe.explain(y, frame)


# --- the forms of a report ----------------------------------------------------------------------------------------


@call()
def report():
    return str(explained())


@call()
def report_as_json():
    return as_json(explained().to_json())


@call()
def report_as_markdown():
    rows = explained().to_markdown(rows=True)
    return parts(plain=explained().to_markdown(), with_rows=rows[rows.index("## Group 5") :].partition("## Checks")[0])


@call()
def report_as_page():
    return visible(explained().to_html(pictures=0, rows=True, examples=2, title="Odd payments"))


@call()
def page_that_reacts():
    page = explained().to_html(pictures=0, interactive=["amount", "when"])
    data = json.loads(page.partition('id="rows-data">')[2].partition("</script>")[0])
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    script = [one for one in re.findall(r"[\"`]((?:[A-Z]|[$]{)[^\"`;]* [^\"`;]*)[\"`]", script) if "=>" not in one]
    shown = {name: data[name] for name in ("totals", "nouns")} | {"rule": data["rules"][0]}
    section = visible(page[page.index('id="rows"') :]).partition("Checks")[0]
    return parts(section=section, script="\n".join(script), data=as_json(shown))


@call()
def report_in_notebook():
    return visible(two_groups()._repr_html_())


@call()
def report_as_frames():
    e = explained()
    tried = pe.explain(measured()[1] > 0, measured()[0], groups="auto").summary.group_curve
    curve = pd.DataFrame(tried, columns=["groups", "bits"]).set_index("groups")
    return parts(frame=as_csv(e.to_frame()), metrics=as_csv(e.metrics), group_curve=as_csv(curve))


@call()
def report_by_row():
    e, (frame, _) = explained(), payments()
    new = frame.iloc[[0, 14, 300]].drop(columns="fee").assign(amount=[900.0, 20, 30])
    everything = e.to_rows(rows="all")
    return parts(outliers=as_csv(e.to_rows()), new=as_csv(e.to_rows(new)), all=as_csv(everything.iloc[38:60]))


@call()
def report_as_sql():
    e, dialects = explained(), ("ansi", "duckdb", "postgres", "sqlite", "bigquery", "spark")
    texts = {dialect: e.to_sql("payments", dialect=dialect) for dialect in dialects}
    texts["two groups"] = two_groups().to_sql(("plant", "pumps"), column="kind", where=False)
    return named(texts)


@call()
def report_as_dbt():
    return parts(ansi=to_dbt(explained(), "payments"), bigquery=to_dbt(two_groups(), "pumps", dialect="bigquery"))


@call()
def headline():
    return parts(
        reasons=explained().headline,
        groups=two_groups().headline,
        renamed=two_groups().rename({1: "cold outlets"}).headline,
        test=with_summary(explained(), outlier_test="status != ok").headline.partition("\n")[0],
    )


@call()
def single_rows():
    e = explained()
    asked = ["p0", "p13", "p22", "p27", "p36", "p38", "p200"]
    new = {"amount": 470.0, "kind": "web", "age": None, "when": pd.Timestamp("2024-03-02 03:00"), "member": True}
    texts = {name: e.for_row(name) for name in asked} | {"new row": e.for_row({**new, "fee": 3.0})}
    texts |= {f"{name} counterfactual": e.counterfactual(name) for name in asked[:4]}
    texts["position 5"] = two_groups().for_row(position=5)
    return named(texts)


@call()
def findings():
    found = to_findings(explained())
    return as_json([found[i] for i in (0, 13, 27)])


@call()
def predictions():
    frame, _ = payments()
    e = explained()
    bits = e.contributions(frame)
    return parts(
        predict=in_runs(e.predict(frame)),
        matches=e.matches(frame).sum(axis=0).tolist(),
        transform=as_csv(e.transform(frame).iloc[[0, 13, 27, 200]]),
        contributions=as_csv(bits.iloc[[0, 13, 27, 200]]),
        two_groups=in_runs(two_groups().predict(measured(seed=5)[0])),
        words_for_numbers=in_runs(e.predict(frame.assign(amount="much"))),
    )


@call()
def changes():
    frame, y = payments()
    later = frame.copy()
    later.loc[later.index[:12], "amount"] -= 400
    later.loc[later.index[40:50], "fee"] = 9.0
    y_later = y.copy()
    y_later[40:50] = 1
    compared = pe.explain(y, frame).compare(pe.explain(y_later, later))
    same = explained().compare(explained())
    return parts(
        text=compared,
        frame=as_csv(compared.to_frame()),
        data=as_json(compared.to_dict(rows=True)),
        page=visible(compared.to_html(rows=True)),
        same=same,
    )


# --- who says which rows are outliers -----------------------------------------------------------------------------


@call()
def pyod_knn():
    from pyod.models.knn import KNN

    X, _ = measured()
    clf = KNN(contamination=0.06).fit(X.to_numpy())
    e = pe.explain(clf, X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf.fit(X.to_numpy()[::-1])
        e.predict(X)
        first = str(e).split("\n\n", maxsplit=1)[0]
        stale = [str(one.message) for one in caught if one.category.__name__ == "StaleExplanationWarning"]
    return parts(report=pe.explain(KNN(contamination=0.06).fit(X.to_numpy()), X), stale=first, warning="\n".join(stale))


@call()
def detectors():
    from pyod.models.ecod import ECOD
    from pyod.models.hbos import HBOS
    from sklearn.covariance import EllipticEnvelope
    from sklearn.ensemble import IsolationForest
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, ecod, hbos = wine(), ECOD(contamination=0.1), HBOS(contamination=0.05)
    texts = {"ECOD": pe.explain(ecod.fit(X.to_numpy()), X)}
    texts["new rows"] = rules_of(pe.explain(ecod, X.iloc[::3] * 1.15))
    X, _ = measured(seed=3)
    hbos.fit(X.to_numpy())
    texts["features"] = rules_of(pe.explain(hbos, X, features=X.rename(columns=str.upper)))
    forest = IsolationForest(n_estimators=50, contamination=0.06, random_state=0).fit(X)
    pipeline = make_pipeline(StandardScaler(), EllipticEnvelope(contamination=0.06, random_state=0)).fit(X)
    texts |= {"IsolationForest": pe.explain(forest, X).headline, "Pipeline": pe.explain(pipeline, X).headline}
    return named(texts)


@call()
def labels_in_many_forms():
    frame, y = measured()
    lettered = frame.set_axis([f"r{i}" for i in range(len(frame))])
    series = pd.Series(y, index=lettered.index).iloc[::-1]
    forms = {
        "array of 0 and 1": ((y > 0).astype(int), frame), "list": ((y > 0).astype(int).tolist(), frame),
        "booleans": (y > 0, frame), "group numbers": (y, frame), "series in another order": (series, lettered),
        "column": ("odd", frame.assign(odd=(y > 0).astype(int))), "array without names": (y, frame.to_numpy()),
    }  # fmt: skip
    return named({name: rules_of(pe.explain(labels, X)) for name, (labels, X) in forms.items()})


@call()
def scores_and_threshold():
    frame, _ = measured()
    scores = (frame["flow"] - frame["flow"].median()).abs()
    e = pe.explain(None, frame, scores=scores.to_numpy(), threshold=30.0)
    named_column = pe.explain(None, frame.assign(score=scores), scores="score", threshold=45.0)
    return parts(array=e.headline, rows=as_csv(e.to_rows(), most=4), column=rules_of(named_column))


@call()
def nothing_to_say():
    frame, y = measured()
    rng = np.random.default_rng(9)
    nothing = pe.explain(np.zeros(len(frame), dtype=int), frame)
    chance = pe.explain(rng.permutation(y > 0)[:120], frame[:120], max_length=1, relations=False)
    return parts(no_outliers=nothing, headline=nothing.headline, frame=as_csv(nothing.to_frame()), by_chance=chance)


# --- what is asked for --------------------------------------------------------------------------------------------


@call()
def methods_by_name():
    frame, y = measured()
    names = ("mdl", "wccm", "bccm", "pdm", "dtdm")
    texts = {name: message(lambda name=name: str(pe.explain(y, frame, method=name))) for name in names}
    texts["pdm, one group"] = pe.explain(y == 2, frame, method="pdm")
    objects = (
        pe.WCCM(weight=[2, 5], solver="greedy"),
        pe.WCCM(weight=3, solver="exact"),
        pe.BCCM(max_tags=2, max_uncovered=0.4),
    )
    texts |= {repr(one): rules_of(pe.explain(y, frame, method=one)) for one in objects}
    return named(texts)


def _selected(s):
    found = {"objective": s.objective, "bound": s.bound, "gap": s.gap}
    numbers = ", ".join(f"{name} {'none' if value is None else brief(value)}" for name, value in found.items())
    return f"{s.method} {s.solver}: {s.status}, {numbers}"


@call()
def groups_in_many_forms():
    from sklearn.cluster import AgglomerativeClustering

    frame, y = payments()
    reason = np.repeat(["large", "phone", "night", "other", ""], [12, 8, 8, 11, len(frame) - 39])
    asked = {
        "reasons": "reasons", "auto": "auto", "3": 3, "labels of rows": reason, "column": "kind",
        "clusterer": AgglomerativeClustering(n_clusters=2),
    }  # fmt: skip
    return named({name: pe.explain(y, frame, groups=groups).headline for name, groups in asked.items()})


@call()
def harder_searches():
    """Rules of several conditions, that no cut tells cleanly: here a change of the search shows first."""
    planted = make_planted(n_rows=1200, n_groups=3, noise=0.2, random_state=3)
    cancer = load_breast_cancer(as_frame=True).data.iloc[:, :10]
    far = ((cancer - cancer.median()).abs() / cancer.std()).max(axis=1)
    classes = (load_wine().target == 1).astype(int)
    asked = {
        "planted, one kind": (planted.y > 0, planted.X, {}),
        "planted, its groups": (planted.y, planted.X, {}),
        "planted, simplify 0": (planted.y, planted.X, {"simplify": 0, "negations": False}),
        "planted, wccm": (planted.y, planted.X, {"method": pe.WCCM(weight=5)}),
        "cancer": (far > 3, cancer, {}),
        "cancer, bccm": (far > 3, cancer, {"method": pe.BCCM(max_tags=4, max_uncovered=0.3), "groups": 1}),
        "wine": (classes, wine(), {"max_length": 2}),
    }
    texts = {}
    for name, (labels, X, settings) in asked.items():
        e = pe.explain(np.asarray(labels), X, **settings)
        texts[name] = f"{rules_of(e)}\n{_selected(e.selection)}\n{as_csv(e.metrics)}"
    return named(texts)


@call()
def rows_that_stand_for_many():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"app": rng.choice(list("abcd"), 200), "net": rng.choice(["dsl", "lte", "cable"], 200)})
    frame["viewers"] = rng.integers(5, 60, 200)
    bad = ((frame["app"] == "c") & (frame["net"] == "lte")).to_numpy()
    frame["stalled"] = np.where(bad, frame["viewers"] // 2, frame["viewers"] // 50)
    both = pe.explain(X=frame, counts="viewers", outlier_counts="stalled")
    X = frame[["app", "net"]]
    copies = pe.explain(bad.astype(int), X, counts=frame["viewers"].to_numpy())
    return parts(counts_and_outlier_counts=both, rows=as_csv(both.to_rows(), most=4), counts=rules_of(copies))


@call()
def relations():
    frame, y = measured()
    odd = y == 1
    asked = {"auto": "auto", "none": False, "pairs": [("outlet", "inlet")], "signs": [("outlet", "/", "inlet")]}
    texts = {name: rules_of(pe.explain(odd, frame, relations=value)) for name, value in asked.items()}
    e = pe.explain(odd, frame, relations=True)
    texts |= {"row": e.for_row(3), "json": as_json(e.to_json()), "sql": e.to_sql("pumps", dialect="postgres")}
    return named(texts)


@call()
def settings_of_rules():
    frame, y = payments()
    asked = {
        "no negations": {"negations": False},
        "max_length 1": {"max_length": 1},
        "simplify 0": {"simplify": 0},
        "simplify 0.3": {"simplify": 0.3},
    }
    return named({name: rules_of(pe.explain(y, frame, **one)) for name, one in asked.items()})


@call()
def kinds_of_columns():
    rng = np.random.default_rng(6)
    n = 300
    y = np.r_[np.ones(24, dtype=int), np.zeros(n - 24, dtype=int)]
    inside = y == 1
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 200, n), unit="D")
    size = rng.choice(["S", "M", "L"], n)
    kinds = {
        "dates": pd.Series(day).where(~inside, pd.Timestamp("2024-09-15 23:00")),
        "time zone": pd.Series(day).where(~inside, pd.Timestamp("2024-09-14")).dt.tz_localize("Europe/Berlin"),
        "durations": pd.Series(pd.to_timedelta(np.where(inside, 900, rng.integers(1, 60, n)), unit="min")),
        "ordered": pd.Series(pd.Categorical(np.where(inside, "XL", size), ["S", "M", "L", "XL"], ordered=True)),
        "categories": pd.Series(pd.Categorical(np.where(inside, rng.choice(["x", "y"], n), size))),
        "rare words": pd.Series([f"w{i}" if one else "usual" for i, one in enumerate(inside)]),
        "booleans": pd.Series(np.where(inside, True, rng.random(n) < 0.05)),
        "nullable booleans": pd.Series(np.where(inside, True, rng.random(n) < 0.05)).astype("boolean").mask(inside),
        "nullable integers": pd.Series(rng.integers(0, 9, n)).astype("Int64").mask(inside),
        "missing": pd.Series(np.where(inside, np.nan, rng.normal(size=n))),
        "tiny": pd.Series(np.where(inside, 3.2e-9, rng.uniform(1e-10, 1e-9, n))),
        "whole": pd.Series(np.where(inside, 1_250_000, rng.integers(0, 9000, n))),
    }
    other = pd.Series(rng.normal(size=n).round(2))
    explained = {name: pe.explain(y, pd.DataFrame({"it": one, "other": other})) for name, one in kinds.items()}
    return named({name: f"{rules_of(e)}\n{e.for_row(1)}\n{e.for_row(290)}" for name, e in explained.items()})


@call()
def names_of_columns():
    frame, y = measured()
    odd = {"inlet": 'in "let"', "outlet": "out\nlet", "flow": "flöw | `x`", "load": "select"}
    e = pe.explain(y, frame.rename(columns=odd))
    markdown = e.to_markdown().partition("\n## ")[0]
    return parts(report=e, sql=e.to_sql('a "b"', dialect="sqlite"), markdown=markdown, frame=as_csv(e.to_frame()))


@call()
def identifiers():
    frame, y = payments()
    wide = frame.assign(number=range(1000, 1000 + len(frame)), code=[f"c-{i * 7919 % 1000:03}" for i in range(400)])
    return parts(found=rules_of(pe.explain(y, wide)), named=rules_of(pe.explain(y, wide, id_columns=["number", "fee"])))


@call()
def tags_of_the_user():
    frame, y = payments()
    own = [
        pe.Tag.of(pe.Condition("amount", ">=", 300)),
        pe.Tag.of(pe.Condition("kind", "==", "phone")),
        pe.Tag.of(pe.Condition("age", "missing"), pe.Condition("member", "==", True)),
        pe.Tag.of(pe.Condition(pe.DatePart("when", "hour"), "<", 6)),
        pe.Tag.of(pe.Condition("kind", "in", ["web", "shop"]), pe.Condition("age", "between", (20, 30))),
    ]
    table = pd.DataFrame({"large": frame["amount"] > 300, "late": frame["when"].dt.hour < 6}, index=frame.index)
    asked = {
        "tags": (frame, own),
        "table": (frame, table),
        "itemsets": (frame, "itemsets"),
        "itemsets object": (frame, pe.Itemsets(max_length=2, min_support=0.1)),
    }
    texts = {name: rules_of(pe.explain(y, X, tags=tags)) for name, (X, tags) in asked.items()}
    texts["wording"] = "\n".join(str(tag) for tag in own)
    pumps = pe.Tag.of(pe.Condition(pe.Relation("outlet", "-", "inlet"), "<", 4.5))
    frame, y = measured()
    texts["relation"] = rules_of(pe.explain(y == 1, frame, tags=[pumps]))
    # Forests of other versions of scikit-learn find other rules where these are less plain.
    small = pe.ForestRules(n_rules=200, max_length=2, n_estimators=20, random_state=1)
    texts |= {
        "forest": rules_of(pe.explain(y == 2, frame, tags="forest")),
        "forest object": rules_of(pe.explain(y == 2, frame, tags=small, max_length=1)),
    }
    return named(texts)


# --- checks, new rows, many rows ----------------------------------------------------------------------------------


@call()
def held_out():
    frame, y = payments()
    e = pe.explain(y, frame).validate(3)
    later = explained().validate(3)
    return parts(
        report=e,
        frame=as_csv(e.to_frame()),
        headline=e.headline,
        same_later=later.summary.validation == e.summary.validation,
        json=as_json({"validation": e.to_dict()["validation"]}),
        page=visible(e.to_html(pictures=0)),
    )


@call()
def placebo():
    e = two_groups().placebo_test(3)
    return parts(report=e, json=as_json({"placebo": e.to_dict()["placebo"]}), headline=e.headline)


@call()
def what_is_new():
    before, _ = payments()
    now = before.iloc[50:200].drop(columns="member").assign(channel="app").reset_index(drop=True)
    now.loc[:29, "kind"] = "kiosk"
    now.loc[20:60, "fee"] += 4
    new = pe.explain_new(now, before.iloc[200:])
    other = pe.explain_new(now[["kind", "fee"]], before[["kind", "fee"]], names=("may", "april"), max_length=1)
    same = pe.explain_new(before.iloc[::2], before.iloc[1::2], max_length=1)
    return parts(
        text=new,
        frame=as_csv(new.to_frame()),
        markdown=new.to_markdown(),
        page=visible(new.to_html()),
        names=other,
        nothing=same,
    )


@call()
def beyond_memory():
    rng = np.random.default_rng(8)
    n = 4000
    frame = pd.DataFrame({"x": rng.normal(size=n).round(3), "y": rng.gamma(2, 3, n).round(2)})
    frame["kind"] = rng.choice(["a", "b", "c"], n).astype(object)
    frame["odd"] = 0
    frame.loc[:39, ["y", "odd"]] = [55.5, 1]
    frame.loc[40:59, ["x", "odd"]] = [7.25, 1]
    frame = frame.sample(frac=1, random_state=0).reset_index(drop=True)
    with tempfile.TemporaryDirectory() as folder:
        for part in range(2):
            frame.iloc[part * 2000 : (part + 1) * 2000].to_parquet(Path(folder) / f"part{part}.parquet")
        e = pe.explain("odd", pe.LargeTable(folder, sample=500))
        rows = e.scan(folder).read_all()
        read = rows.column("group").to_pylist()
        whole = pe.explain("odd", folder)
        text = parts(
            report=e,
            json=as_json(e.to_json(rows=False)),
            predict=np.bincount(read).tolist(),
            same_as_in_memory=bool((e.predict(frame) == np.array(read)).all()),
            scan=as_json([one for one in rows.to_pylist() if one["group"]][:2]),
            columns=", ".join(rows.column_names),
            read_as_a_whole=rules_of(whole),
        )
        return settled(text, folder).replace(Path(folder).name, "<folder>")


@call()
def explained_detector():
    from sklearn.ensemble import IsolationForest

    X, _ = measured(seed=3)
    forest = IsolationForest(n_estimators=50, contamination=0.06, random_state=0)
    model = pe.ExplainedDetector(forest, pe.OutlierExplainer(max_length=2)).fit(X)
    return parts(
        headline=model.explanation_.headline,
        labels=in_runs(model.labels_),
        predict=in_runs(model.predict(X[:40])),
        scores=[brief(one) for one in model.decision_scores_[:3]],
        contributions=as_csv(model.explanation_.contributions(X[:12]), most=12),
    )


@call()
def outlier_explainer():
    frame, y = payments()
    model = pe.OutlierExplainer(groups="auto", max_length=2).fit(frame, y)
    unnamed = pe.OutlierExplainer().fit(measured()[0].to_numpy(), measured()[1])
    return parts(
        explanation=model.explanation_.headline,
        predict=in_runs(model.predict(frame)),
        transform=model.transform(frame).sum(axis=0).tolist(),
        names="\n".join(model.get_feature_names_out()),
        unnamed="\n".join(unnamed.get_feature_names_out()),
    )


@call()
def selections():
    coverage, solvers = planted_coverage(), ("greedy", "refined", "exact")
    asked = {
        "MDL": pe.MDL(),
        **{f"WCCM {solver}": pe.WCCM(weight=4, solver=solver) for solver in solvers},
        **{f"BCCM {solver}": pe.BCCM(max_tags=3, max_uncovered=0.2, solver=solver) for solver in solvers},
        "PDM": pe.PDM(),
        "DTDM": pe.DTDM(),
    }
    pure = pe.Coverage.from_dense([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [0] * 3, [0, 0, 1]], [1, 1, 1, 2, 0, 0])
    texts = {"coverage": f"{coverage!r}\n{coverage.normal_counts.tolist()}\n{coverage.group_counts.tolist()}"}
    for name, explainer in {**asked, "DTDM small": pe.DTDM(), "WCCM small": pe.WCCM(weight=2)}.items():
        coverage = pure if name.endswith("small") else planted_coverage()
        try:
            s = explainer.select(coverage)
        except ValueError as error:
            texts[name] = f"{_public_name(error)}: {error}"
            continue
        measures = pe.evaluate(coverage, s)
        bits = f"mdl {brief(measures.attrs['mdl'])} of {brief(measures.attrs['mdl_empty'])}"
        chosen = [sorted(map(int, one)) for one in s.tags]
        texts[name] = "\n".join([f"{chosen} {_selected(s)}", *s.notes, bits, as_csv(measures).strip()])
    return named(texts)


# --- messages -----------------------------------------------------------------------------------------------------


def message(make):
    """Give what a call that must fail says."""
    try:
        made = make()
    except Exception as error:  # noqa: BLE001 - whatever it says is to be seen
        return f"{_public_name(error)}: {error}"
    return made if isinstance(made, str) else f"no error: {made!r}"


def _public_name(error):
    """Name the class by which users catch an error; classes of single modules may move."""
    names = [kind.__name__ for kind in type(error).__mro__]
    return next((name for name in names if name in ("InfeasibleError", "PyodExplainError")), names[0])


def messages(asked):
    return named({name: message(make) for name, make in asked.items()})


@call()
def errors_of_input():
    frame, y = measured()
    n = len(frame)
    words = frame.assign(flag=["ok"] * (n - 2) + ["bad", "worse"])
    return messages(
        {
            "too few labels": lambda: pe.explain(y[:10], frame),
            "no detector": lambda: pe.explain(None, frame),
            "no table": lambda: pe.explain(y),
            "not fitted": lambda: pe.explain(_unfitted(), frame),
            "no such column": lambda: pe.explain("nowhere", frame),
            "column of words": lambda: pe.explain("flag", words),
            "labels with NaN": lambda: pe.explain(np.where(y > 0, np.nan, 0.0), frame),
            "all outliers": lambda: pe.explain(np.ones(n, dtype=int), frame),
            "only labels": lambda: pe.explain("odd", pd.DataFrame({"odd": y})),
            "features of other rows": lambda: pe.explain(y, frame, features=frame[:20]),
            "no threshold": lambda: pe.explain(None, frame, scores=frame["flow"]),
            "no such file": lambda: pe.explain("odd", "no/such/folder/file.parquet"),
            "negative counts": lambda: pe.explain(y, frame, counts=np.full(n, -1)),
            "more outliers than rows": lambda: pe.explain(
                None, frame, counts=np.ones(n, dtype=int), outlier_counts=np.full(n, 2)
            ),
        }
    )


def _unfitted():
    from sklearn.ensemble import IsolationForest

    return IsolationForest()


@call()
def errors_of_settings():
    frame, y = measured()
    large = pe.Tag.of(pe.Condition("flow", ">=", 70))
    asked = {
        "method": {"method": "best"},
        "groups": {"groups": "nowhere"},
        "groups 0": {"groups": 0},
        "tags": {"tags": "words"},
        "tag of no column": {"tags": [pe.Tag.of(pe.Condition("nowhere", ">=", 1))]},
        "max_length": {"max_length": 0},
        "simplify": {"simplify": 2},
        "negations": {"negations": "no"},
        "relations": {"relations": [("inlet", "nowhere")]},
        "random_state": {"random_state": "x"},
        "infeasible": {"method": pe.BCCM(max_tags=1, max_uncovered=0.0), "groups": 1, "tags": [large]},
        "infeasible, exact": {"method": pe.BCCM(max_tags=1, max_uncovered=0.2, solver="exact"), "tags": [large]},
        "max_uncovered": {"method": pe.BCCM(max_uncovered=1.5)},
        "disjoint": {"method": "dtdm", "tags": [large]},
    }
    texts = {name: message(lambda one=one: pe.explain(y > 0, frame, **one)) for name, one in asked.items()}
    return named(texts)


@call()
def errors_of_results():
    e, (frame, _) = explained(), payments()
    read = pe.Explanation.from_json(e.to_json(rows=False))
    return messages(
        {
            "no such row": lambda: e.for_row("p9999"),
            "no such outlier": lambda: e.counterfactual("p300"),
            "predict without a column": lambda: e.predict(frame[["fee"]]),
            "dialect": lambda: e.to_sql("t", dialect="oracle"),
            "group": lambda: e.rename({9: "none"}),
            "plot": lambda: e.plot("pie"),
            "examples of a file": lambda: read.to_html(examples=1),
            "rows of a file": lambda: read.to_html(interactive=True),
            "no such column": lambda: e.to_html(interactive=["colour"]),
            "row of a file": lambda: read.for_row("p0"),
            "checks of a file": lambda: read.validate(3),
            "no JSON": lambda: pe.Explanation.from_json("{"),
            "other JSON": lambda: pe.Explanation.from_json('{"a": 1}'),
            "validate": lambda: e.validate(1),
            "not fitted": lambda: pe.OutlierExplainer().predict(frame),
            "fewer columns": lambda: pe.OutlierExplainer().fit(np.eye(9), [1, *[0] * 8]).predict(np.eye(8)),
            "new without rows": lambda: pe.explain_new(frame[:0], frame),
            "opposite": lambda: ~pe.Condition("a", "between", (1, 2)),
            "coverage": lambda: pe.Coverage.from_dense([[1, 0]], [1, 0]),
            "evaluate": lambda: pe.evaluate(pe.Coverage.from_dense([[1], [0]], [1, 0]), [[5]]),
        }
    )


# --- the command line ---------------------------------------------------------------------------------------------


def command(folder, *arguments):
    """Run the command; give its exit code and what it prints."""
    from pyod_explain.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(arguments))
        except SystemExit as left:
            code = left.code
    said = [f"$ pyod-explain {' '.join(arguments)}", f"exit code {code}", out.getvalue(), err.getvalue()]
    return "\n".join(text.strip("\n") for text in said if text)


@contextlib.contextmanager
def files():
    """Give a folder with small files."""
    frame, y = payments()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        table = frame.reset_index().assign(status=np.where(y == 1, "bad", "ok"))
        table["when"] = table["when"].dt.strftime("%Y-%m-%d %H:%M")
        table.to_csv(place / "pay.csv", index=False, lineterminator="\n")
        measured()[0].to_csv(place / "pumps.csv", index=False, sep=";", decimal=",", lineterminator="\n")
        counts = pd.DataFrame({"app": list("abcd") * 10, "net": ["dsl", "lte"] * 20, "n": 30, "bad": 0})
        counts.loc[counts["app"] == "c", "bad"] = 20
        counts.to_csv(place / "counts.csv", index=False, lineterminator="\n")
        (place / "empty.csv").write_text("", "utf-8")
        yield place


@call()
def command_line():
    with files() as folder:
        runs = [
            ("pay.csv", "--where", "status != ok", "--id-column", "payment", "--validate", "0"),
            ("explain", "pay.csv", "--where", "status == bad", "--validate", "3", "--exclude", "amount"),
            ("pumps.csv", "--detector", "KNN", "--contamination", "0.06", "--validate", "0", "--groups", "2"),
            ("counts.csv", "--counts", "n", "--outlier-counts", "bad", "--validate", "0"),
        ]
        return settled("\n\n".join(command(folder, *one) for one in runs), folder)


@call()
def command_line_outputs():
    with files() as folder:
        names = ("out.json", "out.md", "out.csv", "out.sql", "out.txt", "out.html", "out.jsonl", "out.yaml")
        wanted = [part for name in names for part in ("--rows-out" if name == "out.jsonl" else "-o", name)]
        asked = ("pay.csv", "--where", "status == bad", "--id-column", "payment", "--validate", "0", "--drop", "fee")
        texts = {"run": command(folder, *asked, *wanted, "--dialect", "sqlite")}
        texts |= {name: (folder / name).read_text("utf-8") for name in names if name not in ("out.html", "out.json")}
        texts["out.jsonl"] = "\n".join(texts["out.jsonl"].splitlines()[:3])
        texts["out.html"] = "\n".join(visible((folder / "out.html").read_text("utf-8")).splitlines()[:12])
        read = pe.Explanation.from_json(folder / "out.json")
        texts["out.json"] = as_json(dict(read.summary.provenance))
        return settled(named(texts), folder)


@call()
def command_line_compare():
    with files() as folder:
        for name, test in (("a", "status != ok"), ("b", "amount > 120")):
            arguments = ("pay.csv", "--where", test, "--id-column", "payment", "--validate", "0", "--quiet")
            command(folder, *arguments, "-o", f"{name}.json")
        runs = [
            ("compare", "a.json", "b.json", "--exit-code"),
            ("compare", "a.json", "a.json", "--exit-code"),
            ("compare", "a.json", "b.json", "-o", "changes.csv", "--quiet"),
            ("diff", "pay.csv", "counts.csv"),
        ]
        return settled("\n\n".join(command(folder, *one) for one in runs), folder)


@call()
def command_line_new():
    with files() as folder:
        table = pd.read_csv(folder / "pay.csv").drop(columns=["status", "when"])
        table.iloc[:200].assign(kind="kiosk").to_csv(folder / "now.csv", index=False)
        table.iloc[200:].to_csv(folder / "before.csv", index=False)
        run = ("diff", "now.csv", "before.csv", "--validate", "0", "-o", "new.md")
        text = command(folder, *run)
        return settled(f"{text}\n{(folder / 'new.md').read_text('utf-8')}", folder)


@call()
def command_line_errors():
    with files() as folder:
        runs = """
            | nowhere.csv | empty.csv | pay.csv --labels nowhere | pay.csv --labels status --detector KNN
            | pay.csv --labels kind | pay.csv --where 'status == never' | pumps.csv --detector NoSuch
            | pumps.csv --contamination 3 | pumps.csv --detector-param n_neighbors
            | pumps.csv --detector KNN --detector-param nothing=3 | pumps.csv -o report.doc | pumps.csv --sep abc
            | pumps.csv --drop nowhere | pumps.csv --unknown | counts.csv --outlier-counts bad
            | counts.csv --counts app --outlier-counts bad | compare pay.csv nowhere.json | diff pay.csv
            | pay.csv --labels amount --interactive | pay.csv --name Tolls
            | pay.csv --where 'status == bad' --validate 0 --quiet --name 9=Tolls
        """
        runs = map(shlex.split, runs.split("|"))
        return settled("\n".join(command(folder, *one) for one in runs), folder)


# --- the stored answers -------------------------------------------------------------------------------------------


def answer(name):
    """Make a call, and give its text as it is stored."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = settled(CALLS[name]())
    # A line that looks like a header would end the section.
    return "\n".join(f" {line}" if line.startswith(MARK) else line for line in text.splitlines())


def stored():
    """Give the stored texts by the names of their calls."""
    sections = re.split(rf"^{MARK}(\w+)\n", STORED.read_text("utf-8"), flags=re.MULTILINE)
    return {name: text.rstrip("\n") for name, text in zip(sections[1::2], sections[2::2], strict=True)}


def update(names):
    """Write the sections of these calls anew, of all if none is named; drop those that have no call any more."""
    texts = stored()
    for name in names or CALLS:
        texts[name] = answer(name)
    lines = [f"{MARK}{name}\n{texts[name]}\n" for name in CALLS if name in texts]
    STORED.write_text("\n".join(lines), "utf-8", newline="\n")


def main(arguments):
    os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # as in conftest.py
    what, *names = arguments or [""]
    if what != "--update" or not set(names) <= set(CALLS):
        return f"{UPDATE} [NAME ...]; names: {', '.join(CALLS)}"
    update(names)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
