"""A reward model's server that fails: an error with its cause, and never a number."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from typing import Any

import pytest
from reward_server import Asked, RewardServer, Spoil, answered, hang, raw_reward, reset

from evalsi.core.results import Errored, Failure, Reward
from evalsi.core.reward import load_reward

ROWS = [{"prompt": f"q{n}", "completion": "x" * n} for n in range(1, 4)]
RAW = [raw_reward(f"q{n}{'x' * n}") for n in range(1, 4)]
QUICK = {"connect": 1, "timeout": 0, "limited": 2, "server": 1, "malformed": 1}


def scored(url: str, rows: Sequence[dict[str, Any]] = ROWS, **params: Any) -> list[Reward]:
    given = {"url": url, "retries": QUICK, "wait_ms": 0, **params}
    component = {"ref": "reward-model", "params": given}
    return load_reward({"components": [component], "onError": "none"}).score(rows)


def failures(rewards: Sequence[Reward]) -> list[Failure]:
    results = [reward["reward-model"].result for reward in rewards]
    return [result.failure for result in results if isinstance(result, Errored)]


def at_first(spoilt: Any) -> Spoil:
    return lambda asked, _: spoilt() if asked.number == 0 else None


FAULTS = {
    "a 500": lambda: answered({"detail": "no"}, 500),
    "a 503": lambda: answered("overloaded", 503),
    "a 429": lambda: answered({"detail": "slowly"}, 429, Retry_After="0"),
    "a reset": reset,
    "half a JSON": lambda: answered('{"rewards": [1.0, 2'),
    "no body": lambda: answered(""),
    "no rewards": lambda: answered({"scores": [1, 2, 3]}),
    "too few": lambda: answered({"rewards": [1.0, 2.0]}),
    "too many": lambda: answered({"rewards": [1.0, 2.0, 3.0, 4.0]}),
    "one for all": lambda: answered({"rewards": 0.5}),
    "a list": lambda: answered([1.0, 2.0, 3.0]),
    "deep nesting": lambda: answered("[" * 100_000),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_costs_a_retry_and_no_reward(fault: str) -> None:
    with RewardServer(at_first(FAULTS[fault])) as server:
        rewards = scored(server.url)

    assert [reward.total for reward in rewards] == RAW
    assert len(server.asked) == 2


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_stays_is_an_error_of_every_record(fault: str) -> None:
    with RewardServer(lambda _asked, _answer: FAULTS[fault]()) as server:
        rewards = scored(server.url)

    assert [reward.total for reward in rewards] == [None] * 3
    assert {failure.kind for failure in failures(rewards)} == {"server"}
    assert len(failures(rewards)) == 3


def test_no_server_is_an_error_with_its_cause() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        rewards = scored(f"http://127.0.0.1:{held.getsockname()[1]}")

    assert [reward.total for reward in rewards] == [None] * 3
    assert all("takes no connection" in failure.message for failure in failures(rewards))


def test_a_hang_ends_with_its_try() -> None:
    with RewardServer(lambda _asked, _answer: hang()) as server:
        rewards = scored(server.url, timeout_s=0.2)

    assert [failure.message.partition(" gave ")[2] for failure in failures(rewards)] == [
        "no answer within 0.2 s"
    ] * 3


ODD = {
    "NaN": "NaN",
    "infinity": "-Infinity",
    "beyond floats": f"1{'0' * 400}",
    "beyond floats, as a float": "1e999",
    "null": "null",
    "a bool": "true",
    "text": '"0.5"',
    "two numbers": "[0.5, 0.5]",
    "an object": "{}",
}


@pytest.mark.parametrize("odd", ODD)
def test_what_is_no_finite_number_errs_alone(odd: str) -> None:
    body = f'{{"rewards": [1.5, {ODD[odd]}, [2.5]]}}'
    with RewardServer(lambda _asked, _answer: answered(body)) as server:
        rewards = scored(server.url)

    assert [reward.total for reward in rewards] == [1.5, None, 2.5]
    (failure,) = failures(rewards)
    assert failure.kind == "server"
    assert "the reward model gave" in failure.message


@pytest.mark.parametrize("text", ["0.25", "[0.25]", "[[0.25]]"])
def test_one_record_may_get_a_bare_number(text: str) -> None:
    with RewardServer(lambda _asked, _answer: answered(f'{{"rewards": {text}}}')) as server:
        (reward,) = scored(server.url, ROWS[:1])

    assert reward.total == 0.25


@pytest.mark.parametrize("api", ["pooling", "classify", "score"])
def test_results_are_matched_by_their_index(api: str) -> None:
    def reordered(_: Asked, answer: Any) -> Any:
        return answered({**answer, "data": answer["data"][::-1]})

    with RewardServer(reordered) as server:
        assert [reward.total for reward in scored(server.url, api=api)] == RAW


@pytest.mark.parametrize("index", [0, 3, -1, "1", True, None, 1.0])
def test_an_index_that_is_not_one_of_them_is_refused(index: Any) -> None:
    def misnumbered(_: Asked, answer: Any) -> Any:
        data = answer["data"]
        return answered({**answer, "data": [data[0], {**data[1], "index": index}, data[2]]})

    with RewardServer(misnumbered) as server:
        rewards = scored(server.url, api="classify")

    assert [reward.total for reward in rewards] == [None] * 3
    assert "whose index is" in failures(rewards)[0].message


def test_a_model_with_two_heads_is_refused() -> None:
    def two(_: Asked, answer: Any) -> Any:
        data = [{**one, "probs": [0.1, 0.9], "num_classes": 2} for one in answer["data"]]
        return answered({**answer, "data": data})

    with RewardServer(two) as server:
        rewards = scored(server.url, api="classify")

    assert [reward.total for reward in rewards] == [None] * 3
    assert "num_labels=1" in failures(rewards)[0].message


@pytest.mark.parametrize("api", ["openrlhf", "pooling", "classify", "score"])
def test_a_record_that_is_too_long_errs_alone(api: str) -> None:
    rows = [{"prompt": f"q{n:02}", "completion": ""} for n in range(64)]
    rows[37]["completion"] = "x" * 1000
    with RewardServer(longest=100) as server:
        rewards = scored(server.url, rows, api=api)

    missing = [n for n, reward in enumerate(rewards) if reward.total is None]
    assert missing == [37]
    assert "maximum context length is 100" in failures(rewards)[0].message
    assert len(server.asked) == 13


def test_a_chat_that_is_too_long_errs_alone() -> None:
    rows = [*ROWS, {"prompt": "q", "completion": "x" * 1000}]
    with RewardServer(longest=100) as server:
        rewards = scored(server.url, rows, api="classify", chat=True)

    assert [reward.total is None for reward in rewards] == [False, False, False, True]
    assert len(server.asked) == 4


def test_a_batch_of_refused_records_costs_less_than_two_requests_each() -> None:
    rows = [{"prompt": f"q{n}", "completion": "x" * 1000} for n in range(16)]
    with RewardServer(longest=100) as server:
        rewards = scored(server.url, rows)

    assert [reward.total for reward in rewards] == [None] * 16
    assert len(server.asked) == 31


@pytest.mark.parametrize("status", [401, 403, 404, 405, 502, 503])
def test_what_no_record_causes_is_not_asked_in_halves(status: int) -> None:
    with RewardServer(lambda _asked, _answer: answered("no", status)) as server:
        scored(server.url)

    assert {len(asked.texts) for asked in server.asked} == {3}


def test_a_record_that_crashes_the_server_errs_alone() -> None:
    def crashes(asked: Asked, _: Any) -> Any:
        return answered("oops", 500) if any("xxx" in text for text in asked.texts) else None

    with RewardServer(crashes) as server:
        rewards = scored(server.url)

    assert [reward.total for reward in rewards] == [*RAW[:2], None]


def test_no_time_is_left_for_halves() -> None:
    with RewardServer(lambda _asked, _answer: answered("no", 400), delay_s=0.2) as server:
        rewards = scored(server.url, deadline_s=0.3)

    assert [reward.total for reward in rewards] == [None] * 3
    assert len(server.asked) <= 2


def test_a_key_is_in_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RM_KEY", "s3cr3t")

    def tells(asked: Asked, _: Any) -> Any:
        return answered({"detail": asked.headers["authorization"]}, 401)

    with RewardServer(tells) as server:
        rewards = scored(server.url, api_key_env="RM_KEY")

    assert "s3cr3t" not in json.dumps([failure.message for failure in failures(rewards)])
