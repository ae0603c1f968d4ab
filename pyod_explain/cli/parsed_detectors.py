"""The detectors of PyOD 2, which has no list of them: their files are read but not run."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

from pyod_explain.cli.detector_info import DetectorInfo

__all__ = ["parse_detectors"]

BASES = {"BaseDetector", "BaseDeepLearningDetector"}
# Not for tables: graphs, series, sounds, raw objects, and those that need labels or other detectors.
OTHER = ("pyg_", "ts_", "audio_", "embedding", "base", "xgbod", "devnet", "lscp", "so_gaal_new", "cd")
PACKAGES = ("torch", "tensorflow", "keras", "xgboost", "suod", "combo")


def parse_detectors() -> list[DetectorInfo]:
    """List PyOD's detectors for tables; any version's, as far as its files tell."""
    spec = importlib.util.find_spec("pyod.models")
    folders = spec.submodule_search_locations if spec is not None else None
    found: dict[str, DetectorInfo] = {}
    for folder in folders or ():
        for path in sorted(Path(folder).glob("*.py")):
            if not path.stem.startswith(("_", *OTHER)):
                found.update({one.name: one for one in _in_file(path)})
    return list(found.values())


def _in_file(path: Path) -> list[DetectorInfo]:
    tree = ast.parse(path.read_text("utf-8"))
    imports = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imports |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    roots = {name.partition(".")[0] for name in imports} | {name for name in ("torch",) if "base_dl" in str(imports)}
    needs = tuple(package for package in PACKAGES if package in roots)
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
