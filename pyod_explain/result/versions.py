"""Versions of the packages that a result depends on."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from platform import python_version

__all__ = ["versions"]

PACKAGES = ("numpy", "pandas", "scikit-learn", "scipy", "pyod")


def versions() -> dict[str, str]:
    """Versions of this package, of Python, and of the packages that the result depends on, where they are installed."""
    package = import_module("pyod_explain")  # by name: it imports this module, so this one cannot import it
    found = {name: _version(name) for name in PACKAGES}
    ours = {"pyod_explain": str(package.__version__), "python": python_version()}
    return {**ours, **{name: one for name, one in found.items() if one is not None}}


@cache  # the files of a package are read for it, which takes longer than counting all rules
def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:  # used from a source tree: a report without it is better than none
        return None
