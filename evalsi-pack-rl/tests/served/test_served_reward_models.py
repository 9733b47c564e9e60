"""`reward-model` against the real servers: what they say is what the model says."""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from evalsi.core.results import Errored, Reward, Score
from evalsi.core.reward import RewardFunction, load_reward

if TYPE_CHECKING:
    from conftest import Served, TinyModel

ROWS = [
    {"prompt": "What is 3 + 4?", "completion": " It is 7."},
    {"prompt": "What is 3 + 4?", "completion": " It is 8."},
    {"prompt": "Say nothing.", "completion": ""},
    {"prompt": "Zahlen", "completion": "äöü 數字 \0"},
]
TEMPLATE = "<user>{prompt}<assistant>{completion}<eos>"
TOO_LONG = {"prompt": "q", "completion": "y" * 600}


def loaded(server: Served, **params: Any) -> RewardFunction:
    component = {"ref": "reward-model", "params": {"url": server.url, **params}}
    return load_reward({"components": [component], "onError": "none"})


def totals(rewards: list[Reward]) -> list[float | None]:
    return [reward.total for reward in rewards]


def failure(reward: Reward) -> str:
    result = reward["reward-model"].result
    assert isinstance(result, Errored), result
    return result.failure.message


@pytest.fixture(scope="session")
def plain(model: TinyModel) -> list[float]:
    return model.scores([f"{row['prompt']}{row['completion']}" for row in ROWS])


@pytest.fixture(scope="session")
def templated(model: TinyModel) -> list[float]:
    return model.scores([TEMPLATE.format(**row) for row in ROWS])


@pytest.mark.parametrize("api", ["vllm", "pooling", "classify", "score"])
def test_vllm_gives_the_models_raw_scores(vllm: Served, plain: list[float], api: str) -> None:
    # /score makes tokens of prompt and completion apart: the last row's ends are no word's.
    rows = ROWS[:3] if api == "score" else ROWS

    found = totals(loaded(vllm, api=api).score(rows))

    assert found == pytest.approx(plain[: len(rows)], abs=1e-3)


@pytest.mark.parametrize("api", ["pooling", "classify"])
def test_a_chat_is_what_its_template_makes(vllm: Served, templated: list[float], api: str) -> None:
    by_template = totals(loaded(vllm, api=api, template=TEMPLATE).score(ROWS))
    by_server = totals(loaded(vllm, api=api, chat=True).score(ROWS))

    assert by_template == pytest.approx(templated, abs=1e-3)
    assert by_server == pytest.approx(templated, abs=1e-3)


@pytest.mark.parametrize("api", ["pooling", "classify", "score"])
def test_the_sigmoid_is_put_on_once(vllm: Served, plain: list[float], api: str) -> None:
    found = totals(loaded(vllm, api=api, activation="sigmoid").score(ROWS[:2]))

    assert found == pytest.approx([1 / (1 + math.exp(-raw)) for raw in plain[:2]], abs=1e-3)


@pytest.mark.parametrize("api", ["pooling", "classify", "score"])
def test_a_text_that_is_too_long_errs_alone(vllm: Served, plain: list[float], api: str) -> None:
    first, second, third = loaded(vllm, api=api).score([ROWS[0], TOO_LONG, ROWS[1]])

    assert totals([first, third]) == pytest.approx(plain[:2], abs=1e-3)
    assert "maximum context length is 256 tokens" in failure(second)


def test_a_text_is_cut_when_that_is_asked_for(vllm: Served) -> None:
    (reward,) = loaded(vllm, api="classify", truncate_prompt_tokens=-1).score([TOO_LONG])

    assert isinstance(reward.total, float)


def test_another_model_is_refused(vllm: Served) -> None:
    (reward,) = loaded(vllm, api="classify", model="other").score(ROWS[:1])

    assert "The model `other` does not exist" in failure(reward)


def test_the_server_names_its_model(vllm: Served) -> None:
    (reward,) = loaded(vllm, api="classify").score(ROWS[:1])

    result = reward["reward-model"].result
    assert isinstance(result, Score)
    assert isinstance(result.evidence, dict)
    assert result.evidence["model"] == "rm"


def test_callers_in_many_threads_share_calls(vllm: Served, model: TinyModel) -> None:
    rows = [{"prompt": f"What is {n} + 1?", "completion": f" It is {n + 1}."} for n in range(64)]
    reward = loaded(vllm, api="pooling", max_batch=32, wait_ms=1000)
    before = vllm.asked("/pooling")
    with ThreadPoolExecutor(64) as pool:
        found = list(pool.map(lambda row: reward.score([row])[0].total, rows))

    assert vllm.asked("/pooling") - before == 2
    truth = model.scores([f"{row['prompt']}{row['completion']}" for row in rows])
    assert found == pytest.approx(truth, abs=1e-3)


def test_serve_rm_gives_the_models_raw_scores(serve_rm: Served, plain: list[float]) -> None:
    found = totals(loaded(serve_rm).score(ROWS))

    assert found == pytest.approx(plain, abs=0.1)  # it computes in bfloat16


def test_serve_rm_adds_nothing_to_a_template(serve_rm: Served, templated: list[float]) -> None:
    found = totals(loaded(serve_rm, template=TEMPLATE).score(ROWS))

    assert found == pytest.approx(templated, abs=0.1)


def test_a_text_that_crashes_serve_rm_errs_alone(serve_rm: Served, plain: list[float]) -> None:
    rows = [ROWS[0], {"prompt": "q", "completion": "\ud800"}, ROWS[1]]

    first, second, third = loaded(serve_rm, retries={"server": 0}).score(rows)

    assert totals([first, third]) == pytest.approx(plain[:2], abs=0.1)
    assert "answered 500" in failure(second)


def test_a_server_that_was_killed_is_an_error(serve_rm: Served) -> None:
    reward = loaded(serve_rm, retries={"connect": 1})
    assert reward.score(ROWS[:1])[0].total is not None
    serve_rm.kill()
    time.sleep(0.5)

    (killed,) = reward.score(ROWS[:1])

    assert "takes no connection" in failure(killed)
