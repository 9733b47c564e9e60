"""What `reward-model` costs beside its model: a record's overhead, in batches and from threads.

The server is a process of its own that answers at once; the floor is the same bodies through the
standard library, one after the other.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from evalsi.core.reward import load_reward

TEXT = "The answer is 42. " * 55  # 1 kB
BATCH = 64
THREADS = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, fewer records")
    parser.add_argument("--serve", action="store_true", help="be the server")
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    count, rounds = (1_280, 1) if given.quick else (12_800, 5)
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        rows = [{"prompt": f"{n}", "completion": TEXT} for n in range(count)]
        try:
            told("floor: bodies of 64 records, http.client", floor, port, rows, rounds)
            told("reward-model, one caller, calls of 64", one_caller, port, rows, rounds)
            told("reward-model, 64 threads of single records", many_callers, port, rows, rounds)
        finally:
            server.kill()


def told(what: str, run: Callable[[int, Any], None], port: int, rows: Any, rounds: int) -> None:
    """Prints the median of microseconds a record, and those of CPU time without the server's."""
    run(port, rows[:BATCH])
    seconds = []
    spent = []
    for _ in range(rounds):
        begun, cpu = time.perf_counter(), time.process_time()
        run(port, rows)
        seconds.append(time.perf_counter() - begun)
        spent.append(time.process_time() - cpu)
    wall, own = (statistics.median(one) / len(rows) * 1e6 for one in (seconds, spent))
    print(f"{what:<50}{wall:>8.1f} us a record, {own:>6.1f} of them its own")


def floor(port: int, rows: list[dict[str, str]]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for at in range(0, len(rows), BATCH):
        prompts = [row["prompt"] for row in rows[at : at + BATCH]]
        texts = [f"{row['prompt']}{row['completion']}" for row in rows[at : at + BATCH]]
        labels = [None] * len(texts)
        body = json.dumps({"query": texts, "prompts": prompts, "labels": labels})
        connection.request("POST", "/get_reward", body)
        assert len(json.loads(connection.getresponse().read())["rewards"]) == len(texts)
    connection.close()


def one_caller(port: int, rows: list[dict[str, str]]) -> None:
    assert len(reward_of(port).score(rows)) == len(rows)


def many_callers(port: int, rows: list[dict[str, str]]) -> None:
    reward = reward_of(port)
    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(lambda row: reward.score([row])[0].total == 0.5, rows))


def reward_of(port: int) -> Any:
    params = {"url": f"http://127.0.0.1:{port}", "max_batch": BATCH, "wait_ms": 2}
    return load_reward({"components": [{"ref": "reward-model", "params": params}]})


class Instant(BaseHTTPRequestHandler):
    """Half a point for everyone."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self) -> None:
        """Answers."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = json.dumps({"rewards": [0.5] * len(body["query"])}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def serve() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Instant) as server:
        server.daemon_threads = True
        print(server.server_port, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
