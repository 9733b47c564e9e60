"""What a served reward model is asked, over each protocol, and what becomes of its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from reward_server import RewardServer, raw_reward

from evalsi.core.errors import SpecError
from evalsi.core.results import Errored, Reward, Score
from evalsi.core.reward import RewardFunction, load_reward

APIS = ("openrlhf", "vllm", "pooling", "classify", "score")
ROLLOUTS = [
    {"prompt": "2 + 2?", "completion": " It is 4.", "reference": "4"},
    {"prompt": "Hi", "completion": ""},
    {"prompt": "", "completion": "x" * 30},
]
RAW = [raw_reward(f"{row['prompt']}{row['completion']}") for row in ROLLOUTS]


@pytest.fixture(scope="module")
def shared() -> Iterator[RewardServer]:
    with RewardServer() as server:
        yield server


@pytest.fixture
def server(shared: RewardServer) -> RewardServer:
    shared.asked.clear()
    return shared


def loaded(server: RewardServer, **params: Any) -> RewardFunction:
    component = {"ref": "reward-model", "params": {"url": server.url, **params}}
    return load_reward({"components": [component], "onError": "none"})


def scored(server: RewardServer, *rows: Any, **params: Any) -> list[Reward]:
    return loaded(server, **params).score(rows or ROLLOUTS)


def score_of(reward: Reward) -> Score:
    result = reward["reward-model"].result
    assert isinstance(result, Score), result
    return result


@pytest.mark.parametrize("api", APIS)
def test_a_reward_is_the_models_raw_score(server: RewardServer, api: str) -> None:
    assert [reward.total for reward in scored(server, api=api)] == RAW


@pytest.mark.parametrize("api", ["pooling", "classify"])
def test_chat_messages_are_left_to_the_servers_template(server: RewardServer, api: str) -> None:
    conversation = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    rows = ({"prompt": conversation, "completion": "a"}, {"prompt": "q", "completion": "b"})

    first, second = scored(server, *rows, api=api, chat=True)

    assert first.total == raw_reward("<system>s<user>u<assistant>a")
    assert second.total == raw_reward("<user>q<assistant>b")
    assert all(asked.body["add_generation_prompt"] is False for asked in server.asked)


def test_openrlhf_gets_query_prompt_and_label(server: RewardServer) -> None:
    scored(server, api="openrlhf")

    (asked,) = server.asked
    assert asked.path == "/get_reward"
    assert asked.body == {
        "query": ["2 + 2? It is 4.", "Hi", "x" * 30],
        "prompts": ["2 + 2?", "Hi", ""],
        "labels": ["4", None, None],
    }


def test_pooling_is_asked_to_classify_without_an_activation(server: RewardServer) -> None:
    scored(server, ROLLOUTS[0], api="vllm", model="rm")

    (asked,) = server.asked
    assert asked.path == "/pooling"
    assert asked.body == {
        "input": ["2 + 2? It is 4."],
        "model": "rm",
        "task": "classify",
        "use_activation": False,
    }


def test_score_gets_prompts_and_completions_apart(server: RewardServer) -> None:
    scored(server, api="score", truncate_prompt_tokens=-1)

    (asked,) = server.asked
    assert asked.body == {
        "queries": ["2 + 2?", "Hi", ""],
        "documents": [" It is 4.", "", "x" * 30],
        "truncate_prompt_tokens": -1,
        "use_activation": False,
    }


def test_a_template_makes_the_text(server: RewardServer) -> None:
    row = {"prompt": "{completion}", "completion": "{prompt}"}

    scored(server, row, template="<|user|>{prompt}<|assistant|>{completion}<|end|>{}")

    (asked,) = server.asked
    assert asked.body["query"] == ["<|user|>{completion}<|assistant|>{prompt}<|end|>{}"]
    assert asked.body["prompts"] == ["<|user|>{completion}<|assistant|>"]


def test_a_template_may_leave_the_prompt_out(server: RewardServer) -> None:
    scored(server, ROLLOUTS[0], api="classify", template="Rate:{completion}")

    assert server.asked[0].body["input"] == ["Rate: It is 4."]


@pytest.mark.parametrize("api", APIS)
def test_a_sigmoid_is_put_on_here_and_once(server: RewardServer, api: str) -> None:
    rewards = scored(server, api=api, activation="sigmoid")

    assert [reward.total for reward in rewards] == pytest.approx(
        [1 / (1 + math.exp(-raw)) for raw in RAW]
    )
    assert [score_of(reward).metrics["reward-model.raw"] for reward in rewards] == RAW


@pytest.mark.parametrize(("length", "value"), [(5000, 1.0), (1, 1 / (1 + math.exp(9)))])
def test_a_sigmoid_does_not_overflow(server: RewardServer, length: int, value: float) -> None:
    row = {"prompt": "", "completion": "x" * length}

    assert scored(server, row, activation="sigmoid")[0].total == pytest.approx(value)


def test_evidence_and_origin_say_what_was_asked(server: RewardServer) -> None:
    (reward,) = scored(server, ROLLOUTS[0], api="classify", model="skywork")

    assert score_of(reward).evidence == {"raw": RAW[0], "api": "classify", "model": "rm"}
    assert reward["reward-model"].by.backend == "skywork over classify"


def test_a_path_of_the_address_is_kept(server: RewardServer) -> None:
    scored(server, ROLLOUTS[0], url=f"{server.url}/pooling", api="classify")

    assert server.asked[0].path == "/pooling"


def test_a_key_of_the_environment_is_sent(
    server: RewardServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RM_KEY", "secret")

    scored(server, ROLLOUTS[0], api_key_env="RM_KEY", extra_body={"user": "u"})

    assert server.asked[0].headers["authorization"] == "Bearer secret"
    assert server.asked[0].body["user"] == "u"


def test_a_score_is_not_kept_for_a_later_batch(server: RewardServer) -> None:
    reward = loaded(server)

    twins = reward.score([ROLLOUTS[0], ROLLOUTS[0]])
    (later,) = reward.score([ROLLOUTS[0]])

    assert [one["reward-model"].cached for one in (*twins, later)] == [False, True, False]
    assert [len(asked.texts) for asked in server.asked] == [1, 1]


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"url": "localhost:5000"}, "give an address such as"),
        ({"url": "http://u:p@h/get_reward"}, "a key belongs into `api_key_env`"),
        ({"url": "http://h:8000/v1"}, "leave out /v1"),
        ({"template": "{prompt}"}, "must hold {completion} once"),
        ({"template": "{completion}{prompt}"}, "must hold {completion} once"),
        ({"chat": True}, "chat: openrlhf takes no chat messages"),
        ({"chat": True, "api": "classify", "template": "{completion}"}, "remove `template`"),
        ({"api": "score", "template": "{completion}"}, "remove `template`"),
        ({"truncate_prompt_tokens": -1}, "openrlhf has no word for it"),
        ({"extra_body": {"use_activation": True}}, "'use_activation' is set by evalsi"),
        ({"api": "embed"}, "api"),
        ({"max_batch": 0}, "max_batch"),
        ({"api_key_env": "RM_NO_SUCH_KEY"}, "RM_NO_SUCH_KEY"),
    ],
)
def test_params_that_cannot_be_meant_are_refused(params: dict[str, Any], told: str) -> None:
    component = {"ref": "reward-model", "params": {"url": "http://127.0.0.1:9", **params}}

    with pytest.raises(SpecError) as refused:
        load_reward({"components": [component]})

    assert told in str(refused.value)


@pytest.mark.parametrize("api", APIS)
def test_nothing_at_all_is_not_sent(server: RewardServer, api: str) -> None:
    nothing, something = scored(server, {"prompt": "", "completion": ""}, ROLLOUTS[0], api=api)

    result = nothing["reward-model"].result
    assert isinstance(result, Errored)
    assert result.failure.message == "prompt and completion are empty: there is nothing to score"
    assert something.total == RAW[0]
    assert [len(asked.texts) for asked in server.asked] == [1]


def test_what_json_cannot_hold_errs_alone(server: RewardServer) -> None:
    bad = {"prompt": "q", "completion": "a", "reference": {1, 2}}

    first, second = scored(server, bad, ROLLOUTS[0])

    result = first["reward-model"].result
    assert isinstance(result, Errored)
    assert result.failure.kind == "data"
    assert "the reference" in result.failure.message
    assert second.total == RAW[0]
