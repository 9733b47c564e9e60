"""A connector against a real server that fails: an output, or an error and its cause."""

from __future__ import annotations

import asyncio
import time

import pytest
from fault_server import (
    FaultServer,
    close,
    cut_body,
    empty_choices,
    half_json,
    hang,
    limited,
    no_body,
    raw,
    reply,
    reset,
    slow,
    status,
)

from evalsi.core.chat import Output, Sampling, ServerError
from evalsi.core.chat.client import ChatClient
from evalsi.core.chat.wires import CHAT
from evalsi.core.http import Budgets

ONCE = Budgets(0, 0, 0, 0, 0, timeout_s=5.0, deadline_s=10.0, first_wait_s=0.01)
PATIENT = Budgets(2, 1, 3, 2, 1, timeout_s=1.0, deadline_s=10.0, first_wait_s=0.01)
HELLO = [{"role": "user", "content": "hello"}]


def ask(url, budgets=PATIENT, *, key=""):
    async def main():
        client = ChatClient(CHAT, url, key, Sampling("tiny"), budgets)
        return await client.ask(HELLO)

    return asyncio.run(main())


def refused(url, budgets=PATIENT, *, key=""):
    with pytest.raises(ServerError) as raised:
        ask(url, budgets, key=key)
    return raised.value


FAULTS = {
    "a server error": (status(500), "server"),
    "an overload": (status(503), "server"),
    "too many requests": (limited(), "limited"),
    "a reset": (reset(), "connect"),
    "a close": (close(), "connect"),
    "a cut body": (cut_body(), "connect"),
    "half a JSON": (half_json(), "malformed"),
    "no body": (no_body(), "malformed"),
    "no choice": (empty_choices(), "malformed"),
    "a choice without a message": (raw({"choices": [{}]}), "malformed"),
    "a content that is a number": (raw({"choices": [{"message": {"content": 4}}]}), "malformed"),
    "a page": (raw("<html>hello</html>"), "malformed"),
    "a list": (raw([1]), "malformed"),
    "a deep nest": (raw("[" * 100_000), "malformed"),
    "a hang": (hang(), "timeout"),
    "an error in a success": (raw({"error": {"message": "no", "code": 502}}), "server"),
}


@pytest.mark.parametrize(("answer", "cause"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_an_error_with_its_cause(answer, cause):
    with FaultServer([answer]) as server:
        error = refused(server.url)
    assert (error.cause, error.kind, error.retryable) == (cause, "server", True)
    assert len(server.asked) == 1 + PATIENT.of(cause)
    assert f"{len(server.asked)} tries" in str(error)


@pytest.mark.parametrize(("answer", "cause"), FAULTS.values(), ids=FAULTS)
def test_a_fault_that_passes_leaves_the_output(answer, cause):
    with FaultServer([answer, reply("4")]) as server:
        output = ask(server.url)
    assert (output.text, output.finish, output.input_tokens, output.output_tokens) == (
        "4",
        "stop",
        3,
        2,
    )
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("code", "later"),
    [(307, True), (400, False), (401, True), (403, True), (404, True), (413, False), (422, False)],
)
def test_a_refusal_is_not_asked_for_twice_and_may_pass_when_settings_are_mended(code, later):
    with FaultServer([status(code, "no such model")]) as server:
        error = refused(server.url)
    assert (error.cause, error.retryable) == ("refused", later)
    assert "no such model" in str(error)
    assert str(code) in str(error)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("text", "finish"), [("", "stop"), (None, "stop"), (" \n", "stop")], ids=repr
)
def test_a_choice_with_an_empty_text_is_an_output(text, finish):
    with FaultServer([reply(text, finish)]) as server:
        output = ask(server.url, ONCE)
    assert output.empty
    assert output.text == (text or "")
    assert not output.truncated


def test_an_output_that_the_limit_ended_says_so():
    with FaultServer([reply("It is", "length")]) as server:
        output = ask(server.url, ONCE)
    assert output.truncated
    assert not output.empty


def test_retry_after_is_kept():
    with FaultServer([limited("1"), reply("4")]) as server:
        begun = time.monotonic()
        assert ask(server.url).text == "4"
    assert time.monotonic() - begun >= 1.0


