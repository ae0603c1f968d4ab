"""Figures of `explanation.plot` reach the gallery: they are not pyplot's, whose scraper does not see them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from weakref import WeakSet

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

_SEEN: WeakSet[Figure] = WeakSet()


def _scrape(_block: Any, variables: dict[str, Any], gallery: dict[str, Any]) -> str:
    """Save the figures that the block left in `axes` and `figure`; give the text that shows them."""
    pyplots = [plt.figure(number) for number in plt.get_fignums()]
    paths = []
    for name in ("axes", "figure"):
        made = variables["example_globals"].get(name)
        figure = made if isinstance(made, Figure) else getattr(made, "figure", None)
        if figure is None or figure in _SEEN or figure in pyplots:
            continue
        _SEEN.add(figure)
        path = next(variables["image_path_iterator"])
        figure.savefig(path, dpi=100, bbox_inches="tight")
        paths.append(path)
    return figure_rst(paths, gallery["src_dir"], _what_it_shows(variables))


def _what_it_shows(variables: dict[str, Any]) -> str:
    """Say in words what is drawn, by what the example calls itself."""
    return f"Plot of the example: {Path(variables['src_file']).read_text('utf-8').splitlines()[1]}"


def _get_sg_image_scraper() -> Any:
    return _scrape
