"""What would be published: complete, typed, and nobody owns what belongs to another."""

from __future__ import annotations

import configparser
import json
import os
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path
from zipfile import ZipFile

import pytest

OUT = Path(os.environ["EVALSI_WHEELS"])
ROOT = Path(__file__).parents[2]
WHEELS = sorted(OUT.glob("*.whl"))
SDISTS = sorted(OUT.glob("*.tar.gz"))


def project(path: Path) -> str:
    return path.name.split("-")[0]


def files(wheel: Path) -> list[str]:
    with ZipFile(wheel) as archive:
        return archive.namelist()


def modules(wheel: Path) -> list[str]:
    return [name for name in files(wheel) if ".dist-info/" not in name]


def test_every_distribution_was_built_both_ways() -> None:
    wanted = sorted(
        path.parent.name.replace("-", "_") for path in ROOT.glob("evalsi-*/pyproject.toml")
    )
    assert [project(path) for path in WHEELS] == wanted
    assert [project(path) for path in SDISTS] == wanted


def test_every_file_has_one_owner() -> None:
    owners = Counter(name for wheel in WHEELS for name in modules(wheel))
    assert [name for name, count in owners.items() if count > 1] == []


def test_nobody_owns_the_namespace() -> None:
    assert [name for wheel in WHEELS for name in files(wheel) if name == "evalsi/__init__.py"] == []


@pytest.mark.parametrize("wheel", WHEELS, ids=project)
def test_a_wheel_holds_one_package(wheel: Path) -> None:
    [package] = {
        "/".join(name.split("/")[: 2 if name.startswith("evalsi/") else 1])
        for name in modules(wheel)
    }
    assert {f"{package}/__init__.py", f"{package}/py.typed"} <= set(modules(wheel))


@pytest.mark.parametrize("wheel", WHEELS, ids=project)
def test_a_wheel_holds_what_the_source_holds(wheel: Path) -> None:
    source = ROOT / project(wheel).replace("_", "-") / "src"
    wanted = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert set(modules(wheel)) == wanted


@pytest.mark.parametrize("wheel", WHEELS, ids=project)
def test_a_wheel_carries_the_licence(wheel: Path) -> None:
    assert [name for name in files(wheel) if name.endswith(".dist-info/licenses/LICENSE")]


@pytest.mark.parametrize("wheel", WHEELS, ids=project)
def test_a_wheel_registers_its_plugin_module(wheel: Path) -> None:
    [name] = [name for name in files(wheel) if name.endswith(".dist-info/entry_points.txt")]
    points = configparser.ConfigParser()
    with ZipFile(wheel) as archive:
        points.read_string(archive.read(name).decode())
    [module] = points["evalsi"].values()
    assert f"{module.replace('.', '/')}.py" in modules(wheel)


@pytest.mark.parametrize("sdist", SDISTS, ids=project)
def test_a_source_distribution_carries_tests_licence_and_changelog(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "CHANGELOG.md", "README.md", "pyproject.toml"} <= names
    assert [name for name in names if name.startswith("tests/test_")]


def test_the_installed_wheels_score_without_a_checkout(tmp_path: Path) -> None:
    spec = {"components": [{"ref": "code-exec-tests"}]}
    rollout = {"completion": "print(input())", "tests": [{"input": "a", "output": "a"}]}
    code = (
        f"from evalsi.core.reward import load_reward; print(load_reward({spec}).score([{rollout}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "total=1.0" in done.stdout, done.stderr


def test_the_installed_wheels_list_their_plugins(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("evalsi")
    listed = subprocess.run(
        [program, "plugins", "--json"], cwd=tmp_path, capture_output=True, check=True, timeout=60
    )
    rows = json.loads(listed.stdout)
    assert {row["distribution"].replace("-", "_") for row in rows} == set(map(project, WHEELS))
    assert {row["state"] for row in rows} == {"ok"}
