"""Tests that need the program's own interpreter, where the params allow it: weak evidence."""

from __future__ import annotations

import contextlib
import marshal
import secrets
import socket
from typing import TYPE_CHECKING

from evalsi_pack_rl.code_exec.asserts import bundle
from evalsi_pack_rl.code_exec.verdict import CaseResult, verdict

if TYPE_CHECKING:
    from evalsi.core.sandbox import Limits, Loaded, PythonFork
    from evalsi_pack_rl.code_exec.asserts.reading import Reading
    from evalsi_pack_rl.code_exec.cases import AssertCase

__all__ = ["Shared"]


class Shared:
    """Program and test in one interpreter, loaded at the first test that asks for it."""

    def __init__(self, fork: PythonFork, limits: Limits, setup: str) -> None:
        self._fork = fork
        self._limits = limits
        self._setup = setup
        self._loaded: Loaded | None = None

    def __enter__(self) -> Shared:
        return self

    def __exit__(self, *_: object) -> None:
        if self._loaded is not None:
            self._loaded.close()

    def result(self, program: str, case: AssertCase, reading: Reading) -> CaseResult:
        """The result of a case; its nonce was read before the program ran."""
        if self._loaded is None:
            self._loaded = self._fork.load(bundle.program("shared"))
        nonce = secrets.token_bytes(32)
        told = {
            "nonce": nonce.hex(),
            "setup": self._setup,
            "imports": "\n".join(reading.before),
            "program": program,
            "prelude": case.prelude,
            "test": case.test,
            "suites": list(reading.suites),
            "scripted": reading.scripted,
            "collected": list(reading.collected) if case.style == "script" else None,
        }
        ours, theirs = socket.socketpair()
        with ours, theirs:
            outcome = self._loaded.case(marshal.dumps(told), self._limits, wire=theirs)
            heard = _heard(ours, len(nonce))
        test = case.test.encode("utf-8", "surrogatepass")
        return CaseResult(
            verdict(outcome, right=heard == nonce),
            outcome,
            test,
            integrity="weak",
            note=f"test and program shared an interpreter: {reading.together}",
        )


def _heard(ours: socket.socket, size: int) -> bytes:
    """What came over the wire; one byte more than a nonce is enough to tell."""
    ours.setblocking(False)
    heard = b""
    with contextlib.suppress(BlockingIOError, ConnectionResetError):
        while len(heard) <= size and (part := ours.recv(size + 1)):
            heard += part
    return heard
