"""Runs asserts on a program: the tests in one jail, the program in another, a wire between them.

A case passes when the tester says so with the nonce of that case, which only the tester was told.
How the two processes end says why a case did not pass, and never that it did.
"""

from __future__ import annotations

import contextlib
import json
import marshal
import secrets
import socket
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from evalsi.core.errors import DataError
from evalsi.core.sandbox import Limits, Loaded, Outcome, PythonFork
from evalsi_pack_rl.code_exec.asserts import bundle
from evalsi_pack_rl.code_exec.asserts.reading import Reading, read
from evalsi_pack_rl.code_exec.asserts.shared import Shared
from evalsi_pack_rl.code_exec.verdict import CaseResult, Verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalsi_pack_rl.code_exec.cases import AssertCase
    from evalsi_pack_rl.code_exec.params import CodeExecTestsParams

__all__ = ["AssertRunner"]

_GRACE_S: Final = 0.3  # for a program to leave once its test is over
_SPARE_S: Final = 1.0  # so that the candidate's own limits speak before the tester's
_VERDICTS: Final[dict[str, Verdict]] = {"wrong": "wrong_answer", "missing": "runtime_error"}


@dataclass(frozen=True, slots=True)
class _Report:
    """What the tester said at its end."""

    verdict: str
    note: str


class AssertRunner:
    """Runs assert cases under the params' limits."""

    def __init__(self, fork: PythonFork, params: CodeExecTestsParams) -> None:
        self._fork = fork
        self._params = params
        self._limits = params.limits()

    def results(self, program: str, cases: Sequence[AssertCase]) -> Iterator[CaseResult]:
        """The result of each case; nothing runs before it is asked for.

        Raises:
            DataError: a test needs the program's own interpreter, and the params do not allow it.
        """
        readings = [self._reading(case) for case in cases]
        with contextlib.ExitStack() as stack:
            pair = stack.enter_context(_Pair(self._fork, program))
            shared = stack.enter_context(Shared(self._fork, self._limits, self._params.setup))
            for case, reading in zip(cases, readings, strict=True):
                if reading.together:
                    yield shared.result(program, case, reading)
                else:
                    yield self._result(pair, case, reading)

    def _reading(self, case: AssertCase) -> Reading:
        reading = read(case.prelude, case.test)
        if reading.together and self._params.integrity == "strict":
            raise _unfit(case, reading.together)
        return reading

    def _result(self, pair: _Pair, case: AssertCase, reading: Reading) -> CaseResult:
        nonce = secrets.token_hex(32)
        told = _told_tester(case, reading, nonce)
        begun = {"setup": self._params.setup, "prelude": reading.before}
        tester, candidate = pair.run(told, _marshalled(begun), self._limits)
        report = _report(tester, nonce)
        if _died(report, tester, candidate):  # or a jail did: a fresh pair tells
            pair.close()
            tester, candidate = pair.run(told, _marshalled(begun), self._limits)
            report = _report(tester, nonce)
        if report is not None and report.verdict == "unfit":
            raise _unfit(case, report.note)
        if report is not None and report.verdict == "missing" and _third_party(report.note):
            raise DataError(
                f"a test imports {report.note}, which the sandbox's Python does not have; install "
                f"it there, or leave the test out: {_shown(case)}"
            )
        return _judged(case, report, tester, candidate)


