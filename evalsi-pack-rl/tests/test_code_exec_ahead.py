"""What code-exec-tests tells the sandbox ahead of its turn: the next pair's input, and no more."""

from __future__ import annotations

import socket
from typing import Any, ClassVar

import pytest

from evalsi.core.evaluator import Score, Tools
from evalsi.core.records import Record
from evalsi.core.sandbox import Limits, Outcome, Program
from evalsi_pack_rl.code_exec import CodeExecTests, CodeExecTestsParams

TESTS = [{"input": str(n), "output": str(n)} for n in (1, 2, 3)]


class Recording:
    """A sandbox, a fork and a program in one: it prints what it reads, and keeps what it hears."""

    rung = "recording"
    enforced: ClassVar[dict[str, str]] = {}

    def __init__(self, left_s: float | None = None) -> None:
        self.told: list[tuple[bytes, bytes | None]] = []
        self._left_s = left_s

    def python(self) -> Recording:
        return self

    def remaining_s(self) -> float | None:
        return self._left_s

    def load(self, program: Program) -> Recording:
        return self

    def case(
        self,
        stdin: bytes,
        limits: Limits,
        *,
        wire: socket.socket | None = None,
        ahead: bytes | None = None,
    ) -> Outcome:
        self.told.append((stdin, ahead))
        return Outcome("exited", 0, stdout=stdin)

    def kill(self) -> None:
        pass

    def close(self) -> None:
        pass


def _score(sandbox: Recording, metadata: dict[str, Any], **params: Any) -> Score:
    record = Record(id="1", output="print(input())", metadata=metadata)
    answer = CodeExecTests(CodeExecTestsParams(**params), Tools(sandbox=sandbox)).score(record)
    assert isinstance(answer, Score)
    return answer


def test_each_pair_is_told_with_the_next_one() -> None:
    sandbox = Recording()

    assert _score(sandbox, {"tests": TESTS}).value == 1.0
    assert sandbox.told == [(b"1", b"2"), (b"2", b"3"), (b"3", None)]


def test_the_first_failure_ends_it_where_all_must_pass() -> None:
    sandbox = Recording()

    wrong = [{"input": "0", "output": "9"}, *TESTS]
    assert _score(sandbox, {"tests": wrong}, all_or_nothing=True).value == 0.0
    assert sandbox.told == [(b"0", b"1")]


@pytest.mark.parametrize(("left_s", "told"), [(100.0, b"2"), (3.0, None)])
def test_nothing_is_begun_ahead_with_limits_that_will_not_be_its_own(
    left_s: float, told: bytes | None
) -> None:
    sandbox = Recording(left_s)

    _score(sandbox, {"tests": TESTS}, timeout_s=10.0)

    assert sandbox.told[0] == (b"1", told)
