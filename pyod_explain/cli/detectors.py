"""PyOD's detectors by name, for the command line; found without importing those that nobody asked for."""

from __future__ import annotations

import importlib
import importlib.util
import textwrap
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.cli.detector_info import DetectorInfo
from pyod_explain.cli.parsed_detectors import parse_detectors
from pyod_explain.cli.usage import UsageError
from pyod_explain.exceptions import PyodExplainError

__all__ = ["DetectorInfo", "detector_table", "fit_detector", "list_detectors", "make_detector"]

OTHER = {"CD", "DevNet", "LSCP", "XGBOD"}  # for tables too, but they need labels or other detectors
FORGOTTEN = {"DIF": ("torch",)}  # packages that PyOD 3.6.7 does not list


@cache
def list_detectors() -> tuple[DetectorInfo, ...]:
    """List PyOD's detectors for tables, by name: PyOD 3 knows them, and of PyOD 2 the files are read but not run."""
    known = importlib.util.find_spec("pyod.utils.knowledge") is not None
    return tuple(sorted(_listed() if known else parse_detectors(), key=lambda one: one.name.lower()))


def _listed() -> list[DetectorInfo]:
    """Read the list of PyOD 3."""
    knowledge = importlib.import_module("pyod.utils.knowledge").KnowledgeBase()
    return [
        DetectorInfo(
            name=one["name"],
            module=one["class_path"].rpartition(".")[0],
            about=one["full_name"],
            needs=(*one["requires"], *FORGOTTEN.get(one["name"], ())),
        )
        for one in knowledge.list_by_data_type("tabular")
        if one["name"] not in OTHER
    ]


def detector_table() -> str:
    """Write a line for each detector: its name, the packages that it lacks, and what it is."""
    infos = list_detectors()
    width = max(len(info.name) for info in infos)
    lines = []
    for info in infos:
        need = f"needs {', '.join(info.missing)}: " if info.missing else ""
        lines.append(f"{info.name:<{width}}  {textwrap.shorten(need + info.about, 78 - width, placeholder='...')}")
    return "\n".join(lines)


def make_detector(name: str, params: dict[str, Any], *, contamination: float, seed: int) -> Any:
    """Build a detector by its name, upper or lower case.

    Parameters
    ----------
    name : PyOD's name of the class.
    params : its own parameters.
    contamination : share of outliers to expect.
    seed : seed, for detectors that take one.
    """
    known = {one.name.lower(): one for one in list_detectors()}
    info = known.get(name.lower())
    if info is None:
        near = [known[one].name for one in get_close_matches(name.lower(), known, n=4)]
        raise UsageError(
            f"--detector must be one of PyOD's detectors, got {name!r}.\nHint: "
            + (f"did you mean {', '.join(near[:4])}? " if near else "")
            + "pyod-explain detectors lists them."
        )
    if info.missing:
        raise PyodExplainError(
            f"The detector {info.name} needs the package {info.missing[0]!r}.\nHint: pip install {info.missing[0]}"
        )
    kind = getattr(importlib.import_module(info.module), info.name)
    takes = signature(kind.__init__).parameters
    given = {"contamination": contamination, **params}
    if "random_state" in takes:
        given.setdefault("random_state", seed)
    unknown = [key for key in given if key not in takes]
    if unknown:
        listed = ", ".join(key for key in takes if key != "self")
        raise UsageError(f"{info.name} has no parameter {unknown[0]!r}; it takes {listed}.")
    try:
        return kind(**given)
    except (ValueError, TypeError) as error:
        raise UsageError(f"{info.name} does not take these parameters: {error}") from error


def fit_detector(detector: Any, matrix: NDArray[np.float64], params: Mapping[str, Any]) -> None:
    """Fit a detector; what goes wrong is told, as a mistake in the command if that says how it is to work.

    Parameters
    ----------
    detector : the detector.
    matrix : the rows as numbers.
    params : what the user says of its parameters.
    """
    try:
        detector.fit(matrix)
    except Exception as error:
        kind = UsageError if params else PyodExplainError
        raise kind(
            f"{type(detector).__name__} could not be fitted: {error}\nHint: try another --detector, or other --param."
        ) from error
