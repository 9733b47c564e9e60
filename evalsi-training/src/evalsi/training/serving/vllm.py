"""Starts `vllm serve` for a full checkpoint, and stops it afterwards."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from evalsi.training.serving.contract import Served
from evalsi.training.serving.models import whole_model_at
from evalsi.training.serving.process import ServerProcess
from evalsi.training.serving.programs import program_at

__all__ = ["VLLM"]


class VLLM:
    """One vLLM a checkpoint.

    Args:
        args: further words for `vllm serve`, such as `--max-model-len`, `4096`.
        command: what is called, with the checkpoint as its next word.
        ready_s: seconds that it may take until it answers.
        env: changes to the environment.
    """

    def __init__(
        self,
        args: Sequence[str] = (),
        *,
        command: Sequence[str] = ("vllm", "serve"),
        ready_s: float = 900.0,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._args = list(args)
        self._command = list(command)
        self._ready_s = ready_s
        self._env = dict(env or {})

    @contextlib.contextmanager
    def serve(self, checkpoint: str, name: str) -> Iterator[Served]:
        """Serves it on a free port of loopback; ready when one real completion came."""
        model = whole_model_at(checkpoint)
        program = program_at(self._command[0], "vllm")
        # Else the checkpoint's own sampling defaults would apply where the spec says nothing.
        own = [model, "--served-model-name", name, "--generation-config", "vllm"]
        words = [program, *self._command[1:], *own, *self._args]
        process = ServerProcess("vLLM", words, self._env_for(model))
        try:
            with process.serving(name, self._ready_s) as served:
                yield served
        finally:
            process.stop()

    def _env_for(self, model: str) -> dict[str, str]:
        env = {"VLLM_NO_USAGE_STATS": "1", **self._env}
        if Path(model).exists() and "HF_HUB_OFFLINE" not in os.environ:
            env.setdefault("HF_HUB_OFFLINE", "1")  # else it asks the hub about a local folder
        return env
