"""The reward server with real packs: the how-to's commands, load with a kill, and no jail left."""

from __future__ import annotations

import json
import re
import shlex
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from evalsi_server.command import serve

ROOT = Path(__file__).parents[1]
HOW_TO = (ROOT / "docs/how-to/serve-rewards.md").read_text("utf-8")
REFERENCE = (ROOT / "docs/reference/reward-server.md").read_text("utf-8")
CODE = "examples/finetuning/code-reward.yaml"
CURLS = re.findall(
    r"^```sh\n(curl .*?)\n```\n(?:\n```json\n(.*?)\n```)?", HOW_TO, re.MULTILINE | re.DOTALL
)


@contextmanager
def served(command: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A server started by a command of the documentation, on a port that is free."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [*shlex.split(command.removeprefix("evalsi ").replace("--port 5000", "")), "--port"]
    process = subprocess.Popen(
        [sys.executable, "-m", "evalsi.core.cli", *words, str(port)],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
    )
    try:
        await_port(port)
        yield process, port
    finally:
        process.terminate()
        process.wait(60)


def await_port(port: int) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.05)
        else:
            return


@pytest.fixture(scope="module")
def documented() -> Iterator[int]:
    [command] = re.findall(r"^evalsi rewards serve .*--port 5000$", HOW_TO, re.MULTILINE)
    with served(command) as (_, port):
        yield port


@pytest.mark.parametrize(("command", "shown"), CURLS, ids=["openrlhf", "rows", "ready"])
def test_a_curl_of_the_how_to_prints_what_it_shows(
    documented: int, command: str, shown: str
) -> None:
    words = shlex.split(command.replace(":5000/", f":{documented}/"))
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    if shown:
        assert done.stdout == shown
    else:
        assert [row["total"] for row in json.loads(done.stdout)["rewards"]] == [1.0]


def test_every_option_has_its_row() -> None:
    options = {word for param in serve.params for word in param.opts}
    rows = set(re.findall(r"`(--[a-z-]+)", REFERENCE.partition("## Routes")[0]))
    assert rows == options


def test_clients_of_a_server_that_is_killed_lose_no_answer_and_get_no_wrong_one() -> None:
    """The benchmark itself, short."""
    words = ["--clients", "32", "--seconds", "4", "--kills", "1"]
    done = subprocess.run(
        [sys.executable, "benchmarks/reward_server.py", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "0 lost, 0 wrong" in done.stdout
    assert "it ended with 0 after SIGTERM" in done.stdout


def test_kill_9_leaves_no_jail() -> None:
    program = "```python\nimport time\ntime.sleep(30)\n```"
    label = json.dumps({"tests": [{"input": "", "output": "x"}]})
    body = json.dumps({"query": [program], "labels": [label]}).encode()
    with served(f"evalsi rewards serve --spec {CODE}") as (process, port):
        request = Request(f"http://127.0.0.1:{port}/get_reward", body)
        threading.Thread(target=asked, args=(request,), daemon=True).start()
        below = jailed(process.pid)
        process.kill()
        end = time.monotonic() + 15
        while any(Path(f"/proc/{pid}").exists() for pid in below):
            assert time.monotonic() < end, "it left processes behind"
            time.sleep(0.05)


def asked(request: Request) -> None:
    with suppress(OSError):  # its server was killed
        urlopen(request, timeout=60).close()


def jailed(pid: int) -> set[int]:
    """Every process below the server, once one of them is a jail that runs."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        below = descendants(pid)
        if any("bwrap" in name or "nsjail" in name for name in map(name_of, below)):
            time.sleep(0.5)
            return descendants(pid)
        time.sleep(0.05)
    raise AssertionError("no jail was started")


def name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text("utf-8")
    except OSError:
        return ""


def descendants(pid: int) -> set[int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text("utf-8")
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found, fresh = set[int](), {pid}
    while fresh:
        fresh = {child for child, parent in parents.items() if parent in fresh} - found
        found |= fresh
    return found
