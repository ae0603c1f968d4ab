import subprocess
import sys
from pathlib import Path

import pytest

import pyod_explain

HEAVY = ["pyod", "matplotlib", "mlxtend", "polars", "pyarrow", "duckdb", "dask", "distributed", "pyspark"]


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)  # our own code


def test_importing_the_package_imports_neither_detectors_nor_plots():
    code = "import sys; from pyod_explain import *; explain\n"  # all names, since each is imported on first use
    found = run(code + f"print([m for m in {['pyod', 'matplotlib', 'mlxtend']} if m in sys.modules])")
    assert found.stdout.strip() == "[]", found.stderr


def test_every_public_name_is_there_in_whatever_order_modules_are_imported():
    code = (
        "import inspect, pyod_explain.api, pyod_explain.cli.run, pyod_explain as pe\n"
        "print([n for n in pe.__all__ if inspect.ismodule(getattr(pe, n))], set(pe.__all__) <= set(dir(pe)))\n"
        "print(set(pe.__all__) == set(pe._HOMES), hasattr(pe, 'no_such_name'))"
    )
    found = run(code)
    assert found.stdout.split("\n")[:2] == ["['datasets'] True", "True False"], found.stderr


@pytest.mark.parametrize("name", ["tags", "exceptions", "report"])
def test_modules_are_there_whatever_was_used_before(name):
    found = run(f"import pyod_explain as pe; print(pe.{name}.__name__, hasattr(pe, '__wrapped__'))")
    assert found.stdout.strip() == f"pyod_explain.{name} False", found.stderr


def test_the_package_imports_with_every_optional_package_blocked():
    block = "import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in HEAVY)
    found = run(block + "import pyod_explain.cli.run; from pyod_explain import *; print('ok')")
    assert found.stdout.strip() == "ok", found.stderr


def test_the_stages_import_only_earlier_ones():
    linter = pytest.importorskip("importlinter.api", reason="the import contract needs import-linter")
    root = Path(__file__).parent.parent
    assert linter.read_configuration(str(root / "pyproject.toml"))["contracts_options"]
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)  # our own code
    assert found.returncode == 0, found.stdout


def test_a_dotted_name_is_no_attribute() -> None:
    assert not hasattr(pyod_explain, "tags.tag")
    assert not hasattr(pyod_explain, "nothing.here")
