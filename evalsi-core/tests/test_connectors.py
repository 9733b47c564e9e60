"""Core's connectors: what they ask, what they give, and what they refuse before asking."""

from __future__ import annotations

import asyncio
import json

import pytest
from fault_server import FaultServer, raw, reply, status
from pydantic import ValidationError

from evalsi.core import DataError, SpecError
from evalsi.core.chat import Connector, Output, Request, ServerError
from evalsi.core.connectors.anthropic import Anthropic
from evalsi.core.connectors.echo import Echo
from evalsi.core.connectors.openai_compatible import OpenAICompatible
from evalsi.core.plugins import default_host

HELLO = Request("hello", id="r1")


def made(cls, **params):
    connector: Connector = cls(cls.Params.model_validate_json(json.dumps(params), strict=True))
    return connector


def openai(server, **params):
    return made(OpenAICompatible, model="tiny", base_url=server.url, **params)


def asked(connector, *requests):
    async def main():
        outputs = [await connector.generate(request) for request in requests]
        await connector.aclose()
        return outputs

    return asyncio.run(main())


def refused(cls, **params):
    with pytest.raises(ValidationError) as raised:
        made(cls, **params)
    return str(raised.value)


@pytest.mark.parametrize("name", ["openai-compatible", "anthropic", "echo", "replay"])
def test_core_registers_its_connectors(name):
    cls = default_host().load("connector", name)
    assert cls.Params.model_config["extra"] == "forbid"
    assert cls.Params.model_config["frozen"]


def test_chat_sends_the_prompt_and_what_the_target_says():
    params = {"temperature": 0, "max_tokens": 16, "top_p": 0.9, "stop": ["\n"], "seed": 5}
    with FaultServer([reply("4")]) as server:
        asked(openai(server, **params, extra_body={"top_k": 1}, system="Be brief."), HELLO)
    (request,) = server.asked
    assert request.path == "/v1/chat/completions"
    assert request.body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hello"},
        ],
        "stream": False,
        **params,
        "top_k": 1,
    }


def test_what_the_target_leaves_out_is_left_to_the_server():
    with FaultServer([reply("4")]) as server:
        asked(openai(server), HELLO)
    assert set(server.asked[0].body) == {"model", "messages", "stream"}


def test_completions_sends_plain_text():
    messages = [{"role": "user", "content": "other"}]
    with FaultServer([reply("4")]) as server:
        (output,) = asked(openai(server, api="completions"), Request("hello", messages))
    assert server.asked[0].path == "/v1/completions"
    assert server.asked[0].body == {"model": "tiny", "prompt": "hello", "stream": False}
    assert output.text == "4"


def test_chat_messages_of_a_dataset_travel_as_they_are():
    messages = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "u"}]},
    ]
    with FaultServer([reply("4")]) as server:
        asked(openai(server), Request("s\n\nu", messages))
    assert server.asked[0].body["messages"] == messages


@pytest.mark.parametrize("messages", ["hello", [], {}, [3], [{"content": "x"}]], ids=repr)
def test_messages_that_are_none_are_an_error_of_the_data(messages):
    with FaultServer([reply("4")]) as server, pytest.raises(DataError):
        asked(openai(server), Request("hello", messages))
    assert server.asked == []


def test_every_trial_has_a_seed_of_its_own():
    with FaultServer([reply("4")]) as server:
        asked(openai(server, seed=40), *(Request("hello", sample=trial) for trial in range(3)))
    assert [request.body["seed"] for request in server.asked] == [40, 41, 42]


def test_a_lone_surrogate_reaches_the_server():
    with FaultServer([reply("4")]) as server:
        asked(openai(server), Request("a\ud800b"))
    assert server.asked[0].text == "a\ud800b"


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        (reply("4", "length", tokens=(7, 1)), Output("4", "length", 7, 1)),
        (reply("", "stop"), Output("", "stop", 3, 2)),
        (reply(None, "tool_calls"), Output("", "tool_calls", 3, 2)),
        (raw({"choices": [{"message": {"content": "4"}}]}), Output("4", "")),
        (raw({"choices": [{"message": {"content": None, "refusal": "No."}}]}), Output("No.", "")),
        (
            raw({"choices": [{"message": {"content": "4"}}], "usage": {"prompt_tokens": True}}),
            Output("4", ""),
        ),
        (
            raw({"choices": [{"message": {"content": [{"type": "text", "text": "4"}]}}]}),
            Output("4", ""),
        ),
    ],
)
def test_an_output_is_what_the_server_says(answer, output):
    with FaultServer([answer]) as server:
        (found,) = asked(openai(server), HELLO)
    assert (found.text, found.finish) == (output.text, output.finish)
    assert (found.input_tokens, found.output_tokens) == (output.input_tokens, output.output_tokens)
    assert found.seconds > 0


