"""The library says what it said: each call of snapshot_calls.py gives the text that is stored in snapshot.txt."""

import difflib

import pytest
import snapshot_calls
from snapshot_calls import CALLS, STORED, UPDATE

MOST_LINES = 60  # of a difference


@pytest.mark.parametrize("name", list(CALLS))
def test_a_call_says_what_it_said(name):
    before = snapshot_calls.stored().get(name)
    assert before is not None, f"{STORED.name} has no section {name}; {UPDATE} {name}"
    now = snapshot_calls.answer(name)
    if now != before:
        lines = list(difflib.unified_diff(before.splitlines(), now.splitlines(), "stored", "now", lineterm="", n=2))
        more = [f"... and {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
        told = "\n".join([*lines[:MOST_LINES], *more])
        pytest.fail(f"{name} says something else:\n{told}\nIf this is meant: {UPDATE} {name}", pytrace=False)


def test_no_stored_section_is_without_a_call():
    assert [name for name in snapshot_calls.stored() if name not in CALLS] == []


def test_the_file_stays_small():
    assert STORED.stat().st_size < 250_000
