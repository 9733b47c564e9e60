"""The distribution's hook: names and places, and nothing imported for them."""

from __future__ import annotations

import importlib
import subprocess
import sys

from evalsi.core.sandbox import LADDER
from evalsi_sandbox.plugin import evalsi_register_sandbox_rungs


def test_every_rung_of_the_ladder_is_registered() -> None:
    assert tuple(plugin.name for plugin in evalsi_register_sandbox_rungs()) == LADDER


def test_a_rungs_name_and_level_agree_with_the_ladder() -> None:
    for plugin in evalsi_register_sandbox_rungs():
        module, _, name = plugin.target.partition(":")
        rung = getattr(importlib.import_module(module), name)
        assert (rung.name, LADDER[rung.level]) == (plugin.name, plugin.name)


def test_listing_the_rungs_imports_none_of_them() -> None:
    script = (
        "import sys, evalsi_sandbox.plugin as p; p.evalsi_register_sandbox_rungs(); "
        "print([m for m in sys.modules if m.startswith('evalsi_sandbox.')])"
    )

    listed = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)

    assert listed.stdout == b"['evalsi_sandbox.plugin']\n"
