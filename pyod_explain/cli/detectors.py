"""PyOD's detectors by name, without importing those that are not used."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyod_explain.exceptions import Message, ParameterError, PyodExplainError

if TYPE_CHECKING:
    from pyod_explain._arrays import FloatArray

UNSUITABLE = {"CD", "DevNet", "LSCP", "XGBOD"}  # they need labels or other detectors
UNLISTED_NEEDS = {"DIF": ("torch",)}  # packages that PyOD 3.6.7 does not list
# PyOD 2 has no list of detectors: its files are parsed.
DETECTOR_BASES = {"BaseDetector", "BaseDeepLearningDetector"}
UNSUITABLE_FILES = ("_", "pyg_", "ts_", "audio_", "embedding", "base", "xgbod", "devnet", "lscp", "so_gaal_new", "cd")
OPTIONAL_PACKAGES = ("torch", "tensorflow", "keras", "xgboost", "suod", "combo")


@dataclass(frozen=True)
class DetectorInfo:
    """A detector of PyOD: its name, its module, its full name, and the packages that it needs beyond PyOD's own."""

    name: str
    module: str
    about: str
    needs: tuple[str, ...]

    @property
    def missing(self) -> list[str]:
        """Packages that it needs and that are not installed."""
        return [package for package in self.needs if importlib.util.find_spec(package) is None]


@cache
def list_detectors() -> tuple[DetectorInfo, ...]:
    """List PyOD's detectors for tables, sorted by name."""
    if importlib.util.find_spec("pyod.utils.knowledge") is not None:
        known = importlib.import_module("pyod.utils.knowledge").KnowledgeBase().list_by_data_type("tabular")
        found = []
        for one in (one for one in known if one["name"] not in UNSUITABLE):
            needs = (*one["requires"], *UNLISTED_NEEDS.get(one["name"], ()))
            found.append(DetectorInfo(one["name"], one["class_path"].rpartition(".")[0], one["full_name"], needs))
    else:
        found = parse_detectors()
    return tuple(sorted(found, key=lambda one: one.name.lower()))


def parse_detectors() -> list[DetectorInfo]:
    """List the detectors for tables by parsing PyOD's files, as PyOD 2 has no list of them."""
    spec = importlib.util.find_spec("pyod.models")
    folders = (spec.submodule_search_locations if spec is not None else None) or ()
    paths = sorted(path for folder in folders for path in Path(folder).glob("*.py"))
    found = [info for path in paths if not path.stem.startswith(UNSUITABLE_FILES) for info in _parse_file(path)]
    return list({info.name: info for info in found}.values())


def _parse_file(path: Path) -> Iterator[DetectorInfo]:
    tree = ast.parse(path.read_text("utf-8"))
    imports = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imports |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    roots = {name.partition(".")[0] for name in imports} | ({"torch"} if "base_dl" in str(imports) else set())
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and DETECTOR_BASES & {getattr(base, "id", "") for base in node.bases}:
            paragraph = " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
            about = paragraph.partition(". ")[0].rstrip(".")
            needs = tuple(package for package in OPTIONAL_PACKAGES if package in roots)
            yield DetectorInfo(node.name, f"pyod.models.{path.stem}", about, needs)


def detector_table() -> str:
    """Write a line for each detector: its name, the packages that are missing, and its full name."""
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
    contamination : expected share of outliers.
    seed : seed, for detectors that take one.
    """
    known = {one.name.lower(): one for one in list_detectors()}
    info = known.get(name.lower())
    if info is None:
        near = [known[one].name for one in get_close_matches(name.lower(), known, n=4)]
        ask = f"Did you mean {', '.join(near)}? " if near else ""
        hint = f"{ask}`pyod-explain detectors` lists them."
        raise ParameterError("detector", "one of PyOD's detectors", got=name, hint=hint)
    if info.missing:
        need = info.missing[0]
        raise PyodExplainError(f"The detector {info.name} needs the package {need!r}.", hint=f"pip install {need}")
    kind = getattr(importlib.import_module(info.module), info.name)
    takes = [key for key in signature(kind.__init__).parameters if key != "self"]
    given = {"contamination": contamination, **({"random_state": seed} if "random_state" in takes else {}), **params}
    unknown = [key for key in given if key not in takes]
    if unknown:
        hint = f"it takes {', '.join(takes)}."
        raise ParameterError("detector_params", f"parameters of {info.name}", got=unknown[0], hint=hint)
    try:
        return kind(**given)
    except (ValueError, TypeError) as error:
        argument = "contamination" if "contamination" in str(error) else "detector_params"
        raise ParameterError(argument, f"what {info.name} accepts", got_text=str(error)) from error


def fit_detector(detector: Any, matrix: FloatArray) -> None:
    """Fit a detector; any error names it.

    Parameters
    ----------
    detector : the detector.
    matrix : the rows as numbers.
    """
    try:
        detector.fit(matrix)
    except Exception as error:
        hint = Message("Try another {arg_detector}, or other {arg_detector_params}.")
        raise PyodExplainError(f"{type(detector).__name__} could not be fitted: {error}", hint=hint) from error
