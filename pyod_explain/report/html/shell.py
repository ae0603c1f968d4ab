"""What stands around every page: head, style, body."""

from __future__ import annotations

from importlib.resources import files

from pyod_explain.report.html.pen import Pen

__all__ = ["shell"]


def shell(title: str, body: str, pen: Pen) -> str:
    """Write a whole page that needs no other file.

    Parameters
    ----------
    title : title of the page.
    body : what is in it, as HTML.
    pen : writes texts.
    """
    style = files("pyod_explain.report.html").joinpath("style.css").read_text("utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{pen.text(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
