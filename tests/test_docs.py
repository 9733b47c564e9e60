"""The documentation has a page for everything that can be named in a spec or typed in a shell."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evalsi.core.plugins import PluginHost, default_host
from evalsi.core.plugins.hookspecs import HOOKS

DOCS = Path(__file__).parents[1] / "docs"


def names(kind: str) -> list[str]:
    """The plugins that our own distributions register; a stranger documents his own."""
    host: PluginHost = default_host()
    return [
        plugin.name for plugin in host.registered(kind) if plugin.distribution.startswith("evalsi-")
    ]


def page(name: str) -> str:
    return (DOCS / "reference" / f"{name}.md").read_text("utf-8")


def test_every_pack_of_ours_can_be_documented() -> None:
    assert default_host().failures == ()


@pytest.mark.parametrize("name", names("evaluator"))
def test_an_evaluator_has_a_page_of_its_name(name: str) -> None:
    assert page(name).startswith(f"# {name}\n")


@pytest.mark.parametrize("name", [*HOOKS, "evalsi_add_hookspecs"])
def test_a_hook_is_described(name: str) -> None:
    assert f"`{name}`" in page("hooks")


@pytest.mark.parametrize("name", names("command"))
def test_a_command_is_described(name: str) -> None:
    assert f"`evalsi {name}`" in page("cli")


@pytest.mark.parametrize("name", names("rung"))
def test_a_rung_is_described(name: str) -> None:
    assert f"`{name}`" in page("sandbox")


@pytest.mark.parametrize("status", [0, 1, 2, 3, 4])
def test_an_exit_code_is_described(status: int) -> None:
    assert re.search(rf"^\| {status} \|", page("cli"), re.MULTILINE)
