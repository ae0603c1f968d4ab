"""The page: escaped, small, and looked at in a real browser."""

import base64
import contextlib
import hashlib
import html
import io
import json
import pickle
import re
import shutil
import sqlite3
from dataclasses import replace

import markupsafe
import numpy as np
import pandas as pd
import pytest
from by_hand import HOSTILE, explain_by, explanations
from hypothesis import given, settings

from pyod_explain import Condition, Explanation, PyodExplainError, Tag, explain
from pyod_explain.exceptions import ParameterError, visible
from pyod_explain.groups import Groups
from pyod_explain.input import Outliers, as_table
from pyod_explain.report import to_csv
from pyod_explain.report.html import MAX_PAGE_BYTES, to_html
from pyod_explain.report.interactive import MAX_DATA_BYTES, MAX_LISTED_ROWS
from pyod_explain.result import FitContext
from pyod_explain.settings import Settings
from pyod_explain.tags import TagSet

NASTY = '<script>document.title = "hacked"</script>'


def escaped(text):
    return str(markupsafe.escape(text))


def plain(text):
    return html.unescape(re.sub(r"<[^>]*>", " ", text))


@pytest.fixture(scope="module")
def page():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            NASTY: rng.gamma(2, 10, 400).round(2),
            "kind": rng.choice(["web", "<b>shop</b>", "a & b"], 400),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 10**7, 400), unit="s"),
            "paid": rng.random(400) < 0.5,
        }
    )
    frame.loc[:19, NASTY] += 300
    frame.loc[20:39, "when"] = frame.loc[20:39, "when"].dt.normalize() + pd.Timedelta(hours=3)
    frame.loc[20:39, "kind"] = "<b>shop</b>"
    y = [1] * 20 + [2] * 20 + [3] * 5 + [0] * 355
    return explain(y, frame).placebo_test(1).to_html(rows=True)


@settings(max_examples=40, deadline=None)
@given(explanations())
def test_the_counts_on_the_page_are_those_of_the_table(made):
    frame, y, e = made
    y = np.asarray(y)
    text = e.to_html()
    rows = re.findall(r'<td class="num" data-name="(Outliers|Normals)"><?(?:span>)?([\d,]+)', text)
    expected = []
    for rule in e.rules:
        covered = rule.tag.covers(frame)
        expected += [
            ("Outliers", str((covered & (y == rule.group)).sum())),
            ("Normals", str((covered & (y == 0)).sum())),
        ]
    assert rows == expected
    for rule in e.rules:
        assert escaped(visible(rule.signs)[:300]) in text


def test_names_and_values_are_shown_as_text(page):
    assert "<script" not in page.lower()
    assert escaped(NASTY) in page
    assert "<b>shop" not in page
    for name in HOSTILE:
        X = pd.DataFrame({name: [1, 2, 9], "c": ["x", "y", name]})
        e = explain_by([[Tag.of(Condition(name, ">", 5)), Tag.of(Condition("c", "==", name))]], X, [0, 0, 1])
        for text in (e.to_html(title=name), e._repr_html_()):
            assert "<script" not in text
            assert escaped(visible(name)) in text


def test_the_page_loads_nothing(page):
    assert not re.search(r"(?:src|href|url)\s*[=(]\s*[\"']?(?!data:,|#)\w", page)
    assert "http" not in page


def test_landmarks_headers_and_alternatives(page):
    for part in ('<html lang="en">', "<header>", "<main>", "<footer>", '<meta name="viewport"', "<caption>"):
        assert part in page
    assert page.count("<svg") == page.count('role="img" aria-label="') > 3
    assert page.count('<th scope="col">') > 5
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'aria-labelledby="([^"]+)"', page)) <= set(ids)


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, two):
    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_aa_in_light_dark_and_print(page):
    schemes = re.findall(r":root \{([^}]*)\}", page)
    assert len(schemes) == 3
    for scheme in schemes:
        colors = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", scheme))
        for back in ("back", "card"):
            for text in ("text", "soft", "bad"):
                assert contrast(colors[text], colors[back]) >= 4.5
            for shape in ("good", "left", "bad", *(f"c{i}" for i in range(7))):
                assert contrast(colors[shape], colors[back]) >= 3.0
            assert contrast(colors["link"], colors[back]) >= 4.5
        assert contrast(colors["text"], colors["mark"]) >= 4.5


