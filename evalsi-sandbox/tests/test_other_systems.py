"""Off Linux: everything can be imported and asked, and every rung says what is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

# The standard library is imported before the disguise, which is about our own modules alone.
DISGUISED = """
import asyncio, concurrent.futures, ctypes, fcntl, importlib, inspect, json, multiprocessing, os
import pathlib, pkgutil, resource, select, signal, socket, subprocess, sys, tempfile, threading
import evalsi.core.engine, evalsi.core.plugins
for module, prefixes in {
    os: ("memfd_", "MFD_", "pidfd_", "sched_getaffinity", "O_PATH", "eventfd", "EFD_", "splice"),
    fcntl: ("F_SEAL_", "F_ADD_SEALS", "F_GET_SEALS", "F_SETPIPE_SZ"),
    socket: ("AF_NETLINK", "AF_VSOCK", "AF_PACKET", "SOCK_CLOEXEC", "SOCK_NONBLOCK"),
    signal: ("pidfd_",),
    select: ("epoll", "EPOLL"),
}.items():
    for name in [name for name in dir(module) if name.startswith(prefixes)]:
        delattr(module, name)
sys.platform = "darwin"

import evalsi_sandbox
guests = ("guest", "zygote", "process_guest", "canary_guest")
for found in pkgutil.walk_packages(evalsi_sandbox.__path__, "evalsi_sandbox."):
    if found.name.rpartition(".")[2] not in guests:
        importlib.import_module(found.name)

from evalsi.core.engine import current_engine
told = {}
for name in ("process", "confined", "namespaced", "gvisor"):
    _, verdict = current_engine().ladder.probe(name)
    told[name] = {field: getattr(verdict, field, None) for field in ("detail", "reason", "mend")}
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told() -> Any:
    asked = subprocess.run([sys.executable, "-c", DISGUISED], capture_output=True, check=False)
    assert asked.returncode == 0, asked.stderr.decode()
    return json.loads(asked.stdout)


@pytest.mark.parametrize("name", ["process", "confined", "namespaced", "gvisor"])
def test_a_rung_says_that_it_needs_linux(told: Any, name: str) -> None:
    verdict = told[name]

    assert verdict["detail"] is None
    assert "this is darwin" in verdict["reason"]
    assert "Linux" in verdict["mend"]
