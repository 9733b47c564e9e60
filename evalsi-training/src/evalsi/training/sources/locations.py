"""Which source a location is of: its scheme names a plugin of the kind `source`.

    out/                  a directory
    s3://bucket/run       the plugin `s3`, as with gs, hf and mlflow
    acme:run, acme://run  another pack's plugin `acme`
    sftp://host/run       whatever else fsspec opens

A path that is there is a directory, whatever its name.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from evalsi.core.errors import PluginError, SpecError
from evalsi.training.sources.contract import CheckpointSource

if TYPE_CHECKING:
    from evalsi.core.plugins import PluginHost

__all__ = ["scheme_of", "source_at"]

# One letter alone is a drive's.
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]+):", re.ASCII)


def source_at(
    location: str, *, training_run: str | None = None, **options: object
) -> CheckpointSource:
    """The source that watches a location.

    Args:
        location: a directory, or what begins with a scheme.
        training_run: whose watch it is; sources that have such a parameter are told.
        options: by name, what the source is given beside; those that are None are left out.

    Raises:
        SpecError: no source is known for it, or the source does not take an option.
        PluginError: the source's pack is broken.
    """
    name = _plugin_of(location)
    made = cast("Callable[..., CheckpointSource]", _host().load("source", name))
    given = {option: value for option, value in options.items() if value is not None}
    takes = inspect.signature(made).parameters.keys()
    if wrong := given.keys() - takes:
        told = ", ".join(f"--{option}" for option in sorted(wrong))
        raise SpecError(f"{location} is watched by the source {name}, which takes no {told}")
    if training_run is not None and "training_run" in takes:
        given["training_run"] = training_run
    return made(location, **given)


def scheme_of(location: str) -> str | None:
    """What a location begins with before a colon; None for a path that is there."""
    match = _SCHEME.match(location)
    return None if match is None or Path(location).exists() else match[1]


def _plugin_of(location: str) -> str:
    scheme = scheme_of(location)
    if scheme is None:
        return "directory"
    try:
        return _host().find("source", scheme).full_name
    except PluginError as error:
        if location.startswith(f"{scheme}://"):
            return "fsspec"
        raise SpecError(f"{location}: {error}; a directory of that name is ./{location}") from error


def _host() -> PluginHost:
    from evalsi.core.plugins import default_host

    return default_host()
