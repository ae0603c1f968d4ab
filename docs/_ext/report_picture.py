"""Take the picture of a report for the README: the top of the demo's page, in the Chromium that is installed.

python docs/_ext/report_picture.py
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from pyod_explain.cli import main

TARGET = Path(__file__).parents[1] / "_static" / "report.png"
WIDTH, MARGIN = 1000, 16
FIRST_GROUP = """() => [...document.querySelectorAll("h2")].find(h => h.textContent.startsWith("Group 1"))
    .closest("section").getBoundingClientRect().bottom"""


def take() -> None:
    """Write the demo's page, look at it, keep the answer, the tiles and the first group, with 128 colours."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        main(["demo", "--quiet", "-o", str(page)])
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            window = browser.new_page(viewport={"width": WIDTH, "height": 2000}, color_scheme="light")
            window.goto(page.as_uri())
            height = window.evaluate(FIRST_GROUP) + MARGIN
            pixels = window.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": height})
            browser.close()
    picture = Image.open(io.BytesIO(pixels)).convert("RGB").quantize(128)
    picture.save(TARGET, optimize=True)


if __name__ == "__main__":
    take()
