"""The last tier: pairs that nothing cheaper decides go to a computer algebra system, in workers.

sympy gets objects that are built from our own tree, never a text. math-verify, which has a parser
of its own, gets the texts. Both run in worker processes with a memory cap, and are killed at their
deadline from outside: no text can hang or crash the process that asks.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from evalsi.core.workers import Faulted, OutOfMemory, Reply, TimedOut
from evalsi_pack_rl.math_equiv.symbolic_wire import encoded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalsi.core.results import JSON, Failure
    from evalsi.core.workers import WorkerAnswer, Workers
    from evalsi_pack_rl.math_equiv.syntax.tree import Node

__all__ = ["MathVerify", "Symbolic", "SymbolicAnswer", "backend_name", "missing"]

_DEADLINE_S: Final = 2.0
_MEMORY_MB: Final = 1024
_WORKER: Final = "evalsi_pack_rl.math_equiv.symbolic_worker"
_LIBRARY: Final = {"auto": "sympy", "sympy": "sympy", "math-verify": "math-verify"}
_EXTRA: Final = {"sympy": "math", "math-verify": "math-verify"}

Decision: TypeAlias = Literal["yes", "no", "undecided"]


class SymbolicAnswer(NamedTuple):
    """What a backend found out about a pair.

    Attributes:
        decision: `undecided` scores 0, like `no`.
        reason: `equal-symbolic`, `different-symbolic`, `undecided`, `unsupported`, `too-large`,
            `backend-error-…` (the library stumbled: its exception), `timeout` or `out-of-memory`.
        stable: False for `timeout` and `out-of-memory`, which may be otherwise elsewhere.
    """

    decision: Decision
    reason: str
    stable: bool = True


class Symbolic:
    """sympy, for pairs of trees. Safe from many threads; the same pair gives the same decision.

    Args:
        workers: the evaluator's tool.
        deadline_s: seconds a pair, kept by a kill.
        memory_mb: MiB of writable memory a pair, sympy's own 80 included.
    """

    def __init__(
        self, workers: Workers, deadline_s: float = _DEADLINE_S, memory_mb: int = _MEMORY_MB
    ) -> None:
        self._asked = _Asked(workers, "sympy", deadline_s, memory_mb)

    def equal(self, pairs: Sequence[tuple[Node, Node]]) -> list[SymbolicAnswer | Failure]:
        """Whether the two of each pair are equal, in order; a failure is a worker's fault."""
        return self._asked.about([[encoded(one), encoded(other)] for one, other in pairs])


class MathVerify:
    """math-verify, for pairs of texts: the reference and the answer, without box and dollars.

    Its own timeouts, which are signals, are off. Not symmetric: math-verify is not.

    Args:
        workers: the evaluator's tool.
        deadline_s: seconds a pair, kept by a kill.
        memory_mb: MiB of writable memory a pair.
    """

    def __init__(
        self, workers: Workers, deadline_s: float = _DEADLINE_S, memory_mb: int = _MEMORY_MB
    ) -> None:
        self._asked = _Asked(workers, "math_verify", deadline_s, memory_mb)

    def equal(self, pairs: Sequence[tuple[str, str]]) -> list[SymbolicAnswer | Failure]:
        """Whether the answer of each pair is its reference, in order; as `Symbolic.equal`."""
        return self._asked.about([list(pair) for pair in pairs])


class _Asked:
    def __init__(self, workers: Workers, backend: str, deadline_s: float, memory_mb: int) -> None:
        self._workers = workers
        self._backend = backend
        self._deadline_s = deadline_s
        self._memory_mb = memory_mb

    def about(self, payloads: Sequence[JSON]) -> list[SymbolicAnswer | Failure]:
        answers = self._workers.map(
            f"{_WORKER}:equal_by_{self._backend}",
            payloads,
            deadline_s=self._deadline_s,
            memory_mb=self._memory_mb,
            warm_up=f"{_WORKER}:warm_up_{self._backend}",
        )
        return [_understood(answer) for answer in answers]


def _understood(answer: WorkerAnswer) -> SymbolicAnswer | Failure:
    match answer:
        case Reply(["yes" | "no" | "undecided" as decision, str(reason)]):
            return SymbolicAnswer(decision, reason)
        case TimedOut():
            return SymbolicAnswer("undecided", "timeout", stable=False)
        case OutOfMemory():
            return SymbolicAnswer("undecided", "out-of-memory", stable=False)
        case Faulted(failure):
            return failure
    raise TypeError(f"a worker answered {answer!r}")


def backend_name(backend: str) -> str:
    """What decides, with its version: "sympy 1.14.0", "math-verify 0.9.0, sympy 1.14.0".

    Empty for `plain`, and for a library that is not installed.
    """
    library = _LIBRARY.get(backend, "")
    if not library or not _installed(library):
        return ""
    return ", ".join(f"{name} {_installed(name)}" for name in dict.fromkeys((library, "sympy")))


def missing(backend: str) -> str:
    """What to install for a backend, as a sentence; empty when it is there or needs nothing."""
    library = _LIBRARY.get(backend, "")
    if not library or _installed(library):
        return ""
    return f"{library} is not installed: pip install 'evalsi-pack-rl[{_EXTRA[library]}]'"


@cache
def _installed(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""