@pytest.fixture(scope="module")
def huge():
    """More groups, rules and text than anybody would read."""
    name = '"&<>' * 200
    X = pd.DataFrame({f"{name}{i}": range(2) for i in range(3)})
    tags = [Tag.of(*(Condition(f"{name}{i}", ">=", r / 1000) for i in range(3))) for r in range(1, 31)]
    e = explain_by([tags], X, [0, 1])
    groups = tuple(replace(e.groups[0], number=i, name=f"{name}{i}") for i in range(1, 61))
    notes = tuple(f"{name} {i}" for i in range(300))
    return replace(e.summary, groups=groups, notes=notes, parameters={"tags": name})


def test_the_page_stays_under_a_megabyte_whatever_the_data(huge):
    text = to_html(huge, title='"' * 5000, rows=True)
    assert len(text.encode()) <= MAX_PAGE_BYTES
    assert "more rules not shown" in text
    assert "more groups" in text


@pytest.mark.parametrize("kind", ["numbers", "texts"])
def test_many_rules_on_one_column_do_not_make_the_page_grow(kind):
    n = 200
    X = pd.DataFrame({"x": range(n) if kind == "numbers" else [f"name {i}" for i in range(n)]})
    rules = [Tag.of(Condition("x", ">=" if kind == "numbers" else "==", value)) for value in X["x"][1:]]
    page = explain_by([rules], X, [0] + [1] * (n - 1)).to_html()
    assert len(page.encode()) <= 50_000
    assert "174 more conditions not shown" in page


def test_the_rows_that_match_have_a_bar_in_two_colours():
    X = pd.DataFrame({"x": [0.0] * 6_000 + [9.0] * 40 + [9.0] * 92 + [0.0] * 8})
    page = explain_by([[Tag.of(Condition("x", ">", 5))]], X, [0] * 6_040 + [1] * 100).to_html()
    bars = re.findall(r'aria-label="([^"]*)"><rect width="1000"[^>]*/>(?:<rect width="([\d.]+)")?', page)
    assert bars[:3] == [
        ("Group 1, its outliers that match: 92 of 100", "920.0"),
        ("Group 1, matching rows that are outliers: 92 of 132", "697.0"),
        ("70% of 132 rows that match", "697.0"),  # of the rule
    ]


def test_what_few_people_read_is_folded_away(page):
    for name in ("checks", "metrics", "glossary", "appendix"):
        assert f'<details><summary><h2 id="{name}">' in page
    open_part = re.sub(r"<details>.*?</details>", "", page, flags=re.DOTALL)
    for word in ("bits", "lift", "FUO", "itemsets"):
        assert not re.search(rf"\b{word}\b", plain(open_part.partition("</style>")[2]), re.IGNORECASE)


def test_pictures_are_of_the_table_and_can_be_left_out():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300), "c": ["x"] * 300})
    X.loc[:9, "a"] += 30
    e = explain([1] * 10 + [0] * 290, X)
    read = Explanation.from_json(e.to_json())
    assert 'id="pictures"' in e.to_html()
    assert read.to_html() == e.to_html(pictures=0)  # a file has no table
    assert 'id="pictures"' not in read.to_html()
    assert 'id="pictures"' not in explain([1] * 10 + [0] * 290, X[["a", "c"]]).to_html()  # nor is one column a pair
    with pytest.raises(ParameterError, match=r"^`pictures`"):
        e.to_html(pictures=-1)


