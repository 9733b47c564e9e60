"""Every distribution is a complete room, and the settings of every tool know all of them."""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = sorted(path.parent.name for path in ROOT.glob("evalsi-*/pyproject.toml"))


def settings(folder: str = "") -> dict[str, Any]:
    return tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))


def packages(folder: str) -> list[Path]:
    """The packages that a distribution owns, as paths below its `src`."""
    wheel = settings(folder)["tool"]["hatch"]["build"]["targets"]["wheel"]
    return [ROOT / folder / path for path in wheel.get("only-include", wheel.get("packages"))]


def imports(folder: str) -> list[str]:
    source = ROOT / folder / "src"
    return [".".join(path.relative_to(source).parts) for path in packages(folder)]


def siblings(folder: str) -> set[str]:
    """The distributions of ours that a distribution declares."""
    declared = [
        re.split(r"[^\w-]", line)[0] for line in settings(folder)["project"]["dependencies"]
    ]
    return {name for name in declared if name.startswith("evalsi")}


def needs() -> dict[str, tuple[str, ...]]:
    """The table in the noxfile."""
    tree = ast.parse((ROOT / "noxfile.py").read_text("utf-8"))
    [value] = [
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "NEEDS" and node.value
    ]
    table: dict[str, tuple[str, ...]] = ast.literal_eval(value)
    return table


def test_no_distribution_owns_the_namespace() -> None:
    assert list(ROOT.glob("*/src/evalsi/__init__.py")) == []


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "LICENSE", "src", "tests"])
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_distribution_has_all_that_belongs_to_it(folder: str, name: str) -> None:
    assert (ROOT / folder / name).exists()


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_package_is_regular_and_typed(folder: str) -> None:
    missing = [
        path / name
        for path in packages(folder)
        for name in ("__init__.py", "py.typed")
        if not (path / name).is_file()
    ]
    assert missing == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_changelog_begins_with_the_version(folder: str) -> None:
    changelog = (ROOT / folder / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## \[?([0-9][^\] ]*)", changelog, re.MULTILINE)
    assert newest is not None
    assert newest[1] == settings(folder)["project"]["version"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_licence_is_the_repositorys(folder: str) -> None:
    assert (ROOT / folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_distribution_declares_the_siblings_that_its_tests_get(folder: str) -> None:
    assert siblings(folder) == set(needs()[folder])


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_pack_tested_alone_has_its_siblings_siblings_too(folder: str) -> None:
    table = needs()
    assert {name for sibling in table[folder] for name in table[sibling]} <= set(table[folder])


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_depends_on_another_products_distributions(folder: str) -> None:
    assert siblings(folder) & {"evalsi", "evalsi-harness"} == set()


def test_the_test_matrix_names_every_distribution() -> None:
    assert sorted(needs()) == FOLDERS


def test_the_workspace_depends_on_every_distribution() -> None:
    project = settings()
    names = [each.partition("[")[0] for each in project["project"]["dependencies"]]
    assert sorted(names) == FOLDERS
    assert sorted(project["tool"]["uv"]["sources"]) == FOLDERS


def test_mypy_finds_every_distribution() -> None:
    path = settings()["tool"]["mypy"]["mypy_path"].split(":")
    assert sorted(path) == [f"$MYPY_CONFIG_FILE_DIR/{folder}/src" for folder in FOLDERS]


def test_pytest_runs_every_distributions_tests() -> None:
    paths = settings()["tool"]["pytest"]["ini_options"]["testpaths"]
    assert sorted(paths) == [*(f"{folder}/tests" for folder in FOLDERS), "tests"]


def test_coverage_measures_every_package() -> None:
    measured = settings()["tool"]["coverage"]["run"]["source_pkgs"]
    assert sorted(measured) == sorted(name for folder in FOLDERS for name in imports(folder))


def test_the_import_rules_cover_every_package() -> None:
    rules = configparser.ConfigParser()
    rules.read(ROOT / ".importlinter")
    covered = rules["importlinter"]["root_packages"].split()
    assert sorted(covered) == sorted(name for folder in FOLDERS for name in imports(folder))
