import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ["pyod", "matplotlib", "mlxtend", "polars", "pyarrow", "duckdb"]


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)  # our own code


def test_importing_the_package_imports_neither_detectors_nor_plots():
    found = run(
        f"import sys, pyod_explain; print([m for m in {['pyod', 'matplotlib', 'mlxtend']} if m in sys.modules])"
    )
    assert found.stdout.strip() == "[]", found.stderr


def test_the_package_imports_with_every_optional_package_blocked():
    block = "import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in HEAVY)
    found = run(block + "import pyod_explain, pyod_explain.cli; print('ok')")
    assert found.stdout.strip() == "ok", found.stderr


def test_the_stages_import_only_earlier_ones():
    linter = pytest.importorskip("importlinter.api", reason="the import contract needs import-linter")
    root = Path(__file__).parent.parent
    assert linter.read_configuration(str(root / "pyproject.toml"))["contracts_options"]
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)  # our own code
    assert found.returncode == 0, found.stdout
