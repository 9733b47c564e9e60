"""Online DPO: it passes no `log_extra`, and reads None as 0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from advantages import FLAKY
from lessons import LETTERS, SUM, SUMS, chat, lessons
from training import FINETUNING, Pupil, logged, trained
from trl.experimental.online_dpo import OnlineDPOTrainer

from evalsi.core import DataError
from evalsi.core.reward import load_reward
from evalsi.rewards.trl import reward_funcs

SETTINGS: dict[str, Any] = {"num_generations": None, "max_completion_length": None}


def ran(pupil: Pupil, spec: Any, rows: list[dict[str, Any]], folder: Path) -> Any:
    return ran_with(*reward_funcs(spec), pupil, rows, folder)


def ran_with(
    functions: list[Any],
    weights: list[float],
    pupil: Pupil,
    rows: list[dict[str, Any]],
    folder: Path,
) -> Any:
    return trained(
        OnlineDPOTrainer,
        pupil,
        functions,
        rows,
        folder,
        reward_weights=weights,
        max_new_tokens=24,
        max_length=128,
        **SETTINGS,
    )


@pytest.mark.parametrize("prompt", [SUM, chat(SUM)], ids=["plain", "conversational"])
def test_the_math_reward_trains(prompt: Any, tmp_path: Path) -> None:
    rows = [{"prompt": prompt, "answer": "42"}] * 16
    found = ran(Pupil(lessons(prompt, SUMS)), FINETUNING / "math-reward.yaml", rows, tmp_path)
    log = logged(found)
    assert 0.0 < log["objective/scores"] < 1.1
    assert log["grad_norm"] > 0.0


def test_a_row_without_a_total_ends_the_run(tmp_path: Path) -> None:
    pupil = Pupil(lessons("Say:", LETTERS))
    with pytest.raises(DataError, match="would train on 0"):
        ran(pupil, FLAKY, [{"prompt": "Say:"}] * 16, tmp_path)


def test_it_ends_the_run_of_a_loaded_reward_too(tmp_path: Path) -> None:
    pupil = Pupil(lessons("Say:", LETTERS))
    with pytest.raises(DataError, match="would train on 0"):
        ran_with([load_reward(FLAKY)], [1.0], pupil, [{"prompt": "Say:"}] * 16, tmp_path)
