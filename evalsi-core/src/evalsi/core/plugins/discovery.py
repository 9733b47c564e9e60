"""Finds the installed packs: entry points of the group `evalsi`, loaded one by one.

One pack that does not import never hides another; its failure is kept with its origin.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Discovered", "Failed", "Pack", "given", "installed"]

_GROUP: Final = "evalsi"
_CORE: Final = ("core", "evalsi-core")
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Pack:
    """One distribution's plugins.

    Attributes:
        name: the entry point's name.
        distribution: the Python distribution that registered it, or "".
        version: that distribution's version, or "".
        target: the module that holds its hooks.
    """

    name: str
    distribution: str
    version: str
    target: str

    @property
    def origin(self) -> str:
        """Distribution and version, for messages."""
        return f"{self.distribution} {self.version}".strip() or self.target


@dataclass(frozen=True, slots=True)
class Failed:
    """A pack that cannot be used, and the exception that says why."""

    pack: str
    distribution: str
    version: str
    error: BaseException
    target: str = ""

    @classmethod
    def of(cls, pack: Pack, error: BaseException) -> Failed:
        """The failure of a pack."""
        return cls(pack.name, pack.distribution, pack.version, error, pack.target)

    @property
    def cause(self) -> str:
        """The exception in one line."""
        text = " ".join(str(self.error).split())
        return (
            text if isinstance(self.error, PluginError) else f"{type(self.error).__name__}: {text}"
        )

    def __str__(self) -> str:
        origin = f" ({self.distribution} {self.version})" if self.distribution else ""
        return f"the pack {self.pack!r}{origin} failed: {self.cause}"


@dataclass(slots=True)
class Discovered:
    """What is there: modules by pack, packs that failed, packs that are switched off."""

    modules: dict[Pack, object] = field(default_factory=dict)
    failed: list[Failed] = field(default_factory=list)
    blocked: list[Pack] = field(default_factory=list)


def installed(environ: Mapping[str, str] = os.environ) -> Discovered:
    """The packs of this environment.

    `EVALSI_BLOCK_PLUGINS` names packs to leave out; `EVALSI_PLUGINS` is the exact list to load
    (empty: none). Core always stays.
    """
    found = Discovered()
    points: dict[str, list[EntryPoint]] = defaultdict(list)
    for point in entry_points(group=_GROUP):
        points[point.name].append(point)
    for name in sorted(points):
        packs = [_pack(point) for point in points[name]]
        if _switched_off(name, environ):
            found.blocked += packs
        else:
            _load(points[name], packs, found)
    found.failed += _absent(points, environ)
    return found


def given(modules: Sequence[object]) -> Discovered:
    """Exactly these modules or objects; each may name its `pack`, `distribution`, `version`.

    By default a pack is called like its module, or like the package of a module `plugin`.
    """
    found = Discovered()
    for module in modules:
        target = getattr(module, "__name__", type(module).__name__)
        name = getattr(module, "pack", target.removesuffix(".plugin").rpartition(".")[2])
        origin = (getattr(module, "distribution", ""), getattr(module, "version", ""))
        pack = Pack(name, *origin, target)
        taken = next((other for other in found.modules if other.name == name), None)
        if taken is None:
            found.modules[pack] = module
        else:
            found.failed.append(Failed.of(pack, _taken(name, [taken, pack])))
    return found


def _pack(point: EntryPoint) -> Pack:
    dist = point.dist
    return Pack(point.name, dist.name if dist else "", dist.version if dist else "", point.value)


def _switched_off(name: str, environ: Mapping[str, str]) -> bool:
    if name == _CORE[0]:
        return False
    exact = environ.get("EVALSI_PLUGINS")
    blocked = _names(environ.get("EVALSI_BLOCK_PLUGINS", ""))
    return name in blocked or (exact is not None and name not in _names(exact))


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _load(points: list[EntryPoint], packs: list[Pack], found: Discovered) -> None:
    pairs = list(zip(packs, points, strict=True))
    if len(pairs) > 1:
        error = _taken(packs[0].name, packs)
        # Nobody can take core's place by naming an entry point like it.
        pairs = [pair for pair in pairs if (pair[0].name, pair[0].distribution) == _CORE]
        kept = {pack for pack, _ in pairs}
        found.failed += [Failed.of(pack, error) for pack in packs if pack not in kept]
    for pack, point in pairs[:1]:
        try:
            found.modules[pack] = _module(pack, point)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's import
            found.failed.append(Failed.of(pack, error))


def _module(pack: Pack, point: EntryPoint) -> object:
    if not _NAME.fullmatch(pack.name):
        raise PluginError(
            f"the entry point {pack.name!r} of {pack.origin} is no pack name; "
            f"use lower-case letters, digits, hyphens and underscores"
        )
    module: object = point.load()
    return module


def _taken(name: str, packs: Sequence[Pack]) -> PluginError:
    owners = " and ".join(pack.origin for pack in packs)
    return PluginError(
        f"the pack name {name!r} is registered by {owners}; "
        f"uninstall one, or rename its entry point"
    )


def _absent(points: Mapping[str, object], environ: Mapping[str, str]) -> list[Failed]:
    wanted = _names(environ.get("EVALSI_PLUGINS", ""))
    return [
        Failed.of(
            Pack(name, "", "", ""),
            PluginError(
                f"EVALSI_PLUGINS names {name!r}, which no installed distribution registers; "
                f"installed: {', '.join(sorted(points)) or 'none'}"
            ),
        )
        for name in wanted
        if name not in points
    ]
