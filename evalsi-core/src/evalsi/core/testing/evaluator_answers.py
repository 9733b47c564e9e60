"""What an evaluator answers: a finite number, the same each time, from what it reads alone."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from evalsi.core.results import JSON, Errored, Result, Score
from evalsi.core.testing.checks import CheckFailed
from evalsi.core.testing.evaluator_child import Step, in_child
from evalsi.core.testing.evaluator_trial import EvaluatorTrial, Trials, require
from evalsi.core.views import view

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from evalsi.core.records import Record

__all__ = ["ANSWERS"]

ANSWERS: Final = Trials()


@ANSWERS.add("answers-are-finite-numbers")
def _answers_are_finite_numbers(trial: EvaluatorTrial) -> None:
    def attempt(step: Step) -> None:
        instance = trial.instance()
        scored = 0
        for number, record in enumerate(trial.examples, 1):
            step(f"on example {number}")
            result = trial.answer(instance, record)
            _measured(trial, result, f"On example {number}")
            scored += isinstance(result, Score)
        require(
            scored,
            f"{trial.name} skipped every example, so that nothing was tried; "
            "give an example that it scores.",
        )

    in_child(attempt, trial.deadline_s)


@ANSWERS.add("same-record-same-answer")
def _same_record_same_answer(trial: EvaluatorTrial) -> None:
    def attempt(step: Step) -> None:
        one, other = trial.instance(), trial.instance()
        for number, record in enumerate(trial.examples, 1):
            step(f"on example {number}, asked three times")
            results = [trial.answer(asked, record) for asked in (one, one, other)]
            if all(isinstance(result, Score) and not result.stable for result in results):
                continue
            first, *others = map(_told, results)
            require(
                others == [first, first],
                f"On example {number} {trial.name} answered {first}, then {others[0]}, and a "
                f"fresh instance {others[1]}; say `stable=False` where an answer may change.",
            )

    in_child(attempt, trial.deadline_s)


@ANSWERS.add("reads-only-what-it-says")
def _reads_only_what_it_says(trial: EvaluatorTrial) -> None:
    def attempt(step: Step) -> None:
        says, instance = trial.declared(), trial.instance()
        for number, record in enumerate(trial.examples, 1):
            step(f"on example {number}, limited to its `reads`")
            limited, touched = _watched(record, says.fields, says.metadata)
            limited_result = trial.answer(instance, limited)
            require(
                not touched,
                f"On example {number} {trial.name} reads metadata {', '.join(sorted(touched))}, "
                "which its `reads` leaves out; add each as 'metadata.<key>'.",
            )
            _measured(trial, limited_result, f"On example {number}, limited to its `reads`,")

    in_child(attempt, trial.deadline_s)


@ANSWERS.add("evidence-is-plain-json")
def _evidence_is_plain_json(trial: EvaluatorTrial) -> None:
    def attempt(step: Step) -> None:
        instance = trial.instance()
        for number, record in enumerate(trial.examples, 1):
            step(f"on example {number}")
            answer = trial.raw_answer(instance, record)
            if isinstance(answer, Score):
                _plain(answer.evidence, f"The evidence of {trial.name} on example {number}")

    in_child(attempt, trial.deadline_s)


def _told(result: Result) -> str:
    """A result without its evidence, which may hold times."""
    if isinstance(result, Score):
        return str(replace(result, evidence=None))
    return str(result)


def _plain(evidence: object, what: str) -> None:
    try:
        json.dumps(evidence, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise CheckFailed(
            f"{what} is no plain JSON ({error}); use text, numbers, lists and mappings."
        ) from error


def _measured(trial: EvaluatorTrial, result: Result, when: str) -> None:
    if isinstance(result, Errored):
        raise CheckFailed(f"{when} {trial.name} gave no answer: {result.failure}.")


def _watched(
    record: Record, fields: Collection[str], keys: Collection[str] | None
) -> tuple[Record, set[str]]:
    """A view whose metadata notes every key that was asked for beside `keys`."""
    limited = view(record, fields, keys)
    touched: set[str] = set()
    if keys is not None:
        known = _Watched(limited.metadata if keys else {}, frozenset(keys), touched)
        object.__setattr__(limited, "metadata", known)
    return limited, touched


class _Watched(dict[str, Any]):
    def __init__(
        self, held: Mapping[str, JSON], declared: frozenset[str], touched: set[str]
    ) -> None:
        super().__init__(held)
        self._declared = declared
        self._touched = touched

    def __getitem__(self, key: str) -> Any:
        self._note(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self._note(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self._note(str(key))
        return super().__contains__(key)

    def _note(self, key: str) -> None:
        if key not in self._declared:
            self._touched.add(key)
