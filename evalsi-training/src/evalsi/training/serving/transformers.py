"""A light server for CPUs: `transformers serve`, which takes every full checkpoint in turn."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence

from evalsi.core.errors import ServerError
from evalsi.training.serving.asking import post
from evalsi.training.serving.contract import Served
from evalsi.training.serving.models import whole_model_at
from evalsi.training.serving.process import ServerProcess
from evalsi.training.serving.programs import program_at

__all__ = ["Transformers"]


class Transformers:
    """One server, kept warm from checkpoint to checkpoint, that serves one at a time.

    Args:
        args: further words for `transformers serve`, such as `--dtype`, `float32`.
        command: what is called before them.
        ready_s: seconds that a checkpoint may take until it answers.
    """

    def __init__(
        self,
        args: Sequence[str] = (),
        *,
        command: Sequence[str] = ("transformers", "serve"),
        ready_s: float = 300.0,
    ) -> None:
        self._args = list(args)
        self._command = list(command)
        self._ready_s = ready_s
        self._lock = threading.RLock()
        self._held: ServerProcess | None = None

    @contextlib.contextmanager
    def serve(self, checkpoint: str, name: str) -> Iterator[Served]:  # noqa: ARG002 - the contract
        """Serves a folder by its path."""
        model = whole_model_at(checkpoint)
        with self._lock, self._warm().serving(model, self._ready_s) as served:
            yield served

    def close(self) -> None:
        """Stops the server, as the end of the process does; the next checkpoint starts another."""
        with self._lock:
            if self._held is not None:
                self._held.stop()
                self._held = None

    def _warm(self) -> ServerProcess:
        """A server that holds no model: it would answer for a path with what was there before."""
        if self._held is not None and not (self._held.running and _emptied(self._held)):
            self.close()
        if self._held is None:
            self._held = self._started()
        else:
            self._held.forget()
        return self._held

    def _started(self) -> ServerProcess:
        program = program_at(self._command[0], "'transformers[serving]' torch")
        words = [program, *self._command[1:], "--device", "cpu", *self._args]
        return ServerProcess("transformers", words, {})


def _emptied(process: ServerProcess) -> bool:
    try:
        status, _ = post(f"{process.base_url.removesuffix('/v1')}/reset", {})
    except ServerError:
        return False
    return status == 200
