"""The reward of a trainer that names its spec by a setting: loaded once a process, and said so.

A trainer may execute an adapter's file several times in one process, each time as another module;
what is held once a process is held here.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from evalsi.core.errors import SpecError
from evalsi.core.reward import load_reward
from evalsi.core.reward.missing import parsed
from evalsi.rewards.plain import NotPlain, plain
from evalsi.rewards.trainer import Trainer, installed

if TYPE_CHECKING:
    from evalsi.core.reward import LoadedReward

__all__ = ["Loaded", "loaded"]

_log: Final = logging.getLogger("evalsi.rewards")
_lock: Final = threading.Lock()
_held: Final[dict[tuple[str, ...], Loaded]] = {}


class Loaded(NamedTuple):
    """A reward, and what stands for a total that is missing: a number, or None to raise."""

    reward: LoadedReward
    missing: float | None


def loaded(
    trainer: Trainer,
    *,
    spec: object = None,
    server: object = None,
    missing: object = None,
) -> Loaded:
    """The reward of these settings, each by default `EVALSI_REWARD_<NAME>` of the environment.

    The first call loads it, and logs one line "evalsi reward active"; safe from many threads.

    Args:
        trainer: who asks.
        spec: a file, a mapping, or with a server the name of a spec there.
        server: where the reward is computed, or None for here.
        missing: `raise`, or a number for rollouts without a total.

    Raises:
        SpecError: there is no spec, it is refused, or it does not fit the trainer.
        DataError: `missing` is neither.
    """
    spec, server = _spec(_or_environment(spec, "SPEC")), _or_environment(server, "SERVER")
    missing = _or_environment(missing, "MISSING")
    number = parsed(missing)
    name = spec if isinstance(spec, str) else json.dumps(spec, sort_keys=True)
    key = (trainer.name, name, str(server), str(number))
    with _lock:
        if key not in _held:
            reward = load_reward(spec, server=None if server is None else str(server))
            trainer.check(reward)
            _held[key] = Loaded(reward, number)
            _tell(trainer, reward, server)
            _warn(trainer, reward, chosen=missing is not None)
        return _held[key]


def _or_environment(value: object, name: str) -> object:
    return os.environ.get(f"EVALSI_REWARD_{name}") or None if value is None else value


def _spec(spec: object) -> str | Mapping[str, Any]:
    if spec is None:
        raise SpecError(
            "no reward spec is named: set EVALSI_REWARD_SPEC in the environment of every worker, "
            "or in verl reward_kwargs.spec"
        )
    if isinstance(spec, str | Path):
        return str(spec)
    try:
        body = plain(spec)
    except NotPlain as error:
        raise SpecError(f"the reward spec holds {error}, which is no plain data") from error
    if not isinstance(body, Mapping):
        raise SpecError(f"the reward spec is {type(spec).__name__}; give a file or a mapping")
    return body


def _tell(trainer: Trainer, reward: LoadedReward, server: object) -> None:
    ours = (trainer.distribution, "evalsi-adapters", "evalsi-core")
    versions = {name: installed(name) or "(not installed)" for name in ours}
    versions |= {by.distribution: by.version for by in reward.by.values()}
    # A warning, because workers of Ray show nothing below: who trains must see that it is on.
    _log.warning(
        "evalsi reward active: spec %s (fingerprint %s), components %s, computed %s; %s",
        reward.terms.name,
        reward.terms.fingerprint,
        ", ".join(reward.components),
        "in this process" if server is None else f"at {urlsplit(str(server)).hostname}",
        ", ".join(f"{name} {release}" for name, release in versions.items()),
    )


def _warn(trainer: Trainer, reward: LoadedReward, *, chosen: bool) -> None:
    release = installed(trainer.distribution)
    if release not in {None, trainer.tested}:
        _log.warning(
            "this adapter is tested with %s %s; this is %s: see that rewards and components are "
            "logged as the spec says",
            trainer.name,
            trainer.tested,
            release,
        )
    if reward.rule.on_error == "none" and not chosen:
        _log.warning(
            "the spec's onError is none, but %s cannot leave a rollout out: the first one without "
            "a total ends the run. Set `missing` to `raise` if it shall, else to the number to "
            "train on instead",
            trainer.name,
        )
