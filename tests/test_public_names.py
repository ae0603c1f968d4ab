"""Every public name has an example that runs, and a place in the API's pages."""

import inspect
from pathlib import Path

import pytest

import pyod_explain
from pyod_explain import Explanation, checks, datasets

DOCS = Path(__file__).parents[1] / "docs"
PAGES = "".join(path.read_text("utf-8") for path in sorted((DOCS / "reference").glob("*.md")))
NAMES = {name: getattr(pyod_explain, name) for name in pyod_explain.__all__}
NAMES |= {f"checks.{name}": getattr(checks, name) for name in checks.__all__}
NAMES |= {f"datasets.{name}": getattr(datasets, name) for name in datasets.__all__}
ASKED = [name for name, _ in inspect.getmembers(Explanation, inspect.isfunction) if not name.startswith("_")]


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_an_example(name):
    assert ">>>" in (NAMES[name].__doc__ or "")


@pytest.mark.parametrize("name", ASKED)
def test_a_question_to_an_explanation_has_an_example(name):
    assert ">>>" in (getattr(Explanation, name).__doc__ or "")


@pytest.mark.parametrize("name", pyod_explain.__all__)
def test_a_public_name_is_in_the_pages_of_the_api(name):
    assert f":: {name}\n" in PAGES or f":: pyod_explain.{name}\n" in PAGES
