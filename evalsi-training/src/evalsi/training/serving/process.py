"""A server process of ours: on a free port, ready when it answers, gone with its owner."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from evalsi.training.serving.asking import answers_as, without
from evalsi.training.serving.contract import Served, ServingError
from evalsi.training.serving.ports import leased_port
from evalsi.training.serving.words import telling

__all__ = ["ServerProcess"]

_GUARD: Final = Path(__file__).with_name("guard.py")
_LOOK_S: Final = 0.2
_STILL_S: Final = 60.0
_READ: Final = 256 * 1024


class ServerProcess:
    """A command that serves on loopback, under a guard that ends it with its owner.

    Args:
        name: what errors call it.
        command: what serves; it is given `--host` and `--port`.
        env: changes to the environment.
        key: what it wants to be asked with, or "".

    Attributes:
        base_url: of its API.

    Raises:
        ServingError: it cannot be started here.
    """

    def __init__(
        self, name: str, command: Sequence[str], env: Mapping[str, str], *, key: str = ""
    ) -> None:
        self._name = name
        self._key = key
        if sys.platform != "linux":
            raise ServingError(
                f"{name} is started on Linux alone; serve it yourself as an endpoint"
            )
        # Without a name in a folder: nothing is left of it when the owner is killed.
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as it runs
        fcntl.fcntl(self._log, fcntl.F_SETFL, os.O_APPEND)
        try:
            port, self._process = _started(command, env, self._log)
        except OSError as error:
            self._log.close()
            raise ServingError(f"{self._name} cannot be started: {error}") from error
        self.base_url = f"http://127.0.0.1:{port}/v1"
        self._stop = weakref.finalize(self, _stop, self._process, self._log, os.getpid())

    @property
    def running(self) -> bool:
        """Whether it has not ended; False in a fork of its owner."""
        return self._stop.alive and self._process.poll() is None

    @contextlib.contextmanager
    def serving(self, model: str, ready_s: float) -> Iterator[Served]:
        """A block in which it answers as a model, from the first request to the last.

        Args:
            model: the name by which it is asked.
            ready_s: seconds that it may take until it answers.

        Raises:
            ServingError: it ended, hangs, or answers with an error; with its own last words.
        """
        self._await_answer(model, ready_s, "before it was ready")
        try:
            yield Served(self.base_url, model)
        except Exception:
            self._await_answer(model, _STILL_S, "during the evaluation")  # else that is why
            raise
        self._await_answer(model, _STILL_S, "during the evaluation")

    def forget(self) -> None:
        """Drops what it has said so far: errors are to tell of the next checkpoint alone."""
        os.ftruncate(self._log.fileno(), 0)

    def stop(self) -> None:
        """Ends it with everything that it started; safe to call twice."""
        self._stop()

    def _await_answer(self, model: str, within_s: float, when: str) -> None:
        deadline = time.monotonic() + within_s
        while True:
            left = max(deadline - time.monotonic(), _LOOK_S)
            try:
                answers = answers_as(self.base_url, model, left, key=self._key)
            except ServingError as error:
                time.sleep(_LOOK_S)  # why it answers so, it logs behind the answer
                if not self.running:
                    raise self._ended(when) from error
                raise self._error(str(error)) from error
            if not self.running:  # if somebody answered, it was another one on its port
                raise self._ended(when)
            if answers:
                return
            if time.monotonic() > deadline:
                raise self._error(f"gave no completion within {within_s:g} s")
            time.sleep(_LOOK_S)

    def _ended(self, when: str) -> ServingError:
        status = self._process.returncode
        number = status - 128 if status > 0 else -status  # of the server, or of its guard
        how = f"signal {number}" if 0 < number <= 64 else f"status {status}"
        return self._error(f"ended by {how} {when}")

    def _error(self, what: str) -> ServingError:
        said = telling(without(self._key, self._last_said()))
        return ServingError(f"{self._name} {what}{f': {said}' if said else ''}")

    def _last_said(self) -> str:
        log = self._log.fileno()
        begin = max(0, os.fstat(log).st_size - _READ)
        return os.pread(log, _READ, begin).decode(errors="replace")


def _started(
    command: Sequence[str], env: Mapping[str, str], log: IO[bytes]
) -> tuple[int, subprocess.Popen[bytes]]:
    with contextlib.ExitStack() as held:
        port, lease = leased_port()
        held.callback(lease.close)  # the guard keeps it on
        owner = os.pidfd_open(os.getpid())
        held.callback(os.close, owner)
        words = [*command, "--host", "127.0.0.1", "--port", str(port)]
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_GUARD), str(owner), *words],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **env},
            pass_fds=[owner, lease.fileno()],
            start_new_session=True,
        )
        return port, process


def _stop(process: subprocess.Popen[bytes], log: IO[bytes], owner: int) -> None:
    """What ends a server: at `stop`, when nothing refers to it, and at the end of its owner."""
    if os.getpid() == owner:  # and not in a fork of it
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait()
    log.close()
