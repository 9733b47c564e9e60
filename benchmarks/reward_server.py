"""The reward server under load: OpenRLHF's clients, each answer checked, and kills in between.

Every client does what OpenRLHF 0.11 does: a request a rollout, a new connection for each, five
tries a second apart, 180 s for a try. The server is killed with -9 and started again while they
ask. Afterwards each rollout is scored in this process; an answer that is lost or differs ends the
benchmark with status 1.

    python benchmarks/reward_server.py                       # 512 clients for 60 s, two kills
    python benchmarks/reward_server.py --seconds 4 --clients 64 --kills 1
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import itertools
import math
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp

from evalsi.core.reward import load_reward
from evalsi.core.reward.openrlhf import answer_of, rollout_of

EXAMPLES = Path(__file__).parents[1] / "examples" / "finetuning"
TRIES = 5
QUESTION = "What is {n} + {n}? Think first.\n"


class Asked(NamedTuple):
    """A request, and what came of it after how many tries and seconds; None: it was lost."""

    query: str
    prompt: str
    label: str
    answer: dict[str, Any] | None
    tries: int
    seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clients", type=int, default=512)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--spec", default=str(EXAMPLES / "math-reward.yaml"))
    given = parser.parse_args()
    print(
        f"{given.clients} clients, {given.seconds:g} s, {given.kills} kills, {os.cpu_count()} cores"
    )
    server = Supervised(given.spec)
    try:
        asked = asyncio.run(load(server, given.clients, given.seconds, given.kills))
    finally:
        server.end()
    told(asked, server)
    return checked(asked, given.spec)


class Supervised:
    """The server's process, started again on the same port after each kill."""

    def __init__(self, spec: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        serve = ("evalsi.core.cli", "rewards", "serve", "--spec", spec, "--port", str(self.port))
        self._command = [sys.executable, "-m", *serve]
        self.memory_mb: list[float] = []
        self.status = 0
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(self._command, stderr=subprocess.DEVNULL)

    def kill(self) -> None:
        """Ends it as a crash would, and starts it again."""
        self._process.kill()
        self._process.wait()
        self._start()

    def measure(self) -> None:
        """Notes its memory."""
        status = Path(f"/proc/{self._process.pid}/status").read_text("utf-8")
        resident = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")]
        self.memory_mb += [int(size) / 1024 for size in resident]

    def end(self) -> None:
        """Drains it."""
        self._process.send_signal(signal.SIGTERM)
        self.status = self._process.wait(60)


async def load(server: Supervised, clients: int, seconds: float, kills: int) -> list[Asked]:
    rows = rollouts()
    url = f"http://127.0.0.1:{server.port}/get_reward"
    while not await ready(server.port):
        await asyncio.sleep(0.05)
    until = time.monotonic() + seconds
    asking = [asyncio.create_task(client(url, rows, until)) for _ in range(clients)]
    killing = asyncio.create_task(kill_at(server, seconds, kills))
    while time.monotonic() < until:
        server.measure()
        await asyncio.sleep(0.5)
    await killing
    return [one for asked in await asyncio.gather(*asking) for one in asked]


async def ready(port: int) -> bool:
    try:
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"http://127.0.0.1:{port}/readyz") as response,
        ):
            return response.status == 200
    except aiohttp.ClientError:
        return False


async def kill_at(server: Supervised, seconds: float, kills: int) -> None:
    for _ in range(kills):
        await asyncio.sleep(seconds / (kills + 1))
        server.kill()


async def client(url: str, rows: Iterator[tuple[str, str, str]], until: float) -> list[Asked]:
    asked = []
    while time.monotonic() < until:
        query, prompt, label = next(rows)
        begun = time.monotonic()
        answer, tries = await post(url, {"query": [query], "prompts": [prompt], "labels": [label]})
        asked.append(Asked(query, prompt, label, answer, tries, time.monotonic() - begun))
    return asked


async def post(url: str, data: dict[str, list[str]]) -> tuple[dict[str, Any] | None, int]:
    """As `openrlhf/utils/agent.py` has it: a session a try, whatever went wrong."""
    timeout = aiohttp.ClientTimeout(total=180)
    for tries in range(1, TRIES + 1):
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.post(url, json=data) as response,
            ):
                response.raise_for_status()
                return await response.json(), tries
        except (aiohttp.ClientError, TimeoutError, OSError):
            await asyncio.sleep(1)
    return None, TRIES


def rollouts() -> Iterator[tuple[str, str, str]]:
    """Queries with prompt and label: right, wrong, badly laid out; a quarter seen before."""
    dice = random.Random(7)
    seen: collections.deque[tuple[str, str, str]] = collections.deque(maxlen=512)
    for number in itertools.count():
        if seen and dice.random() < 0.25:
            yield dice.choice(seen)
            continue
        n = dice.randrange(1000)
        said = 2 * n + dice.choice((0, 0, 1))
        thought = f"This is sum {number}. {'so ' * dice.randrange(300)}"
        text = dice.choice(
            (
                f"<think>{thought}</think><answer>{said}</answer>",
                f"<think>{thought}</think>\nIt is \\boxed{{{said}}}.",
                f"{thought} The answer is {said}.",
            )
        )
        prompt = QUESTION.format(n=n)
        row = (f"<s>{prompt}{text}</s>", prompt, str(2 * n))
        seen.append(row)
        yield row


def told(asked: list[Asked], server: Supervised) -> None:
    taken = sorted(one.seconds for one in asked)
    first = sorted(one.seconds for one in asked if one.tries == 1)
    print(f"{len(asked)} rollouts asked for, {sum(one.tries > 1 for one in asked)} of them again")
    print(
        f"seconds an answer: median {statistics.median(taken):.3f}, p99 {at(taken, 0.99):.3f}, "
        f"longest {taken[-1]:.3f}; p99 where one try was enough {at(first, 0.99):.3f}"
    )
    print(
        f"memory of the server: {server.memory_mb[0]:.0f} MB at first, "
        f"{max(server.memory_mb):.0f} MB at most, {server.memory_mb[-1]:.0f} MB at last"
    )
    print(f"it ended with {server.status} after SIGTERM")


def at(ordered: list[float], share: float) -> float:
    if not ordered:
        return math.nan
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def checked(asked: list[Asked], spec: str) -> int:
    """0 when no answer is lost or differs from what this process computes."""
    function = load_reward(spec)
    rows = [rollout_of(one.query, one.prompt, one.label) for one in asked]
    wrong = lost = 0
    for one, reward in zip(asked, function.iter_scores(rows), strict=True):
        right = answer_of(function.components, [reward], None)
        lost += one.answer is None
        # As text, since NaN, which stands for a skipped component, does not equal itself.
        wrong += one.answer is not None and repr(one.answer) != repr(right)
    print(f"{lost} lost, {wrong} wrong")
    return 1 if lost or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
