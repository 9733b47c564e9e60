"""Python programs that are made ready once and run case after case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from evalsi.core.sandbox.contract import JailSpec, Limits, Outcome

if TYPE_CHECKING:
    import socket

__all__ = ["Loaded", "Program", "PythonFork"]


@dataclass(frozen=True, slots=True)
class Program:
    """Python text that runs as `__main__`, with an empty `sys.argv[1:]`.

    Attributes:
        source: the text.
        jail: what its jail holds beside.
        before: text that the caller vouches for, which runs before it in the same interpreter; a
            rung may run it once for all cases, so it must leave nothing that a fork cannot share.
        base: likewise, before that one and shared with other programs: a rung may run it once for
            all programs that name it. It finds no file of theirs, and holds no data of a case.
    """

    source: str
    jail: JailSpec = field(default_factory=JailSpec)
    before: str = ""
    base: str = ""


@runtime_checkable
class Loaded(Protocol):
    """A program that is ready to run its cases, each in a process of its own."""

    @property
    def enforced(self) -> Mapping[str, str]:
        """As `Jail.enforced`."""
        ...

    def case(
        self,
        stdin: bytes,
        limits: Limits,
        *,
        wire: socket.socket | None = None,
        ahead: bytes | None = None,
    ) -> Outcome:
        """Runs the program once.

        Args:
            stdin: what it finds on standard input.
            limits: what it may use.
            wire: its descriptor 3.
            ahead: standard input of the case that will be asked for next, if that is known, with
                these limits and no wire. A rung may begin it as soon as this case has ended. It
                changes no outcome, and a caller may ask for another case all the same.
        """
        ...

    def kill(self) -> None:
        """Ends a running case, from any thread."""
        ...

    def close(self) -> None:
        """Lets go of everything; safe to call twice."""
        ...


@runtime_checkable
class PythonFork(Protocol):
    """The ability to run many cases of one Python program, each isolated from the others."""

    @property
    def rung(self) -> str:
        """The rung's name and launcher, for `By`: "namespaced/bubblewrap"."""
        ...

    def load(self, program: Program) -> Loaded:
        """Makes a program ready; raises `SandboxUnavailable`."""
        ...
