"""Starts `vllm serve` for a full checkpoint, and stops it afterwards."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from evalsi.core.chat.client import key_of
from evalsi.core.errors import SpecError
from evalsi.training.serving.contract import Served
from evalsi.training.serving.models import whole_model_at
from evalsi.training.serving.process import ServerProcess
from evalsi.training.serving.programs import program_at

__all__ = ["VLLM"]

_KEY: Final = "VLLM_API_KEY"


class VLLM:
    """One vLLM a checkpoint.

    Args:
        args: further words for `vllm serve`, such as `--max-model-len`, `4096`.
        command: what is called, with the checkpoint as its next word.
        ready_s: seconds that it may take until it answers.
        env: changes to the environment.
        api_key_env: the environment variable with the key that the server is to want; by default
            it wants one where there is a `VLLM_API_KEY`, as every vLLM does.

    Raises:
        SpecError: a key itself is given, where every process of the machine could read it.
    """

    def __init__(
        self,
        args: Sequence[str] = (),
        *,
        command: Sequence[str] = ("vllm", "serve"),
        ready_s: float = 900.0,
        env: Mapping[str, str] | None = None,
        api_key_env: str | None = None,
    ) -> None:
        options = {word.partition("=")[0].replace("_", "-") for word in args}  # as vLLM reads them
        if "--api-key" in options or _KEY in (env or {}):
            raise SpecError(
                "give no key itself, which others could read; name the environment variable that "
                "holds it: api_key_env (--api-key-env)"
            )
        self._args = list(args)
        self._command = list(command)
        self._ready_s = ready_s
        self._env = dict(env or {})
        self._api_key_env = api_key_env

    @contextlib.contextmanager
    def serve(self, checkpoint: str, name: str) -> Iterator[Served]:
        """Serves it on a free port of loopback; ready when one real completion came."""
        model = whole_model_at(checkpoint)
        program = program_at(self._command[0], "vllm")
        # Else the checkpoint's own sampling defaults would apply where the spec says nothing.
        own = [model, "--served-model-name", name, "--generation-config", "vllm"]
        words = [program, *self._command[1:], *own, *self._args]
        key_env = self._api_key_env or (_KEY if os.environ.get(_KEY) else None)
        key = key_of(key_env)
        env = self._env_for(model) | ({_KEY: key} if key else {})
        process = ServerProcess("vLLM", words, env, key=key)
        try:
            with process.serving(name, self._ready_s) as served:
                yield replace(served, api_key_env=key_env)
        finally:
            process.stop()

    def _env_for(self, model: str) -> dict[str, str]:
        env = {"VLLM_NO_USAGE_STATS": "1", **self._env}
        if Path(model).exists() and "HF_HUB_OFFLINE" not in os.environ:
            env.setdefault("HF_HUB_OFFLINE", "1")  # else it asks the hub about a local folder
        return env
