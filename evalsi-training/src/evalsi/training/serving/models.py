"""What servers can load: folders with a model, or a hub's names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from evalsi.training.serving.contract import ServingError
from evalsi.training.serving.weights import refuse_nan

__all__ = ["is_adapter", "model_at", "whole_model_at"]

_STATES: Final = frozenset({".pt", ".pth", ".ckpt", ".bin", ".safetensors"})
_CONFIGS: Final = ("config.json", "adapter_config.json", "params.json")
_HUB_NAME: Final = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)


def model_at(checkpoint: str) -> str:
    """What a server is told: a folder's full path, or a hub's name as it is.

    Raises:
        ServingError: it is not there, holds state dictionaries, or weights that are NaN.
    """
    path = Path(checkpoint)
    if path.is_dir():
        _refuse_states(path)
        refuse_nan(path)
        return str(path.resolve())
    if path.suffix in _STATES:
        raise ServingError(_states(checkpoint))
    if not path.exists() and not _HUB_NAME.fullmatch(checkpoint):
        raise ServingError(f"{checkpoint} is not there, and is no name of a model")
    return str(path.resolve()) if path.exists() else checkpoint


def whole_model_at(checkpoint: str) -> str:
    """As `model_at`, for strategies that serve no adapters."""
    if is_adapter(checkpoint):
        raise ServingError(f"{checkpoint} is an adapter; --serve lora serves it, or merge it")
    return model_at(checkpoint)


def is_adapter(checkpoint: str) -> bool:
    """Whether a folder holds an adapter rather than a whole model."""
    return (Path(checkpoint) / "adapter_config.json").is_file()


def _refuse_states(folder: Path) -> None:
    if any((folder / name).exists() for name in _CONFIGS):
        return
    if backend := _verl_backend(folder):
        raise ServingError(_shards(folder, backend))
    states = sorted(path.name for path in folder.iterdir() if path.suffix in _STATES)
    if states:
        raise ServingError(_states(str(folder / states[0])))
    raise ServingError(f"{folder} holds no model: there is no {', no '.join(_CONFIGS)}")


def _states(what: str) -> str:
    return (
        f"{what} holds a state dictionary, which this strategy cannot serve; save a model's folder "
        f"(save_pretrained), or give a strategy that reads state dictionaries"
    )


def _verl_backend(folder: Path) -> str:
    """Which of verl's engines saved its shards here, as its merger calls it; "" for none."""
    if any(folder.glob("model_world_size_*_rank_*.pt")):
        return "fsdp"
    held = (folder / "dist_ckpt", folder / "model" / "dist_ckpt")
    return "megatron" if any(path.is_dir() for path in held) else ""


def _shards(folder: Path, backend: str) -> str:
    return (
        f"{folder} holds verl's shards and no whole model; have verl save that too "
        f"(actor_rollout_ref.actor.checkpoint.save_contents=[model,optimizer,extra,hf_model]), or "
        f"merge them: python -m verl.model_merger merge --backend {backend} --local_dir {folder} "
        f"--target_dir …"
    )
