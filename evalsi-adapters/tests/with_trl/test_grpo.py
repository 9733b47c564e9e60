"""GRPO with the example specs, and with a verifier that is away for some of the rollouts."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
import yaml
from advantages import FLAKY, groups, grpo
from lessons import (
    BARE,
    CODE_WORTH,
    LETTERS,
    RIGHT,
    SUM,
    SUM_WORTH,
    SUMS,
    TESTS,
    WRONG,
    chat,
    lessons,
)
from training import FINETUNING, Pupil, each, logged, trained, watched
from trl import GRPOTrainer
from trl_fakes.evaluators import is_away

from evalsi.core import DataError
from evalsi.core.reward import load_reward
from evalsi.rewards.trl import reward_funcs

ASKED = "Read n and print 2n."


@pytest.fixture(scope="module")
def coder() -> Pupil:
    return Pupil(lessons(chat(ASKED), (RIGHT, WRONG, BARE)))


@pytest.fixture(scope="module")
def speller() -> Pupil:
    return Pupil(lessons("Say:", LETTERS))


def test_the_code_reward_trains_and_the_log_holds_every_component(
    coder: Pupil, tmp_path: Path
) -> None:
    functions, weights = reward_funcs(FINETUNING / "code-reward.yaml")
    rows = [{"prompt": chat(ASKED), "tests": TESTS}] * 4
    ran = trained(watched(GRPOTrainer), coder, functions, rows, tmp_path, reward_weights=weights)
    found = {text: total for text, (total, *_) in each(ran, "rewards")}
    known = {text: total for text, total in found.items() if text in CODE_WORTH}
    assert len(known) > 1
    assert known == pytest.approx({text: CODE_WORTH[text] for text in known})
    log = logged(ran)
    assert log["rewards/code-grpo/mean"] == pytest.approx(log["reward"])
    assert 0.0 < log["rewards/code-grpo/format/mean"] < 1.0
    assert 0.0 < log["rewards/code-grpo/tests/mean"] <= 1.0
    assert log["grad_norm"] > 0.0


def test_the_math_reward_trains_on_plain_text(tmp_path: Path) -> None:
    functions, weights = reward_funcs(FINETUNING / "math-reward.yaml")
    rows = [{"prompt": SUM, "answer": "42"}] * 4
    pupil = Pupil(lessons(SUM, SUMS))
    ran = trained(watched(GRPOTrainer), pupil, functions, rows, tmp_path, reward_weights=weights)
    found = {text: total for text, (total, *_) in each(ran, "rewards")}
    known = {text: total for text, total in found.items() if text in SUM_WORTH}
    assert len(known) > 1
    assert known == pytest.approx({text: SUM_WORTH[text] for text in known})
    log = logged(ran)
    assert {function.__name__ for function in functions} == {
        name.removeprefix("rewards/").removesuffix("/mean")
        for name in log
        if name.startswith("rewards/") and name.endswith("/mean")
    }
    assert log["rewards/math-grpo/overlong/mean"] == 0.0  # the tokens are counted, and few


def test_rows_without_a_total_have_advantage_0_and_leave_the_baseline_alone(
    speller: Pupil, tmp_path: Path
) -> None:
    functions, weights = reward_funcs(FLAKY)
    ran = trained(
        watched(GRPOTrainer),
        speller,
        functions,
        [{"prompt": "Say:"}] * 8,
        tmp_path,
        reward_weights=weights,
        per_device_train_batch_size=16,
        max_steps=3,
    )
    for batch in ran.batches:
        wanted = [one for group in groups(batch["texts"], 8) for one in grpo(group)]
        assert batch["advantages"] == pytest.approx(wanted, abs=1e-4)
    gone = [advantage for text, advantage in each(ran, "advantages") if is_away(text)]
    kept = [advantage for text, advantage in each(ran, "advantages") if not is_away(text)]
    assert gone
    assert gone == [0.0] * len(gone)
    assert any(kept)


def test_a_prompt_whose_tests_cannot_be_read_moves_nothing(coder: Pupil, tmp_path: Path) -> None:
    spec = yaml.safe_load((FINETUNING / "code-reward.yaml").read_text("utf-8"))
    spec["spec"]["onError"] = "none"
    functions, weights = reward_funcs(spec)
    rows = [{"prompt": chat(ASKED), "tests": tests} for tests in (json.dumps(TESTS), "no JSON")]
    ran = trained(
        watched(GRPOTrainer),
        coder,
        functions,
        rows,
        tmp_path,
        reward_weights=weights,
        per_device_train_batch_size=16,
    )
    for batch in ran.batches:
        both = zip(groups(batch["rewards"], 8), groups(batch["advantages"], 8), strict=True)
        lost = [moved for rewards, moved in both if any(math.isnan(total) for total, *_ in rewards)]
        assert lost == [[0.0] * 8]
        assert any(batch["advantages"])


def test_a_loaded_reward_is_itself_a_reward_function(coder: Pupil, tmp_path: Path) -> None:
    reward = load_reward(FINETUNING / "code-reward.yaml")
    rows = [{"prompt": chat(ASKED), "tests": TESTS}] * 4
    ran = trained(watched(GRPOTrainer), coder, [reward], rows, tmp_path)
    assert ran.reward_func_names == ["code-grpo"]
    assert 0.0 < logged(ran)["rewards/code-grpo/mean"] <= 1.0


def test_components_are_weighed_one_by_one(tmp_path: Path) -> None:
    functions, weights = reward_funcs(FINETUNING / "math-reward.yaml", multi_objective=True)
    ran = trained(
        watched(GRPOTrainer),
        Pupil(lessons(SUM, SUMS)),
        functions,
        [{"prompt": SUM, "answer": "42"}] * 4,
        tmp_path,
        reward_weights=weights,
        multi_objective_aggregation="normalize_then_sum",
    )
    batch = ran.batches[0]
    columns = list(zip(*batch["rewards"], strict=True))[1:]
    summed = [0.0] * len(batch["texts"])
    for column, weight in zip(columns, weights[1:], strict=True):
        spread = stdev(column) + 1e-4
        summed = [
            total + weight * (value - mean(column)) / spread
            for total, value in zip(summed, column, strict=True)
        ]
    wanted = [(total - mean(summed)) / (stdev(summed) + 1e-4) for total in summed]
    assert batch["advantages"] == pytest.approx(wanted, abs=1e-3)


def test_ragged_settings_arrive_without_the_keys_that_arrow_added(
    speller: Pupil, tmp_path: Path
) -> None:
    functions, weights = reward_funcs({"components": ["trl-fakes:settings"]})
    rows = [{"prompt": "Say:", "settings": {"x": 1}}, {"prompt": "Say:", "settings": {"y": "s"}}]
    ran = trained(
        watched(GRPOTrainer),
        speller,
        functions,
        rows * 4,
        tmp_path,
        reward_weights=weights,
    )
    assert {total for batch in ran.batches for total, *_ in batch["rewards"]} == {1.0}


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("trainer_state", DataError, "column 'trainer_state'"),
        ("prompts", TypeError, "rename a column of the dataset"),
    ],
)
def test_a_column_with_a_name_of_trls_ends_the_run(
    speller: Pupil, tmp_path: Path, name: str, error: type[Exception], says: str
) -> None:
    functions, weights = reward_funcs(FLAKY)
    rows: list[dict[str, Any]] = [{"prompt": "Say:", name: "mine"}] * 4
    with pytest.raises(error, match=says):
        trained(GRPOTrainer, speller, functions, rows, tmp_path, reward_weights=weights)
