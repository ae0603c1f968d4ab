"""PyOD's detectors by name, for the command line; found without importing those that nobody asked for."""

from __future__ import annotations

import ast
import importlib
import importlib.util
from dataclasses import dataclass
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

from pyod_explain.exceptions import PyodExplainError

__all__ = ["DetectorInfo", "list_detectors", "make_detector"]

BASES = {"BaseDetector", "BaseDeepLearningDetector"}
# Not for tables: graphs, series, sounds, raw objects, and those that need labels or other detectors.
OTHER = ("pyg_", "ts_", "audio_", "embedding", "base", "xgbod", "devnet", "lscp", "so_gaal_new", "cd")
PACKAGES = ("torch", "tensorflow", "keras", "xgboost", "suod", "combo", "numba")


@dataclass(frozen=True)
class DetectorInfo:
    """A detector of PyOD: its name, where it is, what it is in a line, and the packages it needs beyond PyOD's own."""

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
    """List PyOD's detectors for tables, by name; their files are read but not run."""
    spec = importlib.util.find_spec("pyod.models")
    folders = spec.submodule_search_locations if spec is not None else None
    found: dict[str, DetectorInfo] = {}
    for folder in folders or ():
        for path in sorted(Path(folder).glob("*.py")):
            if not path.stem.startswith(("_", *OTHER)):
                found.update({one.name: one for one in _in_file(path)})
    return tuple(found[name] for name in sorted(found, key=str.lower))


def _in_file(path: Path) -> list[DetectorInfo]:
    tree = ast.parse(path.read_text("utf-8"))
    imports = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imports |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    roots = {name.partition(".")[0] for name in imports} | {name for name in ("torch",) if "base_dl" in str(imports)}
    needs = tuple(package for package in PACKAGES if package in roots and package != "numba")
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return [
        DetectorInfo(node.name, f"pyod.models.{path.stem}", _first_sentence(ast.get_docstring(node) or ""), needs)
        for node in classes
        if any(isinstance(base, ast.Name) and base.id in BASES for base in node.bases)
    ]


def _first_sentence(doc: str) -> str:
    paragraph = " ".join(doc.partition("\n\n")[0].split())
    sentence = paragraph.partition(". ")[0].rstrip(".")
    return sentence.replace("Wrapper of", "wrapper of").replace("  ", " ")


def make_detector(name: str, params: dict[str, Any], *, contamination: float | None, seed: int) -> Any:
    """Build a detector by its name, upper or lower case.

    Parameters
    ----------
    name : PyOD's name of the class.
    params : its own parameters.
    contamination : share of outliers to expect; the detector's own default where None.
    seed : seed, for detectors that take one.
    """
    known = {one.name.lower(): one for one in list_detectors()}
    info = known.get(name.lower())
    if info is None:
        near = [one.name for one in known.values() if name.lower()[:2] in one.name.lower()]
        raise PyodExplainError(
            f"`--detector` must be one of PyOD's detectors, got {name!r}.\nHint: "
            + (f"did you mean {', '.join(near[:4])}? " if near else "")
            + "`pyod-explain detectors` lists them."
        )
    if info.missing:
        raise PyodExplainError(
            f"The detector {info.name} needs the package {info.missing[0]!r}.\nHint: pip install {info.missing[0]}"
        )
    kind = getattr(importlib.import_module(info.module), info.name)
    takes = signature(kind.__init__).parameters
    given = dict(params)
    if contamination is not None:
        given.setdefault("contamination", contamination)
    if "random_state" in takes:
        given.setdefault("random_state", seed)
    unknown = [key for key in given if key not in takes]
    if unknown:
        listed = ", ".join(key for key in takes if key != "self")
        raise PyodExplainError(f"{info.name} has no parameter {unknown[0]!r}; it takes {listed}.")
    try:
        return kind(**given)
    except (ValueError, TypeError) as error:
        raise PyodExplainError(f"{info.name} does not take these parameters: {error}") from error
