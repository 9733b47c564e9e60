"""Trackers by the names under which packs register them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from evalsi.core.errors import SpecError
from evalsi.core.plugins import default_host
from evalsi.training.trackers.contract import Tracker

__all__ = ["trackers_named"]


def trackers_named(
    names: Sequence[str], options: Mapping[str, str], folder: str | Path
) -> list[Tracker]:
    """Makes trackers, each with those options that its class has as parameters.

    Args:
        names: as registered.
        options: for all of them, by parameter.
        folder: where one that writes files has its own, of its name, as the option `folder`.

    Raises:
        PluginError: a name is unknown.
        SpecError: none takes an option, one lacks an option, or what it needs is not installed.
    """
    classes = {name: _class(name) for name in dict.fromkeys(names)}
    takes = {name: inspect.signature(made).parameters for name, made in classes.items()}
    wrong = set(options) - {option for known in takes.values() for option in known}
    if wrong:
        known = sorted({option for parameters in takes.values() for option in parameters})
        raise SpecError(
            f"{' and '.join(names)} take no {', '.join(sorted(wrong))}; known: {', '.join(known)}"
        )
    return [
        _made(name, made, {"folder": str(Path(folder) / name), **options}, takes[name])
        for name, made in classes.items()
    ]


def _class(name: str) -> Callable[..., Tracker]:
    return cast("Callable[..., Tracker]", default_host().load("tracker", name))


def _made(
    name: str,
    made: Callable[..., Tracker],
    options: Mapping[str, str],
    takes: Mapping[str, Any],
) -> Tracker:
    needs = [option for option, known in takes.items() if known.default is known.empty]
    missing = [option for option in needs if option not in options]
    if missing:
        raise SpecError(f"the tracker {name} needs {', '.join(missing)}")
    return made(**{option: options[option] for option in takes if option in options})
