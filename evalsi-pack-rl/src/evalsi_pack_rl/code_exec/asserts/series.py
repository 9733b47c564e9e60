"""Plain asserts of one program, one after another in one pair of jails.

Only what passes there is settled: whatever else happens, a case is judged alone. So a fork of two
interpreters serves a whole list of asserts that a program passes, and no case fails by another's
doing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.code_exec.asserts.talk import Talk, told_candidate
from evalsi_pack_rl.code_exec.verdict import CaseResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalsi.core.sandbox import Outcome
    from evalsi_pack_rl.code_exec.asserts.pair import Pair
    from evalsi_pack_rl.code_exec.asserts.reading import Reading
    from evalsi_pack_rl.code_exec.asserts.talk import Report
    from evalsi_pack_rl.code_exec.cases import AssertCase
    from evalsi_pack_rl.code_exec.params import CodeExecTestsParams

__all__ = ["Series", "is_plain"]

_MOST_S: Final = 1.0  # what a slow program loses at most: each of its cases has its own time


class Series:
    """The cases of a program; those that can be run in a series are, when one of them is asked for.

    They share a prelude, and only call, compute and assert.
    """

    def __init__(
        self,
        pair: Pair,
        params: CodeExecTestsParams,
        cases: Sequence[AssertCase],
        readings: Sequence[Reading],
    ) -> None:
        self._pair = pair
        self._params = params
        self._cases = cases
        self._readings = readings
        self._passed: dict[int, CaseResult] = {}
        self._tried: set[int] = set()

    def passed(self, index: int) -> CaseResult | None:
        """The result of a case that passed in its series; None says nothing about it."""
        if index not in self._tried:
            alike = self._alike(index)
            self._tried.update(alike)
            if len(alike) > 1:
                self._run(alike)
        return self._passed.pop(index, None)

    def _alike(self, index: int) -> list[int]:
        """The cases that can share a pair with this one, itself included."""
        case, reading = self._cases[index], self._readings[index]
        if not is_plain(case, reading):
            return [index]
        return [
            other
            for other in range(index, len(self._cases))
            if is_plain(self._cases[other], self._readings[other])
            and self._cases[other].prelude == case.prelude
            and self._readings[other].before == reading.before
        ]

    def _run(self, alike: Sequence[int]) -> None:
        cases = [self._cases[index] for index in alike]
        readings = [self._readings[index] for index in alike]
        talk = Talk(cases, readings)
        limits = self._params.limits()
        short = replace(
            limits, wall_s=min(limits.wall_s, _MOST_S), cpu_s=min(limits.cpu_s, _MOST_S)
        )
        begun = told_candidate(self._params.setup, readings[0])
        tester, candidate = self._pair.run(talk.told, begun, short)
        for index, report in zip(alike, talk.reports(tester), strict=True):
            if report is not None and report.verdict == "passed":
                self._passed[index] = _result(self._cases[index], report, tester, candidate)


def is_plain(case: AssertCase, reading: Reading) -> bool:
    """Whether a case only calls, computes and asserts, with nothing of the program's modules."""
    return (
        case.style == "statements"
        and reading.plain
        and not (reading.together or reading.modules or reading.classes)
    )


def _result(case: AssertCase, report: Report, tester: Outcome, candidate: Outcome) -> CaseResult:
    outcome = replace(
        candidate,
        ended="exited",
        status=0,
        stdout=b"",  # what the program printed in this case alone is not known
        stderr=b"",
        wall_s=report.seconds,
        cpu_s=min(report.seconds, candidate.cpu_s + tester.cpu_s),
    )
    return CaseResult("passed", outcome, case.test.encode("utf-8", "surrogatepass"))
