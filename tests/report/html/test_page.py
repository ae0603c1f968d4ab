"""The page: escaped, small, and looked at in a real browser."""

import html
import re
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from by_hand import HOSTILE, explain_by, explanations
from hypothesis import given, settings

from pyod_explain import Condition, PyodExplainError, Tag, explain
from pyod_explain.report.html import MOST_BYTES, to_html
from pyod_explain.result.checked import Holdout, Placebo, Validation

NASTY = '<script>document.title = "hacked"</script>'


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
    return explain(y, frame, control="placebo", n_draws=1).to_html(rows=True)


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
        assert html.escape(visible_of(rule.text)[:300]) in text


def visible_of(text):
    from pyod_explain._printable import visible

    return visible(text)


def test_names_and_values_are_shown_as_text(page):
    assert "<script" not in page.lower()
    assert html.escape(NASTY) in page
    assert "<b>shop" not in page
    for name in HOSTILE:
        X = pd.DataFrame({name: [1, 2, 9], "c": ["x", "y", name]})
        e = explain_by([[Tag.of(Condition(name, ">", 5)), Tag.of(Condition("c", "==", name))]], X, [0, 0, 1])
        for text in (e.to_html(title=name), e._repr_html_()):
            assert "<script" not in text
            assert html.escape(visible_of(name)) in text


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
            for shape in ("good", "left", "bad"):
                assert contrast(colors[shape], colors[back]) >= 3.0


@pytest.fixture(scope="module")
def huge():
    """More groups, rules and text than anybody would read."""
    n_groups, n_rules = 60, 30
    name = '"&<>' * 200
    X = pd.DataFrame({f"{name}{i}": range(n_groups + 1) for i in range(3)})
    tags = [
        [Tag.of(*(Condition(f"{name}{i}", ">=", g + r / 1000) for i in range(3))) for r in range(n_rules)]
        for g in range(n_groups)
    ]
    e = explain_by(tags, X, list(range(n_groups + 1)))
    notes = tuple(f"{name} {i}" for i in range(300))
    return replace(e.summary, notes=notes, parameters={"tags": name})


def test_the_page_stays_under_a_megabyte_whatever_the_data(huge):
    text = to_html(huge, title='"' * 5000, rows=True)
    assert len(text.encode()) <= MOST_BYTES
    assert "more rules not shown" in text
    assert "more groups" in text


@pytest.mark.parametrize("kind", ["numbers", "texts", "hours"])
def test_many_rules_on_one_column_do_not_make_the_page_grow(kind):
    n = 1_000
    if kind == "hours":
        X = pd.DataFrame({"x": pd.date_range("2024-01-01", periods=n, freq="h")})
        conditions = [Condition("x", "in", (i % 24, (i // 24) % 24), "hour") for i in range(552)]
    elif kind == "texts":
        X = pd.DataFrame({"x": [f"name {i}" for i in range(n)]})
        conditions = [Condition("x", "==", f"name {i}") for i in range(1, n)]
    else:
        X = pd.DataFrame({"x": range(n)})
        conditions = [Condition("x", ">=", i) for i in range(1, n)]
    rules = list(dict.fromkeys(map(Tag.of, conditions)))
    e = explain_by([rules], X, [0] + [1] * (n - 1))
    page = e.to_html()
    assert len(page.encode()) <= 60_000
    assert f"{len(rules) - 25:,} more conditions not shown" in page


def test_parts_that_are_there_only_sometimes():
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 8.0, 9.0, None], "t": pd.to_timedelta([1, 2, 3, 9, 9, 9], unit="s")})
    tags = [Tag.of(Condition("x", "between", (5, 10))), Tag.of(Condition("t", ">", pd.Timedelta(seconds=5)))]
    e = explain_by([tags, [Tag.of(Condition("x", "missing"))]], X, [-1, 0, 0, 1, 1, 2])
    one = Holdout(1, 0, 0, 2, 3)
    validation = Validation(5, one, (one, one), (one, Holdout(0, 0, 0, 0, 0), one))
    s = replace(e.summary, validation=validation, placebo=Placebo((0.1,), 0.9, "k"), notes=("A note.",))
    text = plain(to_html(s, rows=True))
    assert "1 row the detector calls neither normal nor outlier" in text
    assert "Every outlier is covered." in text
    assert "random rows: 10%" in text
    assert "A note." in text
    assert "3 of 3 rules are not significant" in text
    assert "none none 0 of 5" in re.sub(r"\s+", " ", text)
    left = explain_by([[Tag.of(Condition("x", ">", 99))]], X, [0, 0, 0, 0, 1, 1])
    assert "Rows 4, 5." in plain(left.to_html(rows=True))
    assert "Rows 4" not in plain(left.to_html())
    nothing = explain([0] * 6, X)
    assert "Nothing to explain" in plain(nothing.to_html())
    assert "Nothing to explain" in plain(nothing._repr_html_())


def test_the_page_shows_what_was_checked_and_says_what_was_not():
    X = pd.DataFrame({"x": [*range(50), 900, 950, 990]})
    e = explain([0] * 50 + [1] * 3, X)
    assert "Not checked on held-out rows" in e.to_html()
    assert "explain(..., validate=5)" in plain(e.to_html())
    said = '</ul><p class="soft">Not checked on held-out rows: explain(..., validate=5) adds it.</p>'
    assert said in e.to_html()  # below the figures, where that one would stand
    assert "Not checked" not in e.validate(2).to_html()
    assert "On rows kept aside" in e.validate(2).to_html()
    with pytest.raises(PyodExplainError, match=r"explanation\.validate\(5\)\.to_html"):
        e.to_html(validate=5)
    assert e.to_html(validate=None) == e.to_html()


BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium found: apt-get install chromium")


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        running = play.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield running
        running.close()


@needs_browser
@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
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
    background = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 27)")
    spilled = """() => [...document.querySelectorAll('main *')].filter(
        e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('thead')).map(e => e.tagName)"""
    assert tab.evaluate(spilled) == []
    assert tab.get_by_text(NASTY).count() > 0
    context.close()


@needs_browser
@pytest.mark.browser
def test_a_huge_page_fits_a_phone_and_a_sheet_of_paper(browser, huge, tmp_path):
    path = tmp_path / "huge.html"
    path.write_text(to_html(huge), encoding="utf-8")
    tab = browser.new_page(viewport={"width": 360, "height": 800})
    tab.goto(path.as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    tab.emulate_media(media="print")
    tab.set_viewport_size({"width": 700, "height": 900})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 700
    assert tab.pdf(format="A4").startswith(b"%PDF")
    tab.close()
