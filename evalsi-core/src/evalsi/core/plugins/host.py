"""The host: knows every plugin of every pack, and imports one only when it is asked for.

Making a host imports each pack's `plugin.py` and nothing else. A broken pack is kept in
`failures` and fails only what needs it, with the original cause.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from evalsi.core.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalsi.core.plugins.descriptor import Registered
    from evalsi.core.plugins.discovery import Failed, Pack

__all__ = ["PluginHost", "default_host"]


class PluginHost:
    """Plugins by kind and name.

    Attributes:
        failures: packs that cannot be used, each with its exception.
        blocked: packs that the environment switches off.
        kinds: the kinds of plugin that are known here.
    """

    def __init__(self, plugins: Sequence[object] | None = None) -> None:
        """Finds the plugins.

        Args:
            plugins: exactly these modules, for tests; None: what is installed, as
                `EVALSI_BLOCK_PLUGINS` and `EVALSI_PLUGINS` allow.

        Raises:
            PluginError: a pack failed and `EVALSI_STRICT_PLUGINS` is 1.
        """
        # pluggy and importlib.metadata take time to import, which `evalsi --help` does not have.
        from evalsi.core.plugins.collect import collect
        from evalsi.core.plugins.discovery import given, installed

        found = installed() if plugins is None else given(plugins)
        kinds, self._plugins = collect(found)
        self.kinds = tuple(sorted(kinds))
        self.failures: tuple[Failed, ...] = tuple(found.failed)
        self.blocked: tuple[Pack, ...] = tuple(found.blocked)
        if self.failures and os.environ.get("EVALSI_STRICT_PLUGINS", "0") not in {"", "0"}:
            raise PluginError(str(self.failures[0])) from self.failures[0].error

    def registered(self, kind: str | None = None) -> tuple[Registered, ...]:
        """The plugins of one kind, or all; sorted by kind, name and pack."""
        return tuple(p for p in self._plugins if kind in (None, p.kind))

    def find(self, kind: str, name: str) -> Registered:
        """The plugin of that name.

        Args:
            kind: `evaluator`, `rung`, …
            name: bare while only one pack has it; `pack:name` always.

        Raises:
            PluginError: unknown or ambiguous; the message says what is known, which pack failed,
                and is chained from that pack's failure.
        """
        candidates = self.registered(kind)
        found = [p for p in candidates if name in (p.name, p.full_name)]
        if len(found) == 1:
            return found[0]
        if found:
            raise _ambiguous(kind, name, found)
        suspects = self._suspects(name)
        error = _unknown(kind, name, candidates, suspects)
        raise error from (suspects[0].error if suspects else None)

    def load(self, kind: str, name: str) -> object:
        """What the plugin of that name points at, imported now.

        Raises:
            PluginError: as `find`; or the import failed, chained from the original.
        """
        plugin = self.find(kind, name)
        try:
            return plugin.load()
        except (Exception, SystemExit) as error:
            raise PluginError(
                f"the {kind} {plugin.full_name} of {plugin.distribution} {plugin.version} "
                f"does not import from {plugin.target}: {type(error).__name__}: {error}"
            ) from error

    def _suspects(self, name: str) -> list[Failed]:
        pack, colon, _ = name.partition(":")
        return [failed for failed in self.failures if not colon or failed.pack == pack]


@functools.cache
def default_host() -> PluginHost:
    """The host of what is installed, made once a process."""
    return PluginHost()


def _ambiguous(kind: str, name: str, found: Sequence[Registered]) -> PluginError:
    owners = " and ".join(f"{p.full_name} ({p.distribution} {p.version})" for p in found)
    return PluginError(f'two packs have the {kind} "{name}": {owners}; write the full name')


def _unknown(
    kind: str, name: str, candidates: Sequence[Registered], suspects: Sequence[Failed]
) -> PluginError:
    from difflib import get_close_matches

    parts = [f'no {kind} is named "{name}"']
    names = [p.name for p in candidates]
    close = get_close_matches(name, [*names, *(p.full_name for p in candidates)], 1)
    if close:
        parts.append(f'did you mean "{close[0]}"?')
    parts += map(str, suspects)
    shown = sorted({p.full_name if names.count(p.name) > 1 else p.name for p in candidates})
    parts.append(f"known: {', '.join(shown)}" if shown else f"no {kind} is installed")
    return PluginError("; ".join(parts).replace("?; ", "? "))
