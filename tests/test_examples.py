"""Every example runs as it stands, and says something."""

import runpy
import tempfile
from pathlib import Path

import matplotlib as mpl
import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


def test_there_are_examples_named_as_those_of_pyod():
    assert len(EXAMPLES) >= 10
    assert all(path.stem.endswith("_example") for path in EXAMPLES)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # an example warns as it would for a user: other packages' warnings are theirs
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path, monkeypatch, capsys):
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    try:
        runpy.run_path(str(path), run_name="__main__")
    except SystemExit as ended:
        if not str(ended).startswith("This example needs"):
            raise
        pytest.skip(str(ended))
    assert capsys.readouterr().out.strip()
