"""`transformers serve` on loopback, for the length of a block."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

__all__ = ["ONE_THREAD", "Server", "serving"]

READY_S = 180.0
# So small a model gains nothing by more, and spinning threads slow each other down.
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
_OPTIONS = ("--host=127.0.0.1", "--device=cpu", "--log-level=info")


@dataclass(frozen=True, slots=True)
class Server:
    """A served model.

    Attributes:
        url: the base URL of its API.
        model: the one name that it takes.
        log: its log, with a line a request.
        process: the leader of its process group.
    """

    url: str
    model: str
    log: Path
    process: int = 0

    @property
    def asked(self) -> int:
        """The completions that it was asked for."""
        return self.log.read_text("utf-8").count("POST /v1/chat/completions")

    def kill(self) -> None:
        """Ends every process of it at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process, signal.SIGKILL)

    def ask(self, text: str) -> str:
        """One completion; raises `OSError` where nobody answers, or not with one."""
        messages = [{"role": "user", "content": text}]
        asked = {"model": self.model, "max_tokens": 4, "temperature": 0, "messages": messages}
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=30)
        with contextlib.closing(connection):
            headers = {"content-type": "application/json"}
            path = f"{parts.path}/chat/completions"
            connection.request("POST", path, json.dumps(asked), headers)
            answer = connection.getresponse()
            body = answer.read()
        if answer.status != 200:
            raise OSError(f"{answer.status} {body[:1000]!r}")
        said: str = json.loads(body)["choices"][0]["message"]["content"]
        return said


@contextlib.contextmanager
def serving(model: Path, log: Path) -> Iterator[Server]:
    """Serves a model's folder; whatever was started is killed behind the block."""
    port = _free_port()
    with log.open("wb") as file:
        process = subprocess.Popen(
            [_program(), "serve", str(model), f"--port={port}", *_OPTIONS],
            env={**os.environ, **ONE_THREAD},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    served = Server(f"http://127.0.0.1:{port}/v1", str(model), log, process.pid)
    try:
        _await(served, process)
        yield served
    finally:
        served.kill()
        process.wait(30)


def _program() -> str:
    return str(Path(sys.executable).with_name("transformers"))


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _await(served: Server, process: subprocess.Popen[bytes]) -> None:
    """Until a real completion works: servers of this kind call themselves healthy before that."""
    end = time.monotonic() + READY_S
    while True:
        try:
            said = served.ask("What is 3 + 4?")
        except (OSError, http.client.HTTPException) as error:
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(served.log.read_text("utf-8")[-4000:]) from error
            time.sleep(0.2)
        else:
            # A template that it cannot parse comes back whole, the prompt in front.
            assert "3 + 4" not in said, said
            return
