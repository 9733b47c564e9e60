"""OpenRLHF's protocol, asked of a real server."""

import json
import math

import pytest
from server_kit import Running


@pytest.fixture(scope="module")
def server(writing):
    first = writing("both", "says", {"ref": "matches", "weight": 0.5})
    others = [writing(name, "outage") for name in ("broken", "repeats")]
    others += [writing("rows", "cases"), writing("none", "outage", onError="none")]
    unfit = [writing("taken", {"ref": "says", "name": "kl"}), writing("group", "grouped")]
    with Running(first, *others, *unfit) as running:
        yield running


def test_a_query_is_answered_with_reward_score_and_every_component(server):
    answer = server.ask("Q 2", prompts=["Q "], labels=["2"], path="/get_reward/both")
    logs = {"says": [2.0], "matches": [1.0]}
    assert answer.body == {"rewards": [2.5], "scores": [2.5], "extra_logs": logs}


def test_several_queries_are_answered_in_their_order(server):
    answer = server.ask("3", "1", "2", path="/get_reward/both")
    assert answer.body["rewards"] == [3.0, 1.0, 2.0]


def test_a_skipped_component_keeps_its_key_and_is_no_number(server):
    logs = server.ask("2", path="/get_reward/both").body["extra_logs"]
    assert logs["says"] == [2.0]
    assert math.isnan(logs["matches"][0])


def test_special_tokens_around_prompt_and_response_are_no_part_of_the_completion(server):
    query = "<|im_start|>Q: 4<|im_end|></s>"
    assert server.ask(query, prompts=["Q: "], path="/get_reward/both").body["rewards"] == [4.0]


def test_a_label_that_is_an_object_is_a_row(server):
    label = json.dumps({"tests": [1, 2, 3]})
    assert server.ask("x", labels=[label], path="/get_reward/rows").body["rewards"] == [3.0]


def test_a_spec_may_be_named_by_query_too(server):
    assert server.ask("1", path="/get_reward?spec=both").body["rewards"] == [1.0]


@pytest.mark.parametrize("path", ["/get_reward", "/get_reward/other", "/get_reward?spec=other"])
def test_a_spec_that_is_not_named_or_not_there_is_404_with_those_that_are(server, path):
    answer = server.ask("1", path=path)
    assert (answer.status, answer.error["kind"]) == (404, "unknown-spec")
    assert "both, broken, group, none, repeats, rows, taken" in answer.error["message"]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, "no `query`"),
        ({"query": "2"}, "`query` is str; it must be a list"),
        ({"query": [2]}, "`query[0]` is int; it must be text"),
        ({"query": ["2"], "prompts": [None]}, "`prompts[0]` is NoneType"),
        ({"query": ["2"], "prompts": ["a", "b"]}, "`prompts` has 2 entries for 1 of `query`"),
        ({"query": ["2"], "labels": "a"}, "`labels` is str"),
        ([], "no JSON object"),
        (b"{", "no JSON"),
        (b'{"query": ["2"], "labels": [NaN]}', "holds NaN"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "too deep"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_request_that_cannot_be_read_is_400_and_names_the_field(server, fields, told):
    answer = server.post("/get_reward/both", fields)
    assert (answer.status, answer.error["kind"]) == (400, "data")
    assert told in answer.error["message"]


def test_an_outage_is_an_error_of_the_server_with_its_causes_and_no_number(server):
    answer = server.ask("fine", "away", path="/get_reward/broken")
    assert answer.status == 500
    [cause] = answer.error["causes"]
    assert (cause["id"], cause["component"], cause["kind"]) == ("2", "outage", "sandbox")
    assert "rewards" not in answer.body


def test_another_requests_outage_hurts_only_that_one(server):
    assert server.ask("away", path="/get_reward/broken").status == 500
    assert server.ask("fine", path="/get_reward/broken").status == 200


def test_without_a_total_it_is_an_error_by_default(server):
    answer = server.ask("away", path="/get_reward/none")
    assert answer.status == 500
    assert "set `missing`" in answer.error["message"]


def test_without_a_total_the_operators_number_stands_in_its_place(written):
    with Running(written("none", "outage", onError="none"), "--missing", "-0.5") as server:
        answer = server.ask("away")
    assert answer.body["rewards"] == [-0.5]
    assert math.isnan(answer.body["extra_logs"]["outage"][0])


def test_a_failure_that_repeats_is_logged_once(server):
    for _ in range(5):
        server.ask("away", path="/get_reward/repeats")
    assert server.logged("POST /get_reward/repeats: rollout 1, component outage: no usable rung")
    assert server.log.count("POST /get_reward/repeats") == 1


@pytest.mark.parametrize(
    ("name", "told", "total"),
    [
        ("taken", "OpenRLHF logs something else as kl; give the component another `name`", 2.0),
        ("group", "OpenRLHF sends one rollout a request, so an evaluator that compares", 1.0),
    ],
)
def test_a_spec_that_cannot_work_in_openrlhf_is_refused_there_only(server, name, told, total):
    answer = server.ask("2", path=f"/get_reward/{name}")
    assert (answer.status, answer.error["kind"]) == (400, "spec")
    assert told in answer.error["message"]
    assert f"{name} is not served at /get_reward: {told}" in server.log
    assert server.score("2", spec=name).body["rewards"][0]["total"] == total