def test_examples_are_shown_when_asked_for_with_the_cells_that_matter_marked():
    X = pd.DataFrame(
        {"x": [1.0, 2.0, 3.0, 50.0, 60.0, 9.0], "c": ["a", "b", "a", "z", "a", NASTY]}, index=list("uvwxyo")
    )
    tags = [Tag.of(Condition("x", ">=", 40.0), Condition("c", "==", "z")), Tag.of(Condition("x", ">", 55.0))]
    e = explain_by([tags], X, [0, 0, 0, 1, 1, 1])
    assert "Examples" not in e.to_html()
    text = e.to_html(examples=10)
    lines = re.findall(r'<tr><th scope="row">(\w)</th>(.*?)</tr>', text)
    assert [label for label, _ in lines] == ["y", "x", "o"]
    assert dict(lines)["x"] == "<td><mark>50</mark></td><td><mark>&#39;z&#39;</mark></td>"
    assert dict(lines)["y"] == "<td><mark>60</mark></td><td>&#39;a&#39;</td>"
    assert "<mark>" not in dict(lines)["o"]
    assert "<script" not in text
    assert len(re.findall('<tr><th scope="row">[xyo]</th>', e.to_html(examples=2))) == 2
    with pytest.raises(PyodExplainError, match="read from a file"):
        Explanation.from_json(e.to_json(rows=False)).to_html(examples=3)
    assert explain([0] * 6, X).to_html(examples=3)


def test_examples_come_with_their_scores_the_strangest_first():
    X = pd.DataFrame({"x": [*range(50), 900, 950, 990]})
    e = explain(scores=[0.1] * 50 + [0.5, 0.9, 0.7], threshold=0.3, X=X)
    lines = re.findall(r'<tr><th scope="row">(\d+)</th><td class="num">([\d.]+)</td>', e.to_html(examples=2))
    assert lines == [("51", "0.9"), ("52", "0.7")]


BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]


def in_browser(test):
    needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium found: apt-get install chromium")
    return pytest.mark.slow(needs_browser(test))


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        running = play.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield running
        running.close()


@in_browser
@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (768, "light"), (1280, "light")])
def test_in_a_browser_nothing_overflows_fails_or_loads(browser, page, tmp_path, width, scheme):
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    tab = context.new_page()
    said, asked = [], []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(path.as_uri())
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert tab.title() == "Why are these rows outliers?"
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    spilled = """() => [...document.querySelectorAll('main *')].filter(
        e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('thead')).map(e => e.tagName)"""
    assert tab.evaluate(spilled) == []
    assert tab.get_by_text(NASTY).count() > 0
    context.close()


@in_browser
def test_a_huge_page_fits_a_phone_and_a_sheet_of_paper(browser, huge, tmp_path):
    tab = opened(browser, tmp_path, to_html(huge), viewport={"width": 360, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    tab.emulate_media(media="print")
    tab.set_viewport_size({"width": 700, "height": 900})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 700
    assert tab.pdf(format="A4").startswith(b"%PDF")
    tab.close()


@pytest.fixture(scope="module")
def five_groups():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"measurement {i}": rng.normal(100, 10, 2_000).round(1) for i in range(5)})
    X["kind"] = rng.choice(["web", "shop"], 2_000)
    for i in range(5):
        X.loc[30 * i : 30 * i + 29, f"measurement {i}"] += 300
    groups = [number for number in range(1, 6) for _ in range(30)]
    return explain([*groups, *[0] * 1_850], X).validate(2).to_html()


def opened(browser, tmp_path, text, **options):
    path = tmp_path / "page.html"
    path.write_text(text, encoding="utf-8")
    tab = browser.new_page(**options)
    tab.goto(path.as_uri())
    return tab


@in_browser
def test_the_first_screen_has_the_answer(browser, five_groups, tmp_path):
    tab = opened(browser, tmp_path, five_groups, viewport={"width": 1280, "height": 800})
    ends = "() => [...document.querySelectorAll('.answers li')].map(e => e.getBoundingClientRect().bottom)"
    assert len(tab.evaluate(ends)) == 5
    assert max(tab.evaluate(ends)) <= 800
    tab.close()


