"""RLOO: the same functions, another baseline."""

from __future__ import annotations

from pathlib import Path

import pytest
from advantages import FLAKY, groups, rloo
from lessons import LETTERS, lessons
from training import Pupil, each, logged, trained, watched
from trl import RLOOTrainer
from trl_fakes.evaluators import is_away

from evalsi.rewards.trl import reward_funcs


def test_rows_without_a_total_have_advantage_0_and_leave_the_baseline_alone(tmp_path: Path) -> None:
    functions, weights = reward_funcs(FLAKY)
    ran = trained(
        watched(RLOOTrainer),
        Pupil(lessons("Say:", LETTERS)),
        functions,
        [{"prompt": "Say:"}] * 8,
        tmp_path,
        reward_weights=weights,
        beta=0.0,
    )
    for batch in ran.batches:
        wanted = [one for group in groups(batch["texts"], 8) for one in rloo(group)]
        assert batch["advantages"] == pytest.approx(wanted, abs=1e-4)
    gone = [advantage for text, advantage in each(ran, "advantages") if is_away(text)]
    assert gone
    assert gone == [0.0] * len(gone)
    assert {"rewards/reward/mean", "rewards/reward/flaky/mean", "rewards/reward/letters/mean"} <= {
        *logged(ran)
    }
