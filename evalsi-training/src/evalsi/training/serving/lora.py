"""Loads each checkpoint as an adapter into a vLLM that runs, and unloads it afterwards.

Start that vLLM with `--enable-lora` and `VLLM_ALLOW_RUNTIME_LORA_UPDATING=True`. One server of
the base model serves every step, and the base itself.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from evalsi.core.chat.client import key_of
from evalsi.core.errors import ServerError
from evalsi.training.serving.asking import answers_as, get, post
from evalsi.training.serving.contract import Served, ServingError
from evalsi.training.serving.models import is_adapter, model_at

__all__ = ["LoRA"]

_LOG: Final = logging.getLogger(__name__)
_OFF: Final = "start vLLM with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True"
_KEY: Final = "; api_key_env (--api-key-env) names the variable with its key"
_UNKNOWN: Final = frozenset({401, 403})


class LoRA:
    """Adapters hot-loaded into one server.

    Args:
        base_url: of the server's OpenAI-compatible API, as `http://localhost:8000/v1`.
        api_key_env: the environment variable that holds the server's key.
    """

    def __init__(self, base_url: str, *, api_key_env: str | None = None) -> None:
        self._base_url = base_url.rstrip("/")
        self._api_key_env = api_key_env

    @contextlib.contextmanager
    def serve(self, checkpoint: str, name: str) -> Iterator[Served]:
        """Serves an adapter under a name of its own; any other model is the unadapted server's."""
        # A name that is no path here may be a folder of the server's machine.
        path = model_at(checkpoint) if Path(checkpoint).exists() else checkpoint
        if not is_adapter(checkpoint):
            yield self._served(self._unadapted(checkpoint, path))
            return
        self._sweep(name, path)
        # vLLM keeps answers by an adapter's name: one that was used before must not come again.
        unique = f"{name}-{os.urandom(4).hex()}"
        self._load(unique, path)
        try:
            self._verify(unique, path)
            yield self._served(unique)
            self._verify(unique, path)  # a server that was started anew meanwhile has lost it
        finally:
            self._unload(unique)

    def _served(self, model: str) -> Served:
        return Served(self._base_url, model, self._api_key_env)

    def _load(self, name: str, path: str) -> None:
        status, text = self._post("load_lora_adapter", {"lora_name": name, "lora_path": path})
        if status == 200:
            return
        why = f"{self._base_url} did not load {path}: {status} {' '.join(text.split())[:500]}"
        if status in _UNKNOWN:
            why += _KEY
        elif status == 404 and "NotFoundError" in text:
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
            answers = answers_as(self._base_url, name, key=key_of(self._api_key_env))
        except ServingError as error:
            raise ServingError(f"{self._base_url} {error}") from error
        if not answers:
            raise ServingError(f"{self._base_url} gives no completion of {name}")

    def _sweep(self, name: str, path: str) -> None:
        """Unloads what was left of this adapter when whoever evaluated it was killed."""
        left = re.compile(rf"{re.escape(name)}-[0-9a-f]{{8}}")
        for model in self._models():
            if left.fullmatch(model["id"]) and model.get("root") == path:
                self._unload(model["id"])

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
            key = key_of(self._api_key_env)
            models: list[dict[str, str]] = get(f"{self._base_url}/models", key=key)["data"]
        except (ServerError, KeyError, TypeError, ValueError) as error:
            mend = _KEY if getattr(error, "status", None) in _UNKNOWN else ""
            why = f"{self._base_url} does not tell its models: {error}{mend}"
            raise ServingError(why) from error
        return models

    def _post(self, route: str, body: dict[str, str]) -> tuple[int, str]:
        try:
            return post(f"{self._base_url}/{route}", body, key=key_of(self._api_key_env))
        except ServerError as error:
            raise ServingError(str(error)) from error
