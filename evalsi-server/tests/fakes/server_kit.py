"""A reward server in a process of its own, and requests to it.

with Running(spec, "--token-env", "TOKEN", TOKEN="...") as server:
    answer = server.ask("2")
"""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple


class Answer(NamedTuple):
    status: int
    body: object
    headers: dict

    @property
    def error(self):
        return self.body["error"]


class Running:
    """The server; the block's end terminates it, unless it ended before."""

    def __init__(self, *words, port=0, **environment):
        specs = [option for word in words if word.endswith(".json") for option in ("--spec", word)]
        options = [word for word in words if not word.endswith(".json")]
        command = ("-m", "evalsi.core.cli", "rewards", "serve", "--port", str(port))
        self.process = subprocess.Popen(
            [sys.executable, *command, *specs, *options],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), **environment},
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines = []
        self._ready = threading.Event()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        self._ready.wait(60)
        listening = re.search(r"listening on http://\S+:(\d+)", self.log)
        if listening is None:
            self.__exit__()
            raise AssertionError(f"it did not start: {self.log}")
        self.port = int(listening[1])

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            if "listening on" in line:
                self._ready.set()
        self._ready.set()

    @property
    def log(self):
        return "".join(self.lines)

    def logged(self, text, seconds=10.0):
        """Whether a line with that text comes in time."""
        end = time.monotonic() + seconds
        while text not in self.log and time.monotonic() < end:
            time.sleep(0.02)
        return text in self.log

    def holds(self, rollouts, seconds=30.0):
        """Whether so many rollouts are in flight in time."""
        wanted = f"evalsi_reward_rollouts_in_flight {rollouts:.1f}"
        end = time.monotonic() + seconds
        while wanted not in self.get("/metrics").body.splitlines():
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def ask(self, *completions, path="/get_reward", headers=(), **fields):
        """As OpenRLHF asks."""
        return self.post(path, {"query": list(completions), **fields}, headers)

    def score(self, *completions, headers=(), **fields):
        """As `POST /v1alpha1/rewards:score`."""
        rollouts = [{"completion": completion} for completion in completions]
        return self.post("/v1alpha1/rewards:score", {"rollouts": rollouts, **fields}, headers)

    def post(self, path, data, headers=()):
        body = data if isinstance(data, bytes) else json.dumps(data)
        return self._request("POST", path, body, dict(headers))

    def get(self, path, headers=()):
        return self._request("GET", path, None, dict(headers))

    def _request(self, method, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        found = {name.lower(): value for name, value in answer.getheaders()}
        is_json = found["content-type"] == "application/json"
        return Answer(answer.status, json.loads(text) if is_json else text, found)

    def raw(self, request):
        """All that comes back until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(request)
            with connection.makefile("rb") as answer:
                return answer.read()

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def ended(self, seconds=30.0):
        """Its status, once it has ended by itself or by a signal."""
        status = self.process.wait(seconds)
        self._reading.join(10)
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.terminate()
            try:
                self.process.wait(30)
            finally:
                self.process.kill()
        self._reading.join(10)
        self.process.stderr.close()


def descendants(pid):
    """Every process below one, by walking /proc."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rsplit(")", 1)[1].split()[1])
    found, fresh = set(), {pid}
    while fresh:
        fresh = {child for child, parent in parents.items() if parent in fresh} - found
        found |= fresh
    return found


def gone(pids, seconds=10.0):
    """Whether all of them end in time."""
    end = time.monotonic() + seconds
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
