"""How an explanation was made, so that it can be made again: when, from what, by which call and versions."""

from __future__ import annotations

import datetime as dt
import hashlib
import inspect
import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import Any

import numpy as np

from pyod_explain.beyond_memory import LargeTable, files_of
from pyod_explain.exceptions import FileError, shown

MAX_HASHED_BYTES = 2**30  # of a file that is read once more for its fingerprint
MAX_DETECTOR_LETTERS = 400
SHAPED_LIBRARIES = ("numpy", "pandas", "scipy", "polars", "pyarrow")  # elsewhere, a shape may run a query
MAX_LISTED_ITEMS = 8  # items of a list that are written out


def today() -> str:
    """Write the moment, in UTC to the second; that of SOURCE_DATE_EPOCH where it is set."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = dt.datetime.fromtimestamp(int(fixed), dt.UTC) if fixed.isdecimal() else dt.datetime.now(dt.UTC)
    return now.strftime("%Y-%m-%d %H:%M:%S UTC")


def call_facts(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, str]:
    """Write a call with what was passed beside the defaults, and what is known of the file and the detector in it.

    Parameters
    ----------
    function : what was called.
    given : its arguments by name.

    Examples
    --------
    >>> def explain(detector=None, X=None, *, groups="reasons", progress=None): ...
    >>> call_facts(explain, {"detector": "flag", "X": [[1]] * 9, "groups": 2, "progress": True})
    {'call': "explain('flag', <list of 9>, groups=2)"}
    """
    parts: list[str] = []
    for place, (name, parameter) in enumerate(inspect.signature(function).parameters.items()):
        value, default = given[name], parameter.default
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            parts += [f"{key}={_brief(one)}" for key, one in value.items() if key != "progress"]
            continue
        plain = type(value) is type(default) and isinstance(value, str | int | float)  # others may not compare
        if name == "progress" or value is default or (plain and value == default):
            continue
        by_name = parameter.kind is inspect.Parameter.KEYWORD_ONLY or len(parts) < place
        parts.append(f"{name}={_brief(value)}" if by_name else _brief(value))
    facts = {"call": f"{function.__name__}({', '.join(parts)})"}
    if hasattr(given.get("detector"), "get_params"):
        facts["detector"] = _detector(given["detector"])
    X = given.get("X")
    X = X.source if isinstance(X, LargeTable) else X
    if isinstance(X, str | Path):
        facts |= file_facts(X)
    return facts


def file_facts(path: str | Path) -> dict[str, str]:
    """Give the name, size and fingerprint of a file; of a folder or a pattern the number of files and their size.

    Nothing where there is no such file or it cannot be read, and no fingerprint of a file beyond 1 GB.
    """
    place = Path(path).expanduser()
    try:
        if place.is_file():
            size = place.stat().st_size
            facts = {"file": place.name, "size": f"{size:,} bytes"}
            if size <= MAX_HASHED_BYTES:
                with place.open("rb") as file:
                    facts["fingerprint"] = f"sha256 {hashlib.file_digest(file, 'sha256').hexdigest()}"
            return facts
        sizes = [Path(one).stat().st_size for one in files_of(str(place))]  # those that are read
    except (OSError, FileError):  # whoever reads the rows says so
        return {}
    files = f"{len(sizes):,} file{'' if len(sizes) == 1 else 's'}"
    return {"file": f"{place.name or place.resolve().name} ({files})", "size": f"{sum(sizes):,} bytes"}


def _detector(detector: Any) -> str:
    names = inspect.signature(type(detector)).parameters  # get_params of PyOD changes the filters of warnings
    settings = {name: getattr(detector, name) for name in names if hasattr(detector, name)}
    text = ", ".join(f"{name}={_plain(shown(value))}" for name, value in settings.items())
    return f"{type(detector).__name__}({text})"[:MAX_DETECTOR_LETTERS]


def _brief(value: Any) -> str:
    """Write an argument in a few words; of anything but plain values what it is, as to print it may be to run it."""
    kind = type(value).__name__
    value = value.item() if isinstance(value, np.bool_ | np.number) else value
    if isinstance(value, str | int | float | Path) or value is None:
        return shown(str(value) if isinstance(value, Path) else value)
    has_shape = type(value).__module__.partition(".")[0] in SHAPED_LIBRARIES
    if has_shape and isinstance(shape := getattr(value, "shape", None), tuple):
        return f"<{kind} {' x '.join(f'{n:,}' for n in shape)}>"
    if isinstance(value, list | tuple):
        plain = len(value) <= MAX_LISTED_ITEMS and all(isinstance(one, str | int | float) for one in value)
        return _plain(shown(value)) if plain else f"<{kind} of {len(value):,}>"
    if isinstance(value, LargeTable):
        sample = "" if value.sample is None else f", sample={value.sample}"
        return f"LargeTable({_brief(value.source)}{sample})"
    return f"<{kind}>"


def _plain(text: str) -> str:
    """Leave out where in memory something is, which is another place each time, and line breaks."""
    return re.sub(r"\s+", " ", re.sub(r" at 0x[0-9a-fA-F]+", "", text))


VERSIONED_PACKAGES = ("numpy", "pandas", "scikit-learn", "scipy", "pyod")


def versions() -> dict[str, str]:
    """Versions of this package, of Python, and of the packages that the result depends on, where they are installed."""
    package = import_module("pyod_explain")  # by name: it imports this module, so this one cannot import it
    found = {name: _version(name) for name in VERSIONED_PACKAGES}
    ours = {"pyod_explain": str(package.__version__), "python": python_version()}
    return {**ours, **{name: one for name, one in found.items() if one is not None}}


@cache  # the files of a package are read for it, which takes longer than counting all rules
def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:  # used from a source tree: a report without it is better than none
        return None
