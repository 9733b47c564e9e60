"""Rewards: a spec composes verifiers into one number a rollout, with a breakdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from evalsi.core.results import Reward
from evalsi.core.reward.function import RewardFunction, Terms
from evalsi.core.reward.loaded import LoadedReward

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any, TypeAlias

    from evalsi.core.plugins import PluginHost
    from evalsi.core.reward.remote import RemoteReward, RemoteServer

    Given: TypeAlias = str | Path | Mapping[str, Any]

__all__ = [
    "LoadedReward",
    "RemoteReward",
    "RemoteServer",
    "Reward",
    "RewardFunction",
    "load",
    "load_reward",
]


def __getattr__(name: str) -> object:
    if name not in ("RemoteReward", "RemoteServer"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # At first use: who scores here needs no HTTP.
    from evalsi.core.reward import remote

    found: object = getattr(remote, name)
    return found


@overload
def load_reward(
    spec: Given,
    *,
    server: None = None,
    host: PluginHost | None = None,
    folder: Path | None = None,
) -> RewardFunction: ...


@overload
def load_reward(spec: Given, *, server: str | RemoteServer) -> RemoteReward: ...


@overload
def load_reward(spec: Given, *, server: str | RemoteServer | None) -> LoadedReward: ...


def load_reward(
    spec: Given,
    *,
    server: str | RemoteServer | None = None,
    host: PluginHost | None = None,
    folder: Path | None = None,
) -> LoadedReward:
    """The reward that a spec describes, refused as a whole when anything in it is wrong.

    Args:
        spec: a YAML or JSON file, or a mapping, with the envelope or as its bare body; with a
            server also the name of one of its specs, a text that is no file here.
        server: the address of a reward server, or its `RemoteServer`, where the evaluators run:
            the packs need not be installed here. By default they run in this process.
        host: where evaluators are found; by default every installed pack. Only a reward of
            installed packs pickles.
        folder: where relative paths in params start; by default beside the file, and for a mapping
            in the working folder.

    Raises:
        SpecError: every issue at once, each with its place and what mends it.
        ServerError: the server gives no answer.
        TypeError: `server` together with `host` or `folder`, which are the server's matter.
    """
    if server is None:
        return _loaded_here(spec, host, folder)
    if host is not None or folder is not None:
        raise TypeError("evaluators are found by the server: give no `host` and no `folder`")
    from evalsi.core.reward.remote.loading import load_remote

    return load_remote(spec, server)


load = load_reward
"""The name that users of the published product know."""


def _loaded_here(spec: Given, host: PluginHost | None, folder: Path | None) -> RewardFunction:
    from evalsi.core.engine import tools_for
    from evalsi.core.plugins import default_host
    from evalsi.core.reward.arithmetic import Rule, Weighing
    from evalsi.core.reward.spec import RewardSpec
    from evalsi.core.spec import load_and_bind

    document, bounds = load_and_bind(
        spec,
        RewardSpec,
        host=host or default_host(),
        tools=lambda ref, needs: tools_for(needs, ref.min_isolation),
        folder=folder,
    )
    body = document.spec
    weighings = [
        Weighing(part.name, part.weight, part.gate, part.threshold) for part in body.components
    ]
    return RewardFunction(
        document.as_dict(),
        Terms(
            document.name,
            document.fingerprint,
            cache=body.cache.enabled,
            reference_field=body.reference_field,
            group_field=body.group_field,
            deadline_s=body.deadline_seconds,
        ),
        Rule(tuple(weighings), body.floor, body.on_error, body.clip),
        bounds,
        folder or document.folder,
    )
