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
