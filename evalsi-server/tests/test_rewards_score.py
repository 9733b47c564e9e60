"""`POST /v1alpha1/rewards:score`: what `evalsi rewards score` prints, over HTTP."""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from server_kit import Running

SCORE = [sys.executable, "-m", "evalsi.core.cli", "rewards", "score"]
OTHER = {"name": "other", "components": [{"ref": "says", "weight": 3}]}


@pytest.fixture(scope="module")
def serving(writing):
    with Running(writing("says", {"ref": "says", "weight": 2})) as server:
        yield server


@pytest.fixture(scope="module")
def both(writing):
    return writing("both", "says", {"ref": "matches", "weight": 0.5})


@pytest.fixture(scope="module")
def several(writing, both):
    specs = (writing("sleeps", "sleeps"), writing("broken", "outage"), writing("group", "grouped"))
    with Running(both, *specs, "--drain", "0") as server:
        yield server


@pytest.fixture(scope="module")
def sleeping(several):
    """Asks a spec whose completions say how long it takes."""
    return partial(several.score, spec="sleeps")


def test_rows_are_those_of_the_command(several, both, tmp_path):
    rollouts = [{"id": "a", "completion": "2", "answer": "2"}, {"completion": "skip"}]
    data = tmp_path / "rollouts.jsonl"
    data.write_text("".join(json.dumps(one) + "\n" for one in rollouts))
    answer = several.post("/v1alpha1/rewards:score", {"spec": "both", "rollouts": rollouts})
    done = subprocess.run(
        [*SCORE, "--spec", both, "--data", str(data)],
        env={"PYTHONPATH": str(Path(__file__).parent / "fakes"), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    for row in answer.body["rewards"]:
        for component in row["components"].values():
            component.pop("seconds", None)
    assert answer.body["rewards"] == [json.loads(line) for line in done.stdout.splitlines()]


def test_an_only_spec_needs_no_name(serving):
    [row] = serving.score("2").body["rewards"]
    assert row["total"] == 4.0
    assert serving.score("2", spec="says").body["rewards"][0]["total"] == 4.0


def test_no_rollouts_describe_the_spec(serving):
    body = serving.score().body
    assert (body["spec"]["name"], body["rewards"]) == ("says", [])


def test_a_spec_that_is_sent_is_refused_by_default(serving):
    answer = serving.score("2", spec=OTHER)
    assert (answer.status, answer.error["kind"]) == (403, "forbidden")
    assert "--allow-specs" in answer.error["message"]


def test_a_spec_that_is_sent_and_is_one_of_the_servers_is_that_one(serving):
    same = {"name": "says", "components": [{"ref": "says", "weight": 2}]}
    assert serving.score("2", spec=same).status == 403, "another ref is another spec"
    same["components"] = [{"weight": 2.0, "ref": "server-fakes:says"}]
    assert serving.score("2", spec=same).body["rewards"][0]["total"] == 4.0


def test_an_operator_may_open_the_server_to_specs_of_clients(written):
    with Running(written("says", "says"), "--allow-specs") as server:
        answers = [server.score("2", spec=OTHER) for _ in range(2)]
        assert [one.body["rewards"][0]["total"] for one in answers] == [6.0, 6.0]
        metrics = server.get("/metrics").body
        assert 'spec="(sent)"' in metrics
        assert 'spec="other"' not in metrics
        assert "every user of this machine" in server.log
        wrong = server.score("2", spec={"components": ["sais"]})
        assert (wrong.status, wrong.error["kind"]) == (400, "spec")


def test_a_batch_that_fails_tells_its_causes_and_is_logged(several):
    answer = several.score("fine", "away", spec="broken")
    assert (answer.status, answer.error["kind"]) == (500, "reward")
    assert answer.body["rewards"][0]["total"] == 1.0
    assert several.logged("no usable rung")


def test_the_rollouts_of_one_request_are_one_group_and_never_of_two(several):
    both = several.score("a", "b", spec="group").body["rewards"]
    assert [row["total"] for row in both] == [2.0, 2.0]
    assert several.score("c", spec="group").body["rewards"][0]["total"] == 1.0


def seconds(answer):
    return answer.body["rewards"][0]["components"]["sleeps"]["seconds"]


def test_a_try_again_joins_the_request_in_flight(sleeping):
    keys = [{"requestId": "one"}, {"requestId": "one"}, {"requestId": "another"}]
    with ThreadPoolExecutor(3) as threads:
        answers = list(threads.map(lambda key: sleeping("1", **key), keys))
    one, again, other = map(seconds, answers)
    assert one == again, "one computation, one time"
    assert other != one


def test_a_try_after_the_answer_gets_that_answer(sleeping):
    first, again = (sleeping("0.1", requestId="lost on the way") for _ in range(2))
    assert seconds(first) == seconds(again)


def test_a_try_after_no_answer_is_computed(sleeping):
    late = sleeping("1.5", requestId="late", timeoutSeconds=0.2)
    assert late.status == 504
    assert sleeping("1.5", requestId="late").status == 200


def test_a_header_is_a_key_as_well(sleeping):
    with ThreadPoolExecutor(2) as threads:
        tries = [{"idempotency-key": "in a header"}] * 2
        answers = list(threads.map(lambda key: sleeping("1", headers=key), tries))
    assert answers[0].body == answers[1].body


def test_one_key_for_two_requests_is_a_conflict(sleeping):
    assert sleeping("0.1", requestId="for two").status == 200
    answer = sleeping("0.2", requestId="for two")
    assert (answer.status, answer.error["kind"]) == (409, "conflict")


def test_a_client_may_wait_less(sleeping):
    begun = time.monotonic()
    answer = sleeping("20", timeoutSeconds=0.5)
    assert time.monotonic() - begun < 10
    assert (answer.status, answer.error["kind"]) == (504, "deadline")
    assert answer.error["retryable"] is True
