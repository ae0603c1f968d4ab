"""What the files around the code say of the project: the same as pyproject.toml and the code."""

import re
import tomllib
from pathlib import Path

import pytest

from pyod_explain import __version__

yaml = pytest.importorskip("yaml", reason="needs pyyaml")

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
HOME = PROJECT["urls"]["Homepage"]
IN_CONDA = {"matplotlib": "matplotlib-base"}  # where it has another name
FILES = [
    ".readthedocs.yaml",
    ".pre-commit-config.yaml",
    "CITATION.cff",
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / ".github").rglob("*.yml"))),
]


def read(name):
    text = (ROOT / name).read_text("utf-8")
    if name.startswith("recipe"):  # conda's templates are no YAML; names in braces are
        text = re.sub(r"\{%.*?%\}", "", text)
        text = re.sub(r"\{\{\s*(\w+)\s*\}\}", r"\1", text)
    return yaml.safe_load(text)


@pytest.mark.parametrize("name", [*FILES, "recipe/meta.yaml"])
def test_the_files_are_yaml(name):
    assert isinstance(read(name), dict)


def test_the_citation_is_of_this_version_and_project():
    citation = read("CITATION.cff")
    assert (citation["version"], citation["license"]) == (__version__, PROJECT["license"])
    assert citation["repository-code"] == HOME
    assert [one["name"] for one in citation["authors"]] == [one["name"] for one in PROJECT["authors"]]


def test_the_recipe_needs_what_the_project_needs():
    recipe = read("recipe/meta.yaml")
    [version] = re.findall(r'set version = "(.*)"', (ROOT / "recipe" / "meta.yaml").read_text("utf-8"))
    assert version == __version__
    bounds = [f"python {PROJECT['requires-python']}"]
    for line in PROJECT["dependencies"]:
        name, bound = re.fullmatch(r"([\w-]+)(>=[\d.]+)", line).groups()
        bounds.append(f"{IN_CONDA.get(name, name)} {bound}")
    assert sorted(recipe["requirements"]["run"]) == sorted(bounds)
    [script] = PROJECT["scripts"].items()
    assert recipe["build"]["entry_points"] == [" = ".join(script)]
    assert (recipe["about"]["license"], recipe["about"]["home"]) == (PROJECT["license"], HOME)
    assert recipe["about"]["summary"] == PROJECT["description"]
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    assert [one.replace(">=", " >=") for one in build] == recipe["requirements"]["host"][2:]


def test_the_tests_run_on_every_version_that_is_promised():
    promised = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.search(r":: Python :: 3\.\d", one)]
    workflow = read(".github/workflows/tests.yml")
    assert workflow["jobs"]["tests"]["strategy"]["matrix"]["python"] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"


def test_the_workflows_run_commands_that_are_there():
    steps = [
        step["run"]
        for path in (ROOT / ".github" / "workflows").glob("*.yml")
        for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values()
        for step in job["steps"]
        if "run" in step
    ]
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "python -m pip install -e '.[test]' && python -m pytest -n auto" in readme
    assert {".ci/run", "python -m pip install -e '.[test]'", "python -m pytest -n auto"} <= set(steps)
    assert (ROOT / ".ci" / "run").exists()


def test_everybody_names_the_same_repository():
    pages = [
        *ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "pyproject.toml", *(ROOT / ".github").rglob("*.*"),
    ]  # fmt: skip
    named = {
        found
        for page in pages
        for found in re.findall(r"https://github\.com/[\w.-]+/pyod[_-]explain\b", page.read_text("utf-8"))
    }
    assert named == {HOME}


def test_all_is_all_that_users_may_want():
    extras = PROJECT["optional-dependencies"]
    [everything] = extras["all"]
    listed = re.fullmatch(r"pyod_explain\[(.*)\]", everything)[1].split(",")
    assert sorted(listed) == sorted(set(extras) - {"all", "test", "docs", "dev"})
