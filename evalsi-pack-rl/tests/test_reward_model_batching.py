"""Records that come together go in one call, whoever brings them; and the kit's promises."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from reward_server import Asked, RewardServer, answered, raw_reward

from evalsi.core.reward import RewardFunction, load_reward
from evalsi.core.testing import Check, EvaluatorTrial, evaluator_checks

APIS = ("openrlhf", "vllm", "pooling", "classify", "score")


@pytest.fixture(scope="module")
def quiet() -> Iterator[RewardServer]:
    with RewardServer() as server:
        yield server


def loaded(server: RewardServer, **params: Any) -> RewardFunction:
    component = {"ref": "reward-model", "params": {"url": server.url, **params}}
    return load_reward({"components": [component], "onError": "none"})


def row(number: int) -> dict[str, str]:
    return {"prompt": f"q{number:03} ", "completion": "x" * number}


def raw(number: int) -> float:
    return raw_reward(f"q{number:03} {'x' * number}")


@pytest.mark.parametrize(("max_batch", "calls"), [(16, 4), (64, 1), (1, 64), (32, 2)])
def test_callers_in_many_threads_share_calls(max_batch: int, calls: int) -> None:
    with RewardServer() as server, ThreadPoolExecutor(64) as pool:
        reward = loaded(server, max_batch=max_batch, wait_ms=10_000)
        found = list(pool.map(lambda number: reward.score([row(number)])[0].total, range(64)))

    assert found == [raw(number) for number in range(64)]
    assert len(server.asked) == calls
    assert max(len(asked.texts) for asked in server.asked) <= max_batch


def test_more_callers_share_a_call_than_the_engine_runs_at_once() -> None:
    with RewardServer() as server, ThreadPoolExecutor(200) as pool:
        reward = loaded(server, max_batch=200, wait_ms=10_000)
        found = list(pool.map(lambda number: reward.score([row(number)])[0].total, range(200)))

    assert found == [raw(number) for number in range(200)]
    assert [len(asked.texts) for asked in server.asked] == [200]


def test_a_batch_that_is_full_does_not_wait(quiet: RewardServer) -> None:
    quiet.asked.clear()
    reward = loaded(quiet, max_batch=8, wait_ms=10_000)

    found = asyncio.run(asyncio.wait_for(reward.ascore([row(n) for n in range(16)]), 5))

    assert [one.total for one in found] == [raw(n) for n in range(16)]
    assert [len(asked.texts) for asked in quiet.asked] == [8, 8]


def test_the_records_of_one_batch_fill_the_calls_of_another(quiet: RewardServer) -> None:
    quiet.asked.clear()
    reward = loaded(quiet, max_batch=6, wait_ms=10_000)
    chunks = [[row(n) for n in range(start, start + 4)] for start in range(0, 12, 4)]
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(reward.score, chunks))

    totals = [[one.total for one in rewards] for rewards in found]
    assert totals == [[raw(n) for n in range(start, start + 4)] for start in range(0, 12, 4)]
    assert [len(asked.texts) for asked in quiet.asked] == [6, 6]


def test_a_bad_record_of_one_caller_fails_no_other() -> None:
    with RewardServer(longest=100) as server, ThreadPoolExecutor(32) as pool:
        reward = loaded(server, wait_ms=500)
        rows = [row(n) for n in range(31)] + [row(500)]
        found = [one[0].total for one in pool.map(lambda one: reward.score([one]), rows)]

    assert found == [*(raw(n) for n in range(31)), None]


def test_no_more_calls_than_asked_for_run_at_once() -> None:
    with RewardServer(delay_s=0.02) as server:
        reward = loaded(server, max_batch=2, wait_ms=0, concurrency=3)
        reward.score([row(n) for n in range(40)])

    assert len(server.asked) == 20
    assert server.most_at_once == 3


def test_waiting_for_a_place_is_not_on_the_clock() -> None:
    with RewardServer(delay_s=0.15) as server:
        params = {"max_batch": 1, "concurrency": 1, "timeout_s": 1, "deadline_s": 1}
        component = {"ref": "reward-model", "params": {"url": server.url, **params}}
        spec = {"components": [component], "onError": "none", "deadlineSeconds": 1}
        found = load_reward(spec).score([row(n) for n in range(10)])

    assert [one.total for one in found] == [raw(n) for n in range(10)]


def test_a_caller_who_leaves_takes_no_other_with_him() -> None:
    async def two(reward: RewardFunction) -> Any:
        leaving = asyncio.create_task(reward.ascore([row(1)]))
        staying = asyncio.create_task(reward.ascore([row(2)]))
        await asyncio.sleep(0.1)
        leaving.cancel()
        return await asyncio.gather(leaving, staying, return_exceptions=True)

    with RewardServer() as server:
        left, stayed = asyncio.run(two(loaded(server, wait_ms=1500)))

    assert isinstance(left, asyncio.CancelledError)
    assert stayed[0].total == raw(2)
    assert [asked.texts for asked in server.asked] == [("q002 xx",)]


def test_a_server_that_restarts_costs_tries_and_no_reward() -> None:
    with ThreadPoolExecutor(16) as pool:
        with RewardServer(delay_s=0.2) as server:
            reward = loaded(server, max_batch=8, wait_ms=2, retries={"connect": 20})
            scoring = [pool.submit(reward.score, [row(number)]) for number in range(200)]
            time.sleep(0.2)
        time.sleep(1.0)
        with RewardServer(port=server.port) as again:
            totals = [one.result()[0].total for one in scoring]

    assert totals == [raw(number) for number in range(200)]
    assert server.asked
    assert again.asked


def test_numbers_stay_with_their_records_under_load() -> None:
    def now_and_then(asked: Asked, answer: Any) -> Any:
        if asked.number % 5 == 1:
            return answered("busy", 503)
        return answered({**answer, "data": answer["data"][::-1]})

    with RewardServer(now_and_then) as server, ThreadPoolExecutor(32) as pool:
        reward = loaded(server, api="classify", max_batch=16, wait_ms=2)
        chunks = [[row((7 * n + k) % 400) for k in range(5)] for n in range(200)]
        found = list(pool.map(reward.score, chunks))

    for number, rewards in enumerate(found):
        expected = [raw((7 * number + k) % 400) for k in range(5)]
        assert [one.total for one in rewards] == expected


@pytest.mark.parametrize("check", evaluator_checks(), ids=lambda check: check.name)
@pytest.mark.parametrize("api", APIS)
def test_reward_model_keeps_an_evaluators_promises(
    quiet: RewardServer, api: str, check: Check[EvaluatorTrial]
) -> None:
    examples = [
        {"prompt": "2 + 2?", "completion": "4", "reference": "4"},
        {"prompt": "2", "completion": ""},
    ]

    check.run(EvaluatorTrial.of("reward-model", {"url": quiet.url, "api": api}, examples))
