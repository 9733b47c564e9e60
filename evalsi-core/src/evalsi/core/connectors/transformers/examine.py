"""What a target leaves open, decided before the first request: which weights, where, and how."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from evalsi.core.connectors.transformers.folder import folder_digest
from evalsi.core.connectors.transformers.told import in_a_line
from evalsi.core.errors import SpecError

__all__ = ["examined", "place_of"]

_DTYPES: Final = ("float32", "bfloat16", "float16")


def examined(model: str, revision: str | None, device: str, dtype: str) -> dict[str, str]:
    """Revision, device and dtype of a model as they will be, and `backend`: the libraries.

    Raises:
        SpecError: a library is missing, or there is no such model, revision or device.
    """
    torch, transformers = _libraries()
    config = _config(transformers, model, revision)
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(1, device=device)
    except (AssertionError, RuntimeError) as error:
        raise SpecError(f"`device: {device}` cannot be used: {in_a_line(error)}") from error
    return {
        "revision": _digest(model, revision) if Path(model).is_dir() else _commit(model, revision),
        "device": device,
        "dtype": _saved_dtype(config) if dtype == "auto" else dtype,
        "backend": f"transformers {transformers.__version__}, torch {torch.__version__}",
    }


def place_of(model: str, revision: str | None) -> dict[str, Any]:
    """How the library is told where a model is; code that comes with a model is never run."""
    named = revision is not None and not Path(model).is_dir()
    return {"trust_remote_code": False, **({"revision": revision} if named else {})}


def _libraries() -> tuple[Any, Any]:
    try:
        import torch
        import transformers
    except ImportError as error:
        raise SpecError(
            "a model in this process needs torch and transformers: "
            f"pip install 'evalsi-core[transformers]' ({in_a_line(error)})"
        ) from error
    return torch, transformers


def _config(transformers: Any, model: str, revision: str | None) -> Any:
    try:
        return transformers.AutoConfig.from_pretrained(model, **place_of(model, revision))
    except Exception as error:
        raise SpecError(
            f"`model: {model}` is no folder beside the spec, and no model of the hub, that "
            f"transformers can load: {in_a_line(error)}"
        ) from error


def _saved_dtype(config: Any) -> str:
    saved = str(config.get_text_config().dtype or "float32").removeprefix("torch.")
    if saved not in _DTYPES:
        raise SpecError(
            f"the weights were saved as {saved}; set `dtype` to one of {', '.join(_DTYPES)}"
        )
    return saved


def _commit(model: str, revision: str | None) -> str:
    """The commit that a branch or tag stands for: the folder in the hub's cache is named by it."""
    from transformers.utils import cached_file

    return Path(cached_file(model, "config.json", revision=revision)).parent.name


def _digest(model: str, revision: str | None) -> str:
    try:
        digest = folder_digest(Path(model))
    except OSError as error:
        raise SpecError(f"`model: {model}` cannot be read: {error}") from error
    if revision not in (None, digest):
        raise SpecError(f"`model: {model}` is {digest}, and not the `revision` {revision}")
    return digest
