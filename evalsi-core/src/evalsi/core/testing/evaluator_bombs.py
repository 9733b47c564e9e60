"""Texts that break verifiers: each must be answered, and by a bounded one in linear time."""

from __future__ import annotations

import time
from typing import Final

from evalsi.core.evaluator import Need
from evalsi.core.results import Errored
from evalsi.core.testing.checks import CheckFailed
from evalsi.core.testing.evaluator_child import Step, in_child
from evalsi.core.testing.evaluator_trial import EvaluatorTrial, Trials

__all__ = ["BOMBS"]

BOMBS: Final = Trials()

_HOSTILE: Final = {
    "an empty text": "",
    "white space": " \t\r\n" * 100,
    "NUL bytes": "4\0\0",
    "lone surrogates": "\ud800 4 \udfff",
    "right-to-left marks": "\u202e4\u202c\u200f",
    "combining marks": "4" + "\u0301" * 1000,
    "deep nesting": "(" * 20_000 + "[" * 20_000 + "{" * 20_000,
    "nested tags": "<answer>" * 20_000,
    "a number of 100,000 digits": "9" * 100_000,
    "JSON that nests deeply": '{"a":' * 50_000,
    "ten megabytes of prose": "The answer is 4. " * 600_000,
}

_REPEATED: Final = (
    *"a9 (=-{\"'`\\$\n",
    "é",
    "0 ",
    "1,",
    "a\n",
    "a b ",
    "<a>",
    "</a>",
    "<think>",
    "<answer>",
    "```\n",
    "\\boxed",
    "\\boxed{",
    "\\frac{1}{",
    "answer is ",
    "####",
    "\ud800",
)
_SIZE: Final = 50_000
_MORE: Final = 4
_NOISE_S: Final = 0.1


@BOMBS.add("hostile-texts-are-answered")
def _hostile_texts_are_answered(trial: EvaluatorTrial) -> None:
    def attempt(step: Step) -> None:
        instance = trial.instance()
        for what, text in _HOSTILE.items():
            step(f"on {what}")
            result = trial.answer(instance, trial.with_output(text))
            if isinstance(result, Errored):
                raise CheckFailed(
                    f"On {what} {trial.name} gave no answer: {result.failure}; a completion may "
                    "hold anything, and what it holds is no error."
                )

    in_child(attempt, trial.deadline_s)


@BOMBS.add("bounded-means-linear-time")
def _bounded_means_linear_time(trial: EvaluatorTrial) -> None:
    says = trial.declared()
    # What serves a need is limited by that, not by the text; what workers do is not counted here.
    if not says.bounded or says.needs - {Need.WORKERS}:
        return

    def attempt(step: Step) -> None:
        instance = trial.instance()
        for unit in _REPEATED:
            step(f"on {_SIZE * _MORE:,} characters of {unit!a}")
            small = min(_seconds(trial, instance, unit, _SIZE) for _ in range(2))
            large = _seconds(trial, instance, unit, _SIZE * _MORE)
            if large > 2 * _MORE * small + _NOISE_S:
                raise CheckFailed(
                    f"{trial.name} says `bounded`, yet {_SIZE:,} characters of {unit!a} took "
                    f"{small:.3f} s and {_MORE} times as many {large:.3f} s; leave `bounded` out, "
                    "or make it linear."
                )

    in_child(attempt, trial.deadline_s)


def _seconds(trial: EvaluatorTrial, instance: object, unit: str, size: int) -> float:
    """Seconds of CPU for one answer."""
    record = trial.with_output((unit * (size // len(unit) + 1))[:size])
    started = time.process_time()
    trial.answer(instance, record)
    return time.process_time() - started