@in_browser
def test_folds_are_closed_open_on_a_click_and_all_open_on_paper(browser, five_groups, tmp_path):
    tab = opened(browser, tmp_path, five_groups, viewport={"width": 1280, "height": 800})
    seen = """() => [...document.querySelectorAll('details')].map(
        e => getComputedStyle(e, '::details-content').contentVisibility == 'visible'
            && e.lastElementChild.getBoundingClientRect().height > 0)"""
    assert not any(tab.evaluate(seen))
    tab.locator("summary", has_text="What the numbers mean").click()
    assert sum(tab.evaluate(seen)) == 1
    tab.locator("summary", has_text="What the numbers mean").click()
    tab.emulate_media(media="print")
    assert all(tab.evaluate(seen))
    tab.set_viewport_size({"width": 700, "height": 900})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 700
    tab.close()


@in_browser
def test_examples_scroll_by_themselves_on_a_phone(browser, tmp_path):
    X = pd.DataFrame({f"a column with a long name {i}": [*range(50), 900, 950, 990] for i in range(6)})
    tags = [Tag.of(*(Condition(name, ">", 500) for name in X.columns))]
    text = explain_by([tags], X, [0] * 50 + [1] * 3).to_html(examples=3)
    tab = opened(browser, tmp_path, text, viewport={"width": 360, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    assert tab.evaluate("() => document.querySelector('.wide').scrollWidth") > 360
    tab.close()


def test_a_line_from_the_least_to_the_largest_of_all_floats_is_drawn():
    X = pd.DataFrame({"x": [-1.7e308] * 30 + [1.7e308] * 4})
    page = explain_by([[Tag.of(Condition("x", ">=", 0.0))]], X, [0] * 30 + [1] * 4).to_html()
    assert "var(--bad)" in page
    assert not re.findall(r'(?:x|y|width|d)="[^"]*?(?:nan|inf)', page)


# --- a page that reacts -----------------------------------------------------------------------------------------------

DATA = re.compile(r'<script type="application/json" id="rows-data">(.*?)</script>', re.DOTALL)
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def listed(text):
    return json.loads(DATA.search(text)[1])


def with_table(e, X, y, scores=None):
    """An explanation by hand that knows its table."""
    groups = Groups(np.asarray(y), tuple(str(group.number) for group in e.groups), "given")
    outliers = Outliers(np.minimum(y, 1), "The labelling", scores=scores)
    return replace(e, _context=FitContext(as_table(X), outliers, groups, TagSet((), 0), Settings()))


@settings(max_examples=40, deadline=None)
@given(explanations())
def test_the_rows_of_a_rule_are_as_many_as_its_printed_counts(made):
    frame, y, e = made
    e = with_table(e, frame, y)
    text = e.to_html(interactive=True)
    data, groups = listed(text), np.array(listed(text)["groups"])
    for rule, one in zip(e.rules, data["rules"], strict=True):
        hit = np.array(list(one["rows"])) == "1"
        counts = [(hit & which).sum() for which in (groups == rule.group, groups == 0)]
        assert counts == [rule.n_outliers, rule.n_normals]
        assert one["counts"] == [rule.n_outliers, (hit & (groups > 0)).sum() - rule.n_outliers, rule.n_normals]
    for one in data["columns"]:
        if one["name"] in frame:
            cells = frame[one["name"]].iloc[row_numbers(data)]
            assert [code < 0 for code in one["cells"]] == cells.isna().tolist()
            if one["number"]:
                read = [cells.dtype.type(one["values"][code]) for code in one["cells"] if code >= 0]
                assert read == cells.dropna().tolist()
    assert "<" not in DATA.search(text)[1]
    parts = [DATA, SCRIPT, r'<section class="card rows".*?</section>', r"<meta http-equiv.*?</style>"]
    for part in parts:  # without them it is the page that it would be
        text = re.sub(part, "", text, count=1, flags=0 if isinstance(part, re.Pattern) else re.DOTALL)
    assert "".join(text.split()) == "".join(e.to_html().split())


def row_numbers(data):
    [row] = [one for one in data["columns"] if one["name"].rstrip("_") == "Row"]
    return [int(row["values"][code]) for code in row["cells"]]


@pytest.mark.parametrize("scores", [True, False])
def test_many_rows_are_cut_so_that_each_rule_keeps_some(scores):
    n = 5_000
    X = pd.DataFrame({"x": range(n), "rare": [int(i % 1_000 == 0) for i in range(n)], "text": ["a" * 300] * n})
    X["text"] += X["x"].astype(str)
    tags = [Tag.of(Condition("x", ">", 100)), Tag.of(Condition("rare", "==", 1))]
    y = [1] * 2_500 + [0] * 2_500
    e = with_table(explain_by([tags], X, y), X, y, np.arange(n) / 10 if scores else None)
    data = listed(e.to_html(interactive=["x"]))
    groups = np.array(data["groups"])
    assert (groups > 0).sum() == (groups == 0).sum() == MAX_LISTED_ROWS
    assert data["totals"] == [2_500, 2_500]
    assert data["rules"][1]["rows"].count("1") == 5
    assert [one["name"] for one in data["columns"]] == ["Row", "Group", *(["Score"] if scores else []), "x"]
    if scores:  # the strangest of each rule, and some that no rule matches
        assert set(range(2_000, 2_500)) <= set(row_numbers(data))
    long = e.to_html(interactive=["text"])
    assert len(DATA.search(long)[1]) <= MAX_DATA_BYTES
    assert 0 < len(listed(long)["groups"]) < 2_000


def test_what_a_page_that_reacts_needs():
    X = pd.DataFrame({"a": [*range(50), 900, 950], "b": 1, "n": 3})
    e = explain([0] * 50 + [1] * 2, X)
    with pytest.raises(
        ParameterError, match=r"^`interactive` of to_html\(\) must be True, False or columns of the table"
    ):
        e.to_html(interactive=["a", "nope"])
    with pytest.raises(PyodExplainError, match="read from a file"):
        Explanation.from_json(e.to_json(rows=False)).to_html(interactive=True)
    for kept in (pickle.loads(pickle.dumps(e)), Explanation.from_json(e.to_json())):  # without the table
        assert listed(kept.to_html(interactive=True))["groups"] == [1, 1]
    counted = explain(X=X, counts=[2] * 52, outlier_counts=[0] * 50 + [2, 1])
    data = listed(counted.to_html(interactive=True))
    assert (data["totals"], data["counts"]) == ([3, 1], [2, 1, 1])
    data = listed(Explanation.from_json(counted.to_json()).to_html(interactive=True))
    assert (data["totals"], data["counts"]) == ([3, 1], [2, 1])
    assert explain([0] * 52, X).to_html(interactive=True) == explain([0] * 52, X).to_html()


@pytest.fixture(scope="module")
def reacting():
    """A page with cells that are hard to show, to sort and to copy; its explanation and its rows."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"amount": rng.gamma(2, 10, 500).round(2), "text": rng.choice(["web", NASTY, '=1+"1"', "</script>"], 500)}
    )
    X["big"] = 2**60 + rng.integers(0, 1000, 500)
    X["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 10**7, 500), unit="s")
    X.loc[:19, "amount"] += 300
    X.loc[:299:7, ["when"]] = None
    tags = [
        [Tag.of(Condition("amount", ">", 300))],
        [Tag.of(Condition("text", "==", NASTY), Condition("amount", ">", 25))],
    ]
    y = np.array([1] * 20 + [2] * 5 + [0] * 475)
    X.loc[20:24, ["text", "amount"]] = NASTY, 60.0
    e = with_table(explain_by(tags, X, y), X, y)
    return e.to_html(interactive=["amount", "text", "big", "when"]), e, X


def test_a_page_that_reacts_runs_its_own_script_and_loads_nothing(reacting):
    text, _, _ = reacting
    scripts = re.findall(r"<script\b[^>]*>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 2
    digest = base64.b64encode(hashlib.sha256(scripts[1].encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"
    assert f'content="{policy}; base-uri' in text
    assert len(scripts[1]) < 10_000
    assert "innerHTML" not in scripts[1]
    test_the_page_loads_nothing(text.replace("http-equiv", ""))


@in_browser
def test_a_selected_rule_shows_its_rows_to_sort_search_and_copy(browser, reacting, tmp_path):
    text, e, X = reacting
    tab = browser.new_page(viewport={"width": 360, "height": 800}, color_scheme="dark")
    said = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    tab.goto((tmp_path / "page.html").as_uri())
    tab.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    status, body = tab.locator("[data-part=status]"), tab.locator("[data-part=body] tr")
    seen = lambda column: body.locator(f"> :nth-child({column})").all_inner_texts()  # noqa: E731
    head = lambda name: tab.locator("thead button", has_text=name)  # noqa: E731
    assert body.count() == 25 + (count := e.summary.n_normals_matched)
    assert status.inner_text() == f"Listed: 25 of 25 outliers, {count} of {count} normal rows that match a rule."
    for rule in e.rules:  # from the keyboard
        button = tab.locator("[data-part=rules] button", has_text=rule.signs)
        button.focus()
        tab.keyboard.press("Enter")
        assert button.get_attribute("aria-pressed") == "true"
        counts = {
            "outliers of the group": rule.n_outliers,
            "other outliers": rule.n_others,
            "normal rows": rule.n_normals,
        }
        told = {what: n for what, n in counts.items() if n or what == "normal rows"}
        figures = ", ".join(f"{n} of {n} {what}" if n else f"no {what}" for what, n in told.items())
        assert status.inner_text() == f"Listed of those that match the rule: {figures}."
        assert sorted(map(int, seen(1))) == np.flatnonzero(rule.tag.covers(X)).tolist()
    tab.locator("button", has_text="Copy rule as SQL").click()
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        X.to_sql("data", base, index_label="Row")
        assert pd.read_sql(tab.evaluate("copied"), base).Row.tolist() == np.flatnonzero(rule.tag.covers(X)).tolist()
    tab.locator("button", has_text="All listed rows").click()
    for name, place in (("amount", 3), ("big", 5), ("when", 6)):
        for ascending in (True, False):
            head(name).click()
            cells = X.loc[list(map(int, seen(1))), name]
            assert cells.dropna().tolist() == sorted(cells.dropna(), reverse=not ascending)
            assert seen(place)[cells.count() :] == ["missing"] * cells.isna().sum()
    tab.locator("input").fill("</SCRIPT>")
    rows = X.loc[list(map(int, seen(1)))]
    assert set(rows.text) == {"</script>", NASTY}
    tab.locator("input").fill("=1+")
    tab.locator("button", has_text="Copy rows as CSV").click()
    rows = X.loc[list(map(int, seen(1)))][["amount", "text", "big", "when"]]
    rows.insert(0, "Group", ["Group 1" if row < 20 else "normal row" for row in rows.index])
    expected = pd.read_csv(io.StringIO(to_csv(rows.reset_index(names="Row"))[0]))
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(tab.evaluate("copied"))), expected)
    assert tab.locator("[data-part=copied]").inner_text() == f"Copied {len(rows)} rows as CSV."
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    tab.emulate_media(media="print")
    assert not tab.locator("#rows").is_visible()
    assert said == []
    tab.close()


@in_browser
def test_without_scripts_it_is_the_usual_page(browser, reacting, tmp_path):
    pictures = []
    for text in (reacting[0], reacting[1].to_html()):
        with browser.new_context(java_script_enabled=False) as context:
            pictures.append(opened(context, tmp_path, text).screenshot(full_page=True))
    assert pictures[0] == pictures[1]
