"""Importing costs nothing: what a name pulls in is stated here, in a fresh process each.

Who may import whom inside the repository is stated in `.importlinter`.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points

import pytest

HEAVY = {"aiohttp", "click", "httpx", "pluggy", "pydantic", "re2", "sympy", "torch", "yaml"}
PLUGINS = sorted(point.value for point in entry_points(group="evalsi"))


def pulled_in(module: str) -> set[str]:
    """Top-level modules that importing `module` loads, in a process of its own."""
    told = subprocess.run(
        [sys.executable, "-c", f"import {module}, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return {name.partition(".")[0] for name in told.stdout.split()}


def test_core_alone_is_light() -> None:
    assert pulled_in("evalsi.core") & HEAVY == set()


@pytest.mark.parametrize("module", PLUGINS)
def test_a_pack_is_listed_without_its_libraries(module: str) -> None:
    assert pulled_in(module) & HEAVY == set()


@pytest.mark.parametrize("module", [point for point in PLUGINS if not point.startswith("evalsi.")])
def test_a_packs_plugin_module_imports_core_and_itself_only(module: str) -> None:
    ours = {name for name in pulled_in(module) if name.startswith(("evalsi", "acme"))}
    assert ours == {"evalsi", module.partition(".")[0]}
