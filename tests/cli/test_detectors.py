"""PyOD's detectors by name."""

import os
import subprocess
import sys

import pytest
from command_line import ROOT, run

from pyod_explain import PyodExplainError
from pyod_explain.cli.detectors import list_detectors, make_detector


def test_detectors_are_listed_with_what_they_need(capsys):
    code, out, _ = run(capsys, "detectors")
    assert code == 0
    names = [line.split()[0] for line in out.splitlines()]
    assert {"IForest", "ECOD", "KNN", "LOF", "COPOD", "HBOS", "AutoEncoder"} <= set(names)
    assert all(len(line) <= 80 for line in out.splitlines())


def test_listing_imports_no_detector():
    code = (
        "import sys; from pyod_explain.cli.detectors import list_detectors; list_detectors();"
        "print([name for name in sys.modules if name.startswith('pyod.models.')])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_detector_that_lacks_a_package_says_which(monkeypatch):
    from pyod_explain.cli import detectors

    deep = detectors.DetectorInfo("Deep", "pyod.models.deep", "", ("no_such_package",))
    monkeypatch.setattr(detectors, "list_detectors", lambda: (deep,))
    with pytest.raises(PyodExplainError, match="pip install no_such_package"):
        make_detector("deep", {}, contamination=0.1, seed=0)
    with pytest.raises(PyodExplainError, match="did you mean Deep"):
        make_detector("deepest", {}, contamination=0.1, seed=0)


def test_every_listed_detector_that_can_run_is_made_by_its_name():
    for info in list_detectors():
        if not info.missing and info.name not in ("FeatureBagging", "RGraph"):
            assert type(make_detector(info.name.upper(), {}, contamination=0.1, seed=0)).__name__ == info.name
