"""Configuration of the documentation build."""

from pyod_explain import __version__

project = "pyod_explain"
author = "The pyod_explain developers"
copyright = "2026, the pyod_explain developers"
release = __version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "pyod_explain"
default_role = "literal"  # plain backquotes in docstrings are code
autodoc_typehints = "signature"
autosummary_generate = True
numpydoc_show_class_members = False
suppress_warnings = ["myst.xref_missing"]


def _meaning_below_the_name(_app, _what, _name, _object, _options, lines):
    """Our docstrings say what a parameter means where numpydoc expects its type; put that on a line of its own."""
    found = []
    for line in lines:
        name, colon, meaning = line.partition(" : ")
        if colon and line[:1] not in ("", " ") and all(part.isidentifier() for part in name.split(", ")):
            found += [name, f"    {meaning}"]
        else:
            found.append(line)
    lines[:] = found


def setup(app):
    """Run before numpydoc reads the docstrings."""
    app.connect("autodoc-process-docstring", _meaning_below_the_name, priority=100)