def test_a_key_is_taken_from_the_environment(monkeypatch):
    monkeypatch.setenv("TINY_KEY", " sk-1 \n")
    with FaultServer([reply("4")]) as server:
        asked(openai(server, api_key_env="TINY_KEY"), HELLO)
    assert server.asked[0].headers["authorization"] == "Bearer sk-1"


def test_no_key_is_sent_that_the_target_does_not_name(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    with FaultServer([reply("4")]) as server:
        asked(openai(server), HELLO)
    assert "authorization" not in server.asked[0].headers


def test_a_key_that_is_not_there_is_refused_before_the_first_request(monkeypatch):
    monkeypatch.delenv("TINY_KEY", raising=False)
    with pytest.raises(SpecError, match="has no TINY_KEY"):
        made(OpenAICompatible, model="m", base_url="http://localhost/v1", api_key_env="TINY_KEY")


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"model": ""}, "at least 1 character"),
        ({"base_url": "localhost:8000"}, "give an address such as"),
        ({"base_url": "http://user:pw@host/v1"}, "belongs into `api_key_env`"),
        ({"base_url": "http://host/v1?key=1"}, "belongs into `api_key_env`"),
        ({"temperature": -1}, "greater than or equal to 0"),
        ({"temperature": "0"}, "valid number"),
        ({"max_tokens": 0}, "greater than or equal to 1"),
        ({"api": "responses"}, "'chat' or 'completions'"),
        ({"api_key": "sk-1"}, "Extra inputs are not permitted"),
        ({"extra_body": {"n": 8}}, "'n' is set by evalsi"),
        ({"extra_body": {"stream": True}}, "'stream' is set by evalsi"),
        ({"retries": {"connect": -1}}, "greater than or equal to 0"),
        ({"deadline_s": 0}, "greater than 0"),
    ],
)
def test_params_that_cannot_be_meant_are_refused(params, told):
    assert told in refused(
        OpenAICompatible, **{"model": "m", "base_url": "http://localhost/v1", **params}
    )


def test_budgets_of_a_target_are_kept():
    with FaultServer([status(500)]) as server, pytest.raises(ServerError):
        asked(openai(server, retries={"server": 0}), HELLO)
    assert len(server.asked) == 1


def test_anthropic_gets_its_own_format(monkeypatch):
    monkeypatch.setenv("TINY_KEY", "sk-1")
    usage = {"input_tokens": 9, "output_tokens": 2}
    answer = {"content": [{"type": "text", "text": "4"}], "stop_reason": "max_tokens"}
    with FaultServer([raw({**answer, "usage": usage})]) as server:
        connector = made(
            Anthropic,
            model="tiny",
            base_url=server.url,
            api_key_env="TINY_KEY",
            system="Be brief.",
            max_tokens=5,
            stop=["x"],
        )
        (output,) = asked(connector, HELLO)
    (request,) = server.asked
    assert (request.path, request.headers["x-api-key"]) == ("/v1/messages", "sk-1")
    assert request.body == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "hello"}],
        "max_tokens": 5,
        "system": "Be brief.",
        "stop_sequences": ["x"],
    }
    assert (output.text, output.truncated) == ("4", True)
    assert (output.input_tokens, output.output_tokens) == (9, 2)


def test_anthropic_may_say_nothing():
    with FaultServer([raw({"content": [], "stop_reason": "end_turn"})]) as server:
        (output,) = asked(made(Anthropic, model="m", base_url=server.url), HELLO)
    assert (output.text, output.finish, output.empty) == ("", "stop", True)


def test_anthropics_error_in_a_success_is_one():
    told = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    with FaultServer([raw(told)]) as server:
        connector = made(Anthropic, model="m", base_url=server.url, retries={"malformed": 0})
        with pytest.raises(ServerError, match="Overloaded"):
            asked(connector, HELLO)


def test_echo_gives_the_prompt_back_or_its_text():
    assert [output.text for output in asked(made(Echo), HELLO)] == ["hello"]
    assert [output.text for output in asked(made(Echo, text="4"), HELLO)] == ["4"]
