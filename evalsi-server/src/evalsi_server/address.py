"""Where the server listens. Light, since a server that starts again should be reached at once."""

from __future__ import annotations

import ipaddress
import socket
from typing import Final

import click

__all__ = ["is_loopback", "listening"]

_BACKLOG: Final = 4096


def listening(host: str, port: int, *, guarded: bool) -> socket.socket:
    """A socket that takes connections; they wait in its backlog until they are served.

    Args:
        host: a name or an address of this machine.
        port: 0: any that is free.
        guarded: whether requests need a token; without one only loopback will do.

    Raises:
        click.UsageError: the address is public, taken, or none of this machine's.
    """
    try:
        if not guarded and not is_loopback(host):
            raise click.UsageError(
                f"--host {host} is reached by other machines, and whoever reaches the server may "
                f"use it: put a token in the environment and name its variable by --token-env"
            )
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except socket.gaierror as error:
        raise click.UsageError(f"--host {host} is no address: {error.strerror}") from error
    except OSError as error:
        raise click.UsageError(
            f"--host {host} --port {port} cannot be listened on: {error.strerror}"
        ) from error
    bound.setblocking(False)
    return bound


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what is bound to `host`; `OSError` for an unknown name."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return all(ipaddress.ip_address(address[4][0]).is_loopback for address in found)
