"""Python programs in one jail a case: the reference for every faster path."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from evalsi.core.sandbox.contract import Command, Jail, JailSpec, Limits, Outcome, Rung
from evalsi.core.sandbox.python import Loaded, Program

if TYPE_CHECKING:
    import socket

__all__ = ["OneShotFork", "encoded", "whole"]


class OneShotFork:
    """`PythonFork` by one jail a case: the reference that every faster path must agree with."""

    def __init__(self, rung: Rung, name: str = "") -> None:
        self._rung = rung
        self.rung = name or rung.name

    def load(self, program: Program) -> Loaded:
        """Keeps the program; every case opens a fresh jail."""
        return _OneShot(self._rung, program)


class _OneShot:
    def __init__(self, rung: Rung, program: Program) -> None:
        self._rung = rung
        self._program = program
        self._open: Jail | None = None
        self._killed = False
        self.enforced: Mapping[str, str] = {}

    def case(
        self,
        stdin: bytes,
        limits: Limits,
        *,
        wire: socket.socket | None = None,
        ahead: bytes | None = None,  # noqa: ARG002 - a fresh jail has no next case
    ) -> Outcome:
        jail = self._open = self._rung.open(self._spec)
        try:
            if self._killed:
                return Outcome("killed", 9)
            self.enforced = jail.enforced
            return jail.run(Command(("{python}", "/box/main.py"), stdin, wire), limits)
        finally:
            self._open = None
            jail.close()

    @functools.cached_property
    def _spec(self) -> JailSpec:
        """Written out at the first case: who has a faster path may never come here."""
        files = {**self._program.jail.files, "main.py": encoded(whole(self._program))}
        return replace(self._program.jail, files=files)

    def kill(self) -> None:
        self._killed = True
        jail = self._open
        if jail is not None:
            jail.kill()

    def close(self) -> None:
        self.kill()


def whole(program: Program) -> str:
    """One text that does what the three do; each has names of its own."""
    firsts = [(program.base, "base"), (program.before, "before")]
    lines = [
        f"exec(compile({text!a}, '/box/{name}.py', 'exec'), {{'__name__': {name!r}}})\n"
        for text, name in firsts
        if text
    ]
    if not lines:
        return program.source
    return f"{''.join(lines)}exec(compile({program.source!a}, '/box/main.py', 'exec'))\n"


def encoded(source: str) -> bytes:
    """Python text as a file that every interpreter reads back, lone surrogates included.

    UTF-8 has no lone surrogates; such a text is a program whose text is the `exec` of an escaped
    literal, so that the interpreter in the jail says what it thinks of it.
    """
    try:
        return source.encode()
    except UnicodeEncodeError:
        return f"exec(compile({source!a}, '/box/main.py', 'exec'))\n".encode()
