"""The verifiers on a reward server: the trainer sees the same numbers."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lessons import SUM, SUMS, lessons
from training import FINETUNING, Pupil, trained, watched
from trl import GRPOTrainer

from evalsi.core.reward import load_reward
from evalsi.rewards.trl import reward_funcs

SPEC = FINETUNING / "math-reward.yaml"


@pytest.fixture
def server() -> Iterator[str]:
    """The address of `evalsi rewards serve`."""
    program = str(Path(sys.executable).parent / "evalsi")
    with subprocess.Popen(
        [program, "rewards", "serve", "--spec", str(SPEC), "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        yield next(
            found[1]
            for found in (re.search(r"listening on (http\S+)", line) for line in lines)
            if found
        )
        process.terminate()
        process.communicate(timeout=30)


def test_a_run_gets_the_numbers_that_it_would_compute_itself(server: str, tmp_path: Path) -> None:
    functions, weights = reward_funcs(SPEC, server)
    ran = trained(
        watched(GRPOTrainer),
        Pupil(lessons(SUM, SUMS)),
        functions,
        [{"prompt": SUM, "answer": "42"}] * 4,
        tmp_path,
        reward_weights=weights,
    )
    here = load_reward(SPEC)
    for batch in ran.batches:
        texts = batch["texts"]
        found = [total for total, *_ in batch["rewards"]]
        assert found == pytest.approx(here(completions=texts, answer=["42"] * len(texts)))
