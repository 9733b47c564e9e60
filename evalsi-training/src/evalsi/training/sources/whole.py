"""Whether a folder holds a whole model: all of its weights, or an adapter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

__all__ = ["is_whole", "signature_of"]

_WEIGHTS: Final = ("model.safetensors", "pytorch_model.bin")
_INDEXES: Final = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
_ADAPTERS: Final = ("adapter_model.safetensors", "adapter_model.bin")


def is_whole(folder: Path, marker: str | None = None) -> bool:
    """Whether everything that serving needs is there.

    A model has its `config.json` and either one file of weights or every shard that its index
    names; an adapter has its weights and `adapter_config.json`. Optimizer states alone are no
    model.

    Args:
        folder: the checkpoint.
        marker: a file that its writer adds when it is done; None: it adds none.
    """
    if marker is not None and not (folder / marker).exists():
        return False
    if (folder / "adapter_config.json").is_file():
        return any(_holds(folder / name) for name in _ADAPTERS)
    if not _holds(folder / "config.json"):
        return False
    return any(_holds(folder / name) for name in _WEIGHTS) or _has_shards(folder)


def signature_of(folder: Path) -> Mapping[str, tuple[int, int]]:
    """Size and time of change of every file, by its path: equal while nothing is written.

    Raises:
        OSError: the folder changes while it is looked at, or cannot be.
    """
    found = {}
    for path in folder.rglob("*"):
        seen = path.stat()
        found[str(path.relative_to(folder))] = (seen.st_size, seen.st_mtime_ns)
    return found


def _has_shards(folder: Path) -> bool:
    for name in _INDEXES:
        try:
            shards = set(json.loads((folder / name).read_text("utf-8"))["weight_map"].values())
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            continue  # missing, or half written
        if shards and all(_holds(folder / Path(str(shard)).name) for shard in shards):
            return True
    return False


def _holds(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False
