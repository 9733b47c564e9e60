"""Frames between an owner and its workers: a length, then bytes; results as JSON, never pickled.

A worker runs a stranger's code on hostile text: what it sends back is plain data, its size is
bounded before it is read, and whatever breaks the form is an error of that evaluator.
"""

from __future__ import annotations

import json
import math
import select
import socket
import struct
import time
from typing import Any, Final

from evalsi.core.results import Errored, Failure, Result, Score, Skipped

__all__ = ["FrameLost", "HungUp", "decode", "encode", "receive", "send"]

_HEAD: Final = struct.Struct("!Q")
_MAX_FRAME: Final = 16 * 1024 * 1024
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "score": (float, dict, str, object, bool),
    "skipped": (str,),
    "errored": (str, str, str, bool),
}


class FrameLost(Exception):  # noqa: N818 - an event of the wire, not an error to report
    """The other side is gone, or sent what is no frame."""


class HungUp(FrameLost):
    """The other side let go: its process ends, or has ended."""


def send(wire: socket.socket, payload: bytes) -> None:
    """Sends one frame; raises `HungUp` when nobody reads."""
    try:
        wire.sendall(_HEAD.pack(len(payload)) + payload)
    except OSError as error:
        raise HungUp(str(error)) from error


def receive(
    wire: socket.socket, deadline: float | None = None, *, trusted: bool = False
) -> bytes | None:
    """One frame, or None when the monotonic clock reaches `deadline` first.

    A frame of a worker is at most 16 MiB; one of its owner, who is trusted, has the size that the
    records have.
    """
    head = _exactly(wire, _HEAD.size, deadline)
    if head is None:
        return None
    (size,) = _HEAD.unpack(head)
    if size > _MAX_FRAME and not trusted:
        raise FrameLost(f"a frame of {size} bytes")
    return _exactly(wire, size, deadline)


def _exactly(wire: socket.socket, size: int, deadline: float | None) -> bytes | None:
    data = bytearray()
    poll = select.poll()
    poll.register(wire, select.POLLIN)
    while len(data) < size:
        left = None if deadline is None else (deadline - time.monotonic()) * 1000
        if left is not None and (left <= 0 or not poll.poll(left)):
            return None
        try:
            part = wire.recv(size - len(data))
        except OSError as error:
            raise HungUp(str(error)) from error
        if not part:
            raise HungUp("the connection ended")
        data += part
    return bytes(data)


def encode(results: list[Result]) -> bytes:
    """Results as JSON; lone surrogates travel as escapes."""
    return json.dumps([_plain(result) for result in results]).encode()


def decode(payload: bytes) -> list[Result]:
    """Results from JSON; raises `FrameLost` when it is not the form that `encode` gives."""
    try:
        return [_result(*item) for item in json.loads(payload)]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise FrameLost(f"{type(error).__name__}: {error}") from error


def _plain(result: Result) -> tuple[object, ...]:
    if isinstance(result, Score):
        metrics = dict(result.metrics)
        return ("score", result.value, metrics, result.reason, result.evidence, result.stable)
    if isinstance(result, Skipped):
        return ("skipped", result.reason)
    why = result.failure
    return ("errored", why.kind, why.message, why.where, why.retryable)


def _result(kind: str, *fields: Any) -> Result:
    typed = _TYPES[kind]
    if len(fields) != len(typed) or not all(map(isinstance, fields, typed)):
        raise TypeError(f"a {kind} with fields of wrong types")
    if kind == "skipped":
        return Skipped(*fields)
    if kind == "errored":
        return Errored(Failure(*fields))
    if not all(map(math.isfinite, [fields[0], *fields[1].values()])):
        raise ValueError("a number that is not finite")
    return Score(*fields)
