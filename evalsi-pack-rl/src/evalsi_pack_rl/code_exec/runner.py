"""Runs the cases of one program in the sandbox, in order, and judges each from outside."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import Loaded, Program, PythonFork
from evalsi_pack_rl.code_exec.asserts import AssertRunner
from evalsi_pack_rl.code_exec.call import call_program, called
from evalsi_pack_rl.code_exec.cases import AssertCase, CallCase, Case, PairCase
from evalsi_pack_rl.code_exec.compare import same_output
from evalsi_pack_rl.code_exec.params import JAIL
from evalsi_pack_rl.code_exec.verdict import CaseKilled, CaseResult, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from evalsi_pack_rl.code_exec.params import CodeExecTestsParams

__all__ = ["Runner"]


class Runner:
    """Runs cases under the params' limits; a sandbox that fails gets a second, fresh jail."""

    def __init__(self, fork: PythonFork, params: CodeExecTestsParams) -> None:
        self._fork = fork
        self._params = params
        self._limits = params.limits()

    def results(self, program: str, cases: Sequence[Case]) -> Generator[CaseResult]:
        """The result of each case; nothing runs before it is asked for."""
        for kind, group in itertools.groupby(cases, type):
            alike = list(group)
            if kind is AssertCase:
                asserts = [case for case in alike if isinstance(case, AssertCase)]
                yield from self._asserts(program, asserts)
            else:
                yield from self._runs(self._whole(program, kind), alike)

    def _runs(self, program: Program, cases: Sequence[Case]) -> Generator[CaseResult]:
        standing = _Standing(self._fork, program)
        try:
            for case, following in itertools.zip_longest(cases, cases[1:]):
                ahead = following.stdin if isinstance(following, PairCase) else None
                yield standing.tried(case, functools.partial(self._result, ahead=ahead))
        finally:
            standing.close()

    def _asserts(self, program: str, cases: Sequence[AssertCase]) -> Generator[CaseResult]:
        done, broken = 0, -1
        while done < len(cases):
            try:
                for result in AssertRunner(self._fork, self._params).results(program, cases[done:]):
                    yield result
                    done += 1
            except CaseKilled:
                raise
            except SandboxUnavailable:
                if broken == done:
                    raise
                broken = done

    def _whole(self, program: str, kind: type[Case]) -> Program:
        setup = self._params.setup
        if kind is CallCase:
            return call_program(setup, program)
        if not setup:
            return Program(program, JAIL)
        # Two units of compilation: a program may begin with `from __future__ import …`.
        texts = (("/box/setup.py", setup), ("/box/program.py", program))
        lines = (
            f"exec(compile({text!a}, {name!r}, 'exec', dont_inherit=True), globals())\n"
            for name, text in texts
        )
        return Program("".join(lines), JAIL)

    def _result(self, loaded: Loaded, case: Case, *, ahead: bytes | None) -> CaseResult:
        if isinstance(case, CallCase):
            return called(loaded, case, self._limits, self._params.float_tolerance)
        assert isinstance(case, PairCase), "asserts have their own runner"
        outcome = loaded.case(case.stdin, self._limits, ahead=ahead)
        right = outcome.clean and same_output(outcome.stdout, case.expected, self._params)
        return CaseResult(verdict(outcome, right=right), outcome, case.expected)


class _Standing:
    """A loaded program, loaded anew when its jail breaks."""

    def __init__(self, fork: PythonFork, program: Program) -> None:
        self._fork = fork
        self._program = program
        self._loaded: Loaded | None = None

    def tried(self, case: Case, run: Callable[[Loaded, Case], CaseResult]) -> CaseResult:
        try:
            return self._once(case, run)
        except CaseKilled:
            raise
        except SandboxUnavailable:
            self.close()
            return self._once(case, run)

    def close(self) -> None:
        loaded, self._loaded = self._loaded, None
        if loaded is not None:
            loaded.close()

    def _once(self, case: Case, run: Callable[[Loaded, Case], CaseResult]) -> CaseResult:
        if self._loaded is None:
            self._loaded = self._fork.load(self._program)
        return run(self._loaded, case)
