"""What the documentation says of the code: every module and room that it names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOTS = (ROOT, ROOT / "pyod_explain", ROOT / "tests")
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
]
NAMED = re.compile(r"(?<![\w./*-])((?:\w+/)*\w+\.py|(?:\w+/)+)(?=[`\s,:;)]|$)", re.MULTILINE)


def test_what_is_taken_for_a_name():
    text = "    checks.py  the contract\n    _atomic.py  files\n`input/read.py`, and `folder/`; not */z/"
    assert NAMED.findall(text) == ["checks.py", "_atomic.py", "input/read.py", "folder/"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_modules_that_a_page_names_are_there(page):
    named = set(NAMED.findall(page.read_text("utf-8")))
    assert [name for name in named if not any((root / name).exists() for root in ROOTS)] == []


def test_the_map_of_the_rooms_is_complete():
    drawn = set(NAMED.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8")))
    rooms = {f"{path.parent.name}/" for path in (ROOT / "pyod_explain").glob("*/__init__.py")}
    modules = {path.name for path in (ROOT / "pyod_explain").glob("[!_]*.py")}
    assert rooms | modules <= drawn
