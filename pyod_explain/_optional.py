"""Optional packages: imported where they are used, and missing ones answered with the install line."""

from __future__ import annotations

import importlib
import sys
import threading
import warnings
from types import ModuleType

__all__ = ["optional"]

_FIRST = threading.Lock()  # one import at a time, so that each puts back the filters that it found


def optional(module: str, purpose: str, *, extra: str | None = None) -> ModuleType:
    """Import an optional package, or say what it is for and how to install it.

    >>> optional("no_such_package", "to draw").name
    Traceback (most recent call last):
    ...
    ImportError: The package 'no_such_package' is needed to draw.
    Hint: pip install no_such_package
    """
    loaded = sys.modules.get(module)
    if loaded is not None and not getattr(loaded.__spec__, "_initializing", False):
        return loaded
    try:
        with _FIRST, warnings.catch_warnings():  # mlxtend changes the warnings filters when it is imported
            return importlib.import_module(module)
    except ImportError as error:
        root = module.partition(".")[0]
        target = f"'pyod_explain[{extra}]'" if extra else root
        raise ImportError(f"The package {root!r} is needed {purpose}.\nHint: pip install {target}") from error
