"""The conformance kit finds each broken promise, says it in a sentence, and never hangs."""

from __future__ import annotations

import itertools
import os
import re
import signal
import time
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel, ConfigDict

from evalsi.core.evaluator import Need
from evalsi.core.results import Errored, Score, Skipped
from evalsi.core.testing import EvaluatorTrial, check_evaluator, evaluator_checks
from evalsi.core.workers import Faulted, Reply

if TYPE_CHECKING:
    from evalsi.core.evaluator import Tools
    from evalsi.core.records import Record
    from evalsi.core.workers import WorkerAnswer


class Shout:
    """Keeps every promise."""

    reads: tuple[str, ...] = ("output",)
    bounded = True

    def score(self, record: Record) -> bool:
        return record.output.isupper()


class LongParams(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    least: int = 1


class Long(Shout):
    Params: type[BaseModel] = LongParams

    def __init__(self, params: LongParams, tools: Tools) -> None:
        self._least = params.least

    def score(self, record: Record) -> bool:
        return len(record.output) >= self._least


class AsyncBatch:
    reads = ("output",)

    async def ascore_batch(self, records: list[Record]) -> list[float]:
        return [float(len(record.output)) for record in records]


class TwoEntries(Shout):
    def score_batch(self, records: list[Record]) -> list[bool]:
        return [True for _ in records]


class LooseParams(Long):
    class Params(BaseModel):
        least: int = 1


class ReadsUnknown(Shout):
    reads = ("completion",)


class WrongDirection(Shout):
    metrics = MappingProxyType({"Shout": "up"})


class Forgetful(Long):
    class Params(BaseModel):
        model_config = ConfigDict(frozen=True, extra="forbid")

        least: int = 1

        def __eq__(self, other: object) -> bool:
            return False

        __hash__ = None  # type: ignore[assignment]


class AnswersNone(Shout):
    def score(self, record: Record) -> None:  # type: ignore[override]
        return None


class AnswersNan(Shout):
    def score(self, record: Record) -> float:  # type: ignore[override]
        return float("nan")


class UndeclaredMetric(Shout):
    def score(self, record: Record) -> Score:  # type: ignore[override]
        return Score(1.0, {"volume": 2.0})


class SkipsAll(Shout):
    def score(self, record: Record) -> Skipped:  # type: ignore[override]
        return Skipped("never applies")


class Counts(Shout):
    numbers = itertools.count()

    def score(self, record: Record) -> float:  # type: ignore[override]
        return float(next(self.numbers))


class ReadsMore(Shout):
    def score(self, record: Record) -> bool:
        return record.output == record.reference


class ReadsMoreMetadata(Shout):
    reads = ("output", "metadata.tests")

    def score(self, record: Record) -> bool:
        return record.metadata.get("level") == 3


class OddEvidence(Shout):
    def score(self, record: Record) -> Score:  # type: ignore[override]
        return Score(1.0, evidence={1, 2})  # type: ignore[arg-type]


class Brittle(Shout):
    def score(self, record: Record) -> bool:
        return bool(record.output.encode())


class Quadratic(Shout):
    pattern = re.compile(r"a+b")

    def score(self, record: Record) -> bool:
        return self.pattern.search(record.output[::5]) is not None


class Hangs(Shout):
    bounded = False

    def score(self, record: Record) -> bool:
        while not record.output:
            time.sleep(60)
        return True


class Crashes(Shout):
    def score(self, record: Record) -> bool:
        if "\0" in record.output:
            os.kill(os.getpid(), signal.SIGKILL)
        return True


class Asking(Long):
    """Asks a worker about every record."""

    needs = frozenset({Need.WORKERS})

    def __init__(self, params: LongParams, tools: Tools) -> None:
        super().__init__(params, tools)
        assert tools.workers is not None
        self._workers = tools.workers

    def score(self, record: Record) -> Score | Errored:  # type: ignore[override]
        sizes = [len(record.output)]
        (answer,) = self._workers.map("engine_fakes.functions:double", sizes, deadline_s=20.0)
        return self.told(answer)

    def told(self, answer: WorkerAnswer) -> Score | Errored:
        if isinstance(answer, Faulted):
            return Errored(answer.failure)
        return Score(float(isinstance(answer, Reply)), stable=isinstance(answer, Reply))


class HidesFaults(Asking):
    def told(self, answer: WorkerAnswer) -> Score:
        return Score(float(isinstance(answer, Reply)), stable=False)


class KeepsTimeouts(Asking):
    def told(self, answer: WorkerAnswer) -> Score | Errored:
        told = super().told(answer)
        return told if isinstance(told, Errored) else Score(told.value)


class QuadraticBesideWorkers(Asking):
    pattern = re.compile(r"a+b")

    def score(self, record: Record) -> Score | Errored:  # type: ignore[override]
        self.pattern.search(record.output[::5])
        return Score(0.0)


@pytest.mark.parametrize("sound", [Shout, Long, AsyncBatch, Asking], ids=lambda cls: cls.__name__)
def test_a_sound_evaluator_has_no_findings(sound: type) -> None:
    assert check_evaluator(sound) == []


@pytest.mark.parametrize(
    ("broken", "check", "sentence"),
    [
        (TwoEntries, "one-entry", "TwoEntries has score and score_batch; give exactly one of"),
        (len, "one-entry", "an evaluator is a class"),
        (LooseParams, "params-are-strict", "must be frozen and refuse unknown fields"),
        (ReadsUnknown, "declarations", "reads 'completion', which a record has not"),
        (WrongDirection, "declarations", "it maps a metric's name to"),
        (Forgetful, "params-round-trip", "equal params must have equal JSON"),
        (AnswersNone, "answers-are-finite-numbers", "it answered NoneType; an answer is"),
        (AnswersNan, "answers-are-finite-numbers", "it answered nan; an answer is"),
        (UndeclaredMetric, "answers-are-finite-numbers", "'volume', which its class does not"),
        (SkipsAll, "answers-are-finite-numbers", "skipped every example"),
        (Counts, "same-record-same-answer", "say `stable=False` where an answer may change"),
        (ReadsMore, "reads-only-what-it-says", "'reference' is not in this evaluator's `reads`"),
        (ReadsMoreMetadata, "reads-only-what-it-says", "add each as 'metadata.<key>'"),
        (OddEvidence, "evidence-is-plain-json", "is no plain JSON"),
        (Brittle, "hostile-texts-are-answered", "On lone surrogates Brittle gave no answer"),
        (Quadratic, "bounded-means-linear-time", "Quadratic says `bounded`, yet"),
        (HidesFaults, "a-workers-fault-is-no-score", "answer `Errored(answer.failure)`"),
        (KeepsTimeouts, "a-workers-limit-is-no-lasting-score", "a lasting score of a TimedOut"),
        (QuadraticBesideWorkers, "bounded-means-linear-time", "says `bounded`, yet"),
        (Hangs, "hostile-texts-are-answered", "did not come back within 3 s on an empty text"),
        (Crashes, "hostile-texts-are-answered", "died with status -9 on NUL bytes"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_broken_promise_is_found_and_told_in_a_sentence(
    broken: Any, check: str, sentence: str
) -> None:
    deadline_s = 3 if broken is Hangs else 60
    found = check_evaluator(broken, deadline_s=deadline_s)
    findings = {finding.check: finding.message for finding in found}

    assert sentence in findings[check]
    assert findings[check].endswith(".")


def test_params_that_the_class_refuses_are_told() -> None:
    (first, *_) = check_evaluator(Long, {"leest": 2})

    assert "Long refuses the trial's params" in first.message


def test_a_known_gap_is_not_a_finding() -> None:
    assert check_evaluator(Brittle, known_gaps={"hostile-texts-are-answered": "ours alone"}) == []


def test_a_known_gap_that_closed_is_a_finding() -> None:
    (finding,) = check_evaluator(Shout, known_gaps={"evidence-is-plain-json": "not yet"})

    assert finding.message == "A known gap passes: take `evidence-is-plain-json` out."


@pytest.mark.parametrize("check", evaluator_checks(), ids=lambda check: check.name)
def test_each_check_runs_by_itself(check: Any) -> None:
    check.run(EvaluatorTrial.of(Shout, examples=[{"completion": "HELLO"}]))


def test_the_kit_leaves_no_process() -> None:
    def children() -> set[str]:
        tasks = Path("/proc/self/task").iterdir()
        return {child for task in tasks for child in (task / "children").read_text().split()}

    before = children()
    check_evaluator(Hangs, deadline_s=0.5)

    assert children() <= before
