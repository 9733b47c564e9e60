"""Ports of loopback for servers that take a while until they listen."""

from __future__ import annotations

import errno
import socket

__all__ = ["leased_port"]


def leased_port() -> tuple[int, socket.socket]:
    """A port that nobody listens on, with a lease: no one else is given it while that is open.

    vLLM binds seconds after it is started, and with SO_REUSEPORT where it has several API servers:
    two such on one port would share its requests silently. The lease is a name in the abstract
    namespace, which ends with the processes that hold it.
    """
    while True:
        port = _unused()
        lease = socket.socket(socket.AF_UNIX)
        try:
            lease.bind(f"\0evalsi-serving-{port}")
        except OSError as error:
            lease.close()
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            return port, lease


def _unused() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
