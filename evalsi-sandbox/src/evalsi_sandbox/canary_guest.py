"""Runs in a jail: tries to get at things, and prints what it got at. Standard library only."""

# ruff: noqa: PTH108, PTH123, PTH208, T201
from __future__ import annotations

import json
import os
import socket
import sys
from typing import Any


def reaches_network(prey: dict[str, Any]) -> bool:
    """Connects to a server that listens outside."""
    try:
        socket.create_connection(("127.0.0.1", prey["port"]), timeout=2).close()
    except OSError:
        return False
    return True


def reads_file(prey: dict[str, Any]) -> bool:
    """Reads a file that only the opener may read."""
    try:
        with open(prey["file"]) as file:
            return bool(file.read() == prey["text"])
    except OSError:
        return False


def writes_system(_: dict[str, Any]) -> bool:
    """Makes a file where nobody may."""
    return any(map(makes_file, ("/", "/usr", "/dev", "/box")))


def makes_file(folder: str) -> bool:
    """Whether a file could be made in a folder; it is removed again."""
    path = f"{folder}/evalsi-canary"
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        os.unlink(path)
    except OSError:
        return False
    return True


def sees_processes(prey: dict[str, Any]) -> bool:
    """Finds more processes than a jail holds."""
    try:
        seen = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return False
    return bool(len(seen) > prey["processes"] + 2)


def exceeds_cap(prey: dict[str, Any]) -> bool:
    """Forks past the cap; the children wait for the end of a pipe and leave."""
    wanted = prey["processes"] + 1
    reading, writing = os.pipe()
    made = 0
    try:
        while made < wanted:
            if os.fork() == 0:
                os.close(writing)
                os.read(reading, 1)
                os._exit(0)
            made += 1
    except OSError:
        pass
    os.close(writing)
    for _ in range(made):
        os.wait()
    return bool(made == wanted)


ATTEMPTS = {
    "the network": reaches_network,
    "a private file of its opener": reads_file,
    "the system for writing": writes_system,
    "the host's processes": sees_processes,
    "more processes than its cap": exceeds_cap,
}

if __name__ == "__main__":
    given = json.load(sys.stdin)
    print(json.dumps([name for name, attempt in ATTEMPTS.items() if attempt(given)]))
