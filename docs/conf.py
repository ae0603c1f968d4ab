"""Configuration of the documentation build. No step needs a network."""

import logging
import sys
from pathlib import Path

from docutils import nodes

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from pyod_explain import __version__

logging.getLogger("pyod_explain").setLevel(logging.WARNING)  # a package of the theme prints all that is logged

project = "pyod_explain"
author = "The pyod_explain developers"
copyright = "2026, the pyod_explain developers"
release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "stages",  # the pictures of how-it-works
]
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "gallery/README.rst"]
templates_path = []
pygments_dark_style = "github-dark"
html_theme = "furo"
html_title = "pyod_explain"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
default_role = "literal"  # plain backquotes in docstrings are code
autodoc_typehints = "signature"
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"_example\.py$",
    "abort_on_example_error": True,
    "capture_repr": (),  # what is printed is shown, and nothing else
    "within_subsection_order": "FileNameSortKey",
    "min_reported_time": 1_000_000,  # no table of times: they are the machine's, not ours
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "image_scrapers": ("own_figures", "matplotlib"),
    "nested_sections": False,
}


def _as_numpydoc_reads_it(_app, _what, _name, _object, _options, lines):
    """Our docstrings have meanings where numpydoc expects types, and say in a paragraph what is returned."""
    found, returned = [], False
    for i, line in enumerate(lines):
        name, colon, meaning = line.partition(" : ")
        if i and lines[i - 1] == "Returns" and set(line) == {"-"}:
            found.append(line)
            returned = True
        elif returned and line and found[-1] and set(found[-1]) != {"-"}:
            found[-1] += f" {line.strip()}"
        elif colon and line[:1] not in ("", " ") and all(part.isidentifier() for part in name.split(", ")):
            found += [name, f"    {meaning}"]
        else:
            returned = returned and bool(line)
            found.append(line)
    lines[:] = found


def _no_empty_last_line(_app, doctree):
    """A doctest in Markdown ends with an empty line; a reader need not see it."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip()
        if block.rawsource == block.astext():
            block.rawsource = text
            block.children = [nodes.Text(text)]


def setup(app):
    """Run before numpydoc reads the docstrings, and after each page is read."""
    app.connect("doctree-read", _no_empty_last_line)
    app.connect("autodoc-process-docstring", _as_numpydoc_reads_it, priority=100)
