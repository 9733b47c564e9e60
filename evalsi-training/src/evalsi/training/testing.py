"""The conformance kits of serving strategies and of sources: each promise by itself.

    trial = ServingTrial(Mine(), "out/checkpoint-100", "out/checkpoint-200")
    for finding in check_serving(trial):
        print(finding.check, finding.message)

With pytest, one test a promise: `parametrize("check", serving_checks(), ids=lambda c: c.name)`.
The machine is Linux, and the two checkpoints answer the trial's question differently. Sources are
tried by `check_source`, of `evalsi.training.sources.checks`.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from evalsi.core.chat.client import key_of
from evalsi.core.errors import ServerError
from evalsi.core.testing.checks import Check, CheckFailed, Finding, run_checks
from evalsi.training.serving import ServingError, ServingStrategy
from evalsi.training.serving.asking import post
from evalsi.training.serving.guard import children
from evalsi.training.sources.checks import SourcePlace, SourceTrial, check_source, source_checks

__all__ = [
    "ServingTrial",
    "SourcePlace",
    "SourceTrial",
    "check_serving",
    "check_source",
    "serving_checks",
    "source_checks",
]

_NO_GAPS: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ServingTrial:
    """A strategy with what it is tried on.

    Attributes:
        strategy: is used again and again, as a training run does.
        checkpoint: something that it serves.
        other: another one, that answers differently.
        question: what both are asked, at temperature 0.
    """

    strategy: ServingStrategy
    checkpoint: str
    other: str
    question: str = "2 + 2 ="

    def answer(self, checkpoint: str, name: str = "trial-1") -> str:
        """What a checkpoint says; raises `CheckFailed` where it says nothing at its first try."""
        with self.strategy.serve(checkpoint, name) as served:
            messages = [{"role": "user", "content": self.question}]
            body = {"model": served.model, "messages": messages, "max_tokens": 16, "temperature": 0}
            try:
                url, key = f"{served.base_url}/chat/completions", key_of(served.api_key_env)
                status, text = post(url, body, key=key)
            except ServerError as error:
                raise CheckFailed(f"The first request failed: {error}.") from error
        if status != 200:
            raise CheckFailed(f"The first request was answered by {status}: {text[:500]}")
        return str(json.loads(text)["choices"][0]["message"]["content"])


def check_serving(trial: ServingTrial, known_gaps: Mapping[str, str] = _NO_GAPS) -> list[Finding]:
    """Tries every promise of a strategy; an empty list is a pass.

    A strategy that has a `close` is closed at the end.

    Args:
        trial: the strategy and two checkpoints.
        known_gaps: reasons by check name for promises that this strategy does not keep.
    """
    return run_checks(serving_checks(), trial, known_gaps)


def serving_checks() -> list[Check[ServingTrial]]:
    """Every check, in the order in which they run."""
    return [
        Check("the-first-request-is-answered", _is_ready),
        Check("each-checkpoint-answers-for-itself", _each_for_itself),
        Check("a-checkpoint-can-be-served-again", _again),
        Check("it-serves-from-a-thread", _from_a_thread),
        Check("it-serves-beside-a-running-loop", _beside_a_loop),
        Check("what-is-raised-in-the-block-comes-out", _raises_through),
        Check("what-is-missing-is-a-serving-error", _missing),
        Check("a-state-dictionary-is-a-serving-error", _state_dictionary),
        Check("no-process-is-left", _nothing_left),
    ]


def _is_ready(trial: ServingTrial) -> None:
    trial.answer(trial.checkpoint)


def _each_for_itself(trial: ServingTrial) -> None:
    first, other = trial.answer(trial.checkpoint), trial.answer(trial.other, "trial-2")
    again = trial.answer(trial.checkpoint, "trial-3")
    if first == other:
        raise CheckFailed(f"Both checkpoints say {first!r}: one was asked twice, or they agree.")
    if first != again:
        raise CheckFailed(f"One checkpoint says {first!r}, and after another one {again!r}.")


def _again(trial: ServingTrial) -> None:
    if trial.answer(trial.checkpoint) != trial.answer(trial.checkpoint):
        raise CheckFailed("One checkpoint under one name says two things in turn.")


def _from_a_thread(trial: ServingTrial) -> None:
    with ThreadPoolExecutor(1) as thread:  # as CheckpointRunner does; signals cannot be set there
        thread.submit(trial.answer, trial.checkpoint).result()


def _beside_a_loop(trial: ServingTrial) -> None:
    async def asked() -> str:
        return trial.answer(trial.checkpoint)

    asyncio.run(asked())


def _raises_through(trial: ServingTrial) -> None:
    try:
        with trial.strategy.serve(trial.checkpoint, "trial-1"):
            raise KeyError("of the evaluation")
    except KeyError:
        trial.answer(trial.checkpoint)
        return
    raise CheckFailed("An exception of the evaluation was swallowed.")


def _missing(trial: ServingTrial) -> None:
    _refuses(trial, lambda folder: folder / "checkpoint-404")


def _state_dictionary(trial: ServingTrial) -> None:
    def written(folder: Path) -> Path:
        (folder / "checkpoint-1.pt").write_bytes(b"PK\x03\x04")
        return folder / "checkpoint-1.pt"

    _refuses(trial, written)


def _refuses(trial: ServingTrial, made: Callable[[Path], Path]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = str(made(Path(folder)))
        try:
            with trial.strategy.serve(place, "trial-1"):
                pass
        except ServingError as error:
            if Path(place).name not in str(error):
                raise CheckFailed(f"The error does not name the checkpoint: {error}") from error
        else:
            raise CheckFailed(f"{Path(place).name} was served, which holds no model.")


def _nothing_left(trial: ServingTrial) -> None:
    close = getattr(trial.strategy, "close", None)
    if close is not None:
        close()
    before = set(children(os.getpid()))
    trial.answer(trial.checkpoint)
    if close is not None:
        close()
    if left := set(children(os.getpid())) - before:
        raise CheckFailed(f"Behind its block, and `close` if it has one, processes run: {left}.")