class _Pair:
    """A tester and a candidate, each loaded once, in jails of their own."""

    def __init__(self, fork: PythonFork, program: str) -> None:
        self._fork = fork
        self._texts = {"tester": "", "candidate": program or "\n"}
        self._loaded: dict[str, Loaded] = {}

    def __enter__(self) -> _Pair:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of both; the next case loads them anew."""
        while self._loaded:
            self._loaded.popitem()[1].close()

    def run(self, told: bytes, begun: bytes, limits: Limits) -> tuple[Outcome, Outcome]:
        """One case of each, joined by a wire; how the tester and the candidate ended."""
        tester, candidate = self._ready("tester"), self._ready("candidate")
        longer = replace(limits, wall_s=limits.wall_s + _SPARE_S)
        ours, theirs = socket.socketpair()
        left = True
        with ours, theirs:
            running = _Case(candidate, begun, limits, theirs)
            try:
                outcome = tester.case(told, longer, wire=ours)
            finally:
                _hang_up(ours)
                left = running.ended(_GRACE_S)
                if not left:  # the next case gets a fresh one
                    candidate.kill()
                    running.ended(None)
                    self._loaded.pop("candidate").close()
        ended = running.outcome()
        # One that we killed after its test has no end of its own.
        return outcome, ended if left else replace(ended, ended="exited", status=1)

    def _ready(self, which: Literal["tester", "candidate"]) -> Loaded:
        if which not in self._loaded:
            self._loaded[which] = self._fork.load(bundle.program(which, self._texts[which]))
        return self._loaded[which]


class _Case:
    """A candidate's case, in a thread of its own."""

    def __init__(self, loaded: Loaded, begun: bytes, limits: Limits, wire: socket.socket) -> None:
        self._outcome: Outcome | BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(loaded, begun, limits, wire))
        self._thread.daemon = True
        self._thread.start()

    def _run(self, loaded: Loaded, begun: bytes, limits: Limits, wire: socket.socket) -> None:
        try:
            self._outcome = loaded.case(begun, limits, wire=wire)
        except BaseException as error:  # noqa: BLE001 - raised in the thread that asks
            self._outcome = error
        finally:
            _hang_up(wire)  # a process that the program left behind may hold the wire

    def ended(self, timeout_s: float | None) -> bool:
        """Whether it ended within so long."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def outcome(self) -> Outcome:
        """How it ended."""
        assert self._outcome is not None
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome


def _hang_up(wire: socket.socket) -> None:
    with contextlib.suppress(OSError):
        wire.shutdown(socket.SHUT_RDWR)


def _told_tester(case: AssertCase, reading: Reading, nonce: str) -> bytes:
    names = bundle.COLLECT if case.style == "script" else ()
    return _marshalled(
        {
            "nonce": nonce,
            "prelude": case.prelude,
            "test": case.test,
            "free": reading.free,
            "classes": reading.classes,
            "given": reading.given,
            "modules": reading.modules,
            "watched": reading.watched,
            "collected": reading.collected,
            "asserting": reading.asserting,
            "more": [(f"{bundle.PLACE}.{name}", bundle.code(name)) for name in names],
        }
    )


def _marshalled(told: dict[str, Any]) -> bytes:
    return marshal.dumps({key: list(v) if isinstance(v, tuple) else v for key, v in told.items()})


def _report(tester: Outcome, nonce: str) -> _Report | None:
    """What the tester said; None when it did not come to say anything."""
    try:
        said = json.loads(tester.stdout)
        if said["nonce"] == nonce:
            return _Report(said["verdict"], said["note"])
    except (ValueError, TypeError, KeyError):
        pass
    return None


def _judged(
    case: AssertCase, report: _Report | None, tester: Outcome, candidate: Outcome
) -> CaseResult:
    test = case.test.encode("utf-8", "surrogatepass")
    note = report.note.encode("utf-8", "replace") if report is not None else b""
    decided, ended = _verdict(report, tester, candidate)
    outcome = replace(
        ended,
        stdout=candidate.stdout,
        stderr=note or candidate.stderr,
        wall_s=max(tester.wall_s, candidate.wall_s),
        cpu_s=candidate.cpu_s + tester.cpu_s,
        peak_bytes=candidate.peak_bytes,
    )
    return CaseResult(decided, outcome, test)


def _verdict(
    report: _Report | None, tester: Outcome, candidate: Outcome
) -> tuple[Verdict, Outcome]:
    """The verdict, and the process whose end it goes by."""
    if report is None:
        # Only what the candidate sent can have been too much for it.
        said = verdict(tester, right=False)
        return ("runtime_error" if said == "wrong_answer" else said), tester
    quiet = replace(candidate, ended="exited", status=0)
    match report.verdict:
        case "passed":
            return "passed", quiet
        case "not_begun":
            failed = replace(quiet, status=1, stderr=report.note.encode("utf-8", "replace"))
            return verdict(failed, right=False), failed
        case "gone":
            said = verdict(candidate, right=False)
            return ("runtime_error" if said == "wrong_answer" else said), candidate
        case "raised" if report.note.rstrip().rpartition("\n")[2].startswith("MemoryError"):
            return "memory", quiet
    return _VERDICTS.get(report.verdict, "runtime_error"), quiet


def _died(report: _Report | None, tester: Outcome, candidate: Outcome) -> bool:
    """Whether a process broke off, and not at a limit."""
    if report is None:
        return tester.ended in ("exited", "signalled")
    return report.verdict == "gone" and candidate.ended in ("exited", "signalled")


def _unfit(case: AssertCase, why: str) -> DataError:
    return DataError(
        f"a test cannot be run apart from the program: {why}; set `integrity: allow-weak` to run "
        f"it in the program's own interpreter, or rewrite it: {_shown(case)}"
    )


def _shown(case: AssertCase) -> str:
    return case.test if len(case.test) <= 200 else f"{case.test[:200]} …"


def _third_party(name: str) -> bool:
    from evalsi_pack_rl.code_exec.asserts.standard import THIRD_PARTY

    return name.partition(".")[0] in THIRD_PARTY
