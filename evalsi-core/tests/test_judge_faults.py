"""A judge behind a real server that fails: a verdict within the schema, or a JudgeError."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
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
from judge_fakes.polite import INSTRUCTIONS, Politeness

from evalsi.core.judge import JudgeConfig, JudgeError, Question, ServedJudge

GOOD = reply('{"politeness": 4}', tokens=(100, 10))
QUESTION = Question(INSTRUCTIONS, "Hello!", Politeness)
QUICK = {
    "model": "tiny",
    "timeout_s": 1.0,
    "deadline_s": 5.0,
    "retries": {"connect": 0, "timeout": 0, "limited": 1, "server": 0, "malformed": 0},
}


def judge_at(server, **settings):
    return ServedJudge(JudgeConfig.model_validate({**QUICK, "base_url": server.url, **settings}))


def verdict_of(judge, question=QUESTION):
    return asyncio.run(judge.ask(question))


def failure_of(judge, question=QUESTION):
    with pytest.raises(JudgeError) as raised:
        verdict_of(judge, question)
    return raised.value


def test_a_verdict_fits_the_questions_model():
    with FaultServer([GOOD]) as server:
        verdict = verdict_of(judge_at(server))
    assert verdict.answer == Politeness(politeness=4)
    assert (verdict.cached, verdict.reasks) == (False, 0)


def test_the_server_gets_schema_instructions_and_content():
    with FaultServer([GOOD]) as server:
        verdict_of(judge_at(server, seed=7))
    body = server.asked[0].body
    system, user = body["messages"]
    assert system["role"] == "system"
    assert system["content"].startswith(INSTRUCTIONS)
    assert json.dumps(Politeness.model_json_schema(), separators=(",", ":")) in system["content"]
    assert user == {"role": "user", "content": "Hello!"}
    assert body["response_format"]["json_schema"]["schema"] == Politeness.model_json_schema()
    assert (body["temperature"], body["seed"], body["model"]) == (0.0, 7, "tiny")


FAULTS = {
    "a server error": status(500),
    "too many requests": limited(),
    "a refusal": status(401),
    "a reset": reset(),
    "a close": close(),
    "a cut body": cut_body(),
    "half a JSON": half_json(),
    "no body": no_body(),
    "no choice": empty_choices(),
    "a page": raw("<html>"),
    "a hang": hang(),
}


@pytest.mark.parametrize("answer", FAULTS.values(), ids=FAULTS)
def test_a_fault_of_the_server_is_a_judge_error(answer):
    with FaultServer([answer]) as server:
        judge = judge_at(server)
        error = failure_of(judge)
    assert error.kind == "judge"
    assert (judge.usage.questions, judge.usage.failed) == (1, 1)
    assert judge.usage.requests == len(server.asked)


TEXTS = {
    "prose": "It is very polite.",
    "nothing": "",
    "half an object": '{"politeness": ',
    "thoughts without an end": '<think>Perhaps {"politeness": 4}',
    "a number": "4",
    "a list": '[{"politeness": 4]',
    "text for a number": '{"politeness": "4"}',
    "true for a number": '{"politeness": true}',
    "beyond the bounds": '{"politeness": 9}',
    "no number": '{"politeness": NaN}',
    "a name twice": '{"politeness": 4, "politeness": 1}',
    "a further field": '{"politeness": 4, "note": "x"}',
    "another object": '{"score": 4}',
    "two that differ": '{"politeness": 4} or {"politeness": 1}',
    "far too much": "x" * 100_000 + '{"politeness": 4}',
    "braces": "{" * 60_000,
    "a deep nest": '{"a":' * 10_000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_does_not_fit_is_asked_for_again_and_then_an_error(text):
    with FaultServer([reply(text)]) as server:
        judge = judge_at(server, timeout_s=5)
        error = failure_of(judge)
    assert len(server.asked) == 3
    assert "gave no verdict in 3 answers" in str(error)
    assert judge.usage.reasks == 2
    assert not error.retryable


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_an_answer_that_fits_at_last_is_the_verdict(text):
    with FaultServer([reply(text), reply(text), GOOD]) as server:
        verdict = verdict_of(judge_at(server, timeout_s=5))
    assert (verdict.answer.politeness, verdict.reasks) == (4, 2)


def test_asking_again_shows_the_answer_and_the_reason():
    with FaultServer([reply('{"politeness": 9}'), GOOD]) as server:
        verdict_of(judge_at(server))
    *_, said, told = server.asked[1].body["messages"]
    assert said == {"role": "assistant", "content": '{"politeness": 9}'}
    assert "politeness: Input should be less than or equal to 5" in told["content"]


GOOD_TEXTS = {
    "the object": '{"politeness": 4}',
    "white space": ' \n{"politeness": 4}\n',
    "a fence": '```json\n{"politeness": 4}\n```',
    "thoughts": '<think>Perhaps {"politeness": 1}?</think>{"politeness": 4}',
    "prose around": 'It greets. {"politeness": 4} That is all.',
    "said twice": '{"politeness": 4}, so {"politeness": 4}',
    "braces in prose": 'A {set} of rules: {"politeness": 4}',
}


@pytest.mark.parametrize("text", GOOD_TEXTS.values(), ids=GOOD_TEXTS)
def test_the_one_answer_in_a_text_is_read(text):
    with FaultServer([reply(text)]) as server:
        assert verdict_of(judge_at(server)).answer.politeness == 4
    assert len(server.asked) == 1


def test_a_server_that_takes_no_schema_is_asked_without():
    def choose(asked):
        return status(400, "response_format") if "response_format" in asked.body else GOOD

    with FaultServer(choose) as server:
        judge = judge_at(server)
        verdict_of(judge)
        verdict_of(judge, Question(INSTRUCTIONS, "Bye!", Politeness))
    assert ["response_format" in asked.body for asked in server.asked] == [True, False, False]


def test_a_refusal_that_is_not_about_the_schema_stays_one():
    with FaultServer([status(400, "context too long")]) as server:
        judge = judge_at(server)
        assert "context too long" in str(failure_of(judge))
        failure_of(judge)
    assert ["response_format" in asked.body for asked in server.asked] == [True, False] * 2


def test_the_schema_can_be_sent_in_the_prompt_alone_or_always():
    with FaultServer([GOOD]) as server:
        verdict_of(judge_at(server, output="prompt"))
    assert "response_format" not in server.asked[0].body
    with FaultServer([status(400)]) as server:
        failure_of(judge_at(server, output="json-schema"))
    assert len(server.asked) == 1


def test_equal_questions_are_asked_once():
    with FaultServer([GOOD]) as server:
        judge = judge_at(server)
        first, second = verdict_of(judge), verdict_of(judge)
        verdict_of(judge, Question("Another prompt.", "Hello!", Politeness))
    assert (first.cached, second.cached) == (False, True)
    assert first.answer == second.answer
    assert len(server.asked) == 2
    assert (judge.usage.questions, judge.usage.cached) == (3, 1)


def test_a_sampled_judge_keeps_no_verdict():
    with FaultServer([GOOD]) as server:
        judge = judge_at(server, temperature=0.7)
        verdict_of(judge)
        assert not verdict_of(judge).cached
    assert not judge.stable
    assert len(server.asked) == 2


def test_a_failure_is_not_kept():
    with FaultServer([status(500), GOOD]) as server:
        judge = judge_at(server)
        failure_of(judge)
        assert verdict_of(judge).answer.politeness == 4


def test_tokens_and_cost_are_counted_also_for_answers_that_do_not_fit():
    unfit = reply("no", tokens=(50, 5))
    with FaultServer([unfit, GOOD]) as server:
        judge = judge_at(server, input_price=2.0, output_price=10.0)
        verdict_of(judge)
    usage = judge.usage
    assert (usage.input_tokens, usage.output_tokens, usage.requests) == (150, 15, 2)
    assert usage.cost == pytest.approx((150 * 2.0 + 15 * 10.0) / 1e6)


def test_without_prices_there_is_no_cost_and_uncounted_answers_are_told():
    answer = raw({"choices": [{"message": {"content": '{"politeness": 4}'}}]})
    with FaultServer([answer]) as server:
        judge = judge_at(server)
        verdict_of(judge)
    assert (judge.usage.cost, judge.usage.uncounted) == (None, 1)


def test_no_request_goes_beyond_max_requests():
    with FaultServer([GOOD]) as server:
        judge = judge_at(server, max_requests=2, temperature=1.0)
        verdict_of(judge)
        verdict_of(judge)
        assert "its 2 requests" in str(failure_of(judge))
    assert len(server.asked) == 2


def many(judge, count):
    async def main():
        asking = (judge.ask(Question("?", str(n), Politeness)) for n in range(count))
        await asyncio.gather(*asking)

    asyncio.run(main())


def test_no_more_ask_at_once_than_concurrency_allows():
    with FaultServer(lambda asked: slow(0.05, GOOD)) as server:
        many(judge_at(server, concurrency=3), 12)
    assert server.most_at_once == 3


def test_requests_are_spaced_by_their_rate():
    with FaultServer([GOOD]) as server:
        begun = time.monotonic()
        many(judge_at(server, requests_per_minute=1200), 11)
    assert time.monotonic() - begun >= 0.5


def test_waiting_for_a_turn_does_not_eat_the_deadline():
    with FaultServer(lambda asked: slow(0.05, GOOD)) as server:
        settings = {"requests_per_minute": 240, "deadline_s": 1.0}
        many(judge_at(server, **settings), 8)
    assert len(server.asked) == 8


def test_the_name_says_the_model_and_what_changes_verdicts_but_no_address():
    config = {"model": "tiny", "base_url": "http://localhost:1/v1", "seed": 3}
    judge = ServedJudge(JudgeConfig.model_validate(config))
    assert judge.name == "tiny, temperature 0.0, seed 3, max_tokens 1024"
    assert judge.address == "http://localhost:1/v1"


def anthropic(text):
    usage = {"input_tokens": 9, "output_tokens": 2}
    return {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": usage}


def test_anthropic_is_asked_with_a_tool_and_its_input_is_the_answer():
    use = {"type": "tool_use", "id": "1", "name": "Politeness", "input": {"politeness": 4}}
    answer = raw({"content": [use], "stop_reason": "tool_use"})
    with FaultServer([answer]) as server:
        verdict = verdict_of(judge_at(server, connector="anthropic"))
    asked = server.asked[0]
    assert verdict.answer.politeness == 4
    assert asked.path == "/v1/messages"
    assert asked.headers["anthropic-version"] == "2023-06-01"
    assert asked.body["tool_choice"] == {"type": "tool", "name": "Politeness"}
    assert asked.body["tools"][0]["input_schema"] == Politeness.model_json_schema()
    assert asked.body["system"].startswith(INSTRUCTIONS)
    assert [message["role"] for message in asked.body["messages"]] == ["user"]


def test_anthropic_may_answer_in_text():
    with FaultServer([raw(anthropic('{"politeness": 4}'))]) as server:
        judge = judge_at(server, connector="anthropic")
        assert verdict_of(judge).answer.politeness == 4
    assert (judge.usage.input_tokens, judge.usage.output_tokens) == (9, 2)


def test_a_file_keeps_verdicts_for_a_later_judge(tmp_path):
    with FaultServer([GOOD]) as server:
        settings = {"cache": str(tmp_path / "verdicts.db")}
        first = verdict_of(judge_at(server, **settings))
        later = verdict_of(judge_at(server, **settings))
        other = verdict_of(judge_at(server, seed=1, **settings))
    assert (first.cached, later.cached, other.cached) == (False, True, False)
    assert later.answer == first.answer
    assert len(server.asked) == 2


@pytest.mark.parametrize("text", ["", "{}", '{"politeness": 9}', "x" * 100])
def test_a_kept_text_that_does_not_fit_is_asked_for(tmp_path, text):
    path = tmp_path / "verdicts.db"
    with FaultServer([GOOD]) as server:
        verdict_of(judge_at(server, cache=str(path)))
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as held:
            held.execute("update verdicts set text = ?", (text,))
        assert not verdict_of(judge_at(server, cache=str(path))).cached


def test_a_file_that_fails_costs_no_verdict(tmp_path, caplog):
    path = tmp_path / "verdicts.db"
    path.write_text("this is no database, and long enough to be seen as none" * 10)
    with FaultServer([GOOD]) as server:
        judge = judge_at(server, cache=str(path))
        assert verdict_of(judge).answer.politeness == 4
        assert verdict_of(judge).cached
    assert caplog.text.count("verdicts are not kept") == 1
