"""Runs calls of a program's function in the sandbox; judges what they returned from outside."""

from __future__ import annotations

import contextlib
import importlib.resources
import json
import socket
import threading
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import Program
from evalsi_pack_rl.code_exec.call_values import received, same_value, sendable
from evalsi_pack_rl.code_exec.params import JAIL
from evalsi_pack_rl.code_exec.verdict import CaseResult, verdict

if TYPE_CHECKING:
    from evalsi.core.sandbox import Limits, Loaded, Outcome
    from evalsi_pack_rl.code_exec.cases import CallCase

__all__ = ["call_program", "called"]

_READY: Final = b"\n"
_SPARE_BYTES: Final = 65536
_LONGER: Final = 32  # times what is expected: an answer that is longer yet cannot be equal


def call_program(setup: str, program: str) -> Program:
    """What runs one call: told on standard input, answered on descriptor 3."""
    guest = importlib.resources.files(__package__).joinpath("call_guest.py").read_text("utf-8")
    before = f"import call_guest\ncall_guest.prepare({setup!a}, {program!a})\n"
    main = "import random, call_guest\ncall_guest.call()\n"  # a fork draws anew from `random`
    return Program(main, JAIL, before, f"{guest}\n\noffer()\n")


def called(loaded: Loaded, case: CallCase, limits: Limits, tolerance: float | None) -> CaseResult:
    """The result of one call."""
    told = json.dumps({"name": case.name, "arguments": sendable(case.arguments)}).encode()
    with _Answer(limits.output_bytes) as answer:
        outcome = loaded.case(told, limits, wire=answer.wire)
        data = _begun(answer.whole(), outcome)
    expected = json.dumps(case.expected).encode()
    plausible = len(data) <= _SPARE_BYTES + _LONGER * len(expected)
    right = plausible and outcome.clean and _right(case, data, tolerance)
    given = verdict(outcome, right=right)
    if len(data) > limits.output_bytes:
        given = "output_limit"
    return CaseResult(given, outcome, expected, got=data)


def _begun(data: bytes, outcome: Outcome) -> bytes:
    """What came after the sign that the guest runs; nothing of the program has run before it.

    Raises:
        SandboxUnavailable: the guest itself failed, which says nothing about the program.
    """
    if data.startswith(_READY) or outcome.ended != "exited":
        return data[len(_READY) :]
    last = outcome.stderr.rstrip().rpartition(b"\n")[2]
    if last.startswith(b"MemoryError"):
        return b""
    raise SandboxUnavailable(
        f"the jail's Python does not run our guest: {last[:200].decode('utf-8', 'replace')}"
    )


def _right(case: CallCase, data: bytes, tolerance: float | None) -> bool:
    accepted = [case.expected]
    if case.wrapped and isinstance(case.expected, list | tuple):
        accepted += case.expected
    try:
        got = received(data)
        return any(same_value(got, expected, tolerance) for expected in accepted)
    except (ValueError, RecursionError):
        return False  # nothing came, or something that the guest did not write


class _Answer:
    """The wire of one call, read while the call runs: an answer may be larger than its buffer."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._ours, self.wire = socket.socketpair()
        self._data = bytearray()
        self._reader = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> _Answer:
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.whole()
        self._ours.close()

    def whole(self) -> bytes:
        """All that came, once the case has ended; what is in the buffer is still read."""
        self.wire.close()
        with contextlib.suppress(OSError):
            self._ours.shutdown(socket.SHUT_RD)
        self._reader.join()
        return bytes(self._data)

    def _read(self) -> None:
        with contextlib.suppress(ConnectionResetError):
            while len(self._data) <= self._most and (part := self._ours.recv(65536)):
                self._data += part
        with contextlib.suppress(OSError):
            self._ours.shutdown(socket.SHUT_RD)  # a program that writes on gets an error
