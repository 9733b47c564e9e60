"""Whether a folder holds a whole model: all of its weights, or an adapter."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

__all__ = ["holds_model", "is_whole", "model_in", "place_in", "signature_of"]

_WEIGHTS: Final = ("model.safetensors", "pytorch_model.bin")
_INDEXES: Final = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
_ADAPTERS: Final = ("adapter_model.safetensors", "adapter_model.bin")
# In the checkpoint itself; or where verl puts it, with FSDP and with Megatron.
_PLACES: Final = ("", "actor/huggingface", "actor/model/huggingface")


def is_whole(folder: Path, marker: str | None = None) -> bool:
    """As `holds_model`, of a folder on this machine."""
    return holds_model(*_looking(folder), marker)


def model_in(folder: Path, marker: str | None = None) -> Path | None:
    """As `place_in`, of a folder on this machine."""
    place = place_in(*_looking(folder), marker)
    return None if place is None else folder / place


def place_in(
    size: Callable[[str], int | None], read: Callable[[str], bytes], marker: str | None = None
) -> str | None:
    """Where in a checkpoint a whole model lies: "" for itself, None for nowhere.

    Args:
        size: as for `holds_model`.
        read: likewise.
        marker: likewise; it lies in the checkpoint itself.
    """
    if marker is not None and size(marker) is None:
        return None
    for place in _PLACES:
        above = f"{place}/" if place else ""

        def size_there(name: str, above: str = above) -> int | None:
            return size(f"{above}{name}")

        def read_there(name: str, above: str = above) -> bytes:
            return read(f"{above}{name}")

        if holds_model(size_there, read_there):
            return place
    return None


def holds_model(
    size: Callable[[str], int | None], read: Callable[[str], bytes], marker: str | None = None
) -> bool:
    """Whether everything that serving needs is there.

    A model has its `config.json` and either one file of weights or every shard that its index
    names; an adapter has its weights and `adapter_config.json`. Optimizer states alone are no
    model.

    Args:
        size: bytes of a file of the checkpoint; None where there is none.
        read: what a file holds; only indexes are read. Where it cannot say now, it raises OSError.
        marker: a file that its writer adds when it is done; None: it adds none.
    """
    if marker is not None and size(marker) is None:
        return False
    if size("adapter_config.json") is not None:
        return any(size(name) for name in _ADAPTERS)
    if not size("config.json"):
        return False
    return any(size(name) for name in _WEIGHTS) or any(
        size(name) and _has_shards(size, read, name) for name in _INDEXES
    )


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


def _looking(folder: Path) -> tuple[Callable[[str], int | None], Callable[[str], bytes]]:
    def size(name: str) -> int | None:
        try:
            return (folder / name).stat().st_size
        except OSError:
            return None

    return size, lambda name: (folder / name).read_bytes()


def _has_shards(
    size: Callable[[str], int | None], read: Callable[[str], bytes], index: str
) -> bool:
    try:
        shards = set(json.loads(read(index))["weight_map"].values())
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return False  # half written
    # Of its own folder alone, whatever else an index names.
    return bool(shards) and all(size(PurePosixPath(str(shard)).name) for shard in shards)
