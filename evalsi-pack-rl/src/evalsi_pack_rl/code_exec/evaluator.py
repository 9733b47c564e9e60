"""The evaluator: cases from the rollout, the program from the completion, a fraction out."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.results import Score, Skipped
from evalsi_pack_rl.code_exec.cases import FIELDS, AssertCase, Case, cases_of, chosen, entry_point
from evalsi_pack_rl.code_exec.params import CodeExecTestsParams
from evalsi_pack_rl.code_exec.program import behind_prompt, helpers, program_text
from evalsi_pack_rl.code_exec.runner import Runner
from evalsi_pack_rl.code_exec.runner_deadline import TimedFork
from evalsi_pack_rl.code_exec.verdict import NO_TIME, CaseResult
from evalsi_pack_rl.code_exec.verdict_report import evidence, reason

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["CodeExecTests"]


class CodeExecTests:
    """The fraction of its test cases that the program in a completion passes.

    Every case runs in a process of its own, in the sandbox. What a case should print or return
    never enters the jail of the program, and a right answer counts only with exit status 0. Skipped
    when the rollout carries no case. A case that ran into the wall limit, or that the deadline left
    no time for, is a timeout and makes the score unstable; a case that shared its interpreter with
    the program makes it `integrity: weak`.
    """

    Params = CodeExecTestsParams
    reads = ("input", "output", *(f"metadata.{field}" for field in FIELDS))
    needs = frozenset({Need.SANDBOX})
    bounded = True

    def __init__(self, params: CodeExecTestsParams, tools: Tools) -> None:
        self._params = params
        self._tools = tools

    def score(self, record: Record) -> Answer:
        """The fraction for one completion, with the verdict on each case as evidence."""
        every = cases_of(record.metadata)
        if not every:
            return Skipped("the rollout has no test cases")
        every = [_with_helpers(case, record) for case in every]
        program = _program(record)
        if program is None:
            return Score(0.0, reason="the completion ends before its thinking does: no program")
        return self._scored(program, every)

    def _scored(self, program: str, every: list[Case]) -> Score:
        cases = chosen(every, self._params.max_cases, self._params.seed)
        sandbox = self._tools.sandbox
        assert sandbox is not None, "the engine gives what `needs` asks for"
        fork = TimedFork(sandbox.python(), sandbox.remaining_s)
        results = self._results(fork, program, cases)
        share = sum(result.passed for result in results) / len(cases)
        return Score(
            float(share == 1.0) if self._params.all_or_nothing else share,
            reason=reason(results, len(cases), len(every), self._params.seed),
            evidence=evidence(results, len(cases), fork.memory),
            stable=all(result.stable for result in results),
        )

    def _results(self, fork: TimedFork, program: str, cases: list[Case]) -> list[CaseResult]:
        results: list[CaseResult] = []
        with contextlib.closing(Runner(fork, self._params).results(program, cases)) as running:
            for _ in cases:
                results.append(NO_TIME if fork.left_s() == 0 else next(running).brief())
                if self._params.all_or_nothing and not results[-1].passed:
                    break
        return results


def _with_helpers(case: Case, record: Record) -> Case:
    entry = entry_point(record.metadata)
    if entry is None or not isinstance(case, AssertCase):
        return case
    return replace(case, prelude=f"{helpers(record.input, entry)}\n{case.prelude}")


def _program(record: Record) -> str | None:
    program = program_text(record.output)
    entry = entry_point(record.metadata)
    if program is None or entry is None:
        return program
    return behind_prompt(record.input, program, entry)
