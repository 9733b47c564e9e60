"""Loads each checkpoint as an adapter into a vLLM that runs, and unloads it afterwards.

Start that vLLM with `--enable-lora` and `VLLM_ALLOW_RUNTIME_LORA_UPDATING=True`. One server of
the base model serves every step, and the base itself.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from evalsi.core.errors import ServerError
from evalsi.training.serving.asking import answers_as, get, post
from evalsi.training.serving.contract import Served, ServingError
from evalsi.training.serving.models import is_adapter, model_at

__all__ = ["LoRA"]

_LOG: Final = logging.getLogger(__name__)
_OFF: Final = "start vLLM with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True"


class LoRA:
    """Adapters hot-loaded into one server.

    Args:
        base_url: of the server's OpenAI-compatible API, as `http://localhost:8000/v1`.
    """

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url.rstrip("/")

    @contextlib.contextmanager
    def serve(self, checkpoint: str, name: str) -> Iterator[Served]:
        """Serves an adapter under a name of its own; any other model is the unadapted server's."""
        # A name that is no path here may be a folder of the server's machine.
        path = model_at(checkpoint) if Path(checkpoint).exists() else checkpoint
        if not is_adapter(checkpoint):
            yield Served(self._base_url, self._unadapted(checkpoint, path))
            return
        # vLLM keeps answers by an adapter's name: one that was used before must not come again.
        unique = f"{name}-{os.urandom(4).hex()}"
        self._load(unique, path)
        try:
            self._verify(unique, path)
            yield Served(self._base_url, unique)
            self._verify(unique, path)  # a server that was started anew meanwhile has lost it
        finally:
            self._unload(unique)

    def _load(self, name: str, path: str) -> None:
        status, text = self._post("load_lora_adapter", {"lora_name": name, "lora_path": path})
        if status == 200:
            return
        why = f"{self._base_url} did not load {path}: {status} {' '.join(text.split())[:500]}"
        if status == 404 and "NotFoundError" in text:
            why += "; the server must see the checkpoint's folder under the same path"
        elif status == 404:
            why = f"{self._base_url} loads no adapters; {_OFF}"
        elif "max_lora_rank" in text:
            why += "; start vLLM with a larger --max-lora-rank"
        raise ServingError(why)

    def _verify(self, name: str, path: str) -> None:
        """A load that was answered by 200 is not yet an adapter that answers."""
        roots = {model["id"]: model.get("root") for model in self._models()}
        if roots.get(name) != path:
            raise ServingError(f"{self._base_url} does not list {path} as {name}")
        try:
            answers = answers_as(self._base_url, name)
        except ServingError as error:
            raise ServingError(f"{self._base_url} {error}") from error
        if not answers:
            raise ServingError(f"{self._base_url} gives no completion of {name}")

    def _unload(self, name: str) -> None:
        """An adapter that stays takes room, and is asked by nobody: its name never comes again."""
        try:
            status, text = self._post("unload_lora_adapter", {"lora_name": name})
        except ServingError as error:
            _LOG.warning("the adapter %s was not unloaded: %s", name, error)
            return
        if status != 200:
            _LOG.warning("the adapter %s was not unloaded: %s %s", name, status, text[:500])

    def _unadapted(self, checkpoint: str, path: str) -> str:
        """The server's own model, by its name or by the folder that it was started with."""
        models = self._models()
        for model in models:
            own = not model.get("parent")
            if own and (model["id"] == checkpoint or model.get("root") in (checkpoint, path)):
                return model["id"]
        known = ", ".join(model["id"] for model in models)
        raise ServingError(
            f"{self._base_url} does not serve {checkpoint}, which is no adapter; it has {known}"
        )

    def _models(self) -> list[dict[str, str]]:
        try:
            models: list[dict[str, str]] = get(f"{self._base_url}/models")["data"]
        except (ServerError, KeyError, TypeError, ValueError) as error:
            raise ServingError(f"{self._base_url} does not tell its models: {error}") from error
        return models

    def _post(self, route: str, body: dict[str, str]) -> tuple[int, str]:
        try:
            return post(f"{self._base_url}/{route}", body)
        except ServerError as error:
            raise ServingError(str(error)) from error
