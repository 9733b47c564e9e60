"""Asks every pack's hooks for descriptors, and keeps what pluggy would let slip.

An unknown hook, a raising hook, or an answer that is no list of `Plugin` fails its own pack and
no other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Final

from pluggy import PluginManager, PluginValidationError

from evalsi.core.errors import PluginError
from evalsi.core.plugins import hookspecs
from evalsi.core.plugins.descriptor import Plugin, Registered
from evalsi.core.plugins.discovery import Discovered, Failed, Pack

__all__ = ["collect"]

_WORD: Final = r"[a-z0-9][a-z0-9-]*"
_NAME: Final = re.compile(_WORD)
_COMMAND: Final = re.compile(rf"{_WORD}(?: {_WORD})*")
_TARGET: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_ADD: Final = "evalsi_add_hookspecs"


def collect(found: Discovered) -> tuple[frozenset[str], list[Registered]]:
    """The kinds that are known and every plugin, sorted; packs that break move to `failed`."""
    hooks = dict(hookspecs.HOOKS)
    for pack, module in list(found.modules.items()):
        try:
            hooks |= _added(pack, module, hooks)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code
            _fail(found, pack, error)
    manager = _manager(hooks)
    plugins: list[Registered] = []
    for pack, module in list(found.modules.items()):
        try:
            plugins += _registered(manager, pack, module, hooks)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code
            if manager.is_registered(module):
                manager.unregister(module)
            _fail(found, pack, error)
    return frozenset(hooks.values()), sorted(plugins, key=lambda p: (p.kind, p.name, p.pack))


def _fail(found: Discovered, pack: Pack, error: BaseException) -> None:
    del found.modules[pack]
    found.failed.append(Failed.of(pack, error))


def _manager(hooks: Mapping[str, str]) -> PluginManager:
    manager = PluginManager("evalsi")
    manager.add_hookspecs(hookspecs)
    further = [name for name in hooks if name not in hookspecs.HOOKS]
    if further:
        specs = {name: hookspecs.hookspec(_further_hook()) for name in further}
        manager.add_hookspecs(type("FurtherHooks", (), specs))
    return manager


def _further_hook() -> Callable[[], None]:
    def hook() -> None:
        """A hook that a pack added; its shape is that of core's own."""

    return hook


def _added(pack: Pack, module: object, known: Mapping[str, str]) -> dict[str, str]:
    scout = PluginManager("evalsi")
    scout.add_hookspecs(hookspecs)
    scout.register(module, name=pack.name)
    added: dict[str, str] = {}
    for hook in scout.hook.evalsi_add_hookspecs.get_hookimpls():
        answer = hook.function()
        if not isinstance(answer, Mapping):
            raise PluginError(f"{_ADD} returned {_type(answer)}; a mapping of hook to kind is due")
        for name, kind in answer.items():
            added[_hook_name(name, kind, known)] = kind
    return added


def _hook_name(name: object, kind: object, known: Mapping[str, str]) -> str:
    if not (isinstance(name, str) and name.isidentifier() and name.startswith("evalsi_register_")):
        raise PluginError(f"{_ADD} names the hook {name!r}; a hook is evalsi_register_<plural>")
    if not (isinstance(kind, str) and _NAME.fullmatch(kind)):
        raise PluginError(f"{_ADD} names the kind {kind!r}; use lower-case letters and hyphens")
    if name in known or kind in known.values():
        raise PluginError(f"{_ADD} adds {name!r} for the kind {kind!r}, which is already there")
    return name


def _registered(
    manager: PluginManager, pack: Pack, module: object, hooks: Mapping[str, str]
) -> list[Registered]:
    _require_marks(module)
    manager.register(module, name=pack.name)
    try:
        manager.check_pending()
    except PluginValidationError as error:
        raise _unknown_hooks(manager, module, hooks) from error
    plugins: dict[tuple[str, str], Registered] = {}
    for hook, kind in hooks.items():
        for plugin in _answers(manager, module, hook):
            _check(plugin, kind)
            key = (kind, plugin.name)
            if key in plugins:
                raise PluginError(f"{hook} returned the {kind} {plugin.name!r} twice")
            plugins[key] = Registered(
                kind,
                plugin.name,
                pack.name,
                pack.distribution,
                pack.version,
                plugin.target,
                plugin.summary,
            )
    return list(plugins.values())


def _require_marks(module: object) -> None:
    # Without its mark pluggy would not see the function, and nobody would be told.
    for name in dir(module):
        if name.startswith(("evalsi_register_", _ADD)):
            function = getattr(module, name)
            if callable(function) and not hasattr(function, "evalsi_impl"):
                raise PluginError(f"{name} lacks @hookimpl (from evalsi.core.plugins)")


def _unknown_hooks(manager: PluginManager, module: object, hooks: Mapping[str, str]) -> PluginError:
    callers = manager.get_hookcallers(module) or []
    unknown = sorted(caller.name for caller in callers if not caller.has_spec())
    close = get_close_matches(unknown[0], [*hooks, _ADD], 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return PluginError(
        f"its hook {', '.join(map(repr, unknown))} is unknown: "
        f"it needs a newer evalsi-core, or is misspelt{hint}"
    )


def _answers(manager: PluginManager, module: object, hook: str) -> list[Plugin]:
    answers: list[Plugin] = []
    for implementation in getattr(manager.hook, hook).get_hookimpls():
        if implementation.plugin is not module:
            continue
        answer = implementation.function()
        if not isinstance(answer, list | tuple):
            raise PluginError(f"{hook} returned {_type(answer)}; a list of Plugin is due")
        for plugin in answer:
            if not isinstance(plugin, Plugin):
                raise PluginError(f"{hook} returned {_type(plugin)} in its list; Plugin is due")
            answers.append(plugin)
    return answers


def _check(plugin: Plugin, kind: str) -> None:
    rule = _COMMAND if kind == "command" else _NAME
    if not rule.fullmatch(plugin.name):
        words = " (words of a command are separated by one space)" if kind == "command" else ""
        raise PluginError(
            f"the {kind} {plugin.name!r} is badly named; "
            f"use lower-case letters, digits and hyphens{words}"
        )
    if not _TARGET.fullmatch(plugin.target):
        raise PluginError(
            f"the {kind} {plugin.name!r} has the target {plugin.target!r}; "
            f"write it as 'module:attribute'"
        )


def _type(value: object) -> str:
    return "None" if value is None else f"{type(value).__name__}"