def test_a_retry_after_beyond_the_deadline_fails_at_once():
    with FaultServer([limited("3600")]) as server:
        begun = time.monotonic()
        error = refused(server.url)
    assert time.monotonic() - begun < 5.0
    assert error.cause == "limited"
    assert "deadline of 10 s" in str(error)
    assert len(server.asked) == 1


def test_a_retry_after_may_be_a_date():
    with FaultServer([limited("Fri, 31 Dec 2199 23:59:59 GMT")]) as server:
        assert "deadline" in str(refused(server.url))
    with FaultServer([limited("Fri, 31 Dec 1999 23:59:59 GMT"), reply("4")]) as server:
        assert ask(server.url).text == "4"


@pytest.mark.parametrize(
    "value",
    ["soon", "", "nan", "inf", "-5", "1e999", f"Mon, 01 Jan 2024 00:00:00 +{'9' * 20}"],
)
def test_a_retry_after_that_says_nothing_is_no_wait(value):
    with FaultServer([limited(value), reply("4")]) as server:
        begun = time.monotonic()
        assert ask(server.url).text == "4"
    assert time.monotonic() - begun < 5.0


def test_budgets_are_counted_by_kind():
    faults = [status(500), reset(), status(500), reset(), half_json(), reply("4")]
    with FaultServer(faults) as server:
        assert ask(server.url).text == "4"
    assert len(server.asked) == 6


def test_all_tries_share_one_deadline():
    short = Budgets(timeout=100, timeout_s=0.2, deadline_s=0.7, first_wait_s=0.01)
    with FaultServer([hang()]) as server:
        begun = time.monotonic()
        error = refused(server.url, short)
    assert time.monotonic() - begun < 3.0
    assert error.cause == "timeout"


def test_seconds_are_those_of_the_answer_alone():
    with FaultServer([limited("1"), slow(0.1, reply("4"))]) as server:
        output = ask(server.url)
    assert 0.1 <= output.seconds < 0.9


def test_nobody_at_the_address_is_told():
    with FaultServer([reply("")]) as server:
        url = server.url
    error = refused(url, ONCE)
    assert error.cause == "connect"
    assert "takes no connection" in str(error)


def test_a_key_shows_in_no_error():
    key = "sk-very-secret-0123456789"

    def echo_the_key(asked):
        return status(401, f"bad key {asked.headers['authorization']} in the middle " + "x" * 1000)

    with FaultServer(echo_the_key) as server:
        error = refused(server.url, key=key)
    assert server.asked[0].headers["authorization"] == f"Bearer {key}"
    assert "sk-very" not in str(error)
    assert "***" in str(error)


def test_a_key_at_the_edge_of_the_shown_text_does_not_show_in_part():
    key = "sk-very-secret-0123456789"
    for before in range(250, 310):
        with FaultServer([status(400, "x" * before + key)]) as server:
            error = refused(server.url, key=key)
        assert "sk-v" not in str(error)


def test_a_body_beyond_all_measure_is_not_read(monkeypatch):
    monkeypatch.setattr("evalsi.core.http.transport.MAX_BYTES", 1 << 20)
    with FaultServer([raw("x" * (1 << 21))]) as server:
        error = refused(server.url, ONCE)
    assert error.cause == "malformed"
    assert "more than 1 MiB" in str(error)


def test_one_client_serves_many_at_once_and_several_loops():
    with FaultServer(lambda asked: slow(0.2, reply(asked.text))) as server:
        client = ChatClient(CHAT, server.url, "", Sampling("tiny"), ONCE)

        async def main(name):
            texts = [f"{name}{number}" for number in range(20)]
            asking = (client.ask([{"role": "user", "content": text}]) for text in texts)
            outputs: list[Output] = await asyncio.gather(*asking)
            assert [output.text for output in outputs] == texts

        asyncio.run(main("a"))
        asyncio.run(main("b"))
    assert server.most_at_once > 10
    assert client.sent == 40


def test_a_server_error_travels_between_processes():
    import pickle

    error = ServerError("it fell", cause="limited", retryable=False, retry_after_s=2.0)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.cause, again.retryable, again.retry_after_s) == (
        "it fell",
        "limited",
        False,
        2.0,
    )
