"""Runs asserts on a program: the tests in one jail, the program in another, a wire between them.

A case passes when the tester says so with the nonce of that case, which only the tester was told.
How the two processes end says why a case did not pass, and never that it did.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import DataError, SandboxUnavailable
from evalsi.core.sandbox import Outcome, PythonFork
from evalsi_pack_rl.code_exec.asserts.pair import Pair
from evalsi_pack_rl.code_exec.asserts.reading import NONE, Reading, names_of, read
from evalsi_pack_rl.code_exec.asserts.series import Series, is_plain
from evalsi_pack_rl.code_exec.asserts.shared import Shared
from evalsi_pack_rl.code_exec.asserts.talk import Report, Talk, began, told_candidate
from evalsi_pack_rl.code_exec.verdict import CaseResult, Verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalsi_pack_rl.code_exec.cases import AssertCase
    from evalsi_pack_rl.code_exec.params import CodeExecTestsParams

__all__ = ["AssertRunner"]

_VERDICTS: Final[dict[str, Verdict]] = {"wrong": "wrong_answer", "missing": "runtime_error"}


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
        with contextlib.ExitStack() as stack:
            pair = stack.enter_context(Pair(self._fork, program))
            pair.begin()
            used = names_of(tuple(c.test for c in cases)) if cases and cases[0].prelude else NONE
            readings = [self._reading(case, used) for case in cases]
            pair.tester = "plain" if all(map(is_plain, cases, readings)) else "tester"
            shared = stack.enter_context(Shared(self._fork, self._limits, self._params.setup))
            series = Series(pair, self._params, cases, readings)
            for index, (case, reading) in enumerate(zip(cases, readings, strict=True)):
                if reading.together:
                    yield shared.result(program, case, reading)
                else:
                    yield series.passed(index) or self._result(pair, case, reading)

    def _reading(self, case: AssertCase, used: frozenset[str]) -> Reading:
        reading = read(case.prelude, case.test, case.entry, used)
        if reading.together and self._params.integrity == "strict":
            raise _unfit(case, reading.together)
        return reading

    def _result(self, pair: Pair, case: AssertCase, reading: Reading) -> CaseResult:
        talk = Talk([case], [reading])
        begun = told_candidate(self._params.setup, reading)
        tester, candidate = pair.run(talk.told, begun, self._limits)
        (report,) = talk.reports(tester)
        if _died(report, tester, candidate):  # or a jail did: a fresh pair tells
            pair.close()
            tester, candidate = pair.run(talk.told, begun, self._limits)
            (report,) = talk.reports(tester)
        if not (_is_crash(report, candidate) and self._runs(talk.told, begun)):
            _check_began(report, tester, candidate)
        if report is not None and report.verdict == "unfit":
            raise _unfit(case, report.note)
        if report is not None and report.verdict == "missing" and _third_party(report.note):
            raise DataError(
                f"a test imports {report.note}, which the sandbox's Python does not have; install "
                f"it there, or leave the test out: {_shown(case)}"
            )
        return _judged(case, report, tester, candidate)

    def _runs(self, told: bytes, begun: bytes) -> bool:
        """Whether a pair with another program comes to its beginning: one that is empty."""
        with Pair(self._fork, "") as pair:
            tester, _ = pair.run(told, begun, self._limits)
        return began(tester) and b'"unmet"' not in tester.stdout


def _is_crash(report: Report | None, candidate: Outcome) -> bool:
    """Whether Python died before the program began: of its text, or of the machine's faults."""
    return report is not None and report.verdict == "unmet" and candidate.ended == "signalled"


def _judged(
    case: AssertCase, report: Report | None, tester: Outcome, candidate: Outcome
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


def _verdict(report: Report | None, tester: Outcome, candidate: Outcome) -> tuple[Verdict, Outcome]:
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
        case "gone" | "unmet":
            said = verdict(candidate, right=False)
            return ("runtime_error" if said == "wrong_answer" else said), candidate
        case "raised" if report.note.rstrip().rpartition("\n")[2].startswith("MemoryError"):
            return "memory", quiet
    return _VERDICTS.get(report.verdict, "runtime_error"), quiet


def _died(report: Report | None, tester: Outcome, candidate: Outcome) -> bool:
    """Whether a process broke off, and not at a limit."""
    if report is None:
        return tester.ended in ("exited", "signalled")
    return report.verdict in ("gone", "unmet") and candidate.ended in ("exited", "signalled")


def _check_began(report: Report | None, tester: Outcome, candidate: Outcome) -> None:
    """A guest that fails before the program begins says nothing about the program."""
    unmet = report is not None and report.verdict == "unmet"
    if not unmet and (report is not None or began(tester)):
        return
    failed = candidate if unmet else tester
    last = failed.stderr.rstrip().rpartition(b"\n")[2]
    if failed.ended in ("exited", "signalled") and not last.startswith(b"MemoryError"):
        raise SandboxUnavailable(
            f"the jail's Python does not run our guest: {last[:200].decode('utf-8', 'replace')}"
        )


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
