"""What a pack returns from a hook: a name and a place, so that listing imports nothing heavy."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

__all__ = ["Plugin", "Registered", "hookimpl"]

F = TypeVar("F", bound=Callable[..., object])


class _Mark:
    """Marks a function as the implementation of an evalsi hook.

    The same mark that `pluggy.HookimplMarker("evalsi")` makes, without importing pluggy: a pack's
    `plugin.py` stays as light as its descriptors.
    """

    def __call__(self, function: F) -> F:
        options = dict.fromkeys(
            ("hookwrapper", "wrapper", "optionalhook", "tryfirst", "trylast"), False
        )
        function.evalsi_impl = {**options, "specname": None}  # type: ignore[attr-defined]
        return function


hookimpl: Final = _Mark()


@dataclass(frozen=True, slots=True)
class Plugin:
    """One plugin of a pack.

    Attributes:
        name: bare and lower-case with hyphens ("math-equiv"); commands are registered by path
            ("rewards serve").
        target: "module:attribute", imported at first use.
        summary: one line for listings.
    """

    name: str
    target: str
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Registered:
    """A plugin with its origin.

    Attributes:
        kind: `evaluator`, `rung`, `serving`, `source`, `connector`, `command`.
        name: the bare name.
        pack: the entry point's name; `pack:name` is the full name, always unique.
        distribution: the Python distribution that registered it.
        version: that distribution's version.
        target: "module:attribute".
        summary: one line.
    """

    kind: str
    name: str
    pack: str
    distribution: str
    version: str
    target: str
    summary: str = ""

    @property
    def full_name(self) -> str:
        """`pack:name`."""
        return f"{self.pack}:{self.name}"

    def load(self) -> object:
        """Imports the target; any error of the import comes through as it is."""
        module, _, attribute = self.target.partition(":")
        found: object = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
        return found
