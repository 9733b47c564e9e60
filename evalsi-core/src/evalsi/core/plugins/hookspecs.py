"""The hooks that a pack may implement: all of them collect, none takes an argument.

A hook returns descriptors; what they point at is imported at first use. A distribution that owns
a further kind of plugin adds its hook with `evalsi_add_hookspecs`; core need not know the kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pluggy import HookspecMarker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalsi.core.plugins.descriptor import Plugin

__all__ = [
    "HOOKS",
    "evalsi_add_hookspecs",
    "evalsi_register_checkpoint_sources",
    "evalsi_register_commands",
    "evalsi_register_connectors",
    "evalsi_register_evaluators",
    "evalsi_register_sandbox_rungs",
    "evalsi_register_serving_strategies",
]

hookspec = HookspecMarker("evalsi")

HOOKS: Final[Mapping[str, str]] = {
    "evalsi_register_evaluators": "evaluator",
    "evalsi_register_sandbox_rungs": "rung",
    "evalsi_register_serving_strategies": "serving",
    "evalsi_register_checkpoint_sources": "source",
    "evalsi_register_connectors": "connector",
    "evalsi_register_commands": "command",
}
"""Core's hooks, and the kind of plugin that each one registers."""


@hookspec
def evalsi_register_evaluators() -> Sequence[Plugin]:  # type: ignore[empty-body]
    """Evaluators: classes with one of the methods in `evalsi.core.evaluator.ENTRIES`."""


@hookspec
def evalsi_register_sandbox_rungs() -> Sequence[Plugin]:  # type: ignore[empty-body]
    """Rungs: classes that keep the `evalsi.core.sandbox.Rung` protocol."""


@hookspec
def evalsi_register_serving_strategies() -> Sequence[Plugin]:  # type: ignore[empty-body]
    """Strategies that serve a checkpoint as a model for the length of an evaluation."""


@hookspec
def evalsi_register_checkpoint_sources() -> Sequence[Plugin]:  # type: ignore[empty-body]
    """Places where checkpoints appear: a folder, a bucket, a model registry."""


@hookspec
def evalsi_register_connectors() -> Sequence[Plugin]:  # type: ignore[empty-body]
    """Connectors that ask a model for outputs."""


@hookspec
def evalsi_register_commands() -> Sequence[Plugin]:  # type: ignore[empty-body]
    """Click commands by path: the name `rewards serve` extends the group `rewards`."""


@hookspec
def evalsi_add_hookspecs() -> Mapping[str, str]:  # type: ignore[empty-body]
    """Further hooks of the same shape, each with the kind that it registers.

    Example: `{"evalsi_register_trackers": "tracker"}`.
    """
