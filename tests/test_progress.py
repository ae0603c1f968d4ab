"""The bar: when it appears, what it shows, and that it goes away."""

import io
import sys

from command_line import HOSTILE, assert_harmless

from pyod_explain import _progress
from pyod_explain._progress import Bar, start


def test_a_bar_shows_no_control_characters():
    stream, now = io.StringIO(), [0.0]
    bar = Bar(stream, clock=lambda: now[0])
    now[0] = 5.0
    bar(HOSTILE, 0.5)
    bar.close()
    assert r"\x1b[31m" in stream.getvalue()
    assert_harmless(stream.getvalue(), but="\r")


def test_a_bar_appears_after_two_seconds_and_goes_away():
    stream, now = io.StringIO(), [0.0]
    bar = Bar(stream, clock=lambda: now[0])
    bar("groups", 0.1)
    assert stream.getvalue() == ""
    now[0] = 2.5
    bar("validation", 0.5)
    bar("tags", 1.0)
    assert "[############............]  50% validation, 2 s" in stream.getvalue()
    assert "100% tags, 2 s" in stream.getvalue()
    bar.close()
    bar.close()
    assert stream.getvalue().endswith("s      \r" + " " * 47 + "\r")


def test_without_standard_error_there_is_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(_progress, "BAR_DELAY", 0.0)
    with start(True) as step:
        step("x", 0.5)
